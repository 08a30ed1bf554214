import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { messages } from '#shared/messages.ts'
import type { PaymentIntent } from '#shared/payments/payments.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { createPaymentIntent } from '#worker/features/payments/intents.ts'
import { settlePendingPayments } from '#worker/features/payments/payments.jobs.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { createStripeClient } from '#worker/platform/providers/stripe.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { Client, paidCredit, signedIn, testCtx, type SignedIn } from '../../../../test/worker/harness.ts'
import {
  startPayment,
  confirm,
  deliver,
  deliverEvent,
  eventOf,
  draftOf,
  paymentsOf,
  stripeCall,
  injectStripeFault,
} from '../../../../test/worker/stripe.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { atOnce, inTurn } from '../../../../test/worker/repeat.ts'

const CREATE = '/api/stripe/create-payment-intent'

const receiptsOf = (paymentId: string) => rowsOf(mails, { subjectId: paymentId, kind: 'receipt' })
async function statusOf(memorialId: string) {
  return (await rowsOf(memorials, { id: memorialId }))[0]?.status
}

test('twenty simultaneous calls create one payment and one PaymentIntent', async () => {
  const user = await signedIn()
  const answers = await atOnce(20, () => user.post<PaymentIntent>(CREATE, {}))
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(new Set(answers.map(({ body }) => body.clientSecret)).size).toBe(1)
  expect(new Set(answers.map(({ body }) => body.paymentId)).size).toBe(1)
  const rows = await rowsOf(payments, { userId: user.user.id })
  expect(rows).toHaveLength(1)
  const { body } = await stripeCall('GET', '/v1/payment_intents?limit=100')
  const intents = body['data'] as { metadata: Record<string, string> }[]
  expect(intents.filter(({ metadata }) => metadata['userId'] === user.user.id)).toHaveLength(1)
})

test('amounts and currencies from the client are ignored', async () => {
  const user = await signedIn()
  const { body } = await user.post<PaymentIntent>(CREATE, { amount: 1, currency: 'zwl', userId: 'usr_other' })
  const intentId = body.clientSecret.split('_secret_')[0] ?? ''
  const { body: intent } = await stripeCall('GET', `/v1/payment_intents/${intentId}`)
  expect({ amount: intent['amount'], currency: intent['currency'], metadata: intent['metadata'] }).toEqual({
    amount: 6000,
    currency: 'usd',
    metadata: { paymentId: body.paymentId, userId: user.user.id },
  })
})

test("nobody pays for another person's or an unknown memorial", { tags: ['pay-own-memorial'] }, async () => {
  const [owner, stranger] = [await signedIn(), await signedIn()]
  const memorialId = await draftOf(owner)
  expect((await stranger.post(CREATE, { memorialId })).status).toBe(404)
  expect((await owner.post(CREATE, { memorialId: 'mem_none' })).status).toBe(404)
  expect((await new Client().post(CREATE, { memorialId })).status).toBe(401)
  expect(await rowsOf(payments, { userId: stranger.user.id })).toEqual([])
})

test(
  'a paid memorial or an unused credit is not charged again',
  { tags: ['paid-memorial-not-charged', 'credit-used-once'] },
  async () => {
    const owner = await signedIn()
    const creditId = await paidCredit(owner.user.id)
    const withCredit = await owner.post(CREATE, {})
    expect([withCredit.status, withCredit.body.code]).toEqual([409, 'already_paid'])
    const memorialId = await draftOf(owner)
    await changeRows(payments, { id: creditId }, { memorialId })
    const nextId = await paidCredit(owner.user.id)
    const paid = await owner.post(CREATE, { memorialId })
    expect([paid.status, paid.body.message]).toEqual([409, messages.payment.alreadyPaid])
    // The other payment still waits.
    expect((await rowsOf(payments, { id: nextId }))[0]?.memorialId).toBeNull()
  },
)

