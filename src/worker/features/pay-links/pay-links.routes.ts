import { api } from '#shared/api.ts'
import { AppError } from '#shared/errors.ts'
import { THUMBNAIL_WIDTH } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { payLinkMessages } from '#shared/payments/pay-link-messages.ts'
import { networkOf, signedIn } from '#worker/access/guards.ts'
import { limitWrong } from '#worker/access/memorial-access.ts'
import { route, type App, type Guard } from '#worker/access/route.ts'
import { findImage } from '#worker/features/media/pictures.ts'
import { giftCard } from '#worker/features/pay-links/gift-card.ts'
import { createGift, findGift, redeemGift } from '#worker/features/pay-links/gifts.ts'
import {
  askToPay,
  endPayLink,
  findPayLink,
  forPayer,
  requireLink,
  requirePortrait,
  targetOfLink,
  thankPayer,
  viewLink,
  type OpenedLink,
} from '#worker/features/pay-links/pay-links.ts'
import { createPaymentIntent } from '#worker/features/payments/intents.ts'
import { openPaynowPage, payByPhone, sendPaymentCode } from '#worker/features/payments/paynow-start.ts'
import { syncPayment } from '#worker/features/payments/sync.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'

/** Route guard: the link `:token`. Anybody with it may see and pay. */
const anyLink: Guard<OpenedLink> = (ctx, { params }) =>
  limitWrong(ctx, requireLink(ctx, params['token'] ?? ''))

/** The same for a call that may ask a card or a phone for money. */
const payableLink: Guard<OpenedLink> = async (ctx, input) => {
  const opened = await anyLink(ctx, input)
  await requireRateLimit(ctx, 'linkPayments', networkOf(ctx.ip), messages.payment.paused)
  return opened
}

export function payLinkRoutes(app: App): void {
  route(app, api.askToPay, { user: signedIn }, ({ ctx, user, body }) =>
    askToPay(ctx, user, {
      memorialId: body.memorialId || null,
      showsMemorial: body.showsMemorial,
      isNew: body.isNew ?? false,
    }),
  )
  route(app, api.payLink, { user: signedIn }, async ({ ctx, user, query }) => ({
    link: await findPayLink(ctx, user.id, query.memorialId || null),
  }))
  route(app, api.endPayLink, { user: signedIn }, async ({ ctx, user, params }) => {
    await endPayLink(ctx, user.id, params.token)
    return null
  })
  route(app, api.thankPayer, { user: signedIn }, async ({ ctx, user, params, body }) => {
    await thankPayer(ctx, user.id, params.id, body.words)
    return { message: payLinkMessages.thanked }
  })

  route(app, api.payLinkView, { opened: anyLink }, ({ ctx, opened }) =>
    Promise.resolve(viewLink(ctx, opened)),
  )
  route(app, api.payLinkPortrait, { opened: anyLink }, ({ ctx, opened }) => servePortrait(ctx, opened))
  route(app, api.giftCard, { opened: anyLink }, async ({ ctx, opened, params }) => {
    const letter = viewLink(ctx, opened).gift
    if (letter?.status !== 'READY') throw new AppError('not_found', payLinkMessages.notFound)
    await requireRateLimit(ctx, 'plaques', params.token)
    return giftCard(ctx, letter)
  })
  route(app, api.payLinkByCard, { opened: payableLink }, ({ ctx, opened, body }) =>
    createPaymentIntent(ctx, targetOfLink(ctx, opened, body)),
  )
  route(app, api.payLinkByPhone, { opened: payableLink }, async ({ ctx, opened, body }) =>
    forPayer(await payByPhone(ctx, targetOfLink(ctx, opened, { name: body.name, email: body.email }), body)),
  )
  route(app, api.payLinkOnPaynow, { opened: payableLink }, ({ ctx, opened, body }) =>
    openPaynowPage(ctx, targetOfLink(ctx, opened, body)),
  )
  // Also once the link has been replaced: who has begun to pay can finish.
  route(app, api.syncLinkPayment, {}, async ({ ctx, params: { token, id } }) =>
    forPayer(await limitWrong(ctx, syncPayment(ctx, { linkToken: token }, id))),
  )
  route(app, api.sendLinkPaymentCode, {}, async ({ ctx, params: { token, id }, body }) =>
    forPayer(await limitWrong(ctx, sendPaymentCode(ctx, { linkToken: token }, id, body.code))),
  )

  route(app, api.createGift, {}, async ({ ctx, body }) => {
    await requireRateLimit(ctx, 'gifts', networkOf(ctx.ip))
    return createGift(ctx, body)
  })
  route(app, api.gift, {}, async ({ ctx, params }) => ({
    gift: await limitWrong(ctx, findGift(ctx, params.code, ctx.user?.id ?? null)),
  }))
  route(app, api.redeemGift, { user: signedIn }, ({ ctx, user, body }) => redeemGift(ctx, user.id, body.code))
}

async function servePortrait(ctx: RequestCtx, opened: OpenedLink): Promise<Response> {
  const found = await findImage(ctx, requirePortrait(ctx, opened), THUMBNAIL_WIDTH)
  const object = found && (await ctx.env.MEDIA.get(found.key))
  if (!object) throw new AppError('not_found', messages.media.notFound)
  return new Response(object.body, {
    headers: {
      'Content-Type': object.httpMetadata?.contentType ?? 'image/webp',
      'Content-Length': String(object.size),
      'Cache-Control': 'private, no-store',
    },
  })
}
