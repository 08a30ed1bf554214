import { and, asc, eq, isNotNull, lt, or } from 'drizzle-orm'
import type { Stripe } from 'stripe'
import {
  PAYMENT_RECONCILE_AFTER_MS,
  PAYMENT_RECONCILE_BATCH,
  STRIPE_EVENTS_MAX,
  STRIPE_EVENTS_SINCE_MS,
} from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { selectPayments, settlePayment } from '#worker/features/payments/payments.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { syncRefundsAndDisputes } from '#worker/features/payments/refunds-and-disputes.ts'
import { handleStripeEvent, REFUND_AND_DISPUTE_EVENTS } from '#worker/features/payments/webhook.ts'
import { callStripe, createStripeClient } from '#worker/platform/providers/stripe.ts'

/** After this many failures we assume that Stripe is down and stop the run. */
const FAILURES_MAX = 3

/** A webhook may have been lost. Longest unchecked first. Cancels nothing: the payer may use another card. */
export async function settlePendingPayments(ctx: Ctx, stripe: Stripe | null = null): Promise<void> {
  const before = ctx.now() - PAYMENT_RECONCILE_AFTER_MS
  const rows = await selectPayments(ctx)
    .where(
      and(
        or(
          eq(payments.status, 'PENDING'),
          and(eq(payments.status, 'PAID'), eq(payments.refundReason, 'refund_asked')),
        ),
        eq(payments.provider, 'stripe'),
        isNotNull(payments.providerIntentId),
        lt(payments.createdAt, before),
        lt(payments.updatedAt, before),
      ),
    )
    .orderBy(asc(payments.updatedAt))
    .limit(PAYMENT_RECONCILE_BATCH)
  if (rows.length === 0) return
  const client = stripe ?? createStripeClient(ctx.env)
  let failures = 0
  for (const row of rows) {
    // Before the call, so that a payment that always fails doesn't block the others.
    if (row.status === 'PENDING') await touch(ctx, row.id)
    try {
      if (row.status === 'PENDING') await settlePayment(ctx, row, client)
      else if (row.providerIntentId !== null)
        await syncRefundsAndDisputes(ctx, client, row, row.providerIntentId)
    } catch (error) {
      ctx.log.error('payment_not_settled', error, { paymentId: row.id })
      await touch(ctx, row.id)
      failures += 1
      if (failures === FAILURES_MAX) return
    }
  }
}

/** Handles refunds and disputes whose webhook was lost: Stripe's events that our log lacks. Bounded per run. */
export async function processMissedEvents(ctx: Ctx, stripe: Stripe | null = null): Promise<void> {
  const [any] = await ctx.db.select({ id: payments.id }).from(payments).orderBy(asc(payments.id)).limit(1)
  if (!any) return
  const since = Math.floor((ctx.now() - STRIPE_EVENTS_SINCE_MS) / 1000)
  const client = stripe ?? createStripeClient(ctx.env)
  const events = await callStripe(() =>
    client.events
      .list({ types: [...REFUND_AND_DISPUTE_EVENTS], created: { gte: since }, limit: 100 })
      .autoPagingToArray({ limit: STRIPE_EVENTS_MAX }),
  )
  let failures = 0
  for (const event of events.toReversed()) {
    try {
      const outcome = await handleStripeEvent(ctx, event)
      if (outcome !== 'repeated' && outcome !== 'unknown payment')
        ctx.log.warn('stripe_event_was_lost', { eventId: event.id, outcome })
    } catch (error) {
      ctx.log.error('stripe_event_failed', error, { eventId: event.id })
      failures += 1
      if (failures === FAILURES_MAX) return
    }
  }
}

async function touch(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.update(payments).set({ updatedAt: ctx.now() }).where(eq(payments.id, id))
}
