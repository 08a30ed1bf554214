import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { Ctx } from '#worker/platform/ctx.ts'
import { drainMailOutbox, markMailDead, sendMail } from '#worker/features/mail/mail.jobs.ts'
import { DAY_MS, HOUR_MS, RATE_LIMITS } from '#shared/limits.ts'
import { checkSystem } from '#worker/features/admin/system.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { mailRow, type MailKind } from '#worker/platform/providers/mail.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { Client, paidCredit, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { injectMailFault, receivedBy, tokenIn } from '../../../../test/worker/mailbox.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'

const newAddress = () => `${randomBase32(12)}@family.test`

/** Inserts a mail into the outbox without a queue message. */
async function insertMail(
  mail: { kind?: MailKind; recipient?: string; subjectId?: string } & Partial<typeof mails.$inferInsert> = {},
) {
  const ctx = testCtx()
  const { kind = 'already-registered', recipient = newAddress(), subjectId = 'usr_nobody', ...rest } = mail
  const row = { ...mailRow(ctx, { kind, recipient, subjectId }), ...rest }
  await ctx.db.insert(mails).values(row)
  return { id: row.id, recipient }
}

async function rowOf(id: string) {
  const [row] = await rowsOf(mails, { id })
  return row!
}

type Job = Parameters<Ctx['enqueue']>[number]

/** Returns a context whose queue only records its jobs. */
function ctxRecordingJobs(now?: () => number): Ctx & { jobs: Job[] } {
  const jobs: Job[] = []
  return {
    ...testCtx(now),
    jobs,
    async enqueue(...more) {
      jobs.push(...more)
    },
  }
}

test('a mail is sent once, even by several consumers in parallel', async () => {
  const { id, recipient } = await insertMail()
  await atOnce(10, () => sendMail(testCtx(), id))
  await sendMail(testCtx(), id)
  const [copy, ...others] = await receivedBy(recipient)
  expect(others).toEqual([])
  expect(copy).toMatchObject({
    to: recipient,
    from: 'memorials@nhaka.test',
    subject: 'You already have an account',
    headers: {
      From: 'Keeping Legacies Alive <memorials@nhaka.test>',
      To: recipient,
      'X-Nhaka-Mail-Id': id,
      'Auto-Submitted': 'auto-generated',
    },
  })
  expect(copy?.headers).not.toHaveProperty('Reply-To')
  expect(await rowOf(id)).toMatchObject({ status: 'SENT', attempts: 1, lastError: null, claimedUntil: null })
})

test('a failed delivery throws, so that the queue retries, and stores its error', async () => {
  const { id, recipient } = await insertMail()
  await injectMailFault('fail', recipient)
  await expect(sendMail(testCtx(), id)).rejects.toThrow('MailChannels: 500')
  expect(await receivedBy(recipient)).toEqual([])
  const failed = await rowOf(id)
  expect(failed).toMatchObject({ status: 'QUEUED', attempts: 1, sentAt: null })
  expect(failed.lastError).toContain('MailChannels: 500')

  await sendMail(testCtx(), id)
  expect(await receivedBy(recipient)).toHaveLength(1)
  expect(await rowOf(id)).toMatchObject({ status: 'SENT', attempts: 2, lastError: null })
})

test('a lost response causes at most two copies, with the same mail id', async () => {
  const { id, recipient } = await insertMail()
  await injectMailFault('drop', recipient)
  await expect(sendMail(testCtx(), id)).rejects.toThrow('MailChannels: no answer')
  await sendMail(testCtx(), id)
  const copies = await receivedBy(recipient)
  expect(copies.length).toBeLessThanOrEqual(2)
  expect(new Set(copies.map(({ headers }) => headers['X-Nhaka-Mail-Id']))).toEqual(new Set([id]))
  expect((await rowOf(id)).status).toBe('SENT')
})

test('after a failed attempt the link in the delivered mail works', async () => {
  const { user } = await signedIn({ email: newAddress() })
  const { id } = await insertMail({ kind: 'reset', recipient: user.email, subjectId: user.id })
  await injectMailFault('fail', user.email)
  await expect(sendMail(testCtx(), id)).rejects.toThrow('MailChannels')
  await sendMail(testCtx(), id)
  const [mail] = await receivedBy(user.email)
  const answer = await new Client().post('/api/auth/reset-password', {
    token: tokenIn(mail),
    password: 'a new beginning',
  })
  expect(answer.status).toBe(200)
})

test('a cancelled, dead or unknown mail is not sent', async () => {
  const cancelled = await insertMail({ status: 'CANCELLED' })
  const dead = await insertMail({ status: 'DEAD' })
  await sendMail(testCtx(), cancelled.id)
  await sendMail(testCtx(), dead.id)
  await sendMail(testCtx(), 'mail_unknown')
  expect(await receivedBy(cancelled.recipient)).toEqual([])
  expect(await receivedBy(dead.recipient)).toEqual([])
  expect((await rowOf(cancelled.id)).attempts).toBe(0)
})

test('a mail that another consumer claimed is skipped until the claim expires', async () => {
  const now = Date.now()
  const { id, recipient } = await insertMail({ claimedUntil: now + 1000 })
  await sendMail(
    testCtx(() => now + 999),
    id,
  )
  expect(await receivedBy(recipient)).toEqual([])
  await sendMail(
    testCtx(() => now + 1000),
    id,
  )
  expect(await receivedBy(recipient)).toHaveLength(1)
})

