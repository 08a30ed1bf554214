import type Stripe from 'stripe'
import type { Card } from './cards.ts'
import { textAt } from '../form.ts'
import type { FormObject } from '../form.ts'
import { newId } from '../ids.ts'
import { applyDetails, rejectUnknownParameters, readAmount, readCurrency } from './intent-fields.ts'
import { invalid, missing, StripeFailure } from './error.ts'
import type { ErrorBody } from './error.ts'
import { attachedCard, readCard, attachCard } from './payment-methods.ts'
import { newCharge, newPaymentIntent, toPaymentMethod } from './objects.ts'
import { nowSeconds } from '../world.ts'
import type { EventRequest, World } from '../world.ts'

const CONFIRMABLE = ['requires_payment_method', 'requires_confirmation', 'requires_action']
const CANCELABLE = [...CONFIRMABLE, 'requires_capture', 'processing']
const CANCEL_REASONS = ['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer']
const AUTHENTICATION_FAILED =
  'We are unable to authenticate your payment method. Please choose a different payment method and try again.'

/** The PaymentIntent, or 404 `resource_missing`. */
export function requireIntent(world: World, id: string): Stripe.PaymentIntent {
  const intent = world.state.intents[id]
  if (!intent) throw missing('payment_intent', id, 'intent')
  return intent
}

/** https://docs.stripe.com/api/payment_intents/create */
export function createIntent(world: World, form: FormObject, request: EventRequest): Stripe.PaymentIntent {
  rejectUnknownParameters(form, 'create')
  const intent = newPaymentIntent(readAmount(form), readCurrency(form), nowSeconds(world))
  applyDetails(intent, form)
  const card = readCard(world, form)
  if (card) attachCard(intent, card)
  world.state.intents[intent.id] = intent
  world.emit('payment_intent.created', intent, request)
  return textAt(form, 'confirm') === 'true' ? charge(world, intent, card, form, request) : intent
}

/** https://docs.stripe.com/api/payment_intents/update */
export function updateIntent(world: World, id: string, form: FormObject): Stripe.PaymentIntent {
  const intent = requireIntent(world, id)
  rejectUnknownParameters(form, 'update')
  const changesMoney = ['amount', 'currency', 'payment_method', 'payment_method_data'].some(
    (name) => name in form,
  )
  if (changesMoney && !CONFIRMABLE.includes(intent.status)) {
    throw unexpectedState(
      intent,
      `This PaymentIntent's money could not be updated because it has a status of ${intent.status}.`,
    )
  }
  if ('amount' in form) intent.amount = readAmount(form)
  if ('currency' in form) intent.currency = readCurrency(form)
  applyDetails(intent, form)
  const card = readCard(world, form)
  if (card) attachCard(intent, card)
  world.changed()
  return intent
}

/** https://docs.stripe.com/api/payment_intents/confirm */
export function confirmIntent(
  world: World,
  id: string,
  form: FormObject,
  request: EventRequest,
): Stripe.PaymentIntent {
  const intent = requireIntent(world, id)
  rejectUnknownParameters(form, 'confirm')
  if (intent.status === 'succeeded') {
    throw unexpectedState(
      intent,
      'You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.',
    )
  }
  if (!CONFIRMABLE.includes(intent.status)) {
    throw unexpectedState(
      intent,
      `You cannot confirm this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be confirmed: ${CONFIRMABLE.join(', ')}.`,
    )
  }
  const card = readCard(world, form)
  if (card) attachCard(intent, card)
  return charge(world, intent, card ?? attachedCard(world, intent), form, request)
}

