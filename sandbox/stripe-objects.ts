import type Stripe from 'stripe'
import type { Card } from './cards.ts'
import { newId, randomText } from './world.ts'

/**
 * The API version of these objects, which `stripe` 23.1 uses. Stripe's objects have more properties; these are what a
 * receiver of events, the product and its card form read.
 */
export const API_VERSION = '2026-10-28.endive'

/** A new PaymentIntent: https://docs.stripe.com/api/payment_intents/object */
export function newPaymentIntent(amount: number, currency: string, created: number): Stripe.PaymentIntent {
  const id = newId('pi')
  return {
    id,
    object: 'payment_intent',
    amount,
    amount_received: 0,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${randomText(25)}`,
    created,
    currency,
    description: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    metadata: {},
    next_action: null,
    payment_method: null,
    payment_method_types: ['card'],
    receipt_email: null,
    status: 'requires_payment_method',
  } as Partial<Stripe.PaymentIntent> as Stripe.PaymentIntent
}

/** What a browser gets with the publishable key: never the metadata. */
export function toPublicIntent(intent: Stripe.PaymentIntent): object {
  return { ...intent, metadata: undefined, latest_charge: undefined }
}

/** The payment method in Stripe's errors: https://docs.stripe.com/api/payment_methods/object */
export function toPaymentMethod(card: Card): object {
  return {
    id: card.id,
    object: 'payment_method',
    created: card.created,
    livemode: false,
    type: 'card',
  }
}

/** A successful charge: https://docs.stripe.com/api/charges/object */
export function newCharge(intent: Stripe.PaymentIntent, card: Card, created: number): Stripe.Charge {
  return {
    id: newId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: intent.amount,
    amount_refunded: 0,
    captured: true,
    created,
    currency: intent.currency,
    description: intent.description,
    disputed: false,
    failure_code: null,
    failure_message: null,
    livemode: false,
    metadata: { ...intent.metadata },
    paid: true,
    payment_intent: intent.id,
    payment_method: card.id,
    receipt_email: intent.receipt_email,
    refunded: false,
    status: 'succeeded',
  } as Partial<Stripe.Charge> as Stripe.Charge
}

/** https://docs.stripe.com/api/refunds/object */
export function newRefund(charge: Stripe.Charge, amount: number, created: number): Stripe.Refund {
  return {
    id: newId('re'),
    object: 'refund',
    amount,
    charge: charge.id,
    created,
    currency: charge.currency,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: null,
    status: 'succeeded',
  } as Partial<Stripe.Refund> as Stripe.Refund
}

/** https://docs.stripe.com/api/disputes/object */
export function newDispute(charge: Stripe.Charge, reason: string, created: number): Stripe.Dispute {
  return {
    id: newId('du'),
    object: 'dispute',
    amount: charge.amount,
    charge: charge.id,
    created,
    currency: charge.currency,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason,
    status: 'needs_response',
  } as Partial<Stripe.Dispute> as Stripe.Dispute
}
