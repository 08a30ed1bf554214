import { and, eq, gt, isNull, or, sql } from 'drizzle-orm'
import { AppError, fieldError } from '#shared/errors.ts'
import { fillPath } from '#shared/fill-path.ts'
import { GIFT_EXPIRES_MS } from '#shared/limits.ts'
import { paths } from '#shared/pages/pages.ts'
import { payLinkMessages } from '#shared/payments/pay-link-messages.ts'
import { GIFT_ACCOUNT, printGiftCode, readGiftCode } from '#shared/payments/gift-codes.ts'
import type { Gift, GiftLetter, GiftStatus } from '#shared/payments/pay-links.ts'
import type { Payment } from '#shared/payments/payments.ts'
import { insertOrder, openOrder } from '#worker/features/payments/orders.ts'
import { toPayment } from '#worker/features/payments/payments.ts'
import { newPayLink } from '#worker/features/pay-links/new-pay-link.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { newId, randomBase32 } from '#worker/platform/random.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { countsAsPaid, gifts, orders, payLinks, payments } from '#worker/schema/payments.table.ts'

const CODE_LENGTH = 16

/** Begins a gift: the token leads to the page where somebody pays for it and then finds its letter. */
export async function createGift(
  ctx: Ctx,
  { fromName, recipientName, words }: { fromName: string; recipientName: string; words: string },
): Promise<{ token: string }> {
  const now = ctx.now()
  const id = newId('gift')
  const target = { userId: GIFT_ACCOUNT, memorialId: id }
  const link = newPayLink(ctx, { fromName, showsMemorial: false })
  const gift = {
    id,
    code: randomBase32(CODE_LENGTH),
    recipientName: recipientName || null,
    words: words || null,
    createdAt: now,
  }
  const ofOrder = { orderId: openOrder(target) }
  await ctx.db.batch([
    insertGiftAccount(ctx),
    insertOrder(ctx, target, sql`1`),
    insertWhere(ctx.db, payLinks, { orderId: '', ...link }, sql`1`, ofOrder),
    insertWhere(ctx.db, gifts, { orderId: '', ...gift }, sql`1`, ofOrder),
  ])
  return { token: link.token }
}

/** Statement: the account that has unredeemed gifts. Nobody can sign in to it: it's suspended, and has neither address nor password. */
function insertGiftAccount(ctx: Ctx) {
  const at = ctx.now()
  const account = {
    id: GIFT_ACCOUNT,
    email: GIFT_ACCOUNT,
    firstName: 'Gifts',
    lastName: '',
    passwordHash: 'none',
    emailVerifiedAt: at,
    suspendedAt: at,
    termsAcceptedAt: at,
    createdAt: at,
    updatedAt: at,
  }
  return ctx.db.insert(users).values(account).onConflictDoNothing()
}

type GiftRow = typeof gifts.$inferSelect & { fromName: string; paidAt: number | null }

/** What anybody with the code sees. */
function toGift(ctx: Ctx, row: GiftRow): Gift {
  const { fromName, recipientName, words, paidAt } = row
  const expiresAt = paidAt === null ? null : new Date(paidAt + GIFT_EXPIRES_MS).toISOString()
  return { status: statusOf(ctx, row), fromName, recipientName, words, expiresAt }
}

/** What the giver sees. */
export function letterOf(ctx: Ctx, row: GiftRow): GiftLetter {
  const gift = toGift(ctx, row)
  // prove: gift-code-after-payment
  if (gift.status === 'UNPAID') return { ...gift, code: null, redeemUrl: null }
  const code = printGiftCode(row.code)
  return { ...gift, code, redeemUrl: ctx.env.PUBLIC_ORIGIN + fillPath(paths.redeem, { code }) }
}

function statusOf(ctx: Ctx, { redeemedAt, paidAt }: GiftRow): GiftStatus {
  if (redeemedAt !== null) return 'REDEEMED'
  if (paidAt === null) return 'UNPAID'
  return paidAt + GIFT_EXPIRES_MS > ctx.now() ? 'READY' : 'ENDED'
}

