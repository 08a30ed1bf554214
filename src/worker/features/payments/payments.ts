import { and, desc, eq, getTableColumns, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { GIFT_ACCOUNT } from '#shared/payments/gift-codes.ts'
import { PAYMENTS_LISTED_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { payLinkMessages } from '#shared/payments/pay-link-messages.ts'
import type { Payment } from '#shared/payments/payments.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { memorialColumns } from '#worker/access/memorial-access.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import {
  isCredit,
  isMoneyKept,
  isUsableCredit,
  orders,
  payments,
  paynowAttempts,
} from '#worker/schema/payments.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { callStripe, type createStripeClient } from '#worker/platform/providers/stripe.ts'
import { toLocalPayment, type AttemptRow } from '#worker/features/payments/paynow-attempts.ts'
import { attachCredit } from '#worker/features/payments/credits.ts'
import { cancelAfterDeclines } from '#worker/features/payments/declines.ts'
import { applyIntent } from '#worker/features/payments/settle.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Somebody who pays with an order's link instead of the account. */
export type Payer = { name: string; email: string; token: string }
/**
 * What is bought: a memorial of this account, or its next one if `memorialId` is null; or a gift (`memorialId` is its id). `payer` is
 * null if the account itself pays.
 */
export type Target = { userId: string; memorialId: string | null; payer: Payer | null }

/** Whose payments a caller may see: an account's own, or those that were made with an order's link. */
export type Scope = { userId: string } | { linkToken: string }

/** A payment with the email address for its receipt, and the one of the account that it is for. */
export type PaymentRow = typeof payments.$inferSelect & { email: string; accountEmail: string }

/** Selects payments with the email addresses of payer and account. Add `where`. */
export function selectPayments(ctx: Ctx) {
  return ctx.db
    .select({
      ...getTableColumns(payments),
      email: sql<string>`coalesce(${payments.payerEmail}, ${users.email})`.as('receipt_email'),
      accountEmail: sql<string>`${users.email}`.as('account_email'),
    })
    .from(payments)
    .innerJoin(users, eq(users.id, payments.userId))
}

/** The payments of this account, newest first, and what others have paid for it. */
export async function listPayments(ctx: Ctx, userId: string): Promise<Payment[]> {
  return (await selectOwnPayments(ctx, userId)).map((row) => toPayment(row, row.attempt))
}

/** As {@link listPayments}, with what we told the payer about a refund, for the copy of their data. */
export async function exportPayments(ctx: Ctx, userId: string): Promise<object[]> {
  const rows = await selectOwnPayments(ctx, userId)
  return rows.map((row) =>
    Object.assign(toPayment(row), {
      method: row.attempt?.method,
      phone: row.attempt?.phone,
      // What an admin wrote to somebody else is theirs.
      refundNote: row.linkToken === null ? row.refundNote : null,
      ...(row.thanks !== null && { thanks: row.thanks }),
    }),
  )
}

function selectOwnPayments(ctx: Ctx, userId: string) {
  return (
    ctx.db
      .select({ ...getTableColumns(payments), attempt: paynowAttempts })
      .from(payments)
      // The phone of somebody else who paid is theirs.
      .leftJoin(
        paynowAttempts,
        and(
          eq(paynowAttempts.paymentId, payments.id),
          /* prove: payers-phone-hidden */ isNull(payments.linkToken),
        ),
      )
      .where(
        and(
          eq(payments.userId, userId),
          or(isNull(payments.linkToken), inArray(payments.status, ['PAID', 'REFUNDED', 'DISPUTED'])),
        ),
      )
      .orderBy(desc(payments.createdAt), desc(payments.id))
      .limit(PAYMENTS_LISTED_MAX)
  )
}

/** Returns this payer's open card payment for this target, or null. */
export async function findOpenPayment(
  ctx: Ctx,
  { userId, memorialId, payer }: Target,
): Promise<PaymentRow | null> {
  const [row] = await selectPayments(ctx).where(
    and(
      eq(payments.userId, userId),
      eq(sql`coalesce(${payments.targetMemorialId}, '')`, memorialId ?? ''),
      eq(sql`coalesce(${payments.payerEmail}, '')`, payer?.email ?? ''),
      eq(payments.status, 'PENDING'),
      eq(payments.provider, 'stripe'),
    ),
  )
  return row ?? null
}

/** By the PaymentIntent's id, or by our id in its metadata while the PaymentIntent's id is not stored yet. */
export async function findPaymentOfIntent(
  ctx: Ctx,
  intentId: string,
  paymentId: string | undefined,
): Promise<PaymentRow | null> {
  const [byIntent] = await selectPayments(ctx).where(eq(payments.providerIntentId, intentId))
  if (byIntent || !paymentId) return byIntent ?? null
  return findPayment(ctx, paymentId)
}

/** Returns any account's payment, or null. Doesn't check who asks. */
export async function findPayment(ctx: Ctx, id: string): Promise<PaymentRow | null> {
  const [row] = await selectPayments(ctx).where(eq(payments.id, id))
  return row ?? null
}

/** Returns a payment of this scope. Throws `not_found`, also for somebody else's payment. */
export async function requirePayment(ctx: Ctx, scope: Scope, id: string): Promise<PaymentRow> {
  const isOwn =
    'userId' in scope
      ? and(/* prove: payment-own-only */ eq(payments.userId, scope.userId), isNull(payments.linkToken))
      : and(/* prove: payment-of-link-only */ eq(payments.linkToken, scope.linkToken))
  const [row] = await selectPayments(ctx).where(and(eq(payments.id, id), isOwn))
  if (!row) throw new AppError('not_found', messages.payment.notFound)
  return row
}

/**
 * Uses a waiting credit of this account for its memorial, because nobody is asked for money while one waits. Throws unless
 * there is still something to pay: `not_found` if the account doesn't own the memorial, else `already_paid`. Without a
 * memorial the credit goes on waiting: creating the next one uses it. For somebody else who pays it only looks.
 */
export async function requirePayable(ctx: Ctx, { userId, memorialId, payer }: Target): Promise<void> {
  if (payer !== null) return requireUnpaidOrder(ctx, { userId, memorialId })
  if (memorialId === null) {
    const [credit] = await ctx.db
      .select({ id: payments.id })
      .from(payments)
      .where(and(eq(payments.userId, userId), isUsableCredit()))
      .limit(1)
    if (credit) throw new AppError('already_paid', messages.payment.creditWaiting)
    return
  }
  const { isPaid, isCreditUsed } = await payWithCredit(ctx, userId, memorialId)
  // prove: paid-memorial-not-charged
  if (isPaid)
    throw new AppError('already_paid', messages.payment[isCreditUsed ? 'creditUsed' : 'alreadyPaid'])
}

/** Throws `already_paid` if the order is settled, its memorial paid for, or a credit of the account waits. Changes nothing. */
async function requireUnpaidOrder(
  ctx: Ctx,
  { userId, memorialId }: Pick<Target, 'userId' | 'memorialId'>,
): Promise<void> {
  const isSettled = and(
    eq(orders.userId, userId),
    eq(orders.targetMemorialId, memorialId ?? ''),
    isNotNull(orders.settledAt),
  )
  const isOfAccount = and(eq(payments.userId, userId), isUsableCredit())
  const isOfMemorial = eq(payments.memorialId, memorialId ?? '')
  const [settled, credit, paid] = await ctx.db.batch([
    ctx.db.select({ id: orders.id }).from(orders).where(isSettled).limit(1),
    ctx.db.select({ id: payments.id }).from(payments).where(isOfAccount).limit(1),
    ctx.db
      .select({ one: sql`1` })
      .from(payments)
      .where(isOfMemorial)
      .limit(1),
  ])
  const isPaid = settled.length + paid.length > 0
  if (isPaid || (userId !== GIFT_ACCOUNT && credit.length > 0))
    throw new AppError('already_paid', payLinkMessages.paid)
}

/** Pays for this account's memorial with its waiting credit, unless it is paid for. Throws `not_found`, `payment_required`. */
export async function useCredit(ctx: Ctx, userId: string, memorialId: string): Promise<void> {
  const { isPaid } = await payWithCredit(ctx, userId, memorialId)
  if (!isPaid) throw new AppError('payment_required', serverMessages.payment.creditGone)
}

async function payWithCredit(ctx: Ctx, userId: string, memorialId: string) {
  const [used, , [memorial]] = await ctx.db.batch([
    ...attachCredit(ctx, { id: memorialId, ownerId: userId }),
    ctx.db
      .select({ isPaid: memorialColumns().isPaid })
      .from(memorials)
      .where(
        and(
          eq(memorials.id, memorialId),
          /* prove: pay-own-memorial */ eq(memorials.ownerId, userId),
          isNotDeleted(),
        ),
      ),
  ])
  if (!memorial) throw new AppError('not_found', messages.memorial.notFound)
  return { isPaid: memorial.isPaid, isCreditUsed: used.length > 0 }
}

/** Asks Stripe for the state of a payment and records it. Throws `upstream_failed`, `not_available`. */
export async function settlePayment(
  ctx: Ctx,
  payment: PaymentRow,
  stripe: ReturnType<typeof createStripeClient>,
): Promise<void> {
  const { providerIntentId } = payment
  if (providerIntentId === null) return
  const intent = await callStripe(() => stripe.paymentIntents.retrieve(providerIntentId))
  await applyIntent(ctx, payment, await cancelAfterDeclines(ctx, stripe, payment, intent))
}

export function toPayment(row: typeof payments.$inferSelect, attempt: AttemptRow | null = null): Payment {
  return {
    id: row.id,
    status: row.status,
    memorialId: row.memorialId,
    isCredit: isCredit(row),
    amount: row.amount,
    currency: row.currency,
    provider: row.provider,
    createdAt: new Date(row.createdAt).toISOString(),
    ...(row.payerName !== null && {
      paidBy: row.payerName,
      // What goes back to its payer needs no thanks.
      isThanked: row.thanks !== null || !isMoneyKept(row),
    }),
    ...(attempt && { local: toLocalPayment(row, attempt) }),
  }
}

/** Whose attempts to pay are counted together: an account's, or those with one link. */
export function payerKey({ userId, payer }: Target): string {
  return payer?.token ?? userId
}

/** The same for calls about payments that exist. */
export function scopeKey(scope: Scope): string {
  return 'userId' in scope ? scope.userId : scope.linkToken
}

/** True if this payer, or the account itself, made the payment. */
export function isOfPayer({ payerEmail }: PaymentRow, { payer }: Target): boolean {
  return payerEmail === (payer?.email ?? null)
}

/** Creates an idempotency key for Stripe calls about this payment. */
export function newKey(paymentId: string): string {
  return `pi:${paymentId}:${randomBase32(8)}`
}
