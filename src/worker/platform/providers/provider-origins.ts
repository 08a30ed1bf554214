import type { Env } from '#worker/platform/env.ts'

const LOOPBACK = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u

/** Settings per provider and the only URL prefix each may have; null: any https host except this machine. */
const PROVIDERS = {
  payments: { STRIPE_API_URL: 'https://api.stripe.com/', STRIPE_JS_URL: 'https://js.stripe.com/' },
  paynow: { PAYNOW_API_URL: 'https://www.paynow.co.zw/' },
  mail: { MAIL_API_URL: 'https://api.mailchannels.net/' },
  maps: { MAP_IMAGE_URL: null },
} as const satisfies Record<string, Partial<Record<keyof Env, string | null>>>

/** True for names and addresses of the local machine. `hostname` as in a parsed URL. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}

/** True in local development, where PUBLIC_ORIGIN is this machine. Only there may the sandbox replace a provider. */
export function isLocal(env: Env): boolean {
  return isLoopback(new URL(env.PUBLIC_ORIGIN).hostname)
}

/**
 * Why this feature must not use its configured URL, as a sentence for the log without the URL (it may contain a key), or
 * null. Outside local development, payments and mail may go only to the real provider: a sandbox would accept every payment.
 */
export function sandboxProblem(env: Env, feature: keyof typeof PROVIDERS): string | null {
  if (isLocal(env)) return null
  if (feature === 'mail' && env.MAILBOX_URL) return 'MAILBOX_URL is set, and PUBLIC_ORIGIN is not localhost'
  const settings: Record<string, unknown> = env
  for (const [name, prefix] of Object.entries(PROVIDERS[feature])) {
    const address = settings[name]
    if (!isProviders(address, prefix))
      return `${name} is not at ${prefix ?? 'a provider on https'}, and PUBLIC_ORIGIN is not localhost`
  }
  return null
}

function isProviders(address: unknown, prefix: string | null): boolean {
  const url = typeof address === 'string' ? URL.parse(address) : null
  if (!url) return false
  return prefix === null
    ? url.protocol === 'https:' && !isLoopback(url.hostname)
    : url.href.startsWith(prefix)
}