test('a verification mail is cancelled once the address is confirmed', async () => {
  const { user } = await signedIn({ email: newAddress() })
  const { id } = await insertMail({ kind: 'verify', recipient: user.email, subjectId: user.id })
  await sendMail(testCtx(), id)
  expect(await receivedBy(user.email)).toEqual([])
  expect((await rowOf(id)).status).toBe('CANCELLED')
})

test('a receipt has the amount and the receipt number', async () => {
  const { user } = await signedIn({ email: newAddress() })
  const paymentId = await paidCredit(user.id)
  const { id } = await insertMail({ kind: 'receipt', recipient: user.email, subjectId: paymentId })
  await sendMail(testCtx(), id)
  const [receipt] = await receivedBy(user.email)
  expect(receipt?.subject).toBe('Your receipt: $60.00')
  expect(receipt?.text).toContain('Amount: $60.00')
  expect(receipt?.text).toContain(`Receipt number: ${paymentId}`)
})

test('after the last attempt a mail is dead and logged; a sent one stays sent', async () => {
  const failed = await insertMail({ lastError: 'Error: MailChannels: 500', attempts: 6 })
  await markMailDead(testCtx(), failed.id)
  expect((await rowOf(failed.id)).status).toBe('DEAD')
  expect(takeErrorLines().join('\n')).toContain('mail_dead')
  const sent = await insertMail({ status: 'SENT' })
  await markMailDead(testCtx(), sent.id)
  expect((await rowOf(sent.id)).status).toBe('SENT')
})

test('without MAILCHANNELS_API_KEY mails stay in the outbox, and the log says why', async () => {
  const { id } = await insertMail({ createdAt: 1 })
  const ctx = ctxRecordingJobs()
  ctx.env = { ...ctx.env, MAILCHANNELS_API_KEY: '' }
  await sendMail(ctx, id)
  await drainMailOutbox(ctx)
  expect(ctx.jobs).toEqual([])
  expect(await rowOf(id)).toMatchObject({ status: 'QUEUED', attempts: 0 })
  expect(takeErrorLines().filter((line) => line.includes('mail_key_missing'))).toHaveLength(2)
  await testCtx().db.delete(mails).where(eq(mails.id, id))
})

/** Lowers the hourly limit of mails that strangers can cause to one, for `work`. */
async function withOneMailAnHour(work: () => Promise<void>): Promise<void> {
  const { limit } = RATE_LIMITS.strangersMails
  Object.assign(RATE_LIMITS.strangersMails, { limit: 1 })
  try {
    await work()
  } finally {
    Object.assign(RATE_LIMITS.strangersMails, { limit })
  }
}

test('above the hourly limit a mail waits, is not lost, and delays no other kind', async () => {
  await withOneMailAnHour(async () => {
    // Days ahead, where nothing was counted yet.
    const start = Date.now() + 9 * DAY_MS
    const at = (ms: number) => ctxRecordingJobs(() => start + ms)
    const { user } = await signedIn({ email: newAddress() })
    const reset = { kind: 'reset', recipient: user.email, subjectId: user.id } as const
    const mailAt = { createdAt: start }
    const stranger = await signedIn({ email: newAddress() })
    await changeRows(users, { id: stranger.user.id }, { emailVerifiedAt: null })
    const [first, second, unconfirmed, other] = [
      await insertMail(mailAt),
      await insertMail(mailAt),
      await insertMail({ ...reset, ...mailAt, recipient: newAddress(), subjectId: stranger.user.id }),
      await insertMail({ ...reset, ...mailAt }),
    ]
    for (const { id } of [first, second, unconfirmed, other]) await sendMail(at(0), id)
    expect(await receivedBy(first.recipient)).toHaveLength(1)
    expect(await receivedBy(second.recipient)).toEqual([])
    expect(await receivedBy(other.recipient)).toHaveLength(1)
    expect(await rowOf(second.id)).toMatchObject({
      status: 'QUEUED',
      attempts: 0,
      claimedUntil: start + HOUR_MS,
    })
    expect(takeErrorLines()).toEqual([expect.stringContaining('mail_limit_reached')])

    const job = { type: 'send-mail', mailId: second.id }
    const early = at(HOUR_MS)
    await drainMailOutbox(early)
    expect(early.jobs).not.toContainEqual(job)
    const later = at(HOUR_MS + 80_000)
    await drainMailOutbox(later)
    expect(later.jobs).toContainEqual(job)
    await sendMail(later, second.id)
    expect(await receivedBy(second.recipient)).toHaveLength(1)
    const { checks } = await checkSystem(at(HOUR_MS + 80_000))
    expect(checks.find(({ part }) => part === 'queue')).toMatchObject({
      status: 'failing',
      detail: expect.stringMatching(
        /More were asked for than we send in an hour: the rest is sent later\.$/u,
      ),
    })
  })
})

test('cron requeues exactly the mails whose queue message was lost', async () => {
  const now = Date.now()
  const ages = { createdAt: now - 80_000 }
  const lost = await insertMail(ages)
  const crashed = await insertMail({ createdAt: now - 200_000, claimedUntil: now - 90_000, attempts: 1 })
  await insertMail({ createdAt: now - 30_000 })
  await insertMail({ ...ages, claimedUntil: now + 1000 })
  await insertMail({ ...ages, claimedUntil: now - 70_000, attempts: 3 })
  await insertMail({ ...ages, status: 'SENT' })
  await insertMail({ ...ages, status: 'DEAD' })
  await insertMail({ ...ages, status: 'CANCELLED' })
  const ctx = ctxRecordingJobs(() => now)
  await drainMailOutbox(ctx)
  expect(ctx.jobs).toEqual([
    { type: 'send-mail', mailId: crashed.id },
    { type: 'send-mail', mailId: lost.id },
  ])
})
