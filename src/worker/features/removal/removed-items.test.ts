import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { Comment, CommentPage } from '#shared/comments/comments.ts'
import { DAY_MS, HOUR_MS, REMOVED_PER_CONTRIBUTOR_MAX } from '#shared/limits.ts'
import type { Media, MediaPage } from '#shared/media/media.ts'
import type { RemovedPage } from '#shared/removal/removed.ts'
import {
  drainObjectDeletions,
  sweepOrphanObjects,
  writeRestoreMarker,
} from '#worker/features/media/media.jobs.ts'
import { purgeDeleted } from '#worker/features/removal/removal.jobs.ts'
import { comments, commentLikes } from '#worker/schema/comments.table.ts'
import { memorialStorage } from '#worker/schema/media.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import {
  Client,
  contributorOf,
  invited,
  memorialOf,
  signedIn,
  testCtx,
} from '../../../../test/worker/harness.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import {
  mediaRowsOf,
  objectsOf,
  quotaItemsOf,
  SOUND,
  upload,
  uploadFixture,
} from '../../../../test/worker/uploads.ts'

async function photoBy(client: Client, memorialId: string): Promise<Media> {
  return (await uploadFixture(client, memorialId, 'photo.png')).body.media
}

async function commentBy(client: Client, path: string, body = 'Rest well'): Promise<Comment> {
  return (await client.post<{ comment: Comment }>(`${path}/comments`, { body })).body.comment
}

const allOf = ({ media, comments: messages }: RemovedPage) =>
  [...media, ...messages].toSorted((a, b) => b.removedAt.localeCompare(a.removedAt) || (a.id < b.id ? 1 : -1))
const kindOf = (id: string) => (id.startsWith('med') ? 'media' : 'comments')
const removedBy = async (client: Client, path: string) =>
  allOf((await client.get<RemovedPage>(`${path}/removed`)).body).map(({ id }) => id)
const restore = async (client: Client, id: string) =>
  (await client.post(`/api/${kindOf(id)}/${id}/restore`)).status
const remove = async (client: Client, id: string) => (await client.delete(`/api/${kindOf(id)}/${id}`)).status
const removedDaysAgo = (id: string, days: number) =>
  changeRows(removedItems, { id }, { removedAt: Date.now() - days * DAY_MS })

test('a removed photo comes back as it was, as cover and portrait', async () => {
  const { owner, memorial, path } = await memorialOf()
  const { id } = await photoBy(owner, memorial.id)
  await owner.patch(`/api/media/${id}`, { caption: '{"quoted": "and" ’curly’}', alt: 'Smiling' })
  await owner.patch(path, { coverMediaId: id, profileMediaId: id })
  const [before] = await mediaRowsOf(memorial.id)
  const objects = await objectsOf(memorial.id)
  expect([await remove(owner, id), await mediaRowsOf(memorial.id)]).toEqual([204, []])
  expect([await remove(owner, id), await quotaItemsOf(memorial.id)]).toEqual([404, []])
  expect((await owner.fetch(`/media/stream/${id}`)).status).toBe(404)
  expect((await owner.get<MediaPage>(`${path}/media`)).body).toMatchObject({
    media: [],
    counts: { IMAGE: 0 },
  })
  expect((await owner.get(path)).body.memorial).toMatchObject({ coverMediaId: null, profileMediaId: null })
  expect(await restore(owner, id)).toBe(200)
  expect([await mediaRowsOf(memorial.id), await objectsOf(memorial.id)]).toEqual([[before], objects])
  expect((await owner.get(path)).body.memorial).toMatchObject({ coverMediaId: id, profileMediaId: id })
  expect([await removedBy(owner, path), await restore(owner, id)]).toEqual([[], 404])
})

