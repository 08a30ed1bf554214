import { api } from '#shared/api.ts'
import { route, type App } from '#worker/http/route.ts'

/** What the browser must know of this deployment: addresses and public keys. */
export function configRoutes(app: App): void {
  route(app, api.config, {}, async ({ ctx }) => ({
    stripeJsUrl: ctx.env.STRIPE_JS_URL,
    stripePublishableKey: ctx.env.STRIPE_PUBLISHABLE_KEY ?? null,
    mailboxUrl: ctx.env.MAILBOX_URL ?? null,
    hasMapImages: Boolean(ctx.env.MAP_IMAGE_URL),
    supportEmail: ctx.env.SUPPORT_EMAIL,
  }))
}
