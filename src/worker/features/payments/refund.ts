import { and, eq, sql } from 'drizzle-orm'
import { Stripe } from 'stripe'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { insertAudit } from '#worker/access/audit.ts'
import type { PaymentRow } from '#worker/features/payments/payments.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { applyRefund } from '#worker/features/payments/settle.ts'
import { newKey } from '#worker/features/payments/payments.ts'
import { existsIn } from '#worker/platform/db.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { callStripe, isBrokenAnswer, isKeyInUse, createStripeClient } from '#worker/platform/stripe.ts'

/**
 * Refunds the rest of a PAID payment through Stripe. It becomes REFUNDED only when Stripe confirms it, in the response
 * or by webhook. Two calls make one refund: they use the same key, and Stripe refunds no charge twice. Throws
 * `conflict` unless it is PAID, `upstream_failed`, `not_available`.
 */
export async function refundPayment(ctx: RequestCtx, payment: PaymentRow): Promise<void> {
  const { providerIntentId: intentId } = payment
  if (payment.status !== 'PAID' || intentId === null) throw new AppError('conflict', messages.payment.notPaid)
  const stripe = createStripeClient(ctx.env)
  await flagForRefund(ctx, payment)
  // The row gets a new key when a refund fails, because Stripe repeats the old response for a day.
  const key = `refund:${payment.idempotencyKey}`
  let isRefunded: boolean
  try {
    isRefunded = await refund(stripe, intentId, key)
  } catch (error) {
    if (isKeyInUse(error)) throw new AppError('conflict', messages.payment.refundRunning)
    if (isRefusal(error)) await releaseRefund(ctx, payment.id)
    // Stripe repeats a 5xx under its key for a day, so this needs a new key.
    if (!isBrokenAnswer(error)) throw error
    isRefunded = await refund(stripe, intentId, `${key}:${randomBase32(8)}`)
  }
  if (isRefunded) await applyRefund(ctx, payment, intentId)
}

/** Flags before calling Stripe, so that the payment pays for no memorial meanwhile. Records one refund once. */
async function flagForRefund(ctx: RequestCtx, { id, memorialId, amount }: PaymentRow): Promise<void> {
  const isPaid = and(eq(payments.id, id), eq(payments.status, 'PAID'))
  const isFirst = and(isPaid, sql`${payments.refundReason} is not 'refund_asked'`)
  await ctx.db.batch([
    insertAudit(
      ctx,
      { action: 'refund_payment', targetKind: 'payment', targetId: id, memorialId, detail: { amount } },
      existsIn(payments, isFirst),
    ),
    ctx.db.update(payments).set({ refundReason: 'refund_asked', updatedAt: ctx.now() }).where(isPaid),
  ])
}

/** Undoes the flag after Stripe could not refund: the credit is usable, and the next attempt gets a new key. */
export async function releaseRefund(ctx: Ctx, id: string): Promise<void> {
  await ctx.db
    .update(payments)
    .set({ refundReason: 'refund_failed', idempotencyKey: newKey(id), updatedAt: ctx.now() })
    .where(and(eq(payments.id, id), eq(payments.status, 'PAID'), eq(payments.refundReason, 'refund_asked')))
}

/** Returns true if Stripe confirms the refund, false while it is pending. */
async function refund(stripe: Stripe, intentId: string, idempotencyKey: string): Promise<boolean> {
  return callStripe(async () => {
    try {
      const { status } = await stripe.refunds.create({ payment_intent: intentId }, { idempotencyKey })
      if (status === 'succeeded' || status === 'pending') return status === 'succeeded'
      throw new AppError('upstream_failed', messages.payment.refundFailed, {
        cause: new RefundRefused(`refund of ${intentId} is ${status}`),
      })
    } catch (error) {
      if (!isRefundedAlready(error)) throw error
      return true
    }
  })
}

class RefundRefused extends Error {}

/** True if Stripe has definitely refused the refund. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  return (
    error.cause instanceof RefundRefused || error.cause instanceof Stripe.errors.StripeInvalidRequestError
  )
}

/** https://docs.stripe.com/error-codes#charge-already-refunded */
function isRefundedAlready(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'charge_already_refunded'
}