test('a waiting payment is used, oldest first, wherever money would be asked for', async () => {
  const calls = [
    (owner: SignedIn, memorialId: string) => owner.post(CREATE, { memorialId }),
    (owner: SignedIn, memorialId: string) => owner.post('/api/payments/init', { memorialId }),
    (owner: SignedIn, memorialId: string) => owner.post(`/api/memorials/${memorialId}/credit`),
    (owner: SignedIn, memorialId: string) =>
      owner.patch(`/api/memorials/${memorialId}/privacy`, { privacy: 'INVITE' }),
  ]
  const answers = await Promise.all(
    calls.map(async (ask) => {
      const owner = await signedIn()
      const memorialId = await draftOf(owner)
      const [newer, older, flagged] = [
        await paidCredit(owner.user.id),
        await paidCredit(owner.user.id),
        await paidCredit(owner.user.id),
      ]
      await changeRows(payments, { id: older }, { paidAt: 1 })
      await changeRows(payments, { id: flagged }, { paidAt: 0, refundReason: 'memorial_already_paid' })
      const { status, body } = await ask(owner, memorialId)
      expect((await rowsOf(payments, { memorialId })).map(({ id }) => id)).toEqual([older])
      expect(await statusOf(memorialId)).toBe('ACTIVE')
      expect(await rowsOf(payments, { userId: owner.user.id, status: 'PENDING' })).toEqual([])
      expect((await rowsOf(payments, { id: newer }))[0]?.memorialId).toBeNull()
      return [status, body.code ?? body.privacy, body.message ?? body.isPaid]
    }),
  )
  expect(answers).toEqual([
    [409, 'already_paid', messages.payment.creditUsed],
    [409, 'already_paid', messages.payment.creditUsed],
    [204, undefined, undefined],
    [200, 'INVITE', true],
  ])
})

test('simultaneous calls for two drafts use one waiting payment exactly once', async () => {
  const owner = await signedIn()
  const drafts = [await draftOf(owner), await draftOf(owner)] as const
  const creditId = await paidCredit(owner.user.id)
  const answers = await atOnce(12, (n) => {
    const memorialId = drafts[n % 2]
    return n % 4 < 2
      ? owner.post(CREATE, { memorialId })
      : owner.patch(`/api/memorials/${memorialId}/privacy`, { privacy: 'INVITE' })
  })
  const [row] = await rowsOf(payments, { id: creditId })
  const other = drafts.find((id) => id !== row?.memorialId) ?? ''
  expect(drafts).toContain(row?.memorialId)
  expect([await statusOf(row?.memorialId ?? ''), await statusOf(other)]).toEqual(['ACTIVE', 'DRAFT'])
  const used = answers.filter(({ body }) => body.message === messages.payment.creditUsed)
  expect(used.length).toBeLessThanOrEqual(1)
  // Only the draft without the payment asks for money.
  const asked = await rowsOf(payments, { userId: owner.user.id, status: 'PENDING' })
  expect(asked.map(({ targetMemorialId }) => targetMemorialId)).toEqual([other])
})

test("nobody uses another person's waiting payment, an admin not even the owner's", async () => {
  const [owner, admin] = [await signedIn(), await signedIn({ admin: true })]
  const memorialId = await draftOf(owner)
  const credits = [await paidCredit(owner.user.id), await paidCredit(admin.user.id)]
  const shared = await admin.patch(`/api/memorials/${memorialId}/privacy`, { privacy: 'LOCKED' })
  expect([shared.status, shared.body.code]).toEqual([402, 'payment_required'])
  expect((await admin.post(CREATE, { memorialId })).status).toBe(404)
  expect((await admin.post('/api/payments/init', { memorialId })).status).toBe(404)
  expect((await admin.post(`/api/memorials/${memorialId}/credit`)).status).toBe(404)
  for (const id of credits) expect((await rowsOf(payments, { id }))[0]?.memorialId).toBeNull()
  // Making it private asks for no money, so it uses none.
  await owner.patch(`/api/memorials/${memorialId}/privacy`, { privacy: 'PRIVATE' })
  expect(await statusOf(memorialId)).toBe('DRAFT')
})

