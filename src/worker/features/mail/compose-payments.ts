import { eq, getTableColumns, sql } from 'drizzle-orm'
import { fillPath } from '#shared/fill-path.ts'
import { printGiftCode } from '#shared/payments/gift-codes.ts'
import { paths } from '#shared/pages/pages.ts'
import { link, linkThroughLogin } from '#worker/platform/links.ts'
import { paidForYouMail, receiptMail, refundMail, thanksMail } from '#worker/features/mail/payment-mails.ts'
import type { RenderedMail } from '#worker/features/mail/render-mail.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import type { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { gifts, payLinks, payments } from '#worker/schema/payments.table.ts'

type PaymentMail = (ctx: Ctx, mail: typeof mails.$inferSelect) => Promise<RenderedMail | null>

/** Mails about a payment; null when one is no longer needed. */
export const paymentMails = {
  async receipt(ctx, mail) {
    const payment = await findPayment(ctx, mail.subjectId)
    if (!payment || payment.paidAt === null) return null
    const code = payment.giftCode && printGiftCode(payment.giftCode)
    return receiptMail({
      ...boughtBy(ctx, payment),
      paidAt: payment.paidAt,
      gift: code ? { code, redeemUrl: link(ctx, fillPath(paths.redeem, { code })) } : null,
    })
  },

  async refund(ctx, mail) {
    const payment = await findPayment(ctx, mail.subjectId)
    // The bank may have refused it meanwhile.
    if (payment?.status !== 'REFUNDED') return null
    return refundMail({
      ...boughtBy(ctx, payment),
      refundedAt: mail.createdAt,
      reason: payment.refundNote,
      isByCard: payment.provider === 'stripe',
    })
  },

  async 'paid-for-you'(ctx, mail) {
    const payment = await findPayment(ctx, mail.subjectId)
    // It came second, and goes back to its payer.
    if (payment?.status !== 'PAID' || payment.refundReason !== null || payment.payerName === null) return null
    return paidForYouMail({
      payerName: payment.payerName,
      amount: payment.amount,
      currency: payment.currency,
      dashboardUrl: linkThroughLogin(ctx, paths.dashboard),
    })
  },

  async thanks(ctx, mail) {
    const [thanked] = await ctx.db
      .select({ words: payments.thanks, fromName: users.firstName })
      .from(payments)
      .innerJoin(users, eq(users.id, payments.userId))
      .where(eq(payments.id, mail.subjectId))
    if (!thanked?.words) return null
    return thanksMail({
      fromName: thanked.fromName,
      words: thanked.words,
      supportEmail: ctx.env.SUPPORT_EMAIL,
    })
  },
} satisfies Record<string, PaymentMail>

/** The payment with the name on the memorial that it paid for, and the link and the gift of its order. */
async function findPayment(ctx: Ctx, id: string) {
  const [payment] = await ctx.db
    .select({
      ...getTableColumns(payments),
      memorialName: memorials.honoureeFullName,
      // The owner's choice holds for the link that is there now.
      isShown: sql<number>`${payLinks.token} = ${payments.linkToken} and ${payLinks.showsMemorial}`,
      giftCode: gifts.code,
    })
    .from(payments)
    .leftJoin(memorials, eq(memorials.id, payments.memorialId))
    .leftJoin(payLinks, eq(payLinks.orderId, payments.orderId))
    .leftJoin(gifts, eq(gifts.orderId, payments.orderId))
    .where(eq(payments.id, id))
  return payment ?? null
}

/** The facts of a payment, and what it is for, as its payer may know it. */
function boughtBy(ctx: Ctx, payment: NonNullable<Awaited<ReturnType<typeof findPayment>>>) {
  const { id, amount, currency, linkToken: token, memorialName, isShown, giftCode } = payment
  const isNamed =
    memorialName !== null && /* prove: receipt-shows-by-choice */ (token === null || Boolean(isShown))
  const memorial = isNamed ? `the memorial of ${memorialName}` : 'one memorial'
  return {
    paymentId: id,
    amount,
    currency,
    supportEmail: ctx.env.SUPPORT_EMAIL,
    what: giftCode ? 'one memorial, as a gift' : memorial,
    button:
      token === null
        ? { label: 'Go to my memorials', url: link(ctx, paths.dashboard) }
        : {
            label: giftCode ? 'See the letter' : 'See what you paid for',
            url: link(ctx, fillPath(paths.pay, { token })),
          },
  }
}
