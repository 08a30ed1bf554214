import { and, asc, eq, getTableColumns, isNotNull, lt } from 'drizzle-orm'
import type { Stripe } from 'stripe'
import { PAYMENT_RECONCILE_AFTER_MS, PAYMENT_RECONCILE_BATCH } from '#shared/limits.ts'
import type { Ctx } from '#worker/ctx.ts'
import { users } from '#worker/features/accounts/accounts.table.ts'
import { settlePayment } from '#worker/features/payments/payments.ts'
import { payments } from '#worker/features/payments/payments.table.ts'
import { openStripe } from '#worker/platform/stripe.ts'

/** By then it is Stripe that is away, not one payment that is odd. */
const FAILURES_MAX = 3

/**
 * Asks Stripe about payments that have been PENDING for over 15 minutes: a webhook may have been lost. Bounded a run,
 * those not asked for longest first; nothing is cancelled, since the person may come back with another card.
 */
export async function settlePendingPayments(ctx: Ctx, stripe: Stripe | null = null): Promise<void> {
  const before = ctx.now() - PAYMENT_RECONCILE_AFTER_MS
  const rows = await ctx.db
    .select({ ...getTableColumns(payments), email: users.email })
    .from(payments)
    .innerJoin(users, eq(users.id, payments.userId))
    .where(
      and(
        eq(payments.status, 'PENDING'),
        eq(payments.provider, 'stripe'),
        isNotNull(payments.providerIntentId),
        lt(payments.createdAt, before),
        lt(payments.updatedAt, before),
      ),
    )
    .orderBy(asc(payments.updatedAt))
    .limit(PAYMENT_RECONCILE_BATCH)
  if (rows.length === 0) return
  const client = stripe ?? openStripe(ctx.env)
  let failures = 0
  for (const row of rows) {
    // First, so that one payment that always fails cannot hold up the others.
    await ctx.db.update(payments).set({ updatedAt: ctx.now() }).where(eq(payments.id, row.id))
    try {
      await settlePayment(ctx, row, client)
    } catch (error) {
      ctx.log.error('payment_not_settled', error, { paymentId: row.id })
      failures += 1
      if (failures === FAILURES_MAX) return
    }
  }
}
