import type { api } from '#shared/api.ts'
import type { OutputOf } from '#shared/endpoint.ts'
import type { Env } from '#worker/env.ts'

export type Config = OutputOf<typeof api.config>

/** What the browser must know of this deployment: addresses and public keys. */
export function publicConfig(env: Env): Config {
  return {
    stripeJsUrl: env.STRIPE_JS_URL,
    stripePublishableKey: env.STRIPE_PUBLISHABLE_KEY ?? null,
    mailboxUrl: env.MAILBOX_URL ?? null,
    hasMapImages: Boolean(env.MAP_IMAGE_URL),
    supportEmail: env.SUPPORT_EMAIL,
  }
}
