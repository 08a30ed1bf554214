import type { Env } from '#worker/platform/env.ts'

const LOOPBACK = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u

/** What leads to each provider, and the only address that it may begin with; null: any on https but this machine. */
const PROVIDERS = {
  payments: { STRIPE_API_URL: 'https://api.stripe.com/', STRIPE_JS_URL: 'https://js.stripe.com/' },
  mail: { MAIL_API_URL: 'https://api.mailchannels.net/' },
  maps: { MAP_IMAGE_URL: null },
} as const satisfies Record<string, Partial<Record<keyof Env, string | null>>>

/** True for names and addresses of the machine itself. `hostname` as a URL writes it. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}

/** True on a laptop: the product's own address is this machine. Only there may a sandbox stand in for a provider. */
export function isLocal(env: Env): boolean {
  return isLoopback(new URL(env.PUBLIC_ORIGIN).hostname)
}

/**
 * Why this feature must not speak to the address it is given, as a sentence for the log without the address (it may hold a
 * key), or null. Where people use the product, money, mail and card data go to the provider itself and nowhere else: a
 * sandbox would say "paid" to everybody.
 */
export function sandboxProblem(env: Env, feature: keyof typeof PROVIDERS): string | null {
  if (isLocal(env)) return null
  if (feature === 'mail' && env.MAILBOX_URL) return 'MAILBOX_URL is set, and PUBLIC_ORIGIN is not localhost'
  const settings: Record<string, unknown> = env
  for (const [name, own] of Object.entries(PROVIDERS[feature])) {
    const address = settings[name]
    if (!isProviders(address, own))
      return `${name} is not at ${own ?? 'a provider on https'}, and PUBLIC_ORIGIN is not localhost`
  }
  return null
}

function isProviders(address: unknown, own: string | null): boolean {
  const url = typeof address === 'string' ? URL.parse(address) : null
  if (!url) return false
  return own === null ? url.protocol === 'https:' && !isLoopback(url.hostname) : url.href.startsWith(own)
}
