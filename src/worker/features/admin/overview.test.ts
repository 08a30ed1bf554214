import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { AdminOverview } from '#shared/admin/admin.ts'
import { DAY_MS, OVERVIEW_DAYS } from '#shared/limits.ts'
import { readOverview } from '#worker/features/admin/overview.ts'
import { newId } from '#worker/platform/random.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { deadJobs } from '#worker/schema/jobs.table.ts'
import { contactMessages, mails } from '#worker/schema/mail.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { memorialOf, paidCredit, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { changeRows } from '../../../../test/worker/rows.ts'

/** Far from the rows of other tests, which have today's times. */
const NOW = Date.UTC(2031, 4, 20, 15)
const overview = () => readOverview(testCtx(() => NOW))
const LAST = OVERVIEW_DAYS - 1
/** Index and count of the days on which something happened. */
const busy = (counts: number[]) => [...counts.entries()].filter(([, count]) => count > 0)

test('the charts count each UTC day of the last 90, oldest first', async () => {
  const { db } = testCtx()
  const { owner, memorial } = await memorialOf()
  expect((await overview()).firstDay).toBe('2031-02-20')
  const firstDay = Date.UTC(2031, 1, 20)
  // Only the last moment before the first day is left out; a clock that is ahead counts as today.
  const times = [firstDay - 1, firstDay, Date.UTC(2031, 4, 19, 23, 59), NOW, NOW + DAY_MS]
  const expected = [
    [0, 1],
    [LAST - 1, 1],
    [LAST, 2],
  ]
  const memorialId = memorial.id
  await db.insert(memorials).values(
    times.map((at) => ({
      id: newId('memorial'),
      ownerId: owner.user.id,
      slug: newId('memorial'),
      honoureeFullName: 'Tendai Moyo',
      createdAt: at,
      updatedAt: at,
    })),
  )
  for (const paidAt of times) await changeRows(payments, { id: await paidCredit(owner.user.id) }, { paidAt })
  const note = { memorialId, body: 'Rest well', authorUserId: owner.user.id }
  await db.insert(comments).values(times.map((createdAt) => ({ ...note, id: newId('comment'), createdAt })))
  const file = { memorialId, type: 'IMAGE', mimeType: 'image/png', size: 1, originalFileName: 'x' } as const
  for (const createdAt of times) {
    const id = newId('media')
    await db.insert(media).values({ ...file, id, objectKey: id, createdAt })
  }

  const { daily } = await overview()
  expect(daily.memorials).toHaveLength(OVERVIEW_DAYS)
  expect([busy(daily.memorials), busy(daily.payments), busy(daily.contributions)]).toEqual([
    expected,
    expected,
    expected.map(([day, count]) => [day, 2 * Number(count)]),
  ])
})

test('what waits is counted: messages, refunds, failed jobs and emails', async () => {
  const admin = await signedIn({ admin: true })
  const { db } = testCtx()
  const waiting = async () => (await admin.get<AdminOverview>('/api/admin/overview')).body.waiting
  const before = await waiting()
  const id = newId('contactMessage')
  const at = Date.now()
  await db
    .insert(contactMessages)
    .values({ id, email: 'a@family.test', subject: 'x', message: 'x', createdAt: at })
  await changeRows(
    payments,
    { id: await paidCredit(admin.user.id) },
    { refundReason: 'memorial_already_paid' },
  )
  const jobId = newId('deadJob')
  await db
    .insert(deadJobs)
    .values({ id: jobId, job: { type: 'purge-cache' }, requestId: 'req_x', diedAt: at })
  const mail = { kind: 'receipt', recipient: 'a@family.test', subjectId: 'pay_x', status: 'DEAD' } as const
  await db.insert(mails).values({ ...mail, id: newId('mail'), createdAt: at })
  expect(await waiting()).toEqual({
    messages: before.messages + 1,
    refunds: before.refunds + 1,
    failedJobs: before.failedJobs + 1,
    failedMails: before.failedMails + 1,
  })
  await admin.post(`/api/admin/messages/${id}/answered`)
  await db.delete(deadJobs).where(eq(deadJobs.id, jobId))
  expect(await waiting()).toMatchObject({ messages: before.messages, failedJobs: before.failedJobs })
})
