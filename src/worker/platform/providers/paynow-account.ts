import { AppError } from '#shared/errors.ts'
import { PRICE_CURRENCY } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Env } from '#worker/platform/env.ts'
import type { PaynowAccount } from '#worker/platform/providers/paynow.ts'
import { isLocal, sandboxProblem } from '#worker/platform/providers/provider-origins.ts'
import { isTestMode } from '#worker/platform/providers/stripe.ts'

/** Why this deployment can't take payments by Paynow, as a sentence for the log, or null. */
export function paynowProblem(env: Env): string | null {
  const { PAYNOW_INTEGRATION_ID, PAYNOW_INTEGRATION_KEY, PAYNOW_CURRENCY, PAYNOW_MODE } = env
  if (!PAYNOW_INTEGRATION_ID || !PAYNOW_INTEGRATION_KEY)
    return 'PAYNOW_INTEGRATION_ID or PAYNOW_INTEGRATION_KEY is not set'
  // prove: paynow-currency
  if (PAYNOW_CURRENCY?.toLowerCase() !== PRICE_CURRENCY)
    return 'PAYNOW_CURRENCY, the currency of the integration, is not USD'
  if (PAYNOW_MODE !== 'live' && PAYNOW_MODE !== 'test') return 'PAYNOW_MODE is neither live nor test'
  // prove: paynow-mode
  if (PAYNOW_MODE === 'test' && !isTestMode(env) && !isLocal(env))
    return 'PAYNOW_MODE is test, where anybody can pay with a test number, and Stripe has no test key'
  return sandboxProblem(env, 'paynow')
}

/** Our integration. Throws `paynow_unavailable` unless it is set up. */
export function requirePaynow(env: Env): PaynowAccount {
  const problem = paynowProblem(env)
  if (problem)
    throw new AppError('paynow_unavailable', messages.payment.paynowUnavailable, {
      cause: new Error(problem),
    })
  return {
    url: env.PAYNOW_API_URL,
    id: env.PAYNOW_INTEGRATION_ID ?? '',
    key: env.PAYNOW_INTEGRATION_KEY ?? '',
    isTest: env.PAYNOW_MODE === 'test',
    userAgent: `Nhaka (+${env.PUBLIC_ORIGIN})`,
  }
}
