import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import type { User } from '#shared/accounts/accounts.ts'
import { AppError } from '#shared/errors.ts'
import { fillPath } from '#shared/fill-path.ts'
import { messages } from '#shared/messages.ts'
import { paths } from '#shared/pages/pages.ts'
import { askText, payLinkMessages } from '#shared/payments/pay-link-messages.ts'
import type { PayLink, PayLinkStatus, PayLinkView } from '#shared/payments/pay-links.ts'
import type { Payment } from '#shared/payments/payments.ts'
import { isPaid } from '#worker/access/memorial-access.ts'
import { oldestCredit } from '#worker/features/payments/credits.ts'
import { insertOrder, openOrder } from '#worker/features/payments/orders.ts'
import { requirePayable, type Payer, type Target } from '#worker/features/payments/payments.ts'
import { letterOf } from '#worker/features/pay-links/gifts.ts'
import { newPayLink } from '#worker/features/pay-links/new-pay-link.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { enqueueMail, insertMailWhere } from '#worker/platform/providers/mail.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { countsAsPaid, gifts, orders, payLinks, payments } from '#worker/schema/payments.table.ts'

type Ask = { memorialId: string | null; showsMemorial: boolean; isNew: boolean }

/**
 * Makes a link by which anybody can pay for this account's memorial (null: its next one), and the order for it. While a link is open,
 * returns that one, unless a new one shall replace it. Throws `not_found`, `already_paid`, `too_many_requests`.
 */
export async function askToPay(ctx: Ctx, user: User, ask: Ask): Promise<PayLink> {
  const { memorialId, showsMemorial, isNew } = ask
  const target = { userId: user.id, memorialId, payer: null }
  await requirePayable(ctx, target)
  // To hide the memorial again must always work.
  if (isNew || !(await findPayLink(ctx, user.id, memorialId)))
    await requireRateLimit(ctx, 'payLinks', user.id)
  const link = newPayLink(ctx, { fromName: user.firstName, showsMemorial })
  const { createdAt: now } = link
  const isReplaced = sql`(${Number(isNew)} or ${payLinks.expiresAt} <= ${now})`
  const replaced = (column: string) => sql.raw(`excluded.${column}`)
  await ctx.db.batch([
    insertOrder(ctx, target, sql`1`),
    insertWhere(ctx.db, payLinks, { orderId: '', ...link }, sql`1`, {
      orderId: openOrder(target),
    }).onConflictDoUpdate({
      target: payLinks.orderId,
      set: {
        token: sql`case when ${isReplaced} then ${replaced('token')} else ${payLinks.token} end`,
        createdAt: sql`case when ${isReplaced} then ${now} else ${payLinks.createdAt} end`,
        expiresAt: sql`case when ${isReplaced} then ${link.expiresAt} else ${payLinks.expiresAt} end`,
        fromName: user.firstName,
        showsMemorial,
      },
    }),
  ])
  const open = await findPayLink(ctx, user.id, memorialId)
  if (!open) throw new AppError('conflict', payLinkMessages.paid)
  return open
}

/** The open link of this account for this memorial, or for its next one; null without one. */
export async function findPayLink(
  ctx: Ctx,
  userId: string,
  memorialId: string | null,
): Promise<PayLink | null> {
  const [found] = await ctx.db
    .select({ link: payLinks, honouree: memorials.honoureeFullName })
    .from(payLinks)
    .innerJoin(orders, eq(orders.id, payLinks.orderId))
    .leftJoin(memorials, eq(memorials.id, orders.targetMemorialId))
    .where(and(eq(payLinks.orderId, openOrder({ userId, memorialId })), gt(payLinks.expiresAt, ctx.now())))
  if (!found) return null
  const { token, fromName, showsMemorial, expiresAt } = found.link
  return {
    token,
    url: ctx.env.PUBLIC_ORIGIN + fillPath(paths.pay, { token }),
    showsMemorial,
    text: askText(fromName, showsMemorial ? found.honouree : null),
    expiresAt: new Date(expiresAt).toISOString(),
  }
}

/** Ends a link of this account. Who has begun to pay can finish. Throws `not_found`. */
export async function endPayLink(ctx: Ctx, userId: string, token: string): Promise<void> {
  const own = existsIn(orders, and(eq(orders.id, payLinks.orderId), eq(orders.userId, userId)))
  const ended = await ctx.db
    .update(payLinks)
    .set({ expiresAt: ctx.now() })
    .where(and(eq(payLinks.token, token), /* prove: pay-link-own-only */ own))
    .returning({ orderId: payLinks.orderId })
  if (ended.length === 0) throw new AppError('not_found', payLinkMessages.notFound)
}

export type OpenedLink = NonNullable<Awaited<ReturnType<typeof findLink>>>

