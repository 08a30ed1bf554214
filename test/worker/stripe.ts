import { env } from 'cloudflare:test'
import { Stripe } from 'stripe'
import { inject } from 'vitest'
import type { Payment, PaymentIntent } from '#shared/payments/payments.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { newId, randomBase32 } from '#worker/platform/random.ts'
import { ORIGIN, testCtx, signedIn, type SignedIn, askWorker } from './harness.ts'
import { tellSandbox } from './mailbox.ts'

type StripeObject = { id: string; payment_intent?: string } & Record<string, unknown>
export type StripeEvent = {
  id: string
  type: string
  livemode: boolean
  data: { object: StripeObject }
} & Record<string, unknown>

/** One call to the Stripe sandbox with the secret key, as the browser script or the dashboard would cause it. */
export async function stripeCall(
  method: 'GET' | 'POST',
  path: string,
  form: Record<string, string> = {},
): Promise<{ status: number; body: StripeObject }> {
  const response = await fetch(`${inject('sandboxUrl')}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${env.STRIPE_SECRET_KEY}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    ...(method === 'POST' ? { body: new URLSearchParams(form).toString() } : {}),
  })
  return { status: response.status, body: await response.json() }
}

/** Turns on a fault of the sandbox for calls whose path or body contains `match`. */
export async function injectStripeFault(match: string, mode: string, times?: number): Promise<void> {
  await tellSandbox('/faults', { service: 'stripe', mode, match, times })
}

/** Pays, or tries to, with one of Stripe's test cards. */
export function confirm(intentId: string, card = 'pm_card_visa') {
  return stripeCall('POST', `/v1/payment_intents/${intentId}/confirm`, { payment_method: card })
}

/** What only a bank can do with a paid amount: dispute it, decide the dispute, or refuse a refund. */
export async function simulateBank(
  paymentIntent: string,
  action: 'dispute' | 'dispute/close' | 'refund/fail',
  more: Record<string, string> = {},
): Promise<void> {
  await tellSandbox(`/test/${action}`, { paymentIntent, ...more })
}

/** The event of this type about this PaymentIntent, as Stripe would send it. */
export async function eventOf(intentId: string, type: string): Promise<StripeEvent> {
  const { body } = await stripeCall('GET', `/v1/events?type=${type}&limit=100`)
  const found = (body['data'] as StripeEvent[]).find(
    ({ data }) => data.object.id === intentId || data.object.payment_intent === intentId,
  )
  if (!found) throw new Error(`no ${type} for ${intentId}`)
  return found
}

type Delivery = { secret?: string; ageSec?: number; sentBody?: string; signature?: string | null }

/** A webhook request with this event, signed as Stripe does unless options override it. */
export async function signed(event: StripeEvent, options: Delivery = {}): Promise<Request> {
  const payload = JSON.stringify(event, null, 2)
  const signature =
    options.signature ??
    (await Stripe.webhooks.generateTestHeaderStringAsync({
      payload,
      secret: options.secret ?? env.STRIPE_WEBHOOK_SECRET ?? '',
      timestamp: Math.floor(Date.now() / 1000) - (options.ageSec ?? 0),
      cryptoProvider: Stripe.createSubtleCryptoProvider(),
    }))
  return new Request(`${ORIGIN}/api/stripe/webhook`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...(options.signature === null ? {} : { 'Stripe-Signature': signature }),
    },
    body: options.sentBody ?? payload,
  })
}

/** Sends an event to the webhook, as {@link signed}. */
export async function deliver(event: StripeEvent, options: Delivery = {}): Promise<Response> {
  return askWorker(await signed(event, options))
}

/** Starts a payment for a memorial, or for the user's next one. */
export async function startPayment(
  user: SignedIn,
  memorialId?: string,
): Promise<{ paymentId: string; intentId: string }> {
  const { status, body } = await user.post<PaymentIntent>('/api/stripe/create-payment-intent', { memorialId })
  if (status !== 200) throw new Error(`no payment intent: ${JSON.stringify(body)}`)
  return { paymentId: body.paymentId, intentId: body.clientSecret.split('_secret_')[0] ?? '' }
}

async function payAtStripe(owner: SignedIn, memorialId?: string) {
  const payment = await startPayment(owner, memorialId)
  await confirm(payment.intentId)
  return { owner, ...payment, event: await eventOf(payment.intentId, 'payment_intent.succeeded') }
}

/** A person who has just paid for a draft at Stripe, and the success event, which has not been delivered yet. */
export async function paidAtStripe(name?: string) {
  const owner = await signedIn()
  const memorialId = await draftOf(owner, name)
  return { memorialId, ...(await payAtStripe(owner, memorialId)) }
}

/** Like {@link paidAtStripe}, with the event delivered. */
export async function paid(name?: string) {
  const made = await paidAtStripe(name)
  await deliver(made.event)
  return made
}

/** A person with a paid credit for the next memorial, known to Stripe. */
export async function paidWithoutMemorial() {
  const made = await payAtStripe(await signedIn())
  await deliver(made.event)
  return made
}

/** Delivers the event of this type about a PaymentIntent. Returns the status. */
export async function deliverEvent(intentId: string, type: string): Promise<number> {
  return (await deliver(await eventOf(intentId, type))).status
}

/** Refunds a payment at Stripe, all of it or these cents. */
export function refund(intentId: string, amount?: number) {
  return stripeCall('POST', '/v1/refunds', {
    payment_intent: intentId,
    ...(amount ? { amount: String(amount) } : {}),
  })
}

/** A person's payments as the API lists them, newest first: [status, memorialId] each. */
export async function paymentsOf(user: SignedIn): Promise<[Payment['status'], string | null][]> {
  const { body } = await user.get<{ payments: Payment[] }>('/api/user/payments')
  return body.payments.map(({ status, memorialId }) => [status, memorialId])
}

/** Inserts an unpaid draft of this user directly into the database. */
export async function draftOf(user: SignedIn, name = 'Tendai Moyo'): Promise<string> {
  const id = newId('memorial')
  const at = Date.now()
  await testCtx()
    .db.insert(memorials)
    .values({
      id,
      ownerId: user.user.id,
      slug: `draft-${randomBase32(10)}`,
      honoureeFullName: name,
      createdAt: at,
      updatedAt: at,
    })
  return id
}
