import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { COMMENTS_PAGE, MEDIA_PAGE } from '#shared/limits.ts'
import type { Privacy, PublicMemorialView } from '#shared/memorials/memorials.ts'
import { createCtx } from '#worker/platform/ctx.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { setDeleted } from '../../../../test/worker/whole-memorial.ts'
import { newId } from '#worker/platform/random.ts'
import { readPublicRows, toPublicPage } from '#worker/features/views/memorial-view.ts'
import { Client, memorialOf, testCtx } from '../../../../test/worker/harness.ts'
import { recordedDb } from '../../../../test/worker/runtime/intercepted-db.ts'

const START = { media: null, comments: null, photo: null }

async function readPublicPage(...[ctx, slug, query]: Parameters<typeof readPublicRows>) {
  return toPublicPage(await readPublicRows(ctx, slug, query))
}

function mediaRow(memorialId: string, at: number, type: 'IMAGE' | 'AUDIO' = 'IMAGE') {
  const id = newId('media')
  const mimeType = type === 'IMAGE' ? 'image/jpeg' : 'audio/mpeg'
  return { id, memorialId, type, mimeType, size: 5, originalFileName: 'x', objectKey: id, createdAt: at }
}

/** A public memorial with one media item and one message more than fit on a page. */
async function fullMemorial() {
  const { owner, memorial } = await memorialOf()
  const { db } = testCtx()
  const photos = Array.from({ length: MEDIA_PAGE }, (_, at) => mediaRow(memorial.id, at + 1))
  const recording = mediaRow(memorial.id, 0, 'AUDIO')
  const messages = Array.from({ length: COMMENTS_PAGE + 1 }, (_, at) => ({
    id: newId('comment'),
    memorialId: memorial.id,
    body: `message ${at}`,
    authorUserId: owner.user.id,
    createdAt: at,
  }))
  await Promise.all([recording, ...photos].map((row) => db.insert(media).values(row)))
  await Promise.all(messages.map((row) => db.insert(comments).values(row)))
  await owner.put(`/api/memorials/${memorial.id}/location`, { latitude: -17.5, longitude: 31 })
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  return { owner, memorial, photos, recording }
}

test("the public page equals a stranger's API response and follows its cursors", async () => {
  const { memorial, photos, recording } = await fullMemorial()
  const first = await readPublicPage(testCtx(), memorial.slug, START)
  const { body } = await new Client().get<PublicMemorialView>(`/api/memorial/${memorial.slug}`)
  expect(first).toEqual({ view: body, photo: null })
  expect([body.location, body.mediaCounts]).toEqual([null, { IMAGE: MEDIA_PAGE, VIDEO: 0, AUDIO: 1 }])
  const second = await readPublicPage(testCtx(), memorial.slug, {
    media: body.mediaCursor,
    comments: body.commentsCursor,
    photo: photos[3]!.id,
  })
  expect([
    second?.view.media.map(({ id }) => id),
    second?.view.comments.map((message) => message.body),
    second?.view.mediaCounts,
    second?.photo?.id,
  ]).toEqual([[recording.id], ['message 0'], body.mediaCounts, photos[3]!.id])
  const wrong = { media: 'none', comments: "' or 1=1", photo: recording.id }
  expect(await readPublicPage(testCtx(), memorial.slug, wrong)).toEqual(first)
})

test('a photo of another memorial is not shown on a public page', async () => {
  const [one, other] = [await fullMemorial(), await fullMemorial()]
  const query = { ...START, photo: other.photos[0]!.id }
  expect((await readPublicPage(testCtx(), one.memorial.slug, query))?.photo).toBeNull()
})

test('only an active, public memorial has a public page', async () => {
  const found: unknown[] = []
  for (const privacy of ['PRIVATE', 'INVITE', 'LOCKED'] as Privacy[]) {
    const { memorial } = await memorialOf({ privacy })
    const read = async () => (await readPublicPage(testCtx(), memorial.slug, START))?.view.memorial.id ?? null
    found.push((await read()) === memorial.id)
    for (const status of ['DRAFT', 'DELETED', 'REMOVED'] as const) {
      await setDeleted(memorial.id, 1, { status })
      found.push(await read())
    }
  }
  const nothing = [null, null, null]
  expect(found).toEqual([false, ...nothing, false, ...nothing, true, ...nothing])
  expect(await readPublicPage(testCtx(), 'nobody-k7q2mx', START)).toBeNull()
})

test('the public page takes one round trip to the database', async () => {
  const { memorial, photos } = await fullMemorial()
  const { DB, trips } = recordedDb()
  const ctx = createCtx({ env: { ...env, DB }, waitUntil: () => {} })
  await readPublicPage(ctx, memorial.slug, { ...START, photo: photos[0]!.id })
  expect(trips.map((statements) => statements.length)).toEqual([8])
})
