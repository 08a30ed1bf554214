import { expect, test } from 'vitest'
import { DAY_MS, DELETED_RESTORABLE_MS, DRAFTS_BATCH, HOUR_MS } from '#shared/limits.ts'
import type { DashboardMemorial } from '#shared/memorials/memorials.ts'
import { removeUnusedDrafts } from '#worker/features/memorials/memorials.jobs.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { memorialOf, paidCredit, signedIn, testCtx, type SignedIn } from '../../../../test/worker/harness.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import { atOnce, inTurn } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { draftOf } from '../../../../test/worker/stripe.ts'
import { uploadFixture } from '../../../../test/worker/uploads.ts'

const runAt = (at: number) => removeUnusedDrafts(testCtx(() => at))
const kindsOf = async (subjectId: string) => (await rowsOf(mails, { subjectId })).map(({ kind }) => kind)
const statusOf = async (id: string) => (await rowsOf(memorials, { id }))[0]?.status
async function removedOn(owner: SignedIn): Promise<string | null | undefined> {
  const { body } = await owner.get<{ memorials: DashboardMemorial[] }>('/api/dashboard')
  return body.memorials[0]?.removedOn
}

/** A draft that nobody has used for this many days. */
async function unusedDraft(days: number) {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const at = Date.now() - days * DAY_MS
  await changeRows(memorials, { id: memorialId }, { createdAt: at, updatedAt: at })
  return { owner, memorialId }
}

test('an unpaid draft is removed 90 days after its last use, with two mails before', async () => {
  const { owner, memorialId } = await unusedDraft(0)
  const start = Date.now()
  const day = (days: number) => start + days * DAY_MS + HOUR_MS
  const story = [
    [59, [], 'DRAFT', null],
    [60, ['draft-ending'], 'DRAFT', day(90)],
    [60, ['draft-ending'], 'DRAFT', day(90)],
    [82, ['draft-ending'], 'DRAFT', day(90)],
    [83, ['draft-ending', 'draft-ending'], 'DRAFT', day(90)],
    [89, ['draft-ending', 'draft-ending'], 'DRAFT', day(90)],
    [90, ['draft-ending', 'draft-ending', 'draft-removed'], 'DELETED', undefined],
  ] as const
  const seen = await inTurn(story.length, async (n) => {
    const days = story[n]?.[0] ?? 0
    await runAt(day(days))
    const until = await removedOn(owner)
    return [days, await kindsOf(memorialId), await statusOf(memorialId), until && Date.parse(until)]
  })
  expect(seen).toEqual(story)

  const { body } = await owner.get('/api/dashboard/deleted')
  expect(body.memorials).toMatchObject([
    { id: memorialId, restorableUntil: new Date(day(90) + DELETED_RESTORABLE_MS).toISOString() },
  ])
  expect((await owner.post(`/api/memorials/${memorialId}/restore`)).body.status).toBe('DRAFT')
  // It stays for another 90 days.
  await runAt(day(91))
  expect(await kindsOf(memorialId)).toHaveLength(3)
})

test('the mails say what happens when, and how to keep the draft', async () => {
  const { owner, memorialId } = await unusedDraft(70)
  const at = Date.now()
  await runAt(at)
  const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
  const [mail] = await mailboxOf(owner.user.email, 1)
  expect(mail?.subject).toBe('Your unfinished memorial will be removed')
  expect(mail?.text).toContain(`We will remove it on ${date.format(at + 30 * DAY_MS)}`)
  expect(mail?.text).toContain(`/memorial/${memorialId}`)
})

