import type Stripe from 'stripe'
import { listAt, objectAt, textAt } from '../form.ts'
import type { FormObject } from '../form.ts'
import { invalid } from './error.ts'

const SHARED = ['expand', 'key', 'client_secret']
const DETAILS = [
  'metadata',
  'description',
  'receipt_email',
  'allowed_payment_method_types',
  'payment_method_types',
  'statement_descriptor_suffix',
]
const PAYING = ['payment_method', 'payment_method_data', 'payment_method_options', 'setup_future_usage']
const CONFIRMING = [
  ...PAYING,
  'return_url',
  'use_stripe_sdk',
  'off_session',
  'receipt_email',
  'error_on_requires_action',
]

/** The supported parameters. Any other is refused, as Stripe does, so that tests notice mistakes. */
const NAMES = {
  create: [
    'amount',
    'currency',
    'automatic_payment_methods',
    'confirm',
    'confirmation_method',
    ...DETAILS,
    ...CONFIRMING,
  ],
  update: ['amount', 'currency', ...DETAILS, ...PAYING],
  confirm: CONFIRMING,
  cancel: ['cancellation_reason'],
  refund: ['payment_intent', 'charge', 'amount', 'reason', 'metadata'],
} as const

/** Stripe's minimum charge, in the smallest unit: https://docs.stripe.com/currencies */
const AMOUNT_MIN = 50
const AMOUNT_MAX = 99_999_999

/** Limits of metadata: https://docs.stripe.com/api/metadata */
const METADATA_KEYS_MAX = 50
const METADATA_KEY_MAX = 40
const METADATA_VALUE_MAX = 500

/** Throws `parameter_unknown` for a name that the endpoint does not accept. */
export function rejectUnknownParameters(form: FormObject, endpoint: keyof typeof NAMES): void {
  const known = new Set<string>([...NAMES[endpoint], ...SHARED])
  const unknown = Object.keys(form).find((name) => !known.has(name))
  if (unknown === undefined) return
  throw invalid(`Received unknown parameter: ${unknown}`, { code: 'parameter_unknown', param: unknown })
}

/** The amount in the currency's smallest unit. */
export function readAmount(form: FormObject): number {
  const text = textAt(form, 'amount')
  if (text === undefined) throw missingParameter('amount')
  if (!/^-?\d+$/.test(text)) {
    throw invalid(`Invalid integer: ${text}`, { code: 'parameter_invalid_integer', param: 'amount' })
  }
  const amount = Number(text)
  if (amount < 1) {
    throw invalid('This value must be greater than or equal to 1.', {
      code: 'parameter_invalid_integer',
      param: 'amount',
    })
  }
  if (amount < AMOUNT_MIN) {
    throw invalid('Amount must be at least $0.50 usd', { code: 'amount_too_small', param: 'amount' })
  }
  if (amount > AMOUNT_MAX) {
    throw invalid('Amount must be no more than $999,999.99', { code: 'amount_too_large', param: 'amount' })
  }
  return amount
}

/** The three-letter currency code in lower case. */
export function readCurrency(form: FormObject): string {
  const text = textAt(form, 'currency')
  if (text === undefined) throw missingParameter('currency')
  if (!/^[a-z]{3}$/i.test(text)) {
    throw invalid(`Invalid currency: ${text}.`, { param: 'currency' })
  }
  return text.toLowerCase()
}

/** Sets the PaymentIntent's fields other than amount and currency. */
export function applyDetails(intent: Stripe.PaymentIntent, form: FormObject): void {
  intent.metadata = mergeMetadata(intent.metadata, form)
  if ('description' in form) intent.description = textAt(form, 'description') || null
  if ('receipt_email' in form) intent.receipt_email = textAt(form, 'receipt_email') || null
  const allowed = listAt(form, 'allowed_payment_method_types')
  if (allowed.length > 0) {
    intent.allowed_payment_method_types = allowed
  }
  const types = allowed.length > 0 ? allowed : listAt(form, 'payment_method_types')
  if (types.length > 0) intent.payment_method_types = types
  if (textAt(form, 'automatic_payment_methods', 'enabled') === 'true') {
    const redirects = textAt(form, 'automatic_payment_methods', 'allow_redirects')
    intent.automatic_payment_methods = {
      enabled: true,
      allow_redirects: redirects === 'never' ? 'never' : 'always',
    }
  }
}

/** Stripe merges metadata by key; an empty string removes the key. */
export function mergeMetadata(old: Record<string, string>, form: FormObject): Record<string, string> {
  const merged = new Map(Object.entries(old))
  for (const [key, value] of Object.entries(objectAt(form, 'metadata') ?? {})) {
    if (typeof value !== 'string') throw invalid('Metadata values must be strings', { param: 'metadata' })
    if (key.length > METADATA_KEY_MAX) {
      throw invalid(`Metadata keys can have up to ${METADATA_KEY_MAX} characters.`, { param: 'metadata' })
    }
    if (value.length > METADATA_VALUE_MAX) {
      throw invalid(`Metadata values can have up to ${METADATA_VALUE_MAX} characters.`, {
        param: `metadata[${key}]`,
      })
    }
    if (value === '') merged.delete(key)
    else merged.set(key, value)
  }
  if (merged.size > METADATA_KEYS_MAX) {
    throw invalid(`You can have up to ${METADATA_KEYS_MAX} metadata keys.`, { param: 'metadata' })
  }
  return Object.fromEntries(merged)
}

function missingParameter(name: string): Error {
  return invalid(`Missing required param: ${name}.`, { code: 'parameter_missing', param: name })
}