/** The gift with this code, as this account or nobody (null) sees it. Throws `not_found`. */
export async function findGift(ctx: Ctx, typed: string, userId: string | null): Promise<Gift> {
  const found = await findRow(ctx, readGiftCode(typed))
  if (!found) throw new AppError('not_found', payLinkMessages.codeUnknown)
  const gift = toGift(ctx, found)
  if (found.redeemedBy === null) return gift
  // The words are for the person who opened it.
  return found.redeemedBy === userId
    ? { ...gift, isYours: true }
    : { ...gift, recipientName: null, words: null }
}

async function findRow(
  ctx: Ctx,
  code: string | null,
): Promise<(GiftRow & { redeemedBy: string | null }) | null> {
  if (code === null) return null
  const [found] = await ctx.db
    .select({ gift: gifts, fromName: payLinks.fromName, paidAt: payments.paidAt })
    .from(gifts)
    .innerJoin(payLinks, eq(payLinks.orderId, gifts.orderId))
    .leftJoin(payments, and(eq(payments.orderId, gifts.orderId), countsAsPaid()))
    .where(eq(gifts.code, code))
    .limit(1)
  return found ? { ...found.gift, fromName: found.fromName, paidAt: found.paidAt } : null
}

/**
 * Gives this account the payment of a gift, which then pays for a memorial like one of its own. The update of the gift decides, so
 * that of simultaneous calls one gets it; the same account gets the same answer again. Throws `bad_input` with a message for `code`,
 * `link_used`, `link_expired`, `too_many_requests`.
 */
export async function redeemGift(ctx: Ctx, userId: string, typed: string): Promise<Payment> {
  await requireRateLimit(ctx, 'giftCodes', userId)
  const code = readGiftCode(typed)
  if (code === null) throw fieldError('bad_input', 'code', payLinkMessages.codeInvalid)
  const now = ctx.now()
  const isOfGift = and(eq(gifts.code, code), eq(gifts.redeemedBy, userId))
  const ofOrder = sql`(select ${gifts.orderId} from ${gifts} where ${isOfGift})`
  const isPaid = existsIn(
    payments,
    and(eq(payments.orderId, gifts.orderId), countsAsPaid(), gt(payments.paidAt, now - GIFT_EXPIRES_MS)),
  )
  await ctx.db.batch([
    ctx.db
      .update(gifts)
      .set({ redeemedAt: now, redeemedBy: userId })
      .where(and(eq(gifts.code, code), /* prove: gift-redeemed-once */ isNull(gifts.redeemedAt), isPaid)),
    // All of the order's payments, so that a second one is on the refund list under the same account.
    ctx.db
      .update(payments)
      .set({ userId, updatedAt: now })
      .where(and(eq(payments.orderId, ofOrder), eq(payments.userId, GIFT_ACCOUNT))),
    ctx.db
      .update(orders)
      .set({ userId })
      .where(and(eq(orders.id, ofOrder), eq(orders.userId, GIFT_ACCOUNT))),
  ])
  const [mine] = await ctx.db
    .select({ payment: payments })
    .from(payments)
    .innerJoin(gifts, eq(gifts.orderId, payments.orderId))
    .where(and(isOfGift, or(countsAsPaid(), eq(payments.status, 'DISPUTED'))))
    .limit(1)
  if (mine) return toPayment(mine.payment)
  throw refusalOf(ctx, await findRow(ctx, code))
}

function refusalOf(ctx: Ctx, found: GiftRow | null): AppError {
  if (!found) return fieldError('bad_input', 'code', payLinkMessages.codeUnknown)
  const status = statusOf(ctx, found)
  if (status === 'REDEEMED') return new AppError('link_used', payLinkMessages.codeUsed)
  return new AppError(
    'link_expired',
    status === 'UNPAID' ? payLinkMessages.codeUnpaid : payLinkMessages.codeEnded,
  )
}