test('two people who restore the same message at once both succeed', async () => {
  const { owner, path, relative } = await invited()
  const { id } = await commentBy(relative, path)
  await owner.post(`/api/comments/${id}/like`)
  await remove(relative, id)
  const answers = await atOnce(4, (n) => restore([owner, relative][n % 2] ?? owner, id))
  expect(answers.filter((status) => status !== 200 && status !== 404)).toEqual([])
  expect((await owner.get<CommentPage>(`${path}/comments`)).body.comments).toMatchObject([
    { id, likeCount: 1 },
  ])
  expect(await removedBy(owner, path)).toEqual([])
})

test('what the owner takes down outlasts what its contributor removes afterwards', async () => {
  const { owner, memorial, relative } = await invited()
  const photo = await photoBy(relative, memorial.id)
  await remove(owner, photo.id)
  await changeRows(removedItems, { id: photo.id }, { removedAt: Date.now() - DAY_MS })
  const { db, now } = testCtx()
  for (let n = 10; n <= 10 + REMOVED_PER_CONTRIBUTOR_MAX; n++) {
    const authorContributorId = relative.session.contributorId
    await db
      .insert(comments)
      .values({ id: `com_o${n}`, memorialId: memorial.id, body: 'x', authorContributorId, createdAt: now() })
    await remove(relative, `com_o${n}`)
  }
  expect((await rowsOf(removedItems, { id: photo.id })).length).toBe(1)
  expect(await restore(owner, photo.id)).toBe(200)
})

test('deleting for good also works on what is still shown', async () => {
  const { owner, memorial, path } = await memorialOf()
  const { id } = await photoBy(owner, memorial.id)
  const comment = await commentBy(owner, path)
  for (const one of [id, comment.id]) {
    expect((await owner.delete(`/api/${kindOf(one)}/${one}?forever=1`)).status).toBe(204)
  }
  expect(await rowsOf(removedItems, { memorialId: memorial.id })).toEqual([])
})

test('a portrait that was chosen meanwhile stays', async () => {
  const { owner, memorial, path } = await memorialOf()
  const [first, second] = [await photoBy(owner, memorial.id), await photoBy(owner, memorial.id)]
  await owner.patch(path, { profileMediaId: first.id })
  await remove(owner, first.id)
  await owner.patch(path, { profileMediaId: second.id })
  await restore(owner, first.id)
  expect((await owner.get(path)).body.memorial.profileMediaId).toBe(second.id)
})

test('a removed message comes back with its likes', async () => {
  const { owner, path, relative } = await invited()
  const { id } = await commentBy(relative, path)
  await owner.post(`/api/comments/${id}/like`)
  await relative.post(`/api/comments/${id}/like`)
  const before = (await owner.get<CommentPage>(`${path}/comments`)).body
  const likes = await rowsOf(commentLikes, { commentId: id })
  expect(await remove(relative, id)).toBe(204)
  expect((await owner.get<CommentPage>(`${path}/comments`)).body.comments).toEqual([])
  expect([(await owner.post(`/api/comments/${id}/like`)).status, await removedBy(relative, path)]).toEqual([
    404,
    [id],
  ])
  expect(await restore(relative, id)).toBe(200)
  expect((await owner.get<CommentPage>(`${path}/comments`)).body).toEqual(before)
  expect(await rowsOf(commentLikes, { commentId: id })).toEqual(likes)
})

test(
  'the owner sees all that the family removed, a contributor what they removed',
  { tags: ['removed-own-only', 'removed-by-admin-stays'] },
  async () => {
    const { owner, memorial, path, relative } = await invited()
    const cousin = await contributorOf(owner, memorial.id, 'Rumbidzai')
    const admin = await signedIn({ admin: true })
    const [own, abusive, rude] = [
      await commentBy(relative, path),
      await commentBy(relative, path),
      await commentBy(relative, path),
    ]
    await remove(relative, own.id)
    await remove(owner, abusive.id)
    await remove(admin, rude.id)
    expect(await removedBy(owner, path)).toEqual([abusive.id, own.id])
    expect(await removedBy(relative, path)).toEqual([own.id])
    expect(await removedBy(cousin, path)).toEqual([])
    expect(await removedBy(admin, path)).toEqual([rude.id, abusive.id, own.id])
    const tries = [
      [relative, abusive.id],
      [relative, rude.id],
      [owner, rude.id],
      [cousin, own.id],
      [new Client(), own.id],
    ] as const
    const answered: unknown[] = []
    for (const [client, id] of tries) {
      answered.push([
        await restore(client, id),
        (await client.delete(`/api/${kindOf(id)}/${id}?forever=1`)).status,
      ])
    }
    expect(answered).toEqual([
      [404, 404],
      [404, 404],
      [404, 404],
      [404, 404],
      [403, 403],
    ])
    expect(await rowsOf(comments, { memorialId: memorial.id })).toEqual([])
  },
)