test('one click in such a mail ends them for this draft, which is removed as before', async () => {
  const { owner, memorialId } = await unusedDraft(0)
  const { email } = owner.user
  const start = Date.now()
  const mailsAfter = async (days: number, count: number) => {
    await runAt(start + days * DAY_MS + HOUR_MS)
    return (await mailboxOf(email, count)).map(({ subject }) => subject)
  }
  const ending = 'Your unfinished memorial will be removed'
  expect(await mailsAfter(60, 1)).toEqual([ending])
  const [mail] = await mailboxOf(email, 1)
  expect(mail?.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
  const address = /^<(http\S+\/unsubscribe\/mem_\S+)>$/u.exec(mail?.headers['List-Unsubscribe'] ?? '')?.[1]
  const { pathname } = new URL(address ?? '')
  await owner.fetch(pathname, { method: 'POST', body: 'List-Unsubscribe=One-Click' })
  expect(await mailsAfter(83, 2)).toEqual([ending])
  expect(await mailsAfter(90, 3)).toEqual([ending])
  expect(await statusOf(memorialId)).toBe('DELETED')

  const other = await unusedDraft(0)
  for (const days of [60, 83, 90]) await runAt(start + days * DAY_MS + HOUR_MS)
  const removed = await mailboxOf(other.owner.user.email, 3)
  for (const { headers } of removed)
    expect(headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
  expect(removed.map(({ subject }) => subject)).toContain('Your unfinished memorial was removed')
})

test('a draft is never removed without two mails in time before, however old it is', async () => {
  const { memorialId } = await unusedDraft(1000)
  const now = Date.now()
  await inTurn(3, (n) => runAt(now + n * HOUR_MS))
  expect(await kindsOf(memorialId)).toEqual(['draft-ending'])
  // Cron stood still for a year.
  await inTurn(3, (n) => runAt(now + 365 * DAY_MS + n * HOUR_MS))
  expect(await kindsOf(memorialId)).toEqual(['draft-ending', 'draft-ending'])
  expect(await statusOf(memorialId)).toBe('DRAFT')
})

const USES: Record<string, (owner: SignedIn, path: string, id: string) => Promise<{ status: number }>> = {
  'a changed title': (owner, path) => owner.patch(path, { title: 'She sang.' }),
  'a visit of its owner': (owner, path) => owner.post(`${path}/seen`),
  'a photo': (owner, _, id) => uploadFixture(owner, id, 'polyglot.jpg'),
  'a place': (owner, path) => owner.put(`${path}/location`, { latitude: -18.97, longitude: 32.67 }),
  'a service': (owner, path) => owner.put(`${path}/funeral`, { dateTime: '2031-06-07T10:00' }),
  'a payment': async (owner, path) => {
    await paidCredit(owner.user.id)
    return owner.post(`${path}/credit`)
  },
  'a payment that waits': async (owner, path) => {
    await paidCredit(owner.user.id)
    return owner.get(path)
  },
}

test.each(Object.keys(USES))('%s keeps an unpaid draft', async (use) => {
  const { owner, memorialId } = await unusedDraft(200)
  const now = Date.now()
  await runAt(now - 31 * DAY_MS)
  await runAt(now - HOUR_MS)
  expect(await kindsOf(memorialId)).toHaveLength(2)
  expect(await removedOn(owner)).not.toBeNull()
  const answer = await USES[use]?.(owner, `/api/memorials/${memorialId}`, memorialId)
  expect(answer?.status).toBeLessThan(300)
  expect(await removedOn(owner)).toBeNull()
  await runAt(now + 59 * DAY_MS)
  expect(await statusOf(memorialId)).not.toBe('DELETED')
  expect((await kindsOf(memorialId)).filter((kind) => kind.startsWith('draft'))).toHaveLength(2)
})

test('a run is bounded, the next one goes on, and simultaneous runs mail once', async () => {
  const count = DRAFTS_BATCH + 5
  const drafts = await inTurn(count, async () => (await unusedDraft(5000)).memorialId)
  const { memorial } = await memorialOf()
  await changeRows(memorials, { id: memorial.id }, { createdAt: 1, updatedAt: 1 })
  const mailed = async () => (await Promise.all(drafts.map(kindsOf))).flat().length
  await runAt(Date.now())
  expect(await mailed()).toBe(DRAFTS_BATCH)
  await atOnce(3, () => runAt(Date.now()))
  expect(await mailed()).toBe(count)
  // What is paid for stays.
  expect(await kindsOf(memorial.id)).toEqual([])
})
