import type { AdminPayment } from '#shared/admin.ts'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { requireAdminPayment } from '#worker/features/admin/list-payments.ts'
import { findPayment } from '#worker/features/payments/payments.ts'
import { refundPayment } from '#worker/features/payments/refund.ts'

/**
 * Refunds a payment through Stripe and leaves its memorial unchanged. Returns the payment afterwards: REFUNDED, or
 * still PAID while Stripe has not decided. Throws `not_found` and the errors of {@link refundPayment}.
 */
export async function refundAsAdmin(ctx: RequestCtx, id: string): Promise<AdminPayment> {
  const payment = await findPayment(ctx, id)
  if (!payment) throw new AppError('not_found', messages.payment.notFound)
  if (payment.status !== 'PAID') throw new AppError('conflict', messages.payment.notPaid)
  await refundPayment(ctx, payment)
  return requireAdminPayment(ctx, id)
}
