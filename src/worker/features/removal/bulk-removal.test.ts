import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { Comment, CommentPage } from '#shared/comments/comments.ts'
import type { ContributorPage } from '#shared/invites/contributors.ts'
import { HOUR_MS, MEMORIAL_QUOTA, REMOVED_PER_CONTRIBUTOR_MAX } from '#shared/limits.ts'
import type { Media, MediaPage } from '#shared/media/media.ts'
import type { BulkRemoval, BulkRestored, RemovedPage } from '#shared/removal/removed.ts'
import { drainObjectDeletions } from '#worker/features/media/media.jobs.ts'
import { comments, commentLikes } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { memorialStorage } from '#worker/schema/media.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import {
  type Client,
  contributorOf,
  invited,
  memorialOf,
  signedIn,
  testCtx,
  type Answer,
  type Contributor,
} from '../../../../test/worker/harness.ts'
import { recordedDb } from '../../../../test/worker/runtime/intercepted-db.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { auditOf, changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import {
  mediaRowsOf,
  objectsOf,
  quotaItemsOf,
  SOUND,
  upload,
  uploadFixture,
} from '../../../../test/worker/uploads.ts'

const NOTHING = { IMAGE: 0, VIDEO: 0, AUDIO: 0, comments: 0 }

const photoBy = async (client: Client, memorialId: string): Promise<Media> =>
  (await uploadFixture(client, memorialId, 'photo.png')).body.media
const messageBy = async (client: Client, path: string, body = 'Rest well'): Promise<Comment> =>
  (await client.post<{ comment: Comment }>(`${path}/comments`, { body })).body.comment
const remove = (client: Client, path: string, what: object) =>
  client.post<{ removal: BulkRemoval | null }>(`${path}/removals`, what)
const everythingBy = ({ session }: Contributor) => ({ contributorId: session.contributorId })
const undo = (client: Client, path: string, id: string | undefined): Promise<Answer<BulkRestored>> =>
  client.post(`${path}/removals/${id ?? ''}/restore`)
/** SQLite's JSON keeps 15 digits of a duration. */
const rounded = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === 'number' ? Number(part.toPrecision(14)) : part,
  ) as T
const shownIn = async (path: string, client: Client) => ({
  media: rounded((await client.get<MediaPage>(`${path}/media`)).body),
  guestbook: (await client.get<CommentPage>(`${path}/comments`)).body,
})

