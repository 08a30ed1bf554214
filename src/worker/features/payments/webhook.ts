import type { Stripe } from 'stripe'
import { WEBHOOK_BODY_MAX_BYTES } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { findPaymentOfIntent, type PaymentRow } from '#worker/features/payments/payments.ts'
import { webhookEvents } from '#worker/schema/payments.table.ts'
import { syncRefundsAndDisputes } from '#worker/features/payments/refunds-and-disputes.ts'
import { cancelAfterDeclines } from '#worker/features/payments/declines.ts'
import { applyIntent, isKnownEvent, type EventInfo } from '#worker/features/payments/settle.ts'
import { readBytes } from '#worker/http/json-body.ts'
import { count } from '#worker/platform/metrics.ts'
import { isLiveMode, createStripeClient, readStripeEvent } from '#worker/platform/providers/stripe.ts'

/**
 * Handles one Stripe webhook call. Returns once the event is handled, so that Stripe stops retrying. Our own failures throw and
 * become a 5xx, so that Stripe sends the event again. Throws `bad_input`, `too_large`, `not_available`.
 */
export async function receiveStripeEvent(ctx: Ctx, request: Request): Promise<void> {
  const body = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(
    await readBytes(request, WEBHOOK_BODY_MAX_BYTES),
  )
  const event = await readStripeEvent(ctx.env, body, request.headers.get('Stripe-Signature'), ctx.now())
  const outcome = await handleStripeEvent(ctx, event)
  const lagMs = Math.max(0, ctx.now() - event.created * 1000)
  count(ctx, 'webhook_lag', { amount: lagMs, kind: event.type })
  ctx.log.info('stripe_event', { eventId: event.id, type: event.type, outcome, lagMs })
}

export const REFUND_AND_DISPUTE_EVENTS = [
  'charge.refunded',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.closed',
] as const satisfies Stripe.Event['type'][]

/** Processes one Stripe event once. Returns the outcome for the event log. */
export async function handleStripeEvent(ctx: Ctx, event: Stripe.Event): Promise<string> {
  if (await isKnownEvent(ctx, event.id)) return 'repeated'
  if (event.type === 'charge.refunded') {
    return handleRefundOrDispute(ctx, event, event.data.object.payment_intent, event.data.object)
  }
  if (
    event.type === 'refund.updated' ||
    event.type === 'refund.failed' ||
    event.type === 'charge.dispute.created' ||
    event.type === 'charge.dispute.closed'
  ) {
    return handleRefundOrDispute(ctx, event, event.data.object.payment_intent)
  }
  if (
    event.type === 'payment_intent.succeeded' ||
    event.type === 'payment_intent.payment_failed' ||
    event.type === 'payment_intent.processing' ||
    event.type === 'payment_intent.canceled'
  ) {
    const intent = { ...event.data.object, livemode: event.livemode }
    const payment = await findPaymentOfIntent(ctx, intent.id, intent.metadata['paymentId'])
    if (!payment) return recordUnapplied(ctx, event, 'unknown payment')
    const newest =
      event.type === 'payment_intent.payment_failed'
        ? await cancelAfterDeclines(ctx, createStripeClient(ctx.env), payment, intent)
        : intent
    return applyIntent(ctx, payment, newest, eventInfoOf(event))
  }
  return 'not ours'
}

async function handleRefundOrDispute(
  ctx: Ctx,
  event: Stripe.Event,
  intent: string | { id: string } | null,
  charge: Stripe.Charge | null = null,
): Promise<string> {
  const intentId = idOf(intent)
  const payment = intentId && (await findPaymentOfIntent(ctx, intentId, charge?.metadata['paymentId']))
  if (!payment) return recordUnapplied(ctx, event, 'unknown payment')
  if (event.livemode !== isLiveMode(ctx.env)) return refuse(ctx, event, payment, 'livemode')
  if (payment.providerIntentId !== null && payment.providerIntentId !== intentId) {
    return refuse(ctx, event, payment, 'intent')
  }
  if (charge && charge.currency !== payment.currency) return refuse(ctx, event, payment, 'currency')
  if (charge && charge.amount !== payment.amount) return refuse(ctx, event, payment, 'amount')
  return syncRefundsAndDisputes(ctx, createStripeClient(ctx.env), payment, intentId, eventInfoOf(event))
}

/** Records a genuine event that doesn't match our row, for a person to investigate, and changes nothing else. */
async function refuse(
  ctx: Ctx,
  event: Stripe.Event,
  payment: PaymentRow,
  difference: string,
): Promise<string> {
  ctx.log.error('payment_mismatch', new Error(`${event.type} differs in ${difference}`), {
    paymentId: payment.id,
    eventId: event.id,
  })
  return recordUnapplied(ctx, event, `refused: ${difference}`)
}

async function recordUnapplied(ctx: Ctx, event: Stripe.Event, outcome: string): Promise<string> {
  await ctx.db
    .insert(webhookEvents)
    .values({ ...eventInfoOf(event), outcome, receivedAt: ctx.now() })
    .onConflictDoNothing()
  return outcome
}

function eventInfoOf(event: Stripe.Event): EventInfo {
  return { id: event.id, type: event.type, happenedAt: event.created * 1000 }
}

function idOf(intent: string | { id: string } | null): string | null {
  return typeof intent === 'string' ? intent : (intent?.id ?? null)
}
