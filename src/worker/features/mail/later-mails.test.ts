import { sql } from 'drizzle-orm'
import { beforeEach, expect, test } from 'vitest'
import { HOUR_MS, LATER_MAILS_MAX, LATER_TRIES_MAX, MINUTE_MS } from '#shared/limits.ts'
import { checkSystem } from '#worker/features/admin/system.ts'
import { sendLaterMails } from '#worker/features/mail/later-mails.ts'
import { drainMailOutbox, sendMail } from '#worker/features/mail/mail.jobs.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { mailRow } from '#worker/platform/providers/mail.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { newEmail } from '../../../../test/worker/accounts.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { memorialOf, testCtx } from '../../../../test/worker/harness.ts'
import { injectMailFault, receivedBy } from '../../../../test/worker/mailbox.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'

beforeEach(async () => void (await testCtx().db.delete(mails)))

/** Puts mails of low priority about this memorial into the outbox, a minute ago. */
async function insertLater(amount: number, memorialId: string): Promise<void> {
  const { db, now } = testCtx()
  await db.run(sql`insert into mails (id, kind, recipient, subject_id, created_at, priority)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${amount})
    select 'mail_later' || printf('%05d', n), 'draft-removed', ${newEmail()}, ${memorialId}, ${now() - MINUTE_MS} + n, 'LATER' from numbers`)
}

/** How many mails of low priority still wait. */
const left = async () => (await rowsOf(mails, { status: 'QUEUED', priority: 'LATER' })).length

test(
  'an urgent mail is sent before 10,000 that can wait, though it came after them',
  { tags: ['later-mails-wait', 'later-mails-not-queued'] },
  async () => {
    await insertLater(10_000, 'mem_nowhere')
    const ctx = testCtx()
    const recipient = newEmail()
    const row = mailRow(ctx, { kind: 'already-registered', recipient, subjectId: 'usr_nobody' })
    await ctx.db.insert(mails).values({ ...row, createdAt: row.createdAt - 30_000 })
    await sendLaterMails(testCtx())
    expect(await left(), 'none is sent while it waits').toBe(10_000)

    const jobs: unknown[] = []
    const later = testCtx(() => Date.now() + 2 * MINUTE_MS)
    const enqueue: Ctx['enqueue'] = async (...more) => void jobs.push(...more)
    await drainMailOutbox({ ...later, enqueue })
    expect(jobs).toEqual([{ type: 'send-mail', mailId: row.id }])
    await sendMail(testCtx(), row.id)
    expect(await receivedBy(recipient)).toHaveLength(1)

    await sendLaterMails(testCtx())
    expect(await left(), 'so many in one run').toBe(10_000 - LATER_MAILS_MAX)
    const [first] = await rowsOf(mails, { id: 'mail_later00001' })
    const [next] = await rowsOf(mails, { id: `mail_later${`${LATER_MAILS_MAX + 1}`.padStart(5, '0')}` })
    expect([first?.status, next?.status], 'the oldest first').toEqual(['CANCELLED', 'QUEUED'])
  },
)

test('one that has just come, has failed, or is held back delays nothing', async () => {
  const ctx = testCtx()
  const now = ctx.now()
  const states = [
    {},
    { attempts: 1, createdAt: now - HOUR_MS },
    { claimedUntil: now, createdAt: now - HOUR_MS },
  ]
  for (const state of states)
    await ctx.db.insert(mails).values({
      ...mailRow(ctx, { kind: 'already-registered', recipient: newEmail(), subjectId: 'usr_nobody' }),
      ...state,
    })
  await insertLater(3, 'mem_nowhere')
  await sendLaterMails(ctx)
  expect(await left()).toBe(0)
})

test('runs at once send each mail once', async () => {
  const { memorial } = await memorialOf({})
  await insertLater(5, memorial.id)
  const [row] = await rowsOf(mails, { id: 'mail_later00001' })
  await atOnce(3, () => sendLaterMails(testCtx()))
  const copies = await receivedBy(row!.recipient)
  expect(new Set(copies.map(({ headers }) => headers['X-Nhaka-Mail-Id'])).size).toBe(5)
  expect(copies).toHaveLength(5)
})

test('one that fails is tried again later and later, and given up after ten times', async () => {
  const { memorial } = await memorialOf({})
  await insertLater(1, memorial.id)
  const [row] = await rowsOf(mails, { id: 'mail_later00001' })
  const theOne = async () => (await rowsOf(mails, { id: row!.id }))[0]
  await injectMailFault('fail', row!.recipient, LATER_TRIES_MAX)
  let at = Date.now()
  await sendLaterMails(testCtx(() => at))
  await sendLaterMails(testCtx(() => at))
  expect(await theOne(), 'not at once').toMatchObject({ attempts: 1, status: 'QUEUED' })
  for (let tries = 1; tries < LATER_TRIES_MAX; tries++) {
    at += 10_000 * 2 ** Math.min(tries, 9)
    await sendLaterMails(testCtx(() => at))
  }
  expect(await theOne()).toMatchObject({ attempts: LATER_TRIES_MAX, status: 'DEAD' })
  expect(takeErrorLines().map((line) => /"event":"(\w+)"/u.exec(line)?.[1])).toEqual([
    ...Array(LATER_TRIES_MAX).fill('later_mail_failed'),
    'mail_dead',
  ])
})

test('mails that can wait for hours are no sign that delivery is stuck', async () => {
  await insertLater(2, 'mem_nowhere')
  const ctx = testCtx(() => Date.now() + HOUR_MS)
  const queue = async () => (await checkSystem(ctx)).checks.find(({ part }) => part === 'queue')?.status
  expect(await queue()).toBe('ok')
  await ctx.db.update(mails).set({ priority: 'NOW' })
  expect(await queue()).toBe('failing')
})
