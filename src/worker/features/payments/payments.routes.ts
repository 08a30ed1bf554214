import type { User } from '#shared/accounts/accounts.ts'
import { api } from '#shared/api.ts'
import { createPaymentIntent } from '#worker/features/payments/intents.ts'
import { listPayments, useCredit, type Target } from '#worker/features/payments/payments.ts'
import { receivePaynowResult } from '#worker/features/payments/paynow-result.ts'
import { openPaynowPage, payByPhone, sendPaymentCode } from '#worker/features/payments/paynow-start.ts'
import { syncPayment } from '#worker/features/payments/sync.ts'
import { receiveStripeEvent } from '#worker/features/payments/webhook.ts'
import { signedIn } from '#worker/access/guards.ts'
import { route, type App } from '#worker/access/route.ts'

export function paymentRoutes(app: App): void {
  route(app, api.createPaymentIntent, { user: signedIn }, ({ ctx, user, body }) =>
    createPaymentIntent(ctx, targetOf(user, body.memorialId)),
  )
  route(app, api.useCredit, { user: signedIn }, async ({ ctx, user, params }) => {
    await useCredit(ctx, user.id, params.id)
    return null
  })
  // No guard, because Stripe calls it: the handler verifies Stripe's signature first.
  route(app, api.stripeWebhook, {}, async ({ ctx }) => {
    await receiveStripeEvent(ctx, ctx.request)
    return { received: true as const }
  })
  route(app, api.syncPayment, { user: signedIn }, ({ ctx, user, params }) =>
    syncPayment(ctx, { userId: user.id }, params.id),
  )
  route(app, api.userPayments, { user: signedIn }, async ({ ctx, user }) => ({
    payments: await listPayments(ctx, user.id),
  }))
  route(app, api.initPayment, { user: signedIn }, ({ ctx, user, body }) =>
    openPaynowPage(ctx, targetOf(user, body.memorialId)),
  )
  route(app, api.payByPhone, { user: signedIn }, ({ ctx, user, body }) =>
    payByPhone(ctx, targetOf(user, body.memorialId), body),
  )
  route(app, api.sendPaymentCode, { user: signedIn }, ({ ctx, user, params, body }) =>
    sendPaymentCode(ctx, { userId: user.id }, params.id, body.code),
  )
  // No guard, because Paynow calls it: the handler verifies the message's hash first.
  route(app, api.paynowResult, {}, async ({ ctx }) => {
    await receivePaynowResult(ctx, ctx.request)
    return { received: true as const }
  })
}

/** What a signed-in user pays for themselves. */
function targetOf({ id }: User, memorialId: string | null | undefined): Target {
  return { userId: id, memorialId: memorialId || null, payer: null }
}
