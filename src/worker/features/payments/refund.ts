import { and, eq, isNull } from 'drizzle-orm'
import { Stripe } from 'stripe'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/ctx.ts'
import type { PaymentRow } from '#worker/features/payments/payments.ts'
import { payments } from '#worker/features/payments/payments.table.ts'
import { applyReturn } from '#worker/features/payments/settle.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { askStripe, isBrokenAnswer, isKeyInUse, openStripe } from '#worker/platform/stripe.ts'

/**
 * Gives back all that is left of a PAID payment, through Stripe. It becomes REFUNDED by Stripe's word only: at once where
 * the answer says so, else by the webhook. Twice is one refund: the same key asks, and Stripe gives no charge back twice.
 * Throws `conflict` unless it is PAID, `upstream_failed`, `not_available`.
 */
export async function refundPayment(ctx: Ctx, payment: PaymentRow): Promise<void> {
  const { providerIntentId: intentId } = payment
  if (payment.status !== 'PAID' || intentId === null) throw new AppError('conflict', messages.payment.notPaid)
  const stripe = openStripe(ctx.env)
  await holdCredit(ctx, payment.id)
  const key = `refund:${payment.id}`
  let isRefunded: boolean
  try {
    isRefunded = await refund(stripe, intentId, key)
  } catch (error) {
    if (isKeyInUse(error)) throw new AppError('conflict', messages.payment.refundRunning)
    // Stripe keeps a broken answer under its key for a day.
    if (!isBrokenAnswer(error)) throw error
    isRefunded = await refund(stripe, intentId, `${key}:${randomBase32(8)}`)
  }
  if (isRefunded) await applyReturn(ctx, payment, 'REFUNDED', intentId)
}

/** Money that is on its way back pays for no memorial: a credit is flagged first, and stays so until Stripe has decided. */
async function holdCredit(ctx: Ctx, id: string): Promise<void> {
  await ctx.db
    .update(payments)
    .set({ refundReason: 'refund_asked', updatedAt: ctx.now() })
    .where(and(eq(payments.id, id), isNull(payments.memorialId), isNull(payments.refundReason)))
}

/** True when Stripe says that the money is on its way back, false while it is not decided. */
async function refund(stripe: Stripe, intentId: string, idempotencyKey: string): Promise<boolean> {
  return askStripe(async () => {
    try {
      const { status } = await stripe.refunds.create({ payment_intent: intentId }, { idempotencyKey })
      if (status === 'succeeded' || status === 'pending') return status === 'succeeded'
      throw new AppError('upstream_failed', messages.payment.refundFailed, {
        cause: new Error(`refund of ${intentId} is ${status}`),
      })
    } catch (error) {
      if (!isRefundedAlready(error)) throw error
      return true
    }
  })
}

/** https://docs.stripe.com/error-codes#charge-already-refunded */
function isRefundedAlready(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'charge_already_refunded'
}
