import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { PAYMENTS_LISTED_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Payment } from '#shared/payments.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { memorialColumns } from '#worker/access/memorial-access.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { isCredit, isUsableCredit, payments, paynowAttempts } from '#worker/schema/payments.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { callStripe, type createStripeClient } from '#worker/platform/stripe.ts'
import { toLocalPayment, type AttemptRow } from '#worker/features/payments/paynow-attempts.ts'
import { attachCredit } from '#worker/features/payments/credits.ts'
import { cancelAfterDeclines } from '#worker/features/payments/declines.ts'
import { applyIntent } from '#worker/features/payments/settle.ts'

/** A payment with the email address for its receipt. */
export type PaymentRow = typeof payments.$inferSelect & { email: string }

/** Selects payments with the email addresses of their payers. Add `where`. */
export function selectPayments(ctx: Ctx) {
  return ctx.db
    .select({ ...getTableColumns(payments), email: users.email })
    .from(payments)
    .innerJoin(users, eq(users.id, payments.userId))
}

/** The payments of this account, newest first. */
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
      refundNote: row.refundNote,
    }),
  )
}

function selectOwnPayments(ctx: Ctx, userId: string) {
  return ctx.db
    .select({ ...getTableColumns(payments), attempt: paynowAttempts })
    .from(payments)
    .leftJoin(paynowAttempts, eq(paynowAttempts.paymentId, payments.id))
    .where(eq(payments.userId, userId))
    .orderBy(desc(payments.createdAt), desc(payments.id))
    .limit(PAYMENTS_LISTED_MAX)
}

/** Returns this account's open card payment for this target (null: a memorial not created yet), or null. */
export async function findOpenPayment(
  ctx: Ctx,
  userId: string,
  memorialId: string | null,
): Promise<PaymentRow | null> {
  const [row] = await selectPayments(ctx).where(
    and(
      eq(payments.userId, userId),
      eq(sql`coalesce(${payments.targetMemorialId}, '')`, memorialId ?? ''),
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

/** Returns this account's payment. Throws `not_found`, also for another account's payment. */
export async function requirePayment(ctx: Ctx, userId: string, id: string): Promise<PaymentRow> {
  const [row] = await selectPayments(ctx).where(
    and(eq(payments.id, id), /* prove: payment-own-only */ eq(payments.userId, userId)),
  )
  if (!row) throw new AppError('not_found', messages.payment.notFound)
  return row
}

/**
 * Uses a waiting credit of this account for its memorial, because nobody is asked for money while one waits. Throws unless
 * there is still something to pay: `not_found` if the account doesn't own the memorial, else `already_paid`. Without a
 * memorial the credit goes on waiting: creating the next one uses it.
 */
export async function requirePayable(ctx: Ctx, userId: string, memorialId: string | null): Promise<void> {
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

/** Pays for this account's memorial with its waiting credit, unless it is paid for. Throws `not_found`, `payment_required`. */
export async function useCredit(ctx: Ctx, userId: string, memorialId: string): Promise<void> {
  const { isPaid } = await payWithCredit(ctx, userId, memorialId)
  if (!isPaid) throw new AppError('payment_required', messages.payment.creditGone)
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
    ...(attempt && { local: toLocalPayment(row, attempt) }),
  }
}

/** Creates an idempotency key for Stripe calls about this payment. */
export function newKey(paymentId: string): string {
  return `pi:${paymentId}:${randomBase32(8)}`
}
