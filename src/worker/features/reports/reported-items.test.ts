import { beforeEach, expect, test } from 'vitest'
import type { Comment, CommentPage } from '#shared/comments/comments.ts'
import { DAY_MS } from '#shared/limits.ts'
import type { AdminReportPage, ReportedPage } from '#shared/removal/reports.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { cachePurges } from '#worker/schema/jobs.table.ts'
import { reports } from '#worker/schema/reports.table.ts'
import { listLeftReports } from '#worker/features/admin/left-reports.ts'
import { Client, dropQueueMessages, invited, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { auditOf, rowsOf } from '../../../../test/worker/rows.ts'

beforeEach(dropQueueMessages)

/** A public memorial with a message of a relative that `count` people reported. */
async function reported(count: number) {
  const stage = await invited()
  const { owner, path, relative } = stage
  const { comment } = (await relative.post<{ comment: Comment }>(`${path}/comments`, { body: 'A message' }))
    .body
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const more = (people: number) =>
    atOnce(people, (n) =>
      new Client().post(`/api/comments/${comment.id}/report`, { reason: 'OTHER', words: `Words ${n}` }),
    )
  await more(count)
  const isShown = async () => {
    const list = await new Client().get<CommentPage>(`${path}/comments`)
    return list.body.comments.some(({ id }) => id === comment.id)
  }
  const keep = (client: Client) => client.post(`${path}/reports/keep`, { itemId: comment.id })
  const open = async (client: Client = owner) => (await client.get<ReportedPage>(`${path}/reports`)).body
  return { ...stage, comment, more, isShown, keep, open }
}

test('editors see how many people reported an item, why, and what they said', async () => {
  const { owner, open, comment, relative } = await reported(2)
  const stranger = new Client()
  await stranger.post(`/api/comments/${comment.id}/report`, { reason: 'HURTFUL' })
  const summary = {
    count: 3,
    reasons: [
      { reason: 'OTHER', count: 2 },
      { reason: 'HURTFUL', count: 1 },
    ],
    words: expect.toSatisfy((words: string[]) => words.toSorted().join() === 'Words 0,Words 1'),
    firstAt: expect.any(String),
  }
  const page = await open()
  expect(page).toEqual({
    media: [],
    comments: [expect.objectContaining({ id: comment.id })],
    nextCursor: null,
  })
  expect(page.comments[0]?.reports).toEqual(summary)
  expect([page.comments[0]?.isHeld, page.comments[0]?.heldReason]).toEqual([true, 'REPORTS'])
  const admin = await signedIn({ admin: true })
  expect((await open(admin)).comments[0]?.reports).toEqual(summary)
  for (const client of [relative, stranger, await signedIn()])
    expect(JSON.stringify(await open(client))).not.toContain('Words')
  expect(JSON.stringify(await rowsOf(reports, {}))).not.toContain(stranger.ip)
  expect(owner.user.isAdmin).toBe(false)
})

test(
  'what an editor keeps is shown again, and only three new people hide it again',
  { tags: ['settled-reports-past'] },
  async () => {
    const { owner, comment, more, isShown, keep, open, path } = await reported(3)
    expect(await isShown()).toBe(false)
    await testCtx().db.delete(cachePurges)
    expect((await keep(owner)).status).toBe(204)
    expect([await isShown(), (await open()).comments]).toEqual([true, []])
    expect(await rowsOf(cachePurges, {})).toHaveLength(1)
    expect((await keep(owner)).status).toBe(404)
    await more(2)
    expect(await isShown()).toBe(true)
    await more(1)
    expect(await isShown()).toBe(false)
    expect((await open()).comments[0]?.reports.count).toBe(3)
    // What waits is shown with the same effect.
    expect((await owner.post(`${path}/held/show`, { ids: [comment.id] })).body).toMatchObject({
      shown: 1,
    })
    expect([await isShown(), (await open()).comments]).toEqual([true, []])
  },
)

test('the people whose reports an editor settled don’t count again', async () => {
  const { owner, comment, isShown, keep } = await reported(0)
  const people = [new Client(), new Client(), new Client()]
  const report = async () => {
    const answers = people.map((one) => one.post(`/api/comments/${comment.id}/report`, { reason: 'OTHER' }))
    return (await Promise.all(answers)).map(({ status }) => status)
  }
  await report()
  await keep(owner)
  expect([await report(), await isShown()]).toEqual([[200, 200, 200], true])
})

test(
  'an editor of one memorial keeps and sees nothing of another',
  { tags: ['kept-own-memorial', 'reports-own-memorial'] },
  async () => {
    const { comment, isShown, open } = await reported(3)
    const other = await reported(1)
    const answer = await other.owner.post(`${other.path}/reports/keep`, { itemId: comment.id })
    expect([answer.status, await isShown()]).toEqual([404, false])
    expect((await other.open()).comments.map(({ id }) => id)).toEqual([other.comment.id])
    expect((await open()).comments).toHaveLength(1)
  },
)

test(
  'keeping a reported item shows nothing that something else hides',
  { tags: ['kept-if-reports-hid-it'] },
  async () => {
    const { owner, comment, keep, isShown } = await reported(2)
    await testCtx().db.update(comments).set({ isHeld: true, heldAs: 'BLOCKED', heldReason: 'REPORTS' })
    expect([(await keep(owner)).status, await isShown()]).toEqual([204, false])
    const [row] = await rowsOf(comments, { id: comment.id })
    expect(row?.heldAs).toBe('BLOCKED')
  },
)

test(
  'removing settles the reports, and restoring brings them back with the item',
  { tags: ['restored-with-reports'] },
  async () => {
    const { owner, path, comment, relative, open, more, isShown, keep } = await reported(2)
    const one = `/api/comments/${comment.id}`
    const removeAll = () => owner.post(`${path}/removals`, { contributorId: relative.session.contributorId })
    const ways = [
      { remove: () => owner.delete(one), restore: () => owner.post(`${one}/restore`) },
      {
        remove: removeAll,
        restore: async (removed: Awaited<ReturnType<typeof removeAll>>) =>
          owner.post(`${path}/removals/${removed.body.removal.id}/restore`),
      },
    ]
    for (const { remove, restore } of ways) {
      const removed = await remove()
      expect((await open()).comments).toEqual([])
      expect(
        (await rowsOf(reports, { itemId: comment.id })).some(({ settledAt }) => settledAt === null),
      ).toBe(false)
      expect((await restore(removed)).status).toBe(200)
      expect((await open()).comments[0]?.reports.count).toBe(2)
    }
    await more(1)
    expect(await isShown()).toBe(false)
    // What an editor has decided stays decided.
    await keep(owner)
    await owner.delete(one)
    expect((await owner.post(`${one}/restore`)).status).toBe(200)
    expect((await open()).comments).toEqual([])
  },
)

test('admins see after 7 days what a family has left, without the item, and settle it', async () => {
  const { comment, memorial, keep } = await reported(2)
  const admin = await signedIn({ admin: true })
  const mine = ({ reports: all }: AdminReportPage) => all.filter(({ item }) => item.id === comment.id)
  const now = (await admin.get<AdminReportPage>('/api/admin/reports')).body
  expect(mine(now)).toEqual([])
  const later = () =>
    listLeftReports(
      testCtx(() => Date.now() + 7 * DAY_MS + 1000),
      null,
    )
  const [left, ...others] = mine(await later())
  expect(others).toEqual([])
  expect(left).toEqual({
    id: expect.stringMatching(/^rep_/u),
    memorial: { id: memorial.id, honoureeFullName: memorial.honoureeFullName },
    item: { kind: 'comment', id: comment.id },
    reports: {
      count: 2,
      reasons: [{ reason: 'OTHER', count: 2 }],
      words: expect.any(Array),
      firstAt: expect.any(String),
    },
  })
  expect((await keep(admin)).status).toBe(204)
  expect(mine(await later())).toEqual([])
  expect(await auditOf({ memorialId: memorial.id, action: 'keep_reported' }, 'targetId')).toEqual([
    { targetId: comment.id },
  ])
})