test('everything by one person leaves in one call and comes back by one undo', async () => {
  const { owner, memorial, path, relative } = await invited()
  const photo = await photoBy(relative, memorial.id)
  await upload(relative, memorial.id, SOUND)
  await messageBy(relative, path, 'one')
  const { id: liked } = await messageBy(relative, path, 'two')
  await owner.post(`/api/comments/${liked}/like`)
  const alone = await messageBy(relative, path, 'removed alone before')
  await owner.delete(`/api/comments/${alone.id}`)
  const cousin = await contributorOf(owner, memorial.id, relative.session.displayName)
  const [theirs, own] = [await messageBy(cousin, path), await messageBy(owner, path)]
  await owner.patch(path, { coverMediaId: photo.id, profileMediaId: photo.id })
  const before = await shownIn(path, owner)
  const [files, likes, objects] = [
    rounded(await mediaRowsOf(memorial.id)),
    await rowsOf(commentLikes, { commentId: liked }),
    await objectsOf(memorial.id),
  ]

  const { status, body } = await remove(owner, path, everythingBy(relative))
  expect([status, body.removal]).toEqual([
    200,
    {
      id: expect.stringMatching(/^rmv_/u),
      contributorName: relative.session.displayName,
      removed: { IMAGE: 1, VIDEO: 0, AUDIO: 1, comments: 2 },
      removedAt: expect.any(String),
      restorableUntil: expect.any(String),
    },
  ])
  const left = await shownIn(path, owner)
  expect(left.guestbook.comments.map(({ id }) => id)).toEqual([own.id, theirs.id])
  expect([left.media.media, left.media.counts]).toEqual([[], { IMAGE: 0, VIDEO: 0, AUDIO: 0 }])
  expect((await owner.fetch(`/media/stream/${photo.id}`)).status).toBe(404)
  expect((await owner.get(path)).body.memorial).toMatchObject({ coverMediaId: null, profileMediaId: null })
  expect(await quotaItemsOf(memorial.id)).toEqual([])
  expect((await remove(owner, path, everythingBy(relative))).body).toEqual({ removal: null })

  const listed = (await owner.get<RemovedPage>(`${path}/removed`)).body
  expect([listed.removals, listed.media, listed.comments.map(({ id }) => id)]).toEqual([
    [body.removal],
    [],
    [alone.id],
  ])
  const within = (await owner.get<RemovedPage>(`${path}/removed?removal=${body.removal?.id}`)).body
  expect([within.media.length, within.comments.length, within.removals]).toEqual([2, 2, []])

  const answers = await atOnce(3, () => undo(owner, path, body.removal?.id))
  const restored = answers.filter(({ status: done }) => done === 200).map((answer) => answer.body.restored)
  expect(restored.reduce((sum, count) => sum + count)).toBe(4)
  expect(await shownIn(path, owner)).toEqual(before)
  expect(rounded(await mediaRowsOf(memorial.id))).toEqual(files)
  expect(await rowsOf(commentLikes, { commentId: liked })).toEqual(likes)
  expect(await objectsOf(memorial.id)).toEqual(objects)
  expect((await owner.get(path)).body.memorial).toMatchObject({
    coverMediaId: photo.id,
    profileMediaId: photo.id,
  })
  expect(await quotaItemsOf(memorial.id)).toHaveLength(2)
  expect((await owner.get<RemovedPage>(`${path}/removed`)).body).toMatchObject({
    removals: [],
    comments: [{ id: alone.id }],
  })
  expect((await undo(owner, path, body.removal?.id)).status).toBe(404)
})

test('what came by one link since an instant leaves, and nothing else', async () => {
  const { owner, path, memorial, relative } = await invited()
  const early = await messageBy(relative, path, 'early')
  await changeRows(comments, { id: early.id }, { createdAt: Date.now() - 2 * HOUR_MS })
  const flood = await messageBy(relative, path, 'flood')
  await owner.post(`${path}/invite-link/rotate`)
  const cousin = await contributorOf(owner, memorial.id, 'Rumbidzai')
  const [welcome, own] = [await messageBy(cousin, path), await messageBy(owner, path)]
  const { links } = (await owner.get<ContributorPage>(`${path}/contributors`)).body
  expect(links.map(({ revokedAt }) => revokedAt === null)).toEqual([true, false])
  const since = new Date(Date.now() - HOUR_MS).toISOString()
  const byFormer = await remove(owner, path, { since, linkId: links[1]?.id })
  expect(byFormer.body.removal?.removed).toEqual({ ...NOTHING, comments: 1 })
  const listed = async () => (await shownIn(path, owner)).guestbook.comments.map(({ id }) => id)
  expect(await listed()).toEqual([own.id, welcome.id, early.id])
  const byCurrent = await remove(owner, path, { since })
  expect(byCurrent.body.removal?.removed).toEqual({ ...NOTHING, comments: 1 })
  expect(await listed()).toEqual([own.id, early.id])
  await undo(owner, path, byFormer.body.removal?.id)
  expect(new Set(await listed())).toEqual(new Set([own.id, early.id, flood.id]))
  const unknown = await remove(owner, path, { since, linkId: 'lnk_nothing' })
  expect([unknown.status, unknown.body]).toMatchObject([404, { code: 'not_found' }])
  for (const what of [{}, { since: 'yesterday' }, { since, contributorId: 'con_x' }])
    expect((await remove(owner, path, what)).status).toBe(400)
})

