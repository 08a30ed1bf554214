import { api } from '#shared/api.ts'
import type { OutputOf } from '#shared/endpoint.ts'
import { route, type App } from '#worker/access/route.ts'
import type { Env } from '#worker/platform/env.ts'
import { paynowProblem } from '#worker/platform/providers/paynow-account.ts'
import { isLocal, sandboxProblem } from '#worker/platform/providers/provider-origins.ts'

export function configRoutes(app: App): void {
  route(app, api.config, {}, async ({ ctx }) => publicConfig(ctx.env))
}

/** Addresses and public keys for the browser. In production a sandbox gets no key, so no card form opens. */
export function publicConfig(env: Env): OutputOf<typeof api.config> {
  const canPay = sandboxProblem(env, 'payments') === null
  return {
    stripeJsUrl: env.STRIPE_JS_URL,
    stripePublishableKey: (canPay && env.STRIPE_PUBLISHABLE_KEY) || null,
    hasLocalPayments: paynowProblem(env) === null,
    mailboxUrl: (isLocal(env) && env.MAILBOX_URL) || null,
    hasMapImages: Boolean(env.MAP_IMAGE_URL) && sandboxProblem(env, 'maps') === null,
    supportEmail: env.SUPPORT_EMAIL,
    exampleSlug: env.EXAMPLE_MEMORIAL_SLUG || null,
  }
}