test('without a waiting payment there is none to use, and repeating the call uses one', async () => {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const none = await owner.post(`/api/memorials/${memorialId}/credit`)
  expect([none.status, none.body.code]).toEqual([402, 'payment_required'])
  await paidCredit(owner.user.id)
  await paidCredit(owner.user.id)
  const answers = await atOnce(5, () => owner.post(`/api/memorials/${memorialId}/credit`))
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(204))
  expect((await paymentsOf(owner)).filter(([, paidFor]) => paidFor !== null)).toHaveLength(1)
})

test('a payment for the next memorial that Stripe has, and we do not know yet, is used', async () => {
  const owner = await signedIn()
  const { paymentId, intentId } = await startPayment(owner)
  await confirm(intentId)
  const memorialId = await draftOf(owner)
  const { status, body } = await owner.post(CREATE, { memorialId })
  expect([status, body.message]).toEqual([409, messages.payment.creditUsed])
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
  expect(await receiptsOf(paymentId)).toHaveLength(1)
})

test('sync activates a paid draft and writes one receipt, even when repeated', async () => {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const { paymentId, intentId } = await startPayment(owner, memorialId)
  const before = await owner.post(`/api/payments/${paymentId}/sync`)
  expect(before.body.status).toBe('PENDING')
  await confirm(intentId)
  const answers = await atOnce(10, () => owner.post(`/api/payments/${paymentId}/sync`))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(answers[0]?.body).toEqual({
    id: paymentId,
    status: 'PAID',
    memorialId,
    isCredit: false,
    amount: 6000,
    currency: 'usd',
    provider: 'stripe',
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/u),
  })
  expect(await statusOf(memorialId)).toBe('ACTIVE')
  expect(await receiptsOf(paymentId)).toMatchObject([{ recipient: owner.user.email }])
})

test(
  "a forged return URL changes nothing, and nobody syncs another's payment",
  { tags: ['payment-own-only'] },
  async () => {
    const [owner, stranger] = [await signedIn(), await signedIn()]
    const { paymentId } = await startPayment(owner)
    await owner.get(`/dashboard?payment=success&paymentId=${paymentId}`)
    expect((await owner.post(`/api/payments/${paymentId}/sync`)).body.status).toBe('PENDING')
    expect((await stranger.post(`/api/payments/${paymentId}/sync`)).status).toBe(404)
    expect((await owner.post('/api/payments/pay_none/sync')).status).toBe(404)
    expect((await new Client().post(`/api/payments/${paymentId}/sync`)).status).toBe(401)
    expect(await paymentsOf(owner)).toEqual([['PENDING', null]])
    expect(await paymentsOf(stranger)).toEqual([])
  },
)

test('after a declined card the same payment accepts another card', async () => {
  const owner = await signedIn()
  const first = await startPayment(owner)
  expect((await confirm(first.intentId, 'pm_card_chargeDeclined')).status).toBe(402)
  expect((await owner.post(`/api/payments/${first.paymentId}/sync`)).body.status).toBe('PENDING')
  expect(await receiptsOf(first.paymentId)).toEqual([])
  expect(await startPayment(owner)).toEqual(first)
  await confirm(first.intentId)
  expect((await owner.post(`/api/payments/${first.paymentId}/sync`)).body.status).toBe('PAID')
})

test('the tenth declined card cancels the PaymentIntent; the next call makes a new one', async () => {
  const owner = await signedIn()
  const first = await startPayment(owner)
  await inTurn(9, () => confirm(first.intentId, 'pm_card_chargeDeclined'))
  expect((await owner.post(`/api/payments/${first.paymentId}/sync`)).body.status).toBe('PENDING')
  expect(await startPayment(owner)).toEqual(first)
  await confirm(first.intentId, 'pm_card_chargeDeclined')
  expect((await owner.post(`/api/payments/${first.paymentId}/sync`)).body.status).toBe('FAILED')
  expect((await stripeCall('GET', `/v1/payment_intents/${first.intentId}`)).body['status']).toBe('canceled')
  const second = await startPayment(owner)
  expect(second.intentId).not.toBe(first.intentId)
  await confirm(second.intentId)
  expect((await owner.post(`/api/payments/${second.paymentId}/sync`)).body.status).toBe('PAID')
})

