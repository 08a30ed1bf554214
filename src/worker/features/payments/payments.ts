import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { PAYMENTS_LISTED_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Payment } from '#shared/payments.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { memorialColumns } from '#worker/access/memorial-access.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { isUsableCredit, payments } from '#worker/schema/payments.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { callStripe, createStripeClient } from '#worker/platform/stripe.ts'
import { applyIntent } from '#worker/features/payments/settle.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'

/** A payment and where its receipt goes. */
export type PaymentRow = typeof payments.$inferSelect & { email: string }

function selectPayments(ctx: Ctx) {
  return ctx.db
    .select({ ...getTableColumns(payments), email: users.email })
    .from(payments)
    .innerJoin(users, eq(users.id, payments.userId))
}

/** The payments of this account, newest first. */
export async function listPayments(ctx: Ctx, userId: string): Promise<Payment[]> {
  const rows = await ctx.db
    .select()
    .from(payments)
    .where(eq(payments.userId, userId))
    .orderBy(desc(payments.createdAt), desc(payments.id))
    .limit(PAYMENTS_LISTED_MAX)
  return rows.map(toPayment)
}

/** This account's payment that is still open for this target (null: a memorial not made yet), or null. */
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
    ),
  )
  return row ?? null
}

/** The payment that a PaymentIntent belongs to: by its id, or by our id in its metadata while the former is not stored yet. */
export async function findPaymentOfIntent(
  ctx: Ctx,
  intentId: string,
  paymentId: string | undefined,
): Promise<PaymentRow | null> {
  const [byIntent] = await selectPayments(ctx).where(eq(payments.providerIntentId, intentId))
  if (byIntent || !paymentId) return byIntent ?? null
  return findPayment(ctx, paymentId)
}

/** Anybody's payment, or null: for admins. */
export async function findPayment(ctx: Ctx, id: string): Promise<PaymentRow | null> {
  const [row] = await selectPayments(ctx).where(eq(payments.id, id))
  return row ?? null
}

/** This account's payment, or `not_found`: somebody else's is as good as none. */
export async function requirePayment(ctx: Ctx, userId: string, id: string): Promise<PaymentRow> {
  const [row] = await selectPayments(ctx).where(and(eq(payments.id, id), eq(payments.userId, userId)))
  if (!row) throw new AppError('not_found', messages.payment.notFound)
  return row
}

/** Throws unless this account has something to pay: `not_found` for a memorial that is not its own, else `already_paid`. */
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
  const [memorial] = await ctx.db
    .select({ isPaid: memorialColumns(ctx.db).isPaid })
    .from(memorials)
    .where(and(eq(memorials.id, memorialId), eq(memorials.ownerId, userId), isNotDeleted()))
  if (!memorial) throw new AppError('not_found', messages.memorial.notFound)
  if (memorial.isPaid) throw new AppError('already_paid', messages.payment.alreadyPaid)
}

/**
 * Asks Stripe how this account's payment stands, records it, and returns it. The browser's word counts for nothing. Throws
 * `not_found`, `too_many_requests`, `upstream_failed`, `not_available`.
 */
export async function syncPayment(ctx: Ctx, userId: string, id: string): Promise<Payment> {
  const row = await requirePayment(ctx, userId, id)
  if (row.status !== 'PENDING' || row.providerIntentId === null) return toPayment(row)
  await requireRateLimit(ctx, 'paymentSyncs', userId)
  await settlePayment(ctx, row, createStripeClient(ctx.env))
  return toPayment(await requirePayment(ctx, userId, id))
}

/** Asks Stripe about one payment and records the answer. */
export async function settlePayment(
  ctx: Ctx,
  payment: PaymentRow,
  stripe: ReturnType<typeof createStripeClient>,
): Promise<void> {
  const { providerIntentId } = payment
  if (providerIntentId === null) return
  await applyIntent(ctx, payment, await callStripe(() => stripe.paymentIntents.retrieve(providerIntentId)))
}

/** Row to wire. */
export function toPayment(row: typeof payments.$inferSelect): Payment {
  return {
    id: row.id,
    status: row.status,
    memorialId: row.memorialId,
    isCredit:
      row.status === 'PAID' &&
      row.memorialId === null &&
      (row.refundReason === null || row.refundReason === 'refund_failed'),
    amount: row.amount,
    currency: row.currency,
    provider: row.provider,
    createdAt: new Date(row.createdAt).toISOString(),
  }
}

/** A new idempotency key for what is asked of Stripe about this payment. */
export function newKey(paymentId: string): string {
  return `pi:${paymentId}:${randomBase32(8)}`
}
