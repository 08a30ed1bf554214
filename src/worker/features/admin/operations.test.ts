import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { TASKS } from '#shared/admin/admin.ts'
import { DAY_MS, MINUTE_MS } from '#shared/limits.ts'
import type { Env } from '#worker/platform/env.ts'
import { readOperations } from '#worker/features/admin/system.ts'
import { media } from '#worker/schema/media.table.ts'
import { payments, webhookEvents } from '#worker/schema/payments.table.ts'
import { cachePurges } from '#worker/schema/jobs.table.ts'
import { recordTaskRuns } from '#worker/platform/job-records.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { memorialOf, paidCredit, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { changeRows } from '../../../../test/worker/rows.ts'
import { startPayment, confirm, deliver, eventOf } from '../../../../test/worker/stripe.ts'

const file = (memorialId: string, id: string, size: number) => ({
  id,
  memorialId,
  type: 'IMAGE' as const,
  mimeType: 'image/png',
  size,
  originalFileName: 'a.png',
  objectKey: `m/${memorialId}/${id}`,
  createdAt: 1,
})

test('the console lists the largest memorials as files are added and deleted', async () => {
  const { db } = testCtx()
  await db.delete(media)
  const [small, large] = [await memorialOf(), await memorialOf({ name: 'Josiah Dube' })]
  await db.insert(media).values(file(small.memorial.id, 'med_a', 10))
  await db
    .insert(media)
    .values([file(large.memorial.id, 'med_b', 500), file(large.memorial.id, 'med_c', 700)])
  const storage = async () => (await readOperations(testCtx())).storage
  const largeNow = { id: large.memorial.id, honoureeFullName: 'Josiah Dube' }
  const smallNow = { id: small.memorial.id, honoureeFullName: small.memorial.honoureeFullName }
  expect(await storage()).toEqual({
    bytes: 1210,
    largest: [
      { memorial: largeNow, bytes: 1200, files: 2 },
      { memorial: smallNow, bytes: 10, files: 1 },
    ],
  })
  await db.delete(media).where(eq(media.id, 'med_b'))
  await changeRows(media, { id: 'med_a' }, { size: 800 })
  expect(await storage()).toEqual({
    bytes: 1500,
    largest: [
      { memorial: smallNow, bytes: 800, files: 1 },
      { memorial: largeNow, bytes: 700, files: 1 },
    ],
  })
  await db.delete(media)
  expect(await storage()).toEqual({ bytes: 0, largest: [] })
})

test('each cron task shows its last run, its result and whether it is overdue', async () => {
  const at = Date.now()
  const run = { at, tookMs: 12, isFailed: false, requestId: 'req_abcdefghjkmnpqrs' }
  await recordTaskRuns(
    testCtx(),
    TASKS.map((task) => ({ ...run, task, tookMs: 5 })),
  )
  await recordTaskRuns(testCtx(), [
    { ...run, task: 'mails' },
    { ...run, task: 'removals', isFailed: true },
  ])
  const statusesAt = async (now: number) =>
    Object.fromEntries(
      (await readOperations(testCtx(() => now))).tasks.map(({ task, status }) => [task, status]),
    )
  const { tasks } = await readOperations(testCtx())
  expect(tasks).toHaveLength(TASKS.length)
  expect(tasks[0]).toEqual({
    task: 'mails',
    status: 'ok',
    lastRunAt: new Date(at).toISOString(),
    tookMs: 12,
    requestId: 'req_abcdefghjkmnpqrs',
  })
  expect(await statusesAt(at)).toMatchObject({ mails: 'ok', removals: 'failed', objects: 'ok' })
  expect(await statusesAt(at + 11 * MINUTE_MS)).toMatchObject({
    mails: 'late',
    purges: 'late',
    payments: 'ok',
  })
  expect(new Set(Object.values(await statusesAt(at + 2 * DAY_MS)))).toEqual(new Set(['late']))
})

test("the console counts a week's failed payments, disputes and refunds due", async () => {
  const admin = await signedIn({ admin: true })
  const before = (await readOperations(testCtx())).payments
  const change = async (values: Partial<typeof payments.$inferInsert>) =>
    changeRows(payments, { id: await paidCredit(admin.user.id) }, values)
  await change({ status: 'FAILED' })
  await change({ status: 'FAILED', createdAt: Date.now() - 8 * DAY_MS })
  await change({ status: 'DISPUTED' })
  await change({ refundReason: 'refund_failed' })
  const { failed, disputed, toRefund } = before
  expect((await readOperations(testCtx())).payments).toEqual({
    failed: failed + 1,
    disputed: disputed + 1,
    toRefund: toRefund + 1,
  })
})

test('the console shows the delay of the latest Stripe event', async () => {
  await testCtx().db.delete(webhookEvents)
  expect((await readOperations(testCtx())).webhook).toBeNull()
  const { intentId } = await startPayment(await signedIn())
  await confirm(intentId)
  const event = await eventOf(intentId, 'payment_intent.succeeded')
  await deliver({ ...event, created: Math.floor(Date.now() / 1000) - 90 })
  const { webhook } = await readOperations(testCtx())
  expect(webhook?.receivedAt).toMatch(/Z$/u)
  expect([90, 91, 92, 93, 94, 95]).toContain(webhook?.lagSec)
})

test('pending cache purges are counted even if a queue does not answer', async () => {
  const { db } = testCtx()
  // What the file before left to do may be done by now.
  await db.delete(cachePurges)
  await db.insert(cachePurges).values([
    { tag: 'memorial-a', isUrgent: true, askedAt: 1 },
    { tag: 'memorial-b', isUrgent: false, askedAt: 1 },
    { tag: 'memorial-c', isUrgent: false, askedAt: 1 },
  ])
  const ctx = testCtx()
  const JOBS = { metrics: async () => Promise.reject(new Error('down')) } as unknown as Env['JOBS']
  const { purges, queues } = await readOperations({ ...ctx, env: { ...ctx.env, JOBS } })
  expect(purges).toEqual({ urgent: 1, other: 2 })
  expect(queues).toEqual([
    { queue: 'jobs', waiting: null, oldestAt: null },
    { queue: 'pictures', waiting: 0, oldestAt: null },
  ])
  expect(takeErrorLines().join()).toContain('queue_not_read')
  await db.delete(cachePurges)
})
