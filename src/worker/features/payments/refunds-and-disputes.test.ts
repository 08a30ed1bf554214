import { expect, test } from 'vitest'
import type { AdminPayment, AdminPaymentPage } from '#shared/admin/admin.ts'
import type { Payment } from '#shared/payments/payments.ts'
import { processMissedEvents, settlePendingPayments } from '#worker/features/payments/payments.jobs.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { signedIn, testCtx } from '../../../../test/worker/harness.ts'
import {
  simulateBank,
  startPayment,
  paymentsOf,
  injectStripeFault,
  paid,
  deliverEvent,
  refund,
  paidWithoutMemorial,
} from '../../../../test/worker/stripe.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'

async function reasonOf(id: string) {
  const [row] = await rowsOf(payments, { id })
  return [row?.status, row?.refundReason]
}
const creditsOf = async (owner: Awaited<ReturnType<typeof signedIn>>) =>
  (await owner.get<{ payments: Payment[] }>('/api/user/payments')).body.payments.map(
    ({ isCredit }) => isCredit,
  )
const inAnHour = () => testCtx(() => Date.now() + 3_600_000)

test('a refund that fails later makes the payment PAID again, flagged for admins', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorialId, paymentId, intentId } = await paid()
  await refund(intentId)
  expect(await deliverEvent(intentId, 'charge.refunded')).toBe(200)
  expect(await paymentsOf(owner)).toEqual([['REFUNDED', memorialId]])
  await simulateBank(intentId, 'refund/fail')
  expect(await deliverEvent(intentId, 'refund.failed')).toBe(200)
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
  const { body } = await admin.get<AdminPaymentPage>(`/api/admin/payments?search=${paymentId}`)
  expect(body.payments[0]).toMatchObject({ status: 'PAID', refundReason: 'refund_failed' })
  expect(takeErrorLines().join()).toContain('refund_failed')

  const again = await admin.post<AdminPayment>(`/api/admin/payments/${paymentId}/refund`)
  expect([again.status, again.body.status]).toEqual([200, 'REFUNDED'])
})

test('a refund event that arrives after its failure event changes nothing', async () => {
  const { owner, memorialId, intentId } = await paid()
  await refund(intentId)
  await simulateBank(intentId, 'refund/fail')
  await deliverEvent(intentId, 'refund.failed')
  await deliverEvent(intentId, 'charge.refunded')
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
})

test('a won dispute makes the payment PAID again, a lost one does not', async () => {
  for (const [status, expected] of [
    ['won', 'PAID'],
    ['lost', 'DISPUTED'],
  ] as const) {
    const { owner, memorialId, intentId } = await paid()
    await simulateBank(intentId, 'dispute')
    await deliverEvent(intentId, 'charge.dispute.created')
    expect(await paymentsOf(owner)).toEqual([['DISPUTED', memorialId]])
    await simulateBank(intentId, 'dispute/close', { status })
    await deliverEvent(intentId, 'charge.dispute.closed')
    await deliverEvent(intentId, 'charge.dispute.created')
    expect(await paymentsOf(owner)).toEqual([[expected, memorialId]])
  }
})

test('cron applies refunds and disputes with lost webhooks once', async () => {
  const [refunded, disputed, failed] = [await paid(), await paid(), await paid()]
  await refund(refunded.intentId)
  await simulateBank(disputed.intentId, 'dispute')
  await refund(failed.intentId)
  await deliverEvent(failed.intentId, 'charge.refunded')
  await simulateBank(failed.intentId, 'refund/fail')
  await atOnce(5, () => processMissedEvents(testCtx()))
  await processMissedEvents(testCtx())
  expect(await paymentsOf(refunded.owner)).toEqual([['REFUNDED', refunded.memorialId]])
  expect(await paymentsOf(disputed.owner)).toEqual([['DISPUTED', disputed.memorialId]])
  expect(await reasonOf(failed.paymentId)).toEqual(['PAID', 'refund_failed'])
  takeErrorLines()
})

test('while Stripe cannot be reached, a refund event is not applied but retried', async () => {
  const { owner, memorialId, intentId } = await paid()
  await refund(intentId)
  await injectStripeFault(intentId, 'fail')
  expect(await deliverEvent(intentId, 'charge.refunded')).toBe(502)
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
  takeErrorLines()
  await injectStripeFault(intentId, 'ok')
  expect(await deliverEvent(intentId, 'charge.refunded')).toBe(200)
  expect(await paymentsOf(owner)).toEqual([['REFUNDED', memorialId]])
})

test('a credit flagged for a refund cannot be used by its payer', async () => {
  const { owner, paymentId } = await paidWithoutMemorial()
  expect(await creditsOf(owner)).toEqual([true])
  const flag = async (refundReason: 'memorial_already_paid' | 'refund_asked') => {
    await changeRows(payments, { id: paymentId }, { refundReason })
    return creditsOf(owner)
  }
  expect(await flag('memorial_already_paid')).toEqual([false])
  expect(await flag('refund_asked')).toEqual([false])
})

test('a credit becomes usable again when its requested refund never happened', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, paymentId, intentId } = await paidWithoutMemorial()
  await injectStripeFault(intentId, 'fail')
  expect((await admin.post(`/api/admin/payments/${paymentId}/refund`)).status).toBe(502)
  await injectStripeFault(intentId, 'ok')
  takeErrorLines()
  await settlePendingPayments(testCtx())
  expect(await reasonOf(paymentId)).toEqual(['PAID', 'refund_asked'])
  expect(await creditsOf(owner)).toEqual([false])
  await settlePendingPayments(inAnHour())
  expect(await reasonOf(paymentId)).toEqual(['PAID', 'refund_failed'])
  expect(takeErrorLines().join()).toContain('refund_failed')
  const created = await owner.post('/api/memorials', { honoureeFullName: 'Sekuru Dube' })
  expect([created.body.status, created.body.isPaid]).toEqual(['ACTIVE', true])
})

test('cron finds a refund whose response was lost', async () => {
  const { paymentId, intentId } = await paidWithoutMemorial()
  await changeRows(payments, { id: paymentId }, { refundReason: 'refund_asked' })
  await refund(intentId)
  await settlePendingPayments(inAnHour())
  expect((await reasonOf(paymentId))[0]).toBe('REFUNDED')
})

test('an account syncs payments at most 60 times in five minutes', async () => {
  const owner = await signedIn()
  const { paymentId } = await startPayment(owner)
  const answers = await atOnce(65, () => owner.post(`/api/payments/${paymentId}/sync`))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(60)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(5)
})
