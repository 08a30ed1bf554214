import { expect, test } from 'vitest'
import { PAYNOW_OPEN_MS } from '#shared/limits.ts'
import { settlePendingLocalPayments } from '#worker/features/payments/paynow-check.ts'
import { paynowAttempts } from '#worker/schema/payments.table.ts'
import { takeErrorLines } from '../../../../test/worker/error-lines.ts'
import { testCtx } from '../../../../test/worker/harness.ts'
import { tellSandbox } from '../../../../test/worker/mailbox.ts'
import {
  asked,
  atPaynow,
  injectPaynowFault,
  onPhone,
  postResult,
  resultPost,
} from '../../../../test/worker/paynow.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'
import { paymentsOf } from '../../../../test/worker/stripe.ts'

const afterwards = (ms: number) => testCtx(() => Date.now() + ms)

test(
  'a late “Paid” whose poll fails is posted again, and cron asks too',
  { tags: ['paynow-post-answered'] },
  async () => {
    for (const how of ['post', 'cron']) {
      const { owner, memorialId, id } = await asked()
      await settlePendingLocalPayments(afterwards(PAYNOW_OPEN_MS + 60_000))
      expect(await paymentsOf(owner)).toEqual([['FAILED', null]])
      const { transactions } = await atPaynow(id)
      await injectPaynowFault(transactions[0]!.guid, 'fail', 1)
      // The post itself comes later.
      await tellSandbox('/faults', { service: 'paynow-posts', mode: 'hold', match: id })
      await onPhone(id, 'approve')
      expect(await postResult(await resultPost(id))).toBe(502)
      expect(await paymentsOf(owner)).toEqual([['FAILED', null]])
      if (how === 'post') expect(await postResult(await resultPost(id))).toBe(200)
      else await settlePendingLocalPayments(afterwards(60 * 60_000))
      expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
      const [attempt] = await rowsOf(paynowAttempts, { paymentId: id })
      expect(attempt?.nextCheckAt).toBeNull()
    }
    takeErrorLines()
  },
)

test('a poll that failed about a payment that was over is asked again once', async () => {
  const { id } = await asked()
  await onPhone(id, 'cancel')
  await postResult(await resultPost(id))
  const { transactions } = await atPaynow(id)
  await injectPaynowFault(transactions[0]!.guid, 'fail', 1)
  expect(await postResult(await resultPost(id, { status: 'Paid' }))).toBe(502)
  const next = async () => (await rowsOf(paynowAttempts, { paymentId: id }))[0]?.nextCheckAt
  expect(await next()).toBeGreaterThan(Date.now())
  await settlePendingLocalPayments(afterwards(60 * 60_000))
  expect(await next()).toBeNull()
  takeErrorLines()
})
