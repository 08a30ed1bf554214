import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments, webhookEvents } from '#worker/schema/payments.table.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { signedIn } from '../../../../test/worker/harness.ts'
import {
  simulateBank,
  startPayment,
  confirm,
  deliver,
  eventOf,
  paymentsOf,
  type StripeEvent,
  paidAtStripe,
  deliverEvent,
  refund,
} from '../../../../test/worker/stripe.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'

const receipts = (paymentId: string) => rowsOf(mails, { subjectId: paymentId, kind: 'receipt' })
async function outcomeOf(event: StripeEvent) {
  const [row] = await rowsOf(webhookEvents, { id: event.id })
  return row?.outcome
}
/** The same event with another id and some fields of its object changed. */
function changed(event: StripeEvent, fields: Record<string, unknown>): StripeEvent {
  return { ...event, id: `${event.id}x`, data: { object: { ...event.data.object, ...fields } } }
}

test(
  'fifty simultaneous copies of one event make one payment and one receipt',
  { tags: ['webhook-counts-once'] },
  async () => {
    const { owner, memorialId, paymentId, event } = await paidAtStripe()
    const answers = await atOnce(50, () => deliver(event))
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
    expect(await answers[0]?.json()).toEqual({ received: true })
    expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
    expect(await receipts(paymentId)).toHaveLength(1)
    const [memorial] = await rowsOf(memorials, { id: memorialId })
    expect(memorial?.status).toBe('ACTIVE')
  },
)

test(
  'two different events with the same content make one receipt',
  { tags: ['payment-status-rises'] },
  async () => {
    const { paymentId, event } = await paidAtStripe()
    await Promise.all([deliver(event), deliver({ ...event, id: `${event.id}b` })])
    expect(await receipts(paymentId)).toHaveLength(1)
  },
)

test('a decline that arrives after the success changes nothing', async () => {
  const owner = await signedIn()
  const { intentId, paymentId } = await startPayment(owner)
  await confirm(intentId, 'pm_card_chargeDeclined')
  const declined = await eventOf(intentId, 'payment_intent.payment_failed')
  await confirm(intentId)
  expect(await deliverEvent(intentId, 'payment_intent.succeeded')).toBe(200)
  expect((await deliver(declined)).status).toBe(200)
  expect(await paymentsOf(owner)).toEqual([['PAID', null]])
  expect(await receipts(paymentId)).toHaveLength(1)
})

test('a decline that arrives alone leaves the payment open', async () => {
  const owner = await signedIn()
  const { intentId } = await startPayment(owner)
  await confirm(intentId, 'pm_card_chargeDeclined')
  const declined = await eventOf(intentId, 'payment_intent.payment_failed')
  expect((await deliver(declined)).status).toBe(200)
  expect(await paymentsOf(owner)).toEqual([['PENDING', null]])
  expect(await outcomeOf(declined)).toBe('noted: requires_payment_method')
})

test('a refund keeps the memorial, and a late success event does not undo it', async () => {
  const first = await paidAtStripe()
  await deliver(first.event)
  await refund(first.intentId)
  await deliverEvent(first.intentId, 'charge.refunded')
  expect(await paymentsOf(first.owner)).toEqual([['REFUNDED', first.memorialId]])
  const [memorial] = await rowsOf(memorials, { id: first.memorialId })
  expect(memorial?.status).toBe('ACTIVE')

  const second = await paidAtStripe()
  await refund(second.intentId)
  await deliverEvent(second.intentId, 'charge.refunded')
  await deliver(second.event)
  expect(await paymentsOf(second.owner)).toEqual([['REFUNDED', null]])
  expect(await receipts(second.paymentId)).toEqual([])
})

test('a partial refund leaves the payment PAID', async () => {
  const { owner, memorialId, intentId, event } = await paidAtStripe()
  await deliver(event)
  await refund(intentId, 1000)
  const refunded = await eventOf(intentId, 'charge.refunded')
  await deliver(refunded)
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
  expect(await outcomeOf(refunded)).toBe('refunded in part')
})

test('a dispute is recorded and outranks any other event', async () => {
  const { owner, memorialId, intentId, event } = await paidAtStripe()
  await deliver(event)
  await simulateBank(intentId, 'dispute')
  await deliverEvent(intentId, 'charge.dispute.created')
  await deliver({ ...event, id: `${event.id}e` })
  expect(await paymentsOf(owner)).toEqual([['DISPUTED', memorialId]])
})

test('an event without a fresh, valid Stripe signature is refused', async () => {
  const { owner, event } = await paidAtStripe()
  const reserialised = JSON.stringify(event)
  const tampered = JSON.stringify(event, null, 2).replace('6000', '6001')
  const answers = await Promise.all([
    deliver(event, { signature: null }),
    deliver(event, { signature: 't=1,v1=00' }),
    deliver(event, { signature: 'nonsense' }),
    deliver(event, { secret: 'whsec_wrong' }),
    deliver(event, { ageSec: 600 }),
    deliver(event, { ageSec: -600 }),
    deliver(event, { sentBody: reserialised }),
    deliver(event, { sentBody: tampered }),
    deliver(event, { sentBody: '' }),
  ])
  expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(400))
  expect(await paymentsOf(owner)).toEqual([['PENDING', null]])
  expect(await outcomeOf(event)).toBeUndefined()
})