test('a thousand photos and thousands of messages cost as many statements as one', async () => {
  const tripsOf = async (files: number, messages: number) => {
    const { owner, memorial, path, relative } = await invited()
    const { contributorId } = relative.session
    const numbers = (count: number) =>
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
    await env.DB.batch([
      env.DB.prepare(`${numbers(files)} INSERT INTO media (id, memorial_id, contributor_id, type, mime_type, size,
        original_file_name, object_key, created_at) SELECT 'med_' || i || ?1, ?2, ?3, 'IMAGE', 'image/jpeg', 5, 'x',
        'm/' || ?2 || '/med_' || i || ?1, i FROM n`).bind(memorial.slug, memorial.id, contributorId),
      env.DB.prepare(`${numbers(messages)} INSERT INTO comments (id, memorial_id, body, author_contributor_id,
        created_at) SELECT 'com_' || i || ?1, ?2, 'x', ?3, i FROM n`).bind(
        memorial.slug,
        memorial.id,
        contributorId,
      ),
    ])
    const recorded = recordedDb()
    owner.bindings = { ...env, DB: recorded.DB }
    const { body } = await remove(owner, path, everythingBy(relative))
    const statements = () => recorded.trips.map((trip) => trip.length)
    expect(body.removal?.removed).toEqual({ ...NOTHING, IMAGE: files, comments: messages })
    // A contributor's quota has room for ten; the owner's undo says how many have none.
    const undone = await undo(owner, path, body.removal?.id)
    expect(undone.body).toEqual({ restored: Math.min(files, 10) + messages, left: Math.max(0, files - 10) })
    return statements()
  }
  expect(await tripsOf(1000, 4000)).toEqual(await tripsOf(1, 1))
})

test('an undo restores what has a place and says how much has none', async () => {
  const { owner, memorial, path, relative } = await invited()
  await upload(relative, memorial.id, SOUND)
  await messageBy(relative, path)
  const { removal } = (await remove(owner, path, everythingBy(relative))).body
  const second = await upload<{ id: string }>(relative, memorial.id, SOUND)
  expect(second.status).toBe(201)
  expect((await undo(owner, path, removal?.id)).body).toEqual({ restored: 1, left: 1 })
  const refused = await undo(owner, path, removal?.id)
  expect([refused.status, refused.body]).toMatchObject([409, { code: 'quota_exceeded' }])
  expect((await owner.get<RemovedPage>(`${path}/removed`)).body.removals).toMatchObject([
    { id: removal?.id, removed: { ...NOTHING, AUDIO: 1 } },
  ])
  await owner.delete(`/api/media/${second.body.id}`)
  expect((await undo(owner, path, removal?.id)).body).toEqual({ restored: 1, left: 0 })
  expect(await quotaItemsOf(memorial.id)).toHaveLength(1)
})

test('an undo of many people’s files keeps the memorial’s own limit', async () => {
  const { owner, memorial, path, relative } = await invited()
  const cousin = await contributorOf(owner, memorial.id)
  for (const client of [relative, cousin]) await upload(client, memorial.id, SOUND)
  const { removal } = (await remove(owner, path, { since: new Date(0).toISOString() })).body
  expect(removal?.removed.AUDIO).toBe(2)
  await env.DB.prepare(`WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) INSERT INTO media (id,
    memorial_id, type, mime_type, size, original_file_name, object_key, created_at) SELECT 'med_' || i || ?2, ?2,
    'AUDIO', 'audio/mpeg', 5, 'x', 'm/' || ?2 || '/' || i, i FROM n`)
    .bind(MEMORIAL_QUOTA.audio - 1, memorial.id)
    .run()
  expect((await undo(owner, path, removal?.id)).body).toEqual({ restored: 1, left: 1 })
})

test('what the owner removed together outlasts what its contributor removes afterwards', async () => {
  const { owner, memorial, path, relative } = await invited()
  const { db, now } = testCtx()
  const add = async (prefix: string, count: number) => {
    const authorContributorId = relative.session.contributorId
    const ids = Array.from({ length: count }, (_, n) => `com_${prefix}${n}${memorial.slug.slice(-6)}`)
    for (const id of ids)
      await db
        .insert(comments)
        .values({ id, memorialId: memorial.id, body: 'x', authorContributorId, createdAt: now() })
    return ids
  }
  await add('a', REMOVED_PER_CONTRIBUTOR_MAX + 5)
  const { removal } = (await remove(owner, path, everythingBy(relative))).body
  for (const id of await add('b', REMOVED_PER_CONTRIBUTOR_MAX + 5))
    await relative.delete(`/api/comments/${id}`)
  expect((await undo(owner, path, removal?.id)).body).toEqual({
    restored: REMOVED_PER_CONTRIBUTOR_MAX + 5,
    left: 0,
  })
})

