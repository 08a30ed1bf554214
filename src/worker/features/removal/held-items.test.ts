import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { Comment, CommentPage } from '#shared/comments/comments.ts'
import type { HeldItems } from '#shared/removal/held.ts'
import type { MediaPage } from '#shared/media/media.ts'
import { Client, contributorOf, invited, memorialOf, signedIn } from '../../../../test/worker/harness.ts'
import { holding, NOTHING, seenBy, SEEN, WORDS } from '../../../../test/worker/held-stage.ts'
import { auditOf, changeRows } from '../../../../test/worker/rows.ts'
import { media } from '#worker/schema/media.table.ts'
import { interceptedDb } from '../../../../test/worker/runtime/intercepted-db.ts'
import { OWN_JSON, watchedCall } from '../../../../test/worker/runtime/watched.ts'
import { quotaItemsOf, uploadFixture } from '../../../../test/worker/uploads.ts'

test(
  'what is held is seen by its contributor and the editors only, everywhere',
  {
    tags: [
      'held-hidden',
      'held-comment-hidden',
      'held-media-hidden',
      'held-never-cached',
      'held-is-no-cover',
      'new-things-wait',
    ],
  },
  async () => {
    const stage = await holding()
    const { owner, path, relative, cousin, photo, message, memorial } = stage
    const admin = await signedIn({ admin: true })
    expect(await seenBy(cousin, stage)).toEqual(NOTHING)
    for (const client of [owner, relative, admin]) expect(await seenBy(client, stage)).toEqual(SEEN)
    expect([photo.isHeld, message.isHeld]).toEqual([true, true])
    const [dashboard] = (await owner.get('/api/dashboard')).body.memorials
    expect(dashboard).toMatchObject({ mediaCount: 0, commentCount: 0 })
    expect((await owner.get(`${path}/export/plan`)).body.files).toBe(0)
    expect((await owner.patch(path, { profileMediaId: photo.id })).status).toBe(400)
    expect(await quotaItemsOf(memorial.id)).toEqual([photo.id])

    await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
    const stranger = await signedIn()
    expect(await seenBy(stranger, stage)).toEqual(NOTHING)
    expect((await seenBy(relative, stage)).comments).toBe(1)
    const served = await owner.fetch(`/media/stream/${photo.id}?thumbnail=1`)
    await served.body?.cancel()
    expect([served.headers.get('Cache-Control'), served.headers.get('Cache-Tag')]).toEqual([
      'private, no-store',
      null,
    ])

    expect((await owner.post(`${path}/held/show`)).body).toMatchObject({ shown: 2 })
    expect(await seenBy(stranger, stage)).toEqual({ ...SEEN, people: 0, page: true })
    expect((await owner.post(`${path}/held/show`)).body).toMatchObject({ shown: 0 })
  },
)

test('the owner shows or removes what waits; what is restored comes back held', async () => {
  const stage = await holding()
  const { owner, path, relative, cousin, photo, message } = stage
  const held = async () => (await owner.get<HeldItems>(`${path}/held`)).body
  expect(await held()).toMatchObject({ media: [{ id: photo.id }], comments: [{ id: message.id }], count: 2 })
  expect((await owner.post(`${path}/held/show`, { ids: [photo.id] })).body).toMatchObject({ shown: 1 })
  expect((await cousin.get<MediaPage>(`${path}/media`)).body.media).toMatchObject([{ id: photo.id }])
  expect((await cousin.get<MediaPage>(`${path}/media`)).body.media[0]).not.toHaveProperty('isHeld')
  await owner.delete(`/api/comments/${message.id}`)
  expect(await held()).toMatchObject({ media: [], comments: [], count: 0, mayHurt: [], hasDecided: true })
  await owner.post(`/api/comments/${message.id}/restore`)
  expect((await held()).comments).toMatchObject([{ id: message.id, isHeld: true }])
  expect((await relative.delete(`/api/comments/${message.id}`)).status).toBe(204)
  expect((await held()).count).toBe(0)
})

test(
  'while new things wait, no contributor edits shown items or restores them unseen',
  { tags: ['held-until-changed'] },
  async () => {
    const { owner, memorial, path, relative } = await invited()
    const cousin = await contributorOf(owner, memorial.id)
    const photo = (await uploadFixture(relative, memorial.id, 'photo.png')).body.media
    const posted = await relative.post<{ comment: Comment }>(`${path}/comments`, { body: WORDS })
    const message = `/api/comments/${posted.body.comment.id}`
    await relative.delete(message)
    await owner.patch(path, { holdNew: true })
    const caption = { caption: WORDS }
    expect(await relative.patch(`/api/media/${photo.id}`, caption)).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    })
    expect((await owner.patch(`/api/media/${photo.id}`, caption)).status).toBe(200)
    expect((await relative.post(`${message}/restore`)).status).toBe(200)
    expect((await cousin.get<CommentPage>(`${path}/comments`)).body.comments).toEqual([])
    expect((await owner.get<HeldItems>(`${path}/held`)).body.count).toBe(1)
  },
)

test('the owner’s own are never held, and switching it off leaves what waits', async () => {
  const { owner, path, relative, cousin } = await holding()
  await owner.post(`${path}/comments`, { body: 'From the family' })
  await owner.patch(path, { holdNew: false })
  await relative.post(`${path}/comments`, { body: 'Later' })
  const seen = (await cousin.get<CommentPage>(`${path}/comments`)).body.comments
  expect(seen.map(({ body }) => body)).toEqual(['Later', 'From the family'])
  expect((await owner.get<HeldItems>(`${path}/held`)).body.count).toBe(2)
})

test('only editors of this memorial show what is held in it', { tags: ['held-own-memorial'] }, async () => {
  const { memorial, path, relative, message } = await holding()
  const other = await memorialOf()
  const ids = [message.id]
  const elsewhere = await other.owner.post(`/api/memorials/${other.memorial.id}/held/show`, { ids })
  expect(elsewhere.body).toMatchObject({ shown: 0 })
  for (const client of [relative, new Client()])
    expect((await client.post(`${path}/held/show`)).status).toBeGreaterThan(400)
  const admin = await signedIn({ admin: true })
  expect((await admin.post(`${path}/held/show`, { ids })).body).toMatchObject({ shown: 1 })
  expect(await auditOf({ memorialId: memorial.id }, 'action')).toEqual([{ action: 'show_held' }])
})

test(
  'a change that crosses the family’s look changes nothing',
  { tags: ['held-until-changed'] },
  async () => {
    const { path, owner, relative, photo } = await holding()
    const DB = interceptedDb(env.DB, async ({ name }, work) => {
      // Its first look is over.
      if (name === 'batch') await changeRows(media, { id: photo.id }, { isHeld: false })
      return work()
    })
    const { response } = await watchedCall(`/api/media/${photo.id}`, {
      method: 'PATCH',
      headers: { ...OWN_JSON, 'X-Contributor-Token': relative.session.authToken },
      body: JSON.stringify({ caption: WORDS }),
      settings: { DB },
    })
    expect(response.status).toBe(409)
    expect((await owner.get<MediaPage>(`${path}/media`)).body.media).toMatchObject([{ caption: null }])
  },
)