test('a clock difference of four minutes is accepted either way', async () => {
  const [slow, fast] = [await paidAtStripe(), await paidAtStripe()]
  expect((await deliver(slow.event, { ageSec: 240 })).status).toBe(200)
  expect((await deliver(fast.event, { ageSec: -240 })).status).toBe(200)
  expect(await paymentsOf(slow.owner)).toEqual([['PAID', slow.memorialId]])
})

test(
  'a genuine event that differs from the row is recorded and changes nothing',
  { tags: ['stripe-mode', 'stripe-intent', 'stripe-payer', 'stripe-currency', 'stripe-amount'] },
  async () => {
    const { owner, event } = await paidAtStripe()
    const metadata = event.data.object['metadata'] as Record<string, string>
    const cases: [string, StripeEvent][] = [
      ['refused: amount', changed(event, { amount: 1 })],
      ['refused: amount', changed(event, { amount_received: 1 })],
      ['refused: currency', changed(event, { currency: 'zwl' })],
      ['refused: livemode', { ...event, livemode: true }],
      ['refused: metadata', changed(event, { metadata: { ...metadata, userId: 'usr_other' } })],
      ['refused: metadata', changed(event, { metadata: { ...metadata, memorialId: 'mem_other' } })],
      ['refused: intent', changed(event, { id: 'pi_from_elsewhere' })],
    ]
    for (const [index, [outcome, different]] of cases.entries()) {
      const sent = { ...different, id: `${event.id}case${index}` }
      expect((await deliver(sent)).status).toBe(200)
      expect([index, await outcomeOf(sent)]).toEqual([index, outcome])
    }
    expect(await paymentsOf(owner)).toEqual([['PENDING', null]])
    expect(takeErrorLines()).toHaveLength(cases.length)
  },
)

test('a success event is applied before the PaymentIntent id has been stored', async () => {
  const { owner, memorialId, paymentId, event } = await paidAtStripe()
  await changeRows(payments, { id: paymentId }, { providerIntentId: null })
  expect((await deliver(event)).status).toBe(200)
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
})

test('unknown event types and unknown payments are accepted and change nothing', async () => {
  const { owner, event } = await paidAtStripe()
  const elsewhere = changed(event, { id: 'pi_unknown', metadata: {} })
  expect((await deliver({ ...event, id: 'evt_kind', type: 'customer.created' })).status).toBe(200)
  expect((await deliver(elsewhere)).status).toBe(200)
  expect(await outcomeOf(elsewhere)).toBe('unknown payment')
  expect(await paymentsOf(owner)).toEqual([['PENDING', null]])
})

test('after a database failure Stripe retries, and the event then applies', async () => {
  const { owner, memorialId, event } = await paidAtStripe()
  await env.DB.exec('ALTER TABLE mails RENAME TO mails_away')
  const failed = await deliver(event)
  await env.DB.exec('ALTER TABLE mails_away RENAME TO mails')
  takeErrorLines()
  expect(failed.status).toBe(500)
  expect(await paymentsOf(owner)).toEqual([['PENDING', null]])
  expect((await deliver(event)).status).toBe(200)
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
})

test('a body over 256 KiB is refused', async () => {
  const { owner, event } = await paidAtStripe()
  const large = await deliver(event, { sentBody: 'x'.repeat(257 * 1024) })
  expect(large.status).toBe(413)
  expect(await paymentsOf(owner)).toEqual([['PENDING', null]])
})

test('payment for a memorial deleted meanwhile is a credit for the next one', async () => {
  const { owner, memorialId, event } = await paidAtStripe()
  await owner.delete(`/api/memorials/${memorialId}`, { confirmName: 'Tendai Moyo' })
  await deliver(event)
  expect(await paymentsOf(owner)).toEqual([['PAID', null]])
  const { body } = await owner.post('/api/memorials', { honoureeFullName: 'Rudo Moyo' })
  expect(body).toMatchObject({ status: 'ACTIVE', isPaid: true })
  expect(await paymentsOf(owner)).toEqual([['PAID', body.id]])
  const { body: restored } = await owner.post(`/api/memorials/${memorialId}/restore`)
  expect(restored).toMatchObject({ status: 'DRAFT', isPaid: false })
})

test('payment for a memorial deleted meanwhile pays for it when it is restored', async () => {
  const { owner, memorialId, event } = await paidAtStripe()
  await owner.delete(`/api/memorials/${memorialId}`, { confirmName: 'Tendai Moyo' })
  await deliver(event)
  const { body } = await owner.post(`/api/memorials/${memorialId}/restore`)
  expect(body).toMatchObject({ status: 'ACTIVE', isPaid: true })
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
})
