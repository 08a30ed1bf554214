import { GIFT_ACCOUNT } from '#shared/payments/gift-codes.ts'
import { count, desc, eq, getTableColumns, inArray, or, sql, type SQL } from 'drizzle-orm'
import type { AdminPayment, AdminPaymentPage } from '#shared/admin/admin.ts'
import { AppError } from '#shared/errors.ts'
import { ADMIN_PAGE, SEARCH_MATCHES_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { accountsContaining, contains, pageOfMatches, type PageQuery } from '#worker/features/admin/search.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { toPayment, findPayment } from '#worker/features/payments/payments.ts'
import { isGift, payments, paynowAttempts } from '#worker/schema/payments.table.ts'
import type { Db } from '#worker/platform/db.ts'
import { refundPayment } from '#worker/features/payments/refunds-and-disputes.ts'

/** Search words that also find payments by status: those that an admin should refund, and those that failed. */
const STATUS_WORDS: Partial<Record<string, () => SQL>> = {
  refund: shouldBeRefunded,
  failed: () => eq(payments.status, 'FAILED'),
}

const NEWEST_FIRST = [desc(payments.createdAt), desc(payments.id)] as const

/** `search` matches payer, memorial and payment id; "refund" and "failed" also find payments by status. */
export async function listAllPayments(ctx: Ctx, { page, search }: PageQuery): Promise<AdminPaymentPage> {
  const { rows, ...counts } =
    search === '' ? await newestPage(ctx, page) : await searchPage(ctx, page, search)
  return { payments: rows.map(toAdminPayment), page, pageSize: ADMIN_PAGE, ...counts }
}

async function newestPage(ctx: Ctx, page: number) {
  const [rows, [counted]] = await ctx.db.batch([
    selectPayments(ctx, undefined)
      .orderBy(...NEWEST_FIRST)
      .limit(ADMIN_PAGE)
      .offset((page - 1) * ADMIN_PAGE),
    ctx.db.select({ total: count() }).from(payments),
  ])
  return { rows, total: counted?.total ?? 0, hasMore: false }
}

async function searchPage(ctx: Ctx, page: number, search: string) {
  const { ids, ...counts } = pageOfMatches(await findPayments(ctx.db, search), page)
  const rows =
    ids.length === 0 ? [] : await selectPayments(ctx, inArray(payments.id, ids)).orderBy(...NEWEST_FIRST)
  return { rows, ...counts }
}

/** Reads only `payments_created`, `users_search`, `memorials_created`, and a status index for a status word. */
function findPayments(db: Db, search: string) {
  const memorialsByName = db
    .select({ id: memorials.id })
    .from(memorials)
    .where(contains(search, [memorials.honoureeFullName]))
  const statusCondition = STATUS_WORDS[search.toLowerCase()]
  return db
    .select({ id: payments.id })
    .from(payments)
    .where(
      or(
        contains(search, [payments.id, payments.payerEmail]),
        inArray(payments.userId, accountsContaining(db, search, [users.email])),
        inArray(subject(), memorialsByName),
        statusCondition &&
          inArray(payments.id, db.select({ id: payments.id }).from(payments).where(statusCondition())),
      ),
    )
    .orderBy(...NEWEST_FIRST)
    .limit(SEARCH_MATCHES_MAX + 1)
}

/** Returns the payment with this id as the list shows it. Throws `not_found`. */
export async function requireAdminPayment(ctx: Ctx, id: string): Promise<AdminPayment> {
  const [row] = await selectPayments(ctx, eq(payments.id, id))
  if (!row) throw new AppError('not_found', messages.payment.notFound)
  return toAdminPayment(row)
}

function selectPayments(ctx: Ctx, where: SQL | undefined) {
  return ctx.db
    .select({
      ...getTableColumns(payments),
      accountEmail: users.email,
      // Needs unique aliases: D1 returns batch rows as objects, where columns of the same name overwrite each other.
      subjectId: sql<string | null>`${memorials.id}`.as('subject_id'),
      subjectName: memorials.honoureeFullName,
      method: paynowAttempts.method,
      phone: paynowAttempts.phone,
      paynowReference: paynowAttempts.paynowReference,
      attempts:
        sql<number>`(select count(*) from ${payments} tried where tried.order_id = ${payments.orderId})`.as(
          'attempts',
        ),
    })
    .from(payments)
    .leftJoin(paynowAttempts, eq(paynowAttempts.paymentId, payments.id))
    .innerJoin(users, eq(users.id, payments.userId))
    .leftJoin(memorials, eq(memorials.id, subject()))
    .where(where)
}

/** SQL: the memorial that the payment has paid for, or else its target. */
function subject(): SQL {
  return sql`coalesce(${payments.memorialId}, ${payments.targetMemorialId})`
}

/** SQL that must match the partial index `payments_to_refund`. Money with another amount than ours never made its payment PAID. */
export function shouldBeRefunded(): SQL {
  return sql`(${payments.refundReason} is not null and ${payments.status} in ('PAID', 'PENDING', 'FAILED'))`
}

function toAdminPayment(row: Awaited<ReturnType<typeof selectPayments>>[number]): AdminPayment {
  const { subjectId, subjectName } = row
  return {
    ...toPayment(row),
    payer: { email: row.payerEmail ?? row.accountEmail, name: row.payerName },
    paidFor: row.payerEmail === null || row.userId === GIFT_ACCOUNT ? null : { email: row.accountEmail },
    isGift: isGift(row.targetMemorialId),
    memorial:
      subjectId === null || subjectName === null ? null : { id: subjectId, honoureeFullName: subjectName },
    paidAt: row.paidAt === null ? null : new Date(row.paidAt).toISOString(),
    refundReason: row.refundReason,
    refundNote: row.refundNote,
    providerReference: row.providerIntentId ?? row.paynowReference,
    method: row.method,
    phone: row.phone,
    attempts: Math.max(1, row.attempts),
  }
}

/**
 * Refunds a payment through Stripe and leaves its memorial unchanged. `reason` is for the payer, who gets a mail once it is
 * refunded; empty for none. Returns the payment afterwards: REFUNDED, or still PAID while Stripe has not decided. Throws `not_found` and the errors of {@link refundPayment}.
 */
export async function refundAsAdmin(ctx: RequestCtx, id: string, reason: string): Promise<AdminPayment> {
  const payment = await findPayment(ctx, id)
  if (!payment) throw new AppError('not_found', messages.payment.notFound)
  await refundPayment(ctx, payment, reason)
  return requireAdminPayment(ctx, id)
}
