import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { Payment } from '#shared/payments/payments.ts'
import {
  findPayment,
  requirePayment,
  scopeKey,
  settlePayment,
  toPayment,
  type Scope,
} from '#worker/features/payments/payments.ts'
import { findAttempt } from '#worker/features/payments/paynow-attempts.ts'
import { checkLocalPayment } from '#worker/features/payments/paynow-check.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { paynowProblem } from '#worker/platform/providers/paynow-account.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { createStripeClient } from '#worker/platform/providers/stripe.ts'

/**
 * Asks the provider for the state of a payment of this scope, records and returns it. Never trusts what the browser reports.
 * Throws `not_found`, `too_many_requests`, and for a card `upstream_failed`, `not_available`: Paynow is asked again later.
 */
export async function syncPayment(ctx: Ctx, scope: Scope, id: string): Promise<Payment> {
  const row = await requirePayment(ctx, scope, id)
  if (row.status === 'PENDING' && (row.provider === 'paynow' || row.providerIntentId !== null)) {
    await requireRateLimit(ctx, 'paymentSyncs', scopeKey(scope))
    if (row.provider === 'stripe') await settlePayment(ctx, row, createStripeClient(ctx.env))
    // An integration may be unset for a while: what is open waits until it's back.
    else if (paynowProblem(ctx.env) === null) await checkLocalPayment(ctx, row)
  }
  return readPayment(ctx, id)
}

/** Any payment, with what only Paynow's have. Doesn't check who asks. Throws `not_found`. */
export async function readPayment(ctx: Ctx, id: string): Promise<Payment> {
  const row = await findPayment(ctx, id)
  if (!row) throw new AppError('not_found', messages.payment.notFound)
  return toPayment(row, row.provider === 'paynow' ? await findAttempt(ctx, id) : null)
}
