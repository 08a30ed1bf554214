import type { Stripe } from 'stripe'
import { WEBHOOK_BODY_MAX_BYTES } from '#shared/limits.ts'
import type { Ctx } from '#worker/ctx.ts'
import { findPaymentOfIntent, type PaymentRow } from '#worker/features/payments/payments.ts'
import { webhookEvents } from '#worker/features/payments/payments.table.ts'
import { applyIntent, applyReturn, isKnownEvent } from '#worker/features/payments/settle.ts'
import { readBytes } from '#worker/http/json-body.ts'
import { isLiveMode, readStripeEvent } from '#worker/platform/stripe.ts'

/**
 * Handles one webhook call of Stripe. Returns only after what it says is stored, so that Stripe may stop repeating it;
 * whatever goes wrong on our side is thrown and answered 5xx, and Stripe sends it again. Throws `bad_input`,
 * `too_large`, `not_available`.
 */
export async function receiveStripeEvent(ctx: Ctx, request: Request): Promise<void> {
  const body = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(
    await readBytes(request, WEBHOOK_BODY_MAX_BYTES),
  )
  const event = await readStripeEvent(ctx.env, body, request.headers.get('Stripe-Signature'), ctx.now())
  const outcome = (await isKnownEvent(ctx, event.id)) ? 'repeated' : await handle(ctx, event)
  ctx.log.info('stripe_event', { eventId: event.id, type: event.type, outcome })
}

async function handle(ctx: Ctx, event: Stripe.Event): Promise<string> {
  if (event.type === 'charge.refunded') return handleRefund(ctx, event, event.data.object)
  if (event.type === 'charge.dispute.created') return handleDispute(ctx, event, event.data.object)
  if (
    event.type === 'payment_intent.succeeded' ||
    event.type === 'payment_intent.payment_failed' ||
    event.type === 'payment_intent.processing' ||
    event.type === 'payment_intent.canceled'
  ) {
    const intent = event.data.object
    const payment = await findPaymentOfIntent(ctx, intent.id, intent.metadata['paymentId'])
    if (!payment) return recordUnapplied(ctx, event, 'unknown payment')
    return applyIntent(ctx, payment, { ...intent, livemode: event.livemode }, markOf(event))
  }
  return 'not ours'
}

async function handleDispute(ctx: Ctx, event: Stripe.Event, dispute: Stripe.Dispute): Promise<string> {
  const intentId = idOf(dispute.payment_intent)
  const payment = intentId && (await findPaymentOfIntent(ctx, intentId, undefined))
  if (!payment) return recordUnapplied(ctx, event, 'unknown payment')
  if (event.livemode !== isLiveMode(ctx.env)) return refuse(ctx, event, payment, 'livemode')
  return applyReturn(ctx, payment, 'DISPUTED', intentId, markOf(event))
}

async function handleRefund(ctx: Ctx, event: Stripe.Event, charge: Stripe.Charge): Promise<string> {
  const intentId = idOf(charge.payment_intent)
  const payment = intentId && (await findPaymentOfIntent(ctx, intentId, charge.metadata['paymentId']))
  if (!payment) return recordUnapplied(ctx, event, 'unknown payment')
  if (event.livemode !== isLiveMode(ctx.env)) return refuse(ctx, event, payment, 'livemode')
  if (payment.providerIntentId !== null && payment.providerIntentId !== intentId) {
    return refuse(ctx, event, payment, 'intent')
  }
  if (charge.currency !== payment.currency) return refuse(ctx, event, payment, 'currency')
  if (charge.amount !== payment.amount) return refuse(ctx, event, payment, 'amount')
  // A part given back leaves the memorial paid for.
  if (!charge.refunded) return recordUnapplied(ctx, event, 'refunded in part')
  return applyReturn(ctx, payment, 'REFUNDED', intentId, markOf(event))
}

/** A genuine event that does not fit our row: recorded for a person to look at, and nothing changed. */
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
    .values({ ...markOf(event), outcome, receivedAt: ctx.now() })
    .onConflictDoNothing()
  return outcome
}

function markOf(event: Stripe.Event): { id: string; type: string } {
  return { id: event.id, type: event.type }
}

function idOf(intent: string | { id: string } | null): string | null {
  return typeof intent === 'string' ? intent : (intent?.id ?? null)
}
