import { Stripe } from 'stripe'
import { AppError } from '#shared/errors.ts'
import { STRIPE_RETRIES, STRIPE_TIMEOUT_MS, WEBHOOK_TOLERANCE_SEC } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Env } from '#worker/platform/env.ts'
import { sandboxProblem } from '#worker/platform/providers/provider-origins.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/**
 * Creates Stripe's client for this deployment. Throws `not_available` without a secret key, and for a sandbox outside
 * local development. `timeoutMs` applies to each attempt; Stripe's default is 80 s, too long for a user.
 */
export function createStripeClient(env: Env, timeoutMs = STRIPE_TIMEOUT_MS): Stripe {
  if (!env.STRIPE_SECRET_KEY) throw notAvailable(new Error('STRIPE_SECRET_KEY is not set'))
  refuseSandbox(env)
  const { protocol, hostname, port } = new URL(env.STRIPE_API_URL)
  const scheme = protocol === 'http:' ? 'http' : 'https'
  return new Stripe(env.STRIPE_SECRET_KEY, {
    httpClient: Stripe.createFetchHttpClient(),
    host: hostname,
    port: port || (scheme === 'http' ? 80 : 443),
    protocol: scheme,
    timeout: timeoutMs,
    maxNetworkRetries: STRIPE_RETRIES,
    telemetry: false,
  })
}

/** Throws `not_available` without a publishable key, because the card form couldn't load. */
export function requireCardForm(env: Env): void {
  if (!env.STRIPE_PUBLISHABLE_KEY) throw notAvailable(new Error('STRIPE_PUBLISHABLE_KEY is not set'))
}

/** True when this deployment uses a live key. */
export function isLiveMode(env: Env): boolean {
  return /^[rs]k_live_/u.test(env.STRIPE_SECRET_KEY ?? '')
}

/** True when this deployment uses a test key; false also without a key. */
export function isTestMode(env: Env): boolean {
  return /^[rs]k_test_/u.test(env.STRIPE_SECRET_KEY ?? '')
}

/** Throws `upstream_failed` if Stripe is down, slow or refuses, `not_available` if it rejects the key. */
export async function callStripe<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error
    if (error.statusCode === 401 || error.statusCode === 403) throw notAvailable(error)
    throw new AppError('upstream_failed', messages.payment.upstream, { cause: error })
  }
}

/** True when another request with the same idempotency key is still running: https://docs.stripe.com/api/idempotent_requests */
export function isKeyInUse(error: unknown): boolean {
  return stripeStatus(error) === 409
}

/** True when Stripe answered 5xx. It caches that response by idempotency key, so a retry needs a new key. */
export function isBrokenAnswer(error: unknown): boolean {
  return (stripeStatus(error) ?? 0) >= 500
}

/** True when Stripe refuses a call because the PaymentIntent has changed: https://docs.stripe.com/error-codes#payment-intent-unexpected-state */
export function isUnexpectedState(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'payment_intent_unexpected_state'
}

function stripeStatus(error: unknown): number | undefined {
  if (!(error instanceof AppError) || !(error.cause instanceof Stripe.errors.StripeError)) return undefined
  return error.cause.statusCode
}

/**
 * Verifies a webhook and returns its event. The timestamp may be at most 5 minutes off in either direction (Stripe's
 * library accepts any future time). Throws `not_available` without a secret and `bad_input` for an invalid signature.
 * `body` must be the raw text, because the signature covers every byte.
 */
export async function readStripeEvent(
  env: Env,
  body: string,
  signature: string | null,
  now: number,
): Promise<Stripe.Event> {
  if (!env.STRIPE_WEBHOOK_SECRET) throw notAvailable(new Error('STRIPE_WEBHOOK_SECRET is not set'))
  refuseSandbox(env)
  const times = [...(signature ?? '').matchAll(/(?:^|,)\s*t=(\d+)/gu)].map((match) => Number(match[1]))
  const isTimely = times.every((time) => Math.abs(now / 1000 - time) <= WEBHOOK_TOLERANCE_SEC)
  if (!signature || times.length === 0 || !isTimely)
    throw new AppError('bad_input', serverMessages.system.badJson)
  try {
    return await Stripe.webhooks.constructEventAsync(
      body,
      signature,
      env.STRIPE_WEBHOOK_SECRET,
      WEBHOOK_TOLERANCE_SEC,
      Stripe.createSubtleCryptoProvider(),
      now,
    )
  } catch (error) {
    throw new AppError('bad_input', serverMessages.system.badJson, { cause: error })
  }
}

/** A sandbox confirms every payment, and its secrets are public. */
function refuseSandbox(env: Env): void {
  const problem = sandboxProblem(env, 'payments')
  if (problem) throw notAvailable(new Error(problem))
}

function notAvailable(cause: unknown): AppError {
  return new AppError('not_available', messages.payment.notAvailable, { cause })
}
