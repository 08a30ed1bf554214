import type { Payment } from '#shared/payments.ts'
import { requirePayment, settlePayment, toPayment } from '#worker/features/payments/payments.ts'
import { findAttempt } from '#worker/features/payments/paynow-attempts.ts'
import { checkLocalPayment } from '#worker/features/payments/paynow-check.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { createStripeClient } from '#worker/platform/stripe.ts'

/**
 * Asks the provider for the state of this account's payment, records and returns it. Never trusts what the browser reports.
 * Throws `not_found`, `too_many_requests`, and for a card `upstream_failed`, `not_available`: Paynow is asked again later.
 */
export async function syncPayment(ctx: Ctx, userId: string, id: string): Promise<Payment> {
  const row = await requirePayment(ctx, userId, id)
  if (row.status === 'PENDING' && (row.provider === 'paynow' || row.providerIntentId !== null)) {
    await requireRateLimit(ctx, 'paymentSyncs', userId)
    if (row.provider === 'paynow') await checkLocalPayment(ctx, row)
    else await settlePayment(ctx, row, createStripeClient(ctx.env))
  }
  return readPayment(ctx, userId, id)
}

/** This account's payment, with what only Paynow's have. Throws `not_found`. */
export async function readPayment(ctx: Ctx, userId: string, id: string): Promise<Payment> {
  const row = await requirePayment(ctx, userId, id)
  return toPayment(row, row.provider === 'paynow' ? await findAttempt(ctx, id) : null)
}