test('ten declines are noticed also when the payer asks for the card form again', async () => {
  const owner = await signedIn()
  const first = await startPayment(owner)
  await inTurn(10, () => confirm(first.intentId, 'pm_card_chargeDeclined'))
  const second = await startPayment(owner)
  expect(second.intentId).not.toBe(first.intentId)
  expect((await paymentsOf(owner)).map(([status]) => status).sort()).toEqual(['FAILED', 'PENDING'])
})

test("Stripe's event of the tenth decline cancels, whatever the payer's browser does", async () => {
  const owner = await signedIn()
  const { intentId } = await startPayment(owner)
  await inTurn(9, () => confirm(intentId, 'pm_card_chargeDeclined'))
  await deliverEvent(intentId, 'payment_intent.payment_failed')
  expect(await paymentsOf(owner)).toEqual([['PENDING', null]])
  await confirm(intentId, 'pm_card_chargeDeclined')
  const event = await eventOf(intentId, 'payment_intent.payment_failed')
  expect((await deliver(event)).status).toBe(200)
  expect((await deliver(event)).status).toBe(200)
  expect(await paymentsOf(owner)).toEqual([['FAILED', null]])
  // The intent takes no other card.
  expect((await confirm(intentId)).status).toBe(400)
})

test('a card that pays before the cancellation counts', async () => {
  const owner = await signedIn()
  const { intentId } = await startPayment(owner)
  await inTurn(10, () => confirm(intentId, 'pm_card_chargeDeclined'))
  await confirm(intentId)
  await deliverEvent(intentId, 'payment_intent.payment_failed')
  expect(await paymentsOf(owner)).toEqual([['PAID', null]])
})

test('a cancelled PaymentIntent is FAILED, and the next call opens a new payment', async () => {
  const owner = await signedIn()
  const first = await startPayment(owner)
  await stripeCall('POST', `/v1/payment_intents/${first.intentId}/cancel`)
  const second = await startPayment(owner)
  expect(second.intentId).not.toBe(first.intentId)
  expect((await paymentsOf(owner)).map(([status]) => status).sort()).toEqual(['FAILED', 'PENDING'])
})

test('requesting a card form after paying returns already_paid and no charge', async () => {
  const owner = await signedIn()
  const { intentId } = await startPayment(owner)
  await confirm(intentId)
  const again = await owner.post(CREATE, {})
  expect([again.status, again.body.code]).toEqual([409, 'already_paid'])
  expect(await paymentsOf(owner)).toEqual([['PAID', null]])
})

test('a second payment for the same memorial stays a credit flagged for a refund', async () => {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const { paymentId, intentId } = await startPayment(owner, memorialId)
  const creditId = await paidCredit(owner.user.id)
  await changeRows(payments, { id: creditId }, { memorialId })
  await confirm(intentId)
  expect((await owner.post(`/api/payments/${paymentId}/sync`)).body).toMatchObject({
    status: 'PAID',
    memorialId: null,
  })
  const [row] = await rowsOf(payments, { id: paymentId })
  expect(row?.refundReason).toBe('memorial_already_paid')
})

test('a payment for a memorial deleted meanwhile stays a credit', async () => {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const { paymentId, intentId } = await startPayment(owner, memorialId)
  await changeRows(memorials, { id: memorialId }, { status: 'DELETED' })
  await confirm(intentId)
  await owner.post(`/api/payments/${paymentId}/sync`)
  const [row] = await rowsOf(payments, { userId: owner.user.id })
  expect([row?.status, row?.memorialId, row?.refundReason]).toEqual(['PAID', null, null])
  expect(await statusOf(memorialId)).toBe('DELETED')
})

test(
  'an account creates at most 10 PaymentIntents an hour',
  { tags: ['payment-attempts-limited'] },
  async () => {
    const owner = await signedIn()
    for (let i = 0; i < 10; i += 1) {
      const { paymentId } = await startPayment(owner)
      await changeRows(payments, { id: paymentId }, { status: 'FAILED' })
    }
    const { status, body, headers } = await owner.post(CREATE, {})
    expect([status, body.message]).toEqual([429, messages.payment.paused])
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(3000)
  },
)