test(
  'a removal belongs to one memorial, and an admin’s is restored by admins only',
  { tags: ['removal-own-memorial', 'restore-own-memorial'] },
  async () => {
    const { owner, memorial, path, relative } = await invited()
    await messageBy(relative, path)
    const other = await memorialOf()
    const otherPath = `/api/memorials/${other.memorial.id}`
    expect((await remove(other.owner, otherPath, everythingBy(relative))).body).toEqual({ removal: null })
    const { removal } = (await remove(owner, path, everythingBy(relative))).body
    expect((await undo(other.owner, otherPath, removal?.id)).status).toBe(404)
    expect((await other.owner.delete(`${otherPath}/removals/${removal?.id}`)).status).toBe(404)
    expect((await undo(owner, path, removal?.id)).status).toBe(200)

    const admin = await signedIn({ admin: true })
    const byAdmin = (await remove(admin, path, everythingBy(relative))).body.removal
    expect((await owner.get<RemovedPage>(`${path}/removed`)).body.removals).toEqual([])
    expect((await undo(owner, path, byAdmin?.id)).status).toBe(404)
    expect((await undo(admin, path, byAdmin?.id)).status).toBe(200)
    expect(await auditOf({ memorialId: memorial.id }, 'action', 'actorId')).toEqual([
      { action: 'remove_added', actorId: admin.user.id },
      { action: 'restore_added', actorId: admin.user.id },
    ])
  },
)

test('deleting a removal for good frees its storage and its files', async () => {
  const { owner, memorial, path, relative } = await invited()
  await photoBy(relative, memorial.id)
  await messageBy(relative, path)
  const { removal } = (await remove(owner, path, everythingBy(relative))).body
  expect(await rowsOf(memorialStorage, { memorialId: memorial.id })).toMatchObject([{ files: 1 }])
  expect((await owner.delete(`${path}/removals/${removal?.id}`)).status).toBe(204)
  expect(await rowsOf(memorialStorage, { memorialId: memorial.id })).toEqual([])
  expect(await rowsOf(removedItems, { memorialId: memorial.id })).toEqual([])
  await drainObjectDeletions(testCtx(() => Date.now() + HOUR_MS))
  expect(await objectsOf(memorial.id)).toEqual([])
  expect((await undo(owner, path, removal?.id)).status).toBe(404)
})

test('the list of contributors counts what each added and tells namesakes apart', async () => {
  const { owner, memorial, path, relative } = await invited()
  await contributorOf(owner, memorial.id, 'Guest Visitor')
  await contributorOf(owner, memorial.id, 'Added Nothing')
  const namesake = await contributorOf(owner, memorial.id, relative.session.displayName)
  await changeRows(contributors, { id: namesake.session.contributorId }, { createdAt: Date.now() + 1 })
  await photoBy(relative, memorial.id)
  await messageBy(relative, path)
  await messageBy(namesake, path)
  const { status, body } = await owner.get<ContributorPage>(`${path}/contributors`)
  const { displayName } = relative.session
  expect([status, body]).toEqual([
    200,
    {
      contributors: [
        {
          id: namesake.session.contributorId,
          displayName,
          joinedAt: expect.any(String),
          linkId: body.links[0]?.id,
          added: { ...NOTHING, comments: 1 },
        },
        {
          id: relative.session.contributorId,
          displayName,
          joinedAt: expect.any(String),
          linkId: body.links[0]?.id,
          added: { ...NOTHING, IMAGE: 1, comments: 1 },
        },
      ],
      links: [{ id: expect.stringMatching(/^lnk_/u), assignedAt: expect.any(String), revokedAt: null }],
      nextCursor: null,
    },
  ])
  expect(JSON.stringify(body)).not.toContain(relative.session.authToken)
})
