import { expect, test } from 'vitest'
import type { Comment, CommentPage } from '#shared/comments/comments.ts'
import type { DecidedPage, HeldItems } from '#shared/removal/held.ts'
import { DAY_MS, HELD_GROUP, HELD_PAGE, HOUR_MS } from '#shared/limits.ts'
import type { MediaPage } from '#shared/media/media.ts'
import { drainObjectDeletions } from '#worker/features/media/media.jobs.ts'
import { purgeDeleted } from '#worker/features/removal/removal.jobs.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { cachePurges } from '#worker/schema/jobs.table.ts'
import { media } from '#worker/schema/media.table.ts'
import {
  contributorOf,
  dropQueueMessages,
  invited,
  memorialOf,
  signedIn,
  testCtx,
  visitorOf,
  type Client,
} from '../../../../test/worker/harness.ts'
import { meanwhileEnv } from '../../../../test/worker/faults/faults.ts'
import { keeperIdOf, keeperOf } from '../../../../test/worker/keepers.ts'
import { auditOf, changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { objectsOf, quotaItemsOf, uploadFixture } from '../../../../test/worker/uploads.ts'

/** A memorial whose owner looks first, with a photo and two messages of a relative, and a message of a cousin. */
async function waiting() {
  const stage = await invited()
  const { owner, memorial, path, relative } = stage
  await owner.patch(path, { holdNew: true })
  const cousin = await contributorOf(owner, memorial.id, 'Rumbidzai')
  const post = async (person: Client, body: string) =>
    (await person.post<{ comment: Comment }>(`${path}/comments`, { body })).body.comment.id
  const photo = (await uploadFixture(relative, memorial.id, 'photo.png')).body.media.id
  const [first, second, hers] = [
    await post(relative, 'A'),
    await post(relative, 'B'),
    await post(cousin, 'C'),
  ]
  const held = async () => (await owner.get<HeldItems>(`${path}/held`)).body
  const decided = async () => (await owner.get<DecidedPage>(`${path}/held/decided`)).body
  const seen = async (person: Client) => [
    ...(await person.get<CommentPage>(`${path}/comments`)).body.comments.map(({ body }) => body),
    ...(await person.get<MediaPage>(`${path}/media`)).body.media.map(({ type }) => type),
  ]
  return { ...stage, cousin, photo, first, second, hers, held, decided, seen, post }
}

/** Lets a rule hold this message, as if it had come so. */
function holdFor(id: string, heldReason: 'LINK' | 'WORDS') {
  return changeRows(comments, { id }, { isHeld: true, heldAs: 'MAY_HURT', heldReason })
}

test('what the family declines leaves everybody but its author, who is told nothing', async () => {
  const { owner, path, relative, cousin, photo, first, held, decided, seen } = await waiting()
  const before = await seen(relative)
  const declined = await owner.post(`${path}/held/decline`, { ids: [photo, first] })
  const decidedAt = expect.any(String)
  expect([declined.body, (await held()).count]).toEqual([{ declined: 2, decidedAt }, 2])
  expect((await owner.post(`${path}/held/decline`, { ids: [photo, first] })).body).toMatchObject({
    declined: 0,
  })
  expect(await seen(relative)).toEqual(before)
  expect([await seen(owner), await seen(cousin)]).toEqual([['C', 'B'], ['C']])
  const own = (await relative.get<CommentPage>(`${path}/comments`)).body.comments.find(
    ({ id }) => id === first,
  )
  expect(own).toMatchObject({ isHeld: true })
  expect(Object.keys(own ?? {})).not.toContain('heldReason')
  expect(await decided()).toMatchObject({
    media: [{ id: photo, isDeclined: true }],
    comments: [{ id: first, isDeclined: true }],
    nextCursor: null,
  })
})

test(
  'a decision can be undone for 30 days',
  { tags: ['undo-own-memorial', 'undone-is-no-cover'] },
  async () => {
    const { owner, path, cousin, photo, first, hers, held, decided, seen } = await waiting()
    await owner.post(`${path}/held/decline`, { ids: [first] })
    await owner.post(`${path}/held/show`, { ids: [photo, hers] })
    await owner.patch(path, { coverMediaId: photo, profileMediaId: photo })
    const other = await memorialOf()
    const ids = [first, photo, hers]
    expect((await other.owner.post(`/api/memorials/${other.memorial.id}/held/undo`, { ids })).body).toEqual({
      undone: 0,
    })
    expect((await owner.post(`${path}/held/undo`, { ids: [first, photo] })).body).toEqual({ undone: 2 })
    expect([(await held()).count, await seen(cousin)]).toEqual([3, ['C']])
    expect((await owner.get(path)).body.memorial).toMatchObject({ coverMediaId: null, profileMediaId: null })
    await changeRows(comments, { id: hers }, { decidedAt: Date.now() - 30 * DAY_MS })
    expect((await owner.post(`${path}/held/undo`, { ids: [hers] })).body).toEqual({ undone: 0 })
    expect(await decided()).toEqual({ media: [], comments: [], nextCursor: null })
  },
)

test('one press undoes all that another decided', async () => {
  const { owner, path, photo, first, second, hers, held, decided } = await waiting()
  await holdFor(second, 'WORDS')
  await owner.post(`${path}/held/decline`, { ids: [hers] })
  const shown = (await owner.post(`${path}/held/show`)).body
  expect(shown).toMatchObject({ shown: 2 })
  const undo = (decidedAt: unknown) => owner.post(`${path}/held/undo`, { decidedAt })
  expect((await undo('yesterday')).status).toBe(400)
  expect((await undo(shown.decidedAt)).body).toEqual({ undone: 2 })
  expect(await held()).toMatchObject({ media: [{ id: photo }], comments: [{ id: first }], count: 2 })
  expect((await decided()).comments).toMatchObject([{ id: hers }])
})

test(
  'nobody shows what came or changed after they opened the list',
  { tags: ['decided-as-seen'] },
  async () => {
    const { owner, path, relative, photo, first, second, hers, held, post } = await waiting()
    const { asOf } = await held()
    await changeRows(media, { id: photo }, { createdAt: Date.parse(asOf) - 1 })
    for (const id of [first, second, hers])
      await changeRows(comments, { id }, { createdAt: Date.parse(asOf) })
    expect((await relative.patch(`/api/media/${photo}`, { caption: 'Something else' })).status).toBe(200)
    await changeRows(media, { id: photo }, { changedAt: Date.parse(asOf) + 1 })
    const late = await post(relative, 'Later')
    await changeRows(comments, { id: late }, { createdAt: Date.parse(asOf) + 1 })
    expect((await owner.post(`${path}/held/show`, { ids: [photo], asOf })).body).toMatchObject({ shown: 0 })
    expect((await owner.post(`${path}/held/show`, { asOf })).body).toMatchObject({ shown: 3 })
    expect(await held()).toMatchObject({ media: [{ id: photo }], comments: [{ id: late }], count: 2 })
  },
)

test('all that one person left is shown at once, but not what a rule holds', async () => {
  const { owner, path, relative, cousin, second, held, seen } = await waiting()
  await holdFor(second, 'LINK')
  const contributorId = relative.session.contributorId
  expect((await owner.post(`${path}/held/show`, { contributorId })).body).toMatchObject({ shown: 2 })
  expect(await seen(cousin)).toEqual(['C', 'A', 'IMAGE'])
  expect(await held()).toMatchObject({ count: 1, mayHurt: [{ reason: 'LINK', count: 1 }] })
})

test('what may hurt is apart from what waits, and in no other list of the family', async () => {
  const { owner, path, relative, first, second, hers, held, seen, post } = await waiting()
  const more: string[] = []
  for (let n = 0; n < HELD_GROUP; n++) more.push(await post(relative, `More ${n}`))
  for (const id of [first, ...more]) await holdFor(id, 'LINK')
  await holdFor(second, 'WORDS')
  const { count, comments: listed, mayHurt } = await held()
  expect([count, listed.map(({ id }) => id), await seen(owner)]).toEqual([2, [hers], ['C', 'IMAGE']])
  expect(mayHurt.toSorted((a, b) => (a.reason < b.reason ? -1 : 1))).toMatchObject([
    { reason: 'LINK', count: 1 + HELD_GROUP, comments: more.toReversed().map((id) => ({ id })), media: [] },
    { reason: 'WORDS', count: 1, comments: [{ id: second, heldReason: 'WORDS', isHeld: true }] },
  ])
  expect((await owner.post(`${path}/held/show`)).body).toMatchObject({ shown: 2 })
  expect((await owner.post(`${path}/held/show`, { ids: [second] })).body).toMatchObject({ shown: 1 })
  expect((await owner.post(`${path}/held/decline`, { reason: 'LINK' })).body).toMatchObject({
    declined: 1 + HELD_GROUP,
  })
  expect(await held()).toMatchObject({ count: 0, mayHurt: [] })
  await owner.post(`${path}/held/undo`, { ids: [first, second] })
  const back = (await held()).mayHurt.toSorted((a, b) => (a.reason < b.reason ? -1 : 1))
  expect(back).toMatchObject([
    { reason: 'LINK', count: 1 },
    { reason: 'WORDS', count: 1 },
  ])
})

test('showing and undoing purge the public page; declining leaves it', async () => {
  const { owner, memorial } = await memorialOf()
  await visitorOf(owner, memorial)
  const path = `/api/memorials/${memorial.id}`
  const [item] = (await owner.get<HeldItems>(`${path}/held`)).body.comments
  const ids = [item?.id ?? '']
  const purged = async (call: string) => {
    const { db } = testCtx()
    await db.delete(cachePurges)
    await owner.post(`${path}/held/${call}`, { ids })
    dropQueueMessages()
    return (await db.select().from(cachePurges)).map(({ isUrgent }) => isUrgent)
  }
  expect(await purged('show')).toEqual([false])
  expect(await purged('undo')).toEqual([true])
  expect(await purged('decline')).toEqual([])
})

test('decisions are listed by page, newest first', async () => {
  const { owner, memorial, path } = await memorialOf()
  const { db, now } = testCtx()
  const ids = Array.from({ length: HELD_PAGE + 3 }, (_, n) => `com_d${n + 10}`)
  for (const [n, id] of ids.entries()) {
    const decidedAt = now() - 1000 + Math.floor(n / 2)
    await db.insert(comments).values({
      id,
      memorialId: memorial.id,
      body: id,
      authorUserId: owner.user.id,
      createdAt: 1,
      decidedAt,
    })
  }
  const first = (await owner.get<DecidedPage>(`${path}/held/decided`)).body
  const second = (await owner.get<DecidedPage>(`${path}/held/decided?cursor=${first.nextCursor}`)).body
  expect([...first.comments, ...second.comments].map(({ body }) => body)).toEqual(ids.toReversed())
  expect([first.comments.length, second.nextCursor]).toEqual([HELD_PAGE, null])
})

test(
  'what was declined is deleted with its files after 30 days',
  { tags: ['declined-kept-30-days'] },
  async () => {
    const { owner, memorial, path, photo, first, second, hers, held } = await waiting()
    await owner.post(`${path}/held/decline`, { ids: [photo, first, second] })
    await owner.post(`${path}/held/show`, { ids: [hers] })
    const decidedAt = Date.now() - 31 * DAY_MS
    await changeRows(media, { id: photo }, { decidedAt })
    for (const id of [first, hers]) await changeRows(comments, { id }, { decidedAt })
    await changeRows(comments, { id: second }, { decidedAt: Date.now() - 29 * DAY_MS })
    expect(await quotaItemsOf(memorial.id)).toEqual([photo])
    await purgeDeleted(testCtx())
    await drainObjectDeletions(testCtx(() => Date.now() + HOUR_MS))
    const left = await rowsOf(comments, { memorialId: memorial.id })
    expect(new Map(left.map(({ id, decidedAt: at }) => [id, at === null]))).toEqual(
      new Map([
        [second, false],
        [hers, true],
      ]),
    )
    expect([await objectsOf(memorial.id), await quotaItemsOf(memorial.id)]).toEqual([[], []])
    expect((await held()).count).toBe(0)
  },
)

test('an admin’s decisions are recorded', async () => {
  const { memorial, path, first } = await waiting()
  const admin = await signedIn({ admin: true })
  await admin.post(`${path}/held/decline`, { ids: [first] })
  await admin.post(`${path}/held/undo`, { ids: [first] })
  await admin.post(`${path}/held/undo`, { ids: [first] })
  expect((await auditOf({ memorialId: memorial.id }, 'action')).map(({ action }) => action)).toEqual([
    'decline_held',
    'undo_held',
  ])
})

test.each(['KEEPER', 'HELPER'] as const)(
  'a %s who is removed while they decide shows, declines and undoes nothing',
  { tags: ['decision-needs-keeper', 'undo-needs-keeper'] },
  async (role) => {
    const { owner, memorial, path, photo, first, second } = await waiting()
    await owner.post(`${path}/held/decline`, { ids: [photo] })
    const state = async () => [
      await rowsOf(media, { id: photo }),
      await rowsOf(comments, { memorialId: memorial.id }),
    ]
    const before = await state()
    const calls = [
      ['show', { ids: [first] }, { shown: 0 }],
      ['decline', { ids: [second] }, { declined: 0 }],
      ['undo', { ids: [photo] }, { undone: 0 }],
    ] as const
    for (const [call, input, nothing] of calls) {
      const keeper = await keeperOf(owner, memorial.id, role)
      const id = await keeperIdOf(owner, memorial.id)
      keeper.bindings = meanwhileEnv(() => owner.delete(`${path}/keepers/${id}`))
      expect((await keeper.post(`${path}/held/${call}`, input)).body).toMatchObject(nothing)
      expect(await state()).toEqual(before)
    }
  },
)
