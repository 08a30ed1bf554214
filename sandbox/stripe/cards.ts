import { textAt } from '../form.ts'
import type { FormObject } from '../form.ts'
import { newId } from '../ids.ts'
import { cardError, missing } from './error.ts'

/** The bank's decision about a card. */
export type Outcome =
  | { kind: 'ok' }
  | { kind: 'authenticate' }
  | { kind: 'decline'; code: string; declineCode?: string; message: string }

/** A card. Its number is not stored, because Stripe does not return it either. */
export type Card = {
  id: string
  brand: string
  last4: string
  expMonth: number
  expYear: number
  outcome: Outcome
  billingName: string | null
  billingEmail: string | null
  created: number
}

const OK: Outcome = { kind: 'ok' }
const DECLINED = 'Your card was declined.'
const NO_FUNDS = 'Your card has insufficient funds.'

/** Stripe's test cards: https://docs.stripe.com/testing */
const NUMBERS: Record<string, Outcome> = {
  '4242424242424242': OK,
  '4000056655665556': OK,
  '5555555555554444': OK,
  '5200828282828210': OK,
  '378282246310005': OK,
  '6011111111111117': OK,
  '4000002500003155': { kind: 'authenticate' },
  '4000002760003184': { kind: 'authenticate' },
  '4000000000003220': { kind: 'authenticate' },
  '4000000000000002': decline('card_declined', DECLINED, 'generic_decline'),
  '4000000000009995': decline('card_declined', NO_FUNDS, 'insufficient_funds'),
  '4000000000009987': decline('card_declined', DECLINED, 'lost_card'),
  '4000000000009979': decline('card_declined', DECLINED, 'stolen_card'),
  '4000000000000069': decline('expired_card', 'Your card has expired.'),
  '4000000000000127': decline('incorrect_cvc', "Your card's security code is incorrect."),
  '4000000000000119': decline(
    'processing_error',
    'An error occurred while processing your card. Try again in a little bit.',
  ),
}

/** Stripe's predefined payment methods, with their card numbers. */
const TOKENS: Record<string, string> = {
  pm_card_visa: '4242424242424242',
  pm_card_mastercard: '5555555555554444',
  pm_card_authenticationRequired: '4000002760003184',
  pm_card_threeDSecure2Required: '4000000000003220',
  pm_card_chargeDeclined: '4000000000000002',
  pm_card_visa_chargeDeclined: '4000000000000002',
  pm_card_chargeDeclinedInsufficientFunds: '4000000000009995',
  pm_card_visa_chargeDeclinedInsufficientFunds: '4000000000009995',
  pm_card_visa_chargeDeclinedExpiredCard: '4000000000000069',
  pm_card_chargeDeclinedExpiredCard: '4000000000000069',
  pm_card_chargeDeclinedIncorrectCvc: '4000000000000127',
  pm_card_chargeDeclinedProcessingError: '4000000000000119',
}

// Stripe's response in test mode to a valid number that is not a test card.
const LIVE_CARD = decline(
  'card_declined',
  'Your card was declined. Your request was in test mode, but used a non test (live) card. For a list of valid test cards, visit: https://stripe.com/docs/testing.',
  'test_mode_live_card',
)

/** The card of a predefined payment method; throws `resource_missing` for any other name. */
export function cardFromToken(token: string, now: number): Card {
  const number = TOKENS[token]
  if (!number) throw missing('PaymentMethod', token, 'payment_method')
  const year = new Date(now).getUTCFullYear() + 1
  return toCard(number, 12, year, {}, now)
}

/**
 * A card from `payment_method_data[card]`; throws a card error (402) if the number, the date or the code
 * is invalid. Source: https://docs.stripe.com/error-codes
 */
export function cardFromForm(data: FormObject, now: number): Card {
  const number = (textAt(data, 'card', 'number') ?? '').replace(/[\s-]/g, '')
  const month = Number(textAt(data, 'card', 'exp_month'))
  const shortYear = Number(textAt(data, 'card', 'exp_year'))
  const cvc = textAt(data, 'card', 'cvc') ?? ''
  if (!/^\d{12,19}$/.test(number) || !passesLuhn(number)) {
    throw cardError('incorrect_number', 'Your card number is incorrect.', 'number')
  }
  if (!Number.isInteger(month) || month < 1 || month > 12) {
    throw cardError('invalid_expiry_month', "Your card's expiration month is invalid.", 'exp_month')
  }
  if (!Number.isInteger(shortYear) || shortYear < 0) {
    throw cardError('invalid_expiry_year', "Your card's expiration year is invalid.", 'exp_year')
  }
  const year = shortYear < 100 ? 2000 + shortYear : shortYear
  // A card is valid to the end of its month; Date.UTC counts months from 0, so this is the next month's start.
  if (Date.UTC(year, month) <= now) {
    throw cardError('expired_card', 'Your card has expired.', 'exp_month')
  }
  if (cvc !== '' && !/^\d{3,4}$/.test(cvc)) {
    throw cardError('invalid_cvc', "Your card's security code is invalid.", 'cvc')
  }
  return toCard(number, month, year, data, now)
}

function toCard(number: string, month: number, year: number, data: FormObject, now: number): Card {
  return {
    id: newId('pm'),
    brand: brandOf(number),
    last4: number.slice(-4),
    expMonth: month,
    expYear: year,
    outcome: NUMBERS[number] ?? LIVE_CARD,
    billingName: textAt(data, 'billing_details', 'name') ?? null,
    billingEmail: textAt(data, 'billing_details', 'email') ?? null,
    created: Math.floor(now / 1000),
  }
}

function brandOf(number: string): string {
  if (number.startsWith('4')) return 'visa'
  if (/^(5[1-5]|2[2-7])/.test(number)) return 'mastercard'
  if (/^3[47]/.test(number)) return 'amex'
  return number.startsWith('6') ? 'discover' : 'unknown'
}

/** The check digit of ISO/IEC 7812-1, annex B. */
function passesLuhn(number: string): boolean {
  let sum = 0
  for (const [index, digit] of number.split('').toReversed().entries()) {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1)
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}

function decline(code: string, message: string, declineCode?: string): Outcome {
  return { kind: 'decline', code, message, ...(declineCode ? { declineCode } : {}) }
}
