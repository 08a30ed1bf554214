import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import type { Payment } from '#shared/payments.ts'
import { ApiError, call, errorText } from '#client/lib/call.ts'
import type { ConfirmResult, Stripe, StripeCard } from './stripe-js.ts'

/** The provider often knows a second later than the browser: look again, each time a little later. */
const LOOK_AGAIN_AFTER_MS = [0, 1000, 2000, 3000, 5000, 8000]

export type PaymentOutcome =
  | { kind: 'paid'; payment: Payment }
  /** The card was refused, or the bank's check was not passed. No money was taken. */
  | { kind: 'declined'; text: string }
  /** The provider has the payment but has not settled it yet. */
  | { kind: 'pending'; paymentId: string }
  /** Something else failed. `isCharged` false: no money can have been taken. */
  | { kind: 'error'; text: string; isCharged: false | 'unknown'; code: string | null }

/** Pays for one memorial with the card in the form. Never throws. */
export async function payByCard(
  stripe: Stripe,
  card: StripeCard,
  memorialId: string | null,
): Promise<PaymentOutcome> {
  let intent: { clientSecret: string; paymentId: string }
  try {
    intent = await call(api.createPaymentIntent, { body: { memorialId } })
  } catch (error) {
    const code = error instanceof ApiError ? error.code : null
    return {
      kind: 'error',
      text: errorText(error, messages.payment.errorFallback),
      isCharged: false,
      code,
    }
  }
  let result: ConfirmResult
  try {
    result = await stripe.confirmCardPayment(intent.clientSecret, { payment_method: { card } })
  } catch (error) {
    // The connection may have broken after the card was charged: only the server can tell.
    const settled = await settlePayment(intent.paymentId, [0])
    if (settled.kind === 'paid') return settled
    const text = error instanceof Error && error.message ? error.message : messages.payment.errorFallback
    return { kind: 'error', text, isCharged: 'unknown', code: null }
  }
  if (result.error && result.error.payment_intent?.status !== 'succeeded') {
    return { kind: 'declined', text: result.error.message ?? messages.payment.failedFallback }
  }
  return settlePayment(intent.paymentId)
}

/** Asks the server what became of a payment until it is no longer PENDING, or the waits are used up. */
export async function settlePayment(
  paymentId: string,
  waitsMs: readonly number[] = LOOK_AGAIN_AFTER_MS,
): Promise<PaymentOutcome> {
  for (const wait of waitsMs) {
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    const payment = await lookUp(paymentId)
    if (payment?.status === 'PAID') return { kind: 'paid', payment }
    if (payment?.status === 'FAILED') {
      return { kind: 'declined', text: messages.payment.failedFallback }
    }
  }
  return { kind: 'pending', paymentId }
}

/** Null when the server cannot be asked just now: the next look may succeed. */
async function lookUp(paymentId: string): Promise<Payment | null> {
  try {
    return await call(api.syncPayment, { params: { id: paymentId } })
  } catch (error) {
    console.warn('The payment could not be looked up', error)
    return null
  }
}
