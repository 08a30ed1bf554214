import type Stripe from 'stripe'
import { textAt } from '../form.ts'
import type { FormObject } from '../form.ts'
import { rejectUnknownParameters, mergeMetadata } from './intent-fields.ts'
import { requireIntent } from './payment-intents.ts'
import { invalid, missing } from './error.ts'
import { newDispute, newRefund } from './objects.ts'
import { nowSeconds } from '../world.ts'
import type { EventRequest, World } from '../world.ts'

const REASONS = ['duplicate', 'fraudulent', 'requested_by_customer']

/** The charge, or 404 `resource_missing`. */
export function requireCharge(world: World, id: string): Stripe.Charge {
  const charge = world.state.charges[id]
  if (!charge) throw missing('charge', id, 'charge')
  return charge
}

/** The refund, or 404 `resource_missing`. */
export function requireRefund(world: World, id: string): Stripe.Refund {
  const refund = world.state.refunds[id]
  if (!refund) throw missing('refund', id, 'refund')
  return refund
}

/** Refunds all or a part of a charge: https://docs.stripe.com/api/refunds/create */
export function createRefund(world: World, form: FormObject, request: EventRequest): Stripe.Refund {
  rejectUnknownParameters(form, 'refund')
  const charge = chargeToRefund(world, form)
  const left = charge.amount - charge.amount_refunded
  if (left === 0) {
    throw invalid(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' })
  }
  const amount = readRefundAmount(form, left)
  const reason = textAt(form, 'reason')
  if (reason !== undefined && !REASONS.includes(reason)) {
    throw invalid(`Invalid reason: must be one of ${REASONS.join(', ')}`, { param: 'reason' })
  }
  const refund = newRefund(charge, amount, nowSeconds(world))
  refund.reason = reason ?? null
  refund.metadata = mergeMetadata({}, form)
  world.state.refunds[refund.id] = refund
  charge.amount_refunded += amount
  charge.refunded = charge.amount_refunded === charge.amount
  world.emit('charge.refunded', charge, request)
  return refund
}

/** Fails a refund that had succeeded: https://docs.stripe.com/refunds#failed-refunds */
export function failRefund(world: World, intentId: string): Stripe.Refund {
  const refund = Object.values(world.state.refunds)
    .toReversed()
    .find((one) => one.payment_intent === intentId && one.status === 'succeeded')
  if (!refund) throw invalid(`No refund of ${intentId} can fail.`)
  const charge = paidCharge(world, intentId)
  refund.status = 'failed'
  refund.failure_reason = 'expired_or_canceled_card'
  charge.amount_refunded -= refund.amount
  charge.refunded = false
  world.emit('refund.failed', refund, { id: null, idempotency_key: null })
  return refund
}

/** Closes a dispute: https://docs.stripe.com/api/disputes/object#dispute_object-status */
export function closeDispute(world: World, intentId: string, status: 'won' | 'lost'): Stripe.Dispute {
  const dispute = Object.values(world.state.disputes).find((one) => one.payment_intent === intentId)
  if (!dispute) throw invalid(`${intentId} is not disputed.`)
  dispute.status = status
  world.emit('charge.dispute.closed', dispute, { id: null, idempotency_key: null })
  return dispute
}

/** Disputes a payment. With the real Stripe only the customer's bank can do this. */
export function createDispute(world: World, intentId: string, reason: string): Stripe.Dispute {
  const charge = paidCharge(world, intentId)
  if (charge.disputed) throw invalid(`Charge ${charge.id} is already disputed.`, { code: 'charge_disputed' })
  const dispute = newDispute(charge, reason, nowSeconds(world))
  world.state.disputes[dispute.id] = dispute
  charge.disputed = true
  world.emit('charge.dispute.created', dispute, { id: null, idempotency_key: null })
  return dispute
}

function chargeToRefund(world: World, form: FormObject): Stripe.Charge {
  const chargeId = textAt(form, 'charge')
  const intentId = textAt(form, 'payment_intent')
  if (chargeId) return requireCharge(world, chargeId)
  if (intentId) return paidCharge(world, intentId)
  throw invalid('One of the following params should be provided for this request: payment_intent or charge.')
}

function paidCharge(world: World, intentId: string): Stripe.Charge {
  const intent = requireIntent(world, intentId)
  if (intent.status !== 'succeeded' || typeof intent.latest_charge !== 'string') {
    throw invalid(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`)
  }
  return requireCharge(world, intent.latest_charge)
}

function readRefundAmount(form: FormObject, left: number): number {
  const text = textAt(form, 'amount')
  if (text === undefined) return left
  const amount = Number(text)
  if (!/^\d+$/.test(text) || amount < 1) {
    throw invalid(`Invalid positive integer: ${text}`, { code: 'parameter_invalid_integer', param: 'amount' })
  }
  if (amount > left) {
    throw invalid(
      `Refund amount (${dollars(amount)}) is greater than unrefunded amount on charge (${dollars(left)})`,
      { param: 'amount' },
    )
  }
  return amount
}

function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`
}