test(
  'a contributor restores only while INVITE, but deletes for good while LOCKED too',
  { tags: ['restore-still-allowed'] },
  async () => {
    const { owner, memorial, path, relative } = await invited()
    const { id } = await photoBy(relative, memorial.id)
    await remove(relative, id)
    await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
    expect(await restore(relative, id)).toBe(409)
    expect(await restore(owner, id)).toBe(200)
    expect(await remove(relative, id)).toBe(204)
    expect((await relative.delete(`/api/${kindOf(id)}/${id}?forever=1`)).status).toBe(204)
    expect(await restore(owner, id)).toBe(404)
  },
)

test(
  'a removed photo’s thumbnail is only for who may restore it, and never cached',
  { tags: ['removed-never-cached'] },
  async () => {
    const { owner, memorial, path, relative } = await invited()
    const { id } = await photoBy(owner, memorial.id)
    await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
    await remove(owner, id)
    const [item] = (await owner.get<RemovedPage>(`${path}/removed`)).body.media
    const shown = await owner.fetch(item?.thumbnailPath ?? '')
    expect([shown.status, shown.headers.get('Cache-Control'), shown.headers.get('Cache-Tag')]).toEqual([
      200,
      'private, no-store',
      null,
    ])
    await shown.body?.cancel()
    for (const client of [relative, new Client()])
      expect((await client.fetch(item?.thumbnailPath ?? '')).status).toBe(404)
  },
)

test('removing frees the quota at once, and restoring needs a free place', async () => {
  const { owner, memorial, path, relative } = await invited()
  const send = () => upload<{ id: string }>(relative, memorial.id, { ...SOUND })
  const first = await send()
  expect((await send()).status).toBe(409)
  await remove(relative, first.body.id)
  const second = await send()
  expect(second.status).toBe(201)
  const refused = await relative.post(`/api/media/${first.body.id}/restore`)
  expect([refused.status, refused.body.code, refused.body.message]).toEqual([
    409,
    'quota_exceeded',
    'You can add one recording of up to 10 minutes to a memorial',
  ])
  await remove(relative, second.body.id)
  const answers = await atOnce(2, (n) => restore(relative, [first, second][n]?.body.id ?? ''))
  expect(answers.toSorted((a, b) => a - b)).toEqual([200, 409])
  expect([await mediaRowsOf(memorial.id), await removedBy(owner, path)].map(({ length }) => length)).toEqual([
    1, 1,
  ])
})

test('removed bytes count in the memorial’s storage until they are deleted for good', async () => {
  const { owner, memorial } = await memorialOf()
  const { id, size } = await photoBy(owner, memorial.id)
  const storage = async () =>
    (await rowsOf(memorialStorage, { memorialId: memorial.id })).map(({ bytes, files }) => [bytes, files])
  await remove(owner, id)
  expect(await storage()).toEqual([[size, 1]])
  expect((await owner.delete(`/api/${kindOf(id)}/${id}?forever=1`)).status).toBe(204)
  expect(await storage()).toEqual([])
  await drainObjectDeletions(testCtx(() => Date.now() + HOUR_MS))
  expect([await objectsOf(memorial.id), await restore(owner, id)]).toEqual([[], 404])
})

