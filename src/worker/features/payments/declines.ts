import type { Stripe } from 'stripe'
import { PAYMENT_DECLINES_MAX } from '#shared/limits.ts'
import { findDifference } from '#worker/features/payments/compare-intent.ts'
import type { PaymentRow } from '#worker/features/payments/payments.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { callStripe, isLiveMode, isUnexpectedState } from '#worker/platform/providers/stripe.ts'

/**
 * Cancels a PaymentIntent at Stripe after 10 declined cards, so that nobody tests stolen cards on it. Returns its newest
 * state. Counts Stripe's own charges, because events can be late or lost. A charge that succeeds meanwhile wins: Stripe
 * then refuses to cancel. Throws `upstream_failed`, `not_available`.
 */
export async function cancelAfterDeclines(
  ctx: Ctx,
  stripe: Stripe,
  payment: PaymentRow,
  intent: Stripe.PaymentIntent,
): Promise<Stripe.PaymentIntent> {
  const isDeclined = intent.status === 'requires_payment_method' && intent.last_payment_error !== null
  const isOurs = findDifference(payment, intent, isLiveMode(ctx.env)) === null
  if (!isDeclined || !isOurs || payment.status !== 'PENDING') return intent
  return callStripe(async () => {
    const charges = await stripe.charges.list({ payment_intent: intent.id, limit: 100 })
    const declines = charges.data.filter(({ status }) => status === 'failed').length
    if (declines < PAYMENT_DECLINES_MAX) return intent
    try {
      const cancelled = await stripe.paymentIntents.cancel(intent.id)
      ctx.log.warn('payment_cancelled_after_declines', { paymentId: payment.id, declines })
      return cancelled
    } catch (error) {
      if (!isUnexpectedState(error)) throw error
      return stripe.paymentIntents.retrieve(intent.id)
    }
  })
}
