import { eq } from 'drizzle-orm'
import { maskPhone, type LocalPayment } from '#shared/payments/local-payments.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { paynowAttempts, type payments } from '#worker/schema/payments.table.ts'

/** What only a payment by Paynow has. */
export type AttemptRow = typeof paynowAttempts.$inferSelect

/** Returns it for any account's payment; null for one by card. */
export async function findAttempt(ctx: Ctx, paymentId: string): Promise<AttemptRow | null> {
  const [row] = await ctx.db.select().from(paynowAttempts).where(eq(paynowAttempts.paymentId, paymentId))
  return row ?? null
}

/** What the payer sees of it. */
export function toLocalPayment(payment: typeof payments.$inferSelect, attempt: AttemptRow): LocalPayment {
  const isOpen = payment.status === 'PENDING'
  return {
    method: attempt.method,
    phone: attempt.phone === null ? null : maskPhone(attempt.phone),
    targetMemorialId: payment.targetMemorialId,
    instructions: attempt.instructions,
    code: attempt.code,
    codeExpires: attempt.codeExpires,
    needsCode: isOpen && attempt.otpUrl !== null,
    redirectUrl: isOpen ? attempt.browserUrl : null,
    isStarted: attempt.pollUrl !== null,
    problem: payment.status === 'FAILED' ? (attempt.problem ?? 'failed') : null,
    // A FAILED payment changes no more, unless it is paid.
    failedAt: payment.status === 'FAILED' ? new Date(payment.updatedAt).toISOString() : null,
    waitUntil: new Date(attempt.liveUntil).toISOString(),
  }
}