test('of one contributor the newest 20 removed things are kept', async () => {
  const { owner, memorial, path, relative } = await invited()
  const photo = await photoBy(relative, memorial.id)
  await remove(relative, photo.id)
  const { db, now } = testCtx()
  const rows = Array.from({ length: REMOVED_PER_CONTRIBUTOR_MAX }, (_, n) => ({
    id: `com_n${n + 10}`,
    memorialId: memorial.id,
    body: `${n}`,
    authorContributorId: relative.session.contributorId,
    createdAt: now(),
  }))
  for (const row of rows) await db.insert(comments).values(row)
  await removedDaysAgo(photo.id, 1)
  for (const { id } of rows) expect(await remove(relative, id)).toBe(204)
  const kept = await rowsOf(removedItems, { memorialId: memorial.id })
  expect(new Set(kept.map(({ id }) => id))).toEqual(new Set(rows.map(({ id }) => id)))
  await drainObjectDeletions(testCtx(() => Date.now() + HOUR_MS))
  expect(await objectsOf(memorial.id)).toEqual([])
  expect((await owner.get<RemovedPage>(`${path}/removed`)).body.comments).toHaveLength(20)
})

test('the list of removed things has pages, last removed first', async () => {
  const { owner, memorial, path } = await memorialOf()
  const { db } = testCtx()
  const ids = Array.from({ length: 23 }, (_, n) => `com_p${n + 10}`)
  for (const id of ids) {
    await db
      .insert(comments)
      .values({ id, memorialId: memorial.id, body: id, authorUserId: owner.user.id, createdAt: 1 })
    await remove(owner, id)
  }
  // Two share each moment, so paging must also use the id.
  for (const [n, id] of ids.entries())
    await changeRows(removedItems, { id }, { removedAt: Date.now() - 60_000 + Math.floor(n / 2) })
  const first = (await owner.get<RemovedPage>(`${path}/removed`)).body
  const second = (await owner.get<RemovedPage>(`${path}/removed?cursor=${first.nextCursor}`)).body
  expect([...first.comments, ...second.comments].map(({ body }) => body)).toEqual(ids.toReversed())
  expect([first.comments.length, second.nextCursor]).toEqual([20, null])
})

test(
  'after 30 days it can no longer be restored, and is deleted for good',
  { tags: ['removed-kept-30-days'] },
  async () => {
    const { owner, memorial, path } = await memorialOf()
    const [old, younger] = [await photoBy(owner, memorial.id), await photoBy(owner, memorial.id)]
    for (const { id } of [old, younger]) await remove(owner, id)
    await removedDaysAgo(old.id, 30)
    await removedDaysAgo(younger.id, 29)
    expect([await removedBy(owner, path), await restore(owner, old.id)]).toEqual([[younger.id], 404])
    await purgeDeleted(testCtx())
    expect(await rowsOf(removedItems, { memorialId: memorial.id })).toHaveLength(2)
    await removedDaysAgo(old.id, 31)
    await purgeDeleted(testCtx())
    await drainObjectDeletions(testCtx(() => Date.now() + HOUR_MS))
    expect((await rowsOf(removedItems, { memorialId: memorial.id })).map(({ id }) => id)).toEqual([
      younger.id,
    ])
    expect((await objectsOf(memorial.id)).filter((key) => key.includes(old.id))).toEqual([])
    expect(await restore(owner, younger.id)).toBe(200)
  },
)

test('the sweep keeps the files of removed items', async () => {
  const { owner, memorial } = await memorialOf()
  const { id } = await photoBy(owner, memorial.id)
  const objects = await objectsOf(memorial.id)
  await remove(owner, id)
  const later = testCtx(() => Date.now() + 3 * HOUR_MS)
  await writeRestoreMarker(later)
  await sweepOrphanObjects(later)
  expect(await objectsOf(memorial.id)).toEqual(objects)
  expect((await env.MEDIA.head(`m/${memorial.id}/${id}`))?.size).toBeGreaterThan(0)
})