/** https://docs.stripe.com/api/payment_intents/cancel */
export function cancelIntent(
  world: World,
  id: string,
  form: FormObject,
  request: EventRequest,
): Stripe.PaymentIntent {
  const intent = requireIntent(world, id)
  rejectUnknownParameters(form, 'cancel')
  const reason = textAt(form, 'cancellation_reason')
  if (reason !== undefined && !CANCEL_REASONS.includes(reason)) {
    throw invalid(`Invalid cancellation_reason: must be one of ${CANCEL_REASONS.join(', ')}`, {
      param: 'cancellation_reason',
    })
  }
  if (!CANCELABLE.includes(intent.status)) {
    throw unexpectedState(
      intent,
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be canceled: ${CANCELABLE.join(', ')}.`,
    )
  }
  intent.status = 'canceled'
  intent.canceled_at = nowSeconds(world)
  intent.cancellation_reason = reason ?? null
  intent.next_action = null
  world.emit('payment_intent.canceled', intent, request)
  return intent
}

/**
 * Applies the customer's answer in the 3-D Secure dialog. Completing it charges the card; failing it sets
 * `last_payment_error.code` = `payment_intent_authentication_failure`.
 */
export function authenticateIntent(world: World, id: string, isComplete: boolean): Stripe.PaymentIntent {
  const intent = requireIntent(world, id)
  const card = attachedCard(world, intent)
  if (intent.status !== 'requires_action' || !card) {
    throw unexpectedState(
      intent,
      `This PaymentIntent has a status of ${intent.status} and does not require an action.`,
    )
  }
  const request = { id: null, idempotency_key: null }
  if (isComplete) return succeed(world, intent, card, request)
  fail(world, intent, request, {
    type: 'invalid_request_error',
    code: 'payment_intent_authentication_failure',
    message: AUTHENTICATION_FAILED,
    payment_method: toPaymentMethod(card),
  })
  return intent
}

function charge(
  world: World,
  intent: Stripe.PaymentIntent,
  card: Card | null,
  form: FormObject,
  request: EventRequest,
): Stripe.PaymentIntent {
  if (!card) {
    throw unexpectedState(
      intent,
      "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.",
    )
  }
  const outcome = card.outcome
  if (outcome.kind === 'ok') return succeed(world, intent, card, request)
  if (outcome.kind === 'authenticate') return askForAuthentication(world, intent, form, request)
  const failed = newCharge(intent, card, nowSeconds(world))
  Object.assign(failed, {
    paid: false,
    captured: false,
    amount_captured: 0,
    balance_transaction: null,
    failure_code: outcome.code,
    failure_message: outcome.message,
    status: 'failed',
  })
  world.state.charges[failed.id] = failed
  intent.latest_charge = failed.id
  throw fail(world, intent, request, {
    type: 'card_error',
    code: outcome.code,
    ...(outcome.declineCode ? { decline_code: outcome.declineCode } : {}),
    message: outcome.message,
    charge: failed.id,
    payment_method: toPaymentMethod(card),
  })
}

function succeed(
  world: World,
  intent: Stripe.PaymentIntent,
  card: Card,
  request: EventRequest,
): Stripe.PaymentIntent {
  const paid = newCharge(intent, card, nowSeconds(world))
  world.state.charges[paid.id] = paid
  intent.latest_charge = paid.id
  intent.status = 'succeeded'
  intent.amount_received = intent.amount
  intent.last_payment_error = null
  intent.next_action = null
  world.emit('payment_intent.succeeded', intent, request)
  return intent
}

function askForAuthentication(
  world: World,
  intent: Stripe.PaymentIntent,
  form: FormObject,
  request: EventRequest,
): Stripe.PaymentIntent {
  const returnUrl = textAt(form, 'return_url')
  intent.status = 'requires_action'
  intent.last_payment_error = null
  intent.next_action = returnUrl
    ? { type: 'redirect_to_url', redirect_to_url: { return_url: returnUrl, url: null } }
    : { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', source: newId('payatt') } }
  world.emit('payment_intent.requires_action', intent, request)
  return intent
}

// After a failed attempt the PaymentIntent accepts another card, as with Stripe.
function fail(
  world: World,
  intent: Stripe.PaymentIntent,
  request: EventRequest,
  error: ErrorBody,
): StripeFailure {
  const failure = new StripeFailure(error.type === 'card_error' ? 402 : 400, error)
  intent.status = 'requires_payment_method'
  intent.payment_method = null
  intent.next_action = null
  intent.last_payment_error = { ...failure.body } as Stripe.PaymentIntent.LastPaymentError
  world.emit('payment_intent.payment_failed', intent, request)
  return new StripeFailure(failure.status, { ...error, payment_intent: structuredClone(intent) })
}

function unexpectedState(intent: Stripe.PaymentIntent, message: string): StripeFailure {
  return invalid(message, {
    code: 'payment_intent_unexpected_state',
    payment_intent: structuredClone(intent),
  })
}
