import { expect } from 'vitest'
import type { Comment, CommentPage } from '#shared/comments/comments.ts'
import type { MediaPage } from '#shared/media/media.ts'
import type { PublicMemorialView } from '#shared/memorials/memorials.ts'
import { contributorOf, invited, type Client } from './harness.ts'
import { uploadFixture } from './uploads.ts'

export const WORDS = 'Nobody has read this yet'

/** A memorial that holds new things, with a photo and a message of a relative that wait. */
export async function holding() {
  const stage = await invited()
  const { owner, memorial, path, relative } = stage
  expect((await owner.patch(path, { holdNew: true })).body.holdNew).toBe(true)
  const photo = (await uploadFixture(relative, memorial.id, 'photo.png')).body.media
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const post = () => relative.post<{ comment: Comment }>(`${path}/comments`, { body: WORDS }, { headers })
  const [{ body: posted }, { body: again }] = [await post(), await post()]
  expect(again).toEqual(posted)
  return { ...stage, photo, message: posted.comment, cousin: await contributorOf(owner, memorial.id) }
}
type Stage = Awaited<ReturnType<typeof holding>>

/** Everywhere that a viewer could see the photo or the message: how many times, or with which status. */
export async function seenBy(client: Client, { memorial, path, photo, message }: Stage) {
  const list = (await client.get<MediaPage>(`${path}/media`)).body
  const view = (await client.get<PublicMemorialView>(`/api/memorial/${memorial.slug}`)).body
  const page = await (await client.fetch(`/m/${memorial.slug}?photo=${photo.id}`)).text()
  const stream = await client.fetch(`/media/stream/${photo.id}?thumbnail=1`)
  await stream.body?.cancel()
  return {
    media: list.media.length,
    counts: [list.counts?.IMAGE, view.mediaCounts.IMAGE],
    people: list.people?.length ?? 0,
    view: [view.media.length, view.comments.length],
    comments: (await client.get<CommentPage>(`${path}/comments`)).body.comments.length,
    from: (await client.get(`${path}/media?from=${photo.id}`)).status,
    stream: stream.status,
    like: (await client.post(`/api/comments/${message.id}/like`)).status,
    page: page.includes(WORDS) || page.includes(photo.id),
  }
}

export const NOTHING = {
  media: 0,
  counts: [0, 0],
  people: 0,
  view: [0, 0],
  comments: 0,
  from: 404,
  stream: 404,
  like: 404,
  page: false,
}
const EVERYTHING = { ...NOTHING, media: 1, counts: [1, 1], people: 1, view: [1, 1], comments: 1 }
export const SEEN = { ...EVERYTHING, from: 200, stream: 200, like: 200 }
