import { expect, test } from 'vitest'
import type { AdminPaymentPage } from '#shared/admin/admin.ts'
import { newId } from '#worker/platform/random.ts'
import { findPayment } from '#worker/features/payments/payments.ts'
import { applyIntent } from '#worker/features/payments/settle.ts'
import { orders, paymentHistory, payments } from '#worker/schema/payments.table.ts'
import { signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import {
  confirm,
  deliverEvent,
  draftOf,
  paid,
  paymentsOf,
  refund,
  startPayment,
  stripeCall,
} from '../../../../test/worker/stripe.ts'

const orderOf = async (paymentId: string) => {
  const [row] = await rowsOf(payments, { id: paymentId })
  const [order] = await rowsOf(orders, { id: row?.orderId ?? '' })
  return order
}
const ledgerOf = async (paymentId: string) =>
  (await rowsOf(paymentHistory, { paymentId })).map(({ status }) => status)

test('an order is made once for any number of calls, and settled by its first payment', async () => {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const started = await atOnce(5, () => startPayment(owner, memorialId))
  const { paymentId, intentId } = started[0]!
  expect(new Set(started.map((one) => one.paymentId)).size).toBe(1)
  expect(await rowsOf(orders, { userId: owner.user.id })).toHaveLength(1)
  expect(await orderOf(paymentId)).toMatchObject({
    userId: owner.user.id,
    targetMemorialId: memorialId,
    amount: 6000,
    currency: 'usd',
    settledAt: null,
  })
  expect(await ledgerOf(paymentId)).toEqual([])

  await confirm(intentId)
  await atOnce(3, () => owner.post(`/api/payments/${paymentId}/sync`))
  expect((await orderOf(paymentId))?.settledAt).toBeTypeOf('number')
  expect(await ledgerOf(paymentId)).toEqual(['PAID'])
})

test('a cancelled attempt leaves the order open for the next one', async () => {
  const owner = await signedIn()
  const first = await startPayment(owner)
  await stripeCall('POST', `/v1/payment_intents/${first.intentId}/cancel`)
  const second = await startPayment(owner)
  expect(second.paymentId).not.toBe(first.paymentId)
  expect(await ledgerOf(first.paymentId)).toEqual(['FAILED'])
  expect((await orderOf(second.paymentId))?.id).toBe((await orderOf(first.paymentId))?.id)
})

test('the ledger has each refund, and who pays again makes a new order', async () => {
  const { owner, paymentId, intentId } = await paid()
  await refund(intentId)
  for (const _ of [1, 2]) await deliverEvent(intentId, 'charge.refunded')
  expect(await ledgerOf(paymentId)).toEqual(['PAID', 'REFUNDED'])
  const again = await startPayment(owner)
  expect((await orderOf(again.paymentId))?.id).not.toBe((await orderOf(paymentId))?.id)
})

/** A second attempt at the order of the first, as another provider would leave it: both are paid, neither is recorded. */
async function twoPaidAttempts(toDraft: boolean) {
  const owner = await signedIn()
  const memorialId = toDraft ? await draftOf(owner) : undefined
  const attempts: Awaited<ReturnType<typeof startPayment>>[] = []
  for (const turn of [1, 2]) {
    // One open card payment per target: the first is out of the way while the second begins.
    if (turn === 2) await changeRows(payments, { id: attempts[0]!.paymentId }, { status: 'FAILED' })
    const attempt = await startPayment(owner, memorialId)
    await confirm(attempt.intentId)
    attempts.push(attempt)
  }
  await changeRows(payments, { id: attempts[0]!.paymentId }, { status: 'PENDING', provider: 'paynow' })
  expect((await orderOf(attempts[0]!.paymentId))?.id).toBe((await orderOf(attempts[1]!.paymentId))?.id)
  const settle = async ({ paymentId, intentId }: (typeof attempts)[number]) => {
    const ctx = testCtx()
    const payment = await findPayment(ctx, paymentId)
    const { body } = await stripeCall('GET', `/v1/payment_intents/${intentId}`)
    return applyIntent(ctx, payment!, body as never)
  }
  return { owner, memorialId, attempts, settle }
}

test.each([
  ['a memorial that doesn’t exist yet', false],
  ['a draft', true],
])(
  'two paid attempts at %s give one credit, and an admin sees the other',
  { tags: ['order-paid-once'] },
  async (_what, toDraft) => {
    const { owner, memorialId, attempts, settle } = await twoPaidAttempts(toDraft)
    await Promise.all(attempts.flatMap((attempt) => [settle(attempt), settle(attempt)]))

    const rows = await rowsOf(payments, { userId: owner.user.id })
    expect(rows.map(({ status }) => status)).toEqual(['PAID', 'PAID'])
    const reasons = rows.map(({ refundReason }) => refundReason)
    expect(reasons).toContain(null)
    expect(reasons).toContain(toDraft ? 'memorial_already_paid' : 'order_already_paid')
    const counted = rows.filter(
      ({ memorialId: used, refundReason }) => used !== null || refundReason === null,
    )
    expect(counted).toMatchObject([{ memorialId: memorialId ?? null }])
    expect((await paymentsOf(owner)).map(([status]) => status)).toEqual(['PAID', 'PAID'])

    const admin = await signedIn({ admin: true })
    const listed = await admin.get<AdminPaymentPage>('/api/admin/payments?search=refund')
    const owedBack = rows.find(({ refundReason }) => refundReason !== null)?.id ?? newId('payment')
    expect(listed.body.payments.map(({ id }) => id)).toContain(owedBack)
    expect(await Promise.all(rows.map(({ id }) => ledgerOf(id)))).toEqual([['PAID'], ['PAID']])
  },
)
