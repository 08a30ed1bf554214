import { createExecutionContext, createMessageBatch, env, getQueueResult } from 'cloudflare:test'
import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { mails } from '#worker/schema/mail.table.ts'
import { mailRow } from '#worker/platform/mail.ts'
import { handleQueue, retryDelaySec } from '#worker/jobs.ts'
import type { Job } from '#worker/schema/jobs.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { takeErrorLines } from '../error-lines.ts'
import { testCtx } from '../harness.ts'
import { injectMailFault, receivedBy } from '../mailbox.ts'

async function outboxed() {
  const ctx = testCtx()
  const recipient = `${randomBase32(12)}@family.test`
  const row = mailRow(ctx, { kind: 'already-registered', recipient, subjectId: 'usr_nobody' })
  await ctx.db.insert(mails).values(row)
  return { id: row.id, recipient }
}

/** Passes these mails to the consumer of `queue` in one batch; returns which messages were acknowledged and which retried. */
async function consume(queue: string, mailIds: string[], attempts = 1) {
  const batch = createMessageBatch<Job>(
    queue,
    mailIds.map((mailId) => ({
      id: mailId,
      timestamp: new Date(),
      attempts,
      body: { type: 'send-mail', mailId },
    })),
  )
  const execution = createExecutionContext()
  await handleQueue(batch, env, execution)
  const { explicitAcks, retryMessages } = await getQueueResult(batch, execution)
  return { done: explicitAcks, again: retryMessages }
}

const statusOf = async (id: string) =>
  (await testCtx().db.select({ status: mails.status }).from(mails).where(eq(mails.id, id)))[0]?.status

test('one mail that cannot be sent is retried later and delays no other', async () => {
  const [first, broken, last] = [await outboxed(), await outboxed(), await outboxed()]
  await injectMailFault('fail', broken.recipient)
  const result = await consume('nhaka-jobs', [first.id, broken.id, last.id, 'mail_unknown'], 3)
  expect(result).toEqual({
    done: [first.id, last.id, 'mail_unknown'],
    again: [{ msgId: broken.id }],
  })
  expect(takeErrorLines().join('\n')).toContain('job_failed')
  expect(await receivedBy(first.recipient)).toHaveLength(1)
  expect(await receivedBy(last.recipient)).toHaveLength(1)
  expect(await statusOf(broken.id)).toBe('QUEUED')
})

test('the delay between tries grows, up to an hour', () => {
  expect([1, 2, 3, 4, 5, 20].map(retryDelaySec)).toEqual([10, 20, 40, 80, 160, 3600])
})

test('a mail whose message reached the dead-letter queue is dead and never sent', async () => {
  const { id, recipient } = await outboxed()
  expect(await consume('nhaka-jobs-dead', [id])).toEqual({ done: [id], again: [] })
  expect(takeErrorLines().join('\n')).toContain('mail_dead')
  expect(await statusOf(id)).toBe('DEAD')
  await consume('nhaka-jobs', [id])
  expect(await receivedBy(recipient)).toEqual([])
})