/** A link with all that decides what its page shows, or null. */
async function findLink(ctx: Ctx, token: string) {
  const [found] = await ctx.db
    .select({
      link: payLinks,
      order: orders,
      gift: gifts,
      account: { deletedAt: users.deletedAt, suspendedAt: users.suspendedAt, purgedAt: users.purgedAt },
      memorial: {
        name: memorials.honoureeFullName,
        ownerId: memorials.ownerId,
        status: memorials.status,
        isPaid: sql<number>`${isPaid()}`,
      },
      portrait: media,
      hasCredit: sql<number>`exists ${oldestCredit(orders.userId)}`,
      /** When the payment became PAID that has not been given back. */
      paidAt: sql<number | null>`(select ${payments.paidAt} from ${payments}
        where ${payments.orderId} = ${orders.id} and ${countsAsPaid()} limit 1)`,
    })
    .from(payLinks)
    .innerJoin(orders, eq(orders.id, payLinks.orderId))
    .innerJoin(users, eq(users.id, orders.userId))
    .leftJoin(gifts, eq(gifts.orderId, orders.id))
    .leftJoin(memorials, eq(memorials.id, orders.targetMemorialId))
    .leftJoin(
      media,
      and(
        eq(media.id, sql`coalesce(${memorials.profileMediaId}, ${memorials.coverMediaId})`),
        eq(media.memorialId, memorials.id),
      ),
    )
    .where(eq(payLinks.token, token))
  return found ?? null
}

/** Any link, also one that has ended. Throws `not_found`. */
export async function requireLink(ctx: Ctx, token: string): Promise<OpenedLink> {
  const found = await findLink(ctx, token)
  if (!found) throw new AppError('not_found', payLinkMessages.notFound)
  return found
}

function statusOf(ctx: Ctx, { link, order, gift, account, memorial, hasCredit }: OpenedLink): PayLinkStatus {
  if (order.settledAt !== null || memorial?.isPaid) return 'PAID'
  if (link.expiresAt <= ctx.now()) return 'ENDED'
  if (gift) return 'OPEN'
  if (hasCredit) return 'PAID'
  if (account.deletedAt !== null || account.suspendedAt !== null || account.purgedAt !== null) return 'ENDED'
  if (order.targetMemorialId === null) return 'OPEN'
  const isThere = memorial?.ownerId === order.userId && ['DRAFT', 'ACTIVE'].includes(memorial.status)
  return isThere ? 'OPEN' : 'ENDED'
}

/** The memorial, if the owner shows it to payers, and while the link is open; else null. */
function shownMemorial(ctx: Ctx, opened: OpenedLink) {
  // prove: pay-link-shows-by-choice
  if (!opened.link.showsMemorial) return null
  return statusOf(ctx, opened) === 'OPEN' ? opened.memorial : null
}

/** What anybody with the link sees. */
export function viewLink(ctx: Ctx, opened: OpenedLink): PayLinkView {
  const { link, order, gift, paidAt, portrait } = opened
  const memorial = shownMemorial(ctx, opened)
  return {
    status: statusOf(ctx, opened),
    fromName: link.fromName,
    amount: order.amount,
    currency: order.currency,
    expiresAt: new Date(link.expiresAt).toISOString(),
    memorial: memorial && { honoureeFullName: memorial.name, hasPortrait: portrait?.type === 'IMAGE' },
    gift: gift && letterOf(ctx, { ...gift, fromName: link.fromName, paidAt }),
  }
}

/** The row of the portrait that the link shows. Throws `not_found`. */
export function requirePortrait(ctx: Ctx, opened: OpenedLink) {
  const { portrait } = opened
  if (portrait?.type !== 'IMAGE' || shownMemorial(ctx, opened) === null)
    throw new AppError('not_found', messages.media.notFound)
  return portrait
}

/** What this payer pays for with the link. Throws `already_paid`, `link_expired`. */
export function targetOfLink(ctx: Ctx, opened: OpenedLink, payer: Omit<Payer, 'token'>): Target {
  const { order, link } = opened
  const status = statusOf(ctx, opened)
  if (status === 'PAID') throw new AppError('already_paid', payLinkMessages.paid)
  // prove: pay-link-ends
  if (status === 'ENDED') throw new AppError('link_expired', payLinkMessages.ended)
  const { token } = link
  return { userId: order.userId, memorialId: order.targetMemorialId, payer: { ...payer, token } }
}

/**
 * Mails an account's words to somebody else who paid for it, once. Their address stays ours. Throws `not_found`, `conflict` if they
 * have been thanked or got the money back.
 */
export async function thankPayer(ctx: Ctx, userId: string, id: string, words: string): Promise<void> {
  const isOwn = and(eq(payments.id, id), /* prove: thanks-own-only */ eq(payments.userId, userId))
  const [payment] = await ctx.db.select({ payerEmail: payments.payerEmail }).from(payments).where(isOwn)
  if (!payment) throw new AppError('not_found', messages.payment.notFound)
  const isThankable = and(isOwn, countsAsPaid(), isNull(payments.thanks))
  const { payerEmail } = payment
  if (payerEmail === null) throw new AppError('conflict', payLinkMessages.notThanked)
  const mail = insertMailWhere(
    ctx,
    { kind: 'thanks', recipient: payerEmail, subjectId: id },
    existsIn(payments, isThankable),
  )
  const [sent] = await ctx.db.batch([
    mail.statement.returning({ id: mails.id }),
    ctx.db.update(payments).set({ thanks: words }).where(isThankable),
  ])
  if (sent.length === 0) throw new AppError('conflict', payLinkMessages.notThanked)
  await enqueueMail(ctx, mail.id)
}

/** A payment as somebody sees who paid it with a link: nothing of the memorial. */
export function forPayer(payment: Payment): Payment {
  const { local } = payment
  return {
    ...payment,
    memorialId: null,
    isCredit: false,
    ...(local && { local: { ...local, targetMemorialId: null } }),
  }
}