test('while Stripe fails the answer is 502 in plain words, and a retry works', async () => {
  const owner = await signedIn()
  await injectStripeFault(owner.user.id, 'fail')
  const broken = await owner.post(CREATE, {})
  expect([broken.status, broken.body.code]).toEqual([502, 'upstream_failed'])
  expect(broken.body.message).not.toMatch(/stripe|sandbox/iu)
  // Stripe repeats its 5xx under the same key for a day.
  const [before] = await rowsOf(payments, { userId: owner.user.id })
  await owner.post(CREATE, {})
  const [after] = await rowsOf(payments, { userId: owner.user.id })
  expect(after?.idempotencyKey).not.toBe(before?.idempotencyKey)
  takeErrorLines()
  await injectStripeFault(owner.user.id, 'ok')
  await startPayment(owner)
  expect(await rowsOf(payments, { userId: owner.user.id })).toHaveLength(1)
})

test('a lost response is retried under the same key, giving one PaymentIntent', async () => {
  const owner = await signedIn()
  await injectStripeFault(owner.user.id, 'drop', 1)
  const first = await startPayment(owner)
  expect(await startPayment(owner)).toEqual(first)
  await injectStripeFault(owner.user.id, 'ok')
})

test('a Stripe call that never answers times out', async () => {
  const owner = await signedIn()
  await injectStripeFault(owner.user.id, 'stall')
  await expect(
    createPaymentIntent(
      testCtx(),
      { userId: owner.user.id, memorialId: null, payer: null },
      createStripeClient(env, 50),
    ),
  ).rejects.toMatchObject({ code: 'upstream_failed' })
  await injectStripeFault(owner.user.id, 'ok')
  await startPayment(owner)
  expect(await rowsOf(payments, { userId: owner.user.id })).toHaveLength(1)
})

test('cron settles a payment whose webhook was lost and leaves new, unpaid ones', async () => {
  const [paid, idle] = [await signedIn(), await signedIn()]
  const { paymentId, intentId } = await startPayment(paid)
  await startPayment(idle)
  await confirm(intentId)
  await settlePendingPayments(testCtx())
  expect(await paymentsOf(paid)).toEqual([['PENDING', null]])
  await settlePendingPayments(testCtx(() => Date.now() + 16 * 60_000))
  expect(await paymentsOf(paid)).toEqual([['PAID', null]])
  expect(await paymentsOf(idle)).toEqual([['PENDING', null]])
  expect(await receiptsOf(paymentId)).toHaveLength(1)
})

test('a payment unknown to Stripe does not block the others', async () => {
  const [unknownPayer, paid] = [await signedIn(), await signedIn()]
  const unknown = await startPayment(unknownPayer)
  const { intentId } = await startPayment(paid)
  await confirm(intentId)
  await changeRows(
    payments,
    { id: unknown.paymentId },
    { providerIntentId: `pi_unknown_${unknown.paymentId}`, updatedAt: 0 },
  )
  await settlePendingPayments(testCtx(() => Date.now() + 16 * 60_000))
  expect(takeErrorLines()).toEqual([expect.stringContaining('payment_not_settled')])
  expect(await paymentsOf(unknownPayer)).toEqual([['PENDING', null]])
  expect(await paymentsOf(paid)).toEqual([['PAID', null]])
})

test('without Paynow the local payment option refuses and creates no row', async () => {
  const owner = await signedIn()
  owner.bindings = { ...env, PAYNOW_INTEGRATION_KEY: '' }
  const { status, body } = await owner.post('/api/payments/init', {})
  expect([status, body]).toEqual([
    503,
    {
      message: 'Mobile money and Zimbabwean banking are not available here.',
      code: 'paynow_unavailable',
      requestId: expect.stringMatching(/^req_/u),
    },
  ])
  expect(await rowsOf(payments, { userId: owner.user.id })).toEqual([])
  takeErrorLines()
})
