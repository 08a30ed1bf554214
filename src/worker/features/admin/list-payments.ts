import { and, count, desc, eq, getTableColumns, isNotNull, or, sql, type SQL } from 'drizzle-orm'
import type { AdminPayment, AdminPaymentPage } from '#shared/admin.ts'
import { AppError } from '#shared/errors.ts'
import { ADMIN_PAGE } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/ctx.ts'
import { users } from '#worker/features/accounts/accounts.table.ts'
import { contains } from '#worker/features/admin/search.ts'
import { memorials } from '#worker/features/memorials/memorials.table.ts'
import { toPayment } from '#worker/features/payments/payments.ts'
import { payments } from '#worker/features/payments/payments.table.ts'
import { selectTally } from '#worker/platform/tallies.table.ts'

/** The search that finds payments which somebody should refund. */
const REFUND = 'refund'

/**
 * One page of all payments, newest first; `search` looks in the payer's address, the memorial's name and the payment's id.
 * The word "refund" also finds what should be refunded: PAID, with a reason.
 */
export async function listAllPayments(
  ctx: Ctx,
  { page, search }: { page: number; search: string },
): Promise<AdminPaymentPage> {
  const where = search === '' ? undefined : matches(search)
  const [rows, totals] = await ctx.db.batch([
    selectPayments(ctx, where)
      .orderBy(desc(payments.createdAt), desc(payments.id))
      .limit(ADMIN_PAGE)
      .offset((page - 1) * ADMIN_PAGE),
    selectTotal(ctx, where),
  ])
  return {
    payments: rows.map(toAdminPayment),
    page,
    pageSize: ADMIN_PAGE,
    total: totals[0]?.total ?? 0,
  }
}

/** Of all of them as the tally has it: counting would grow with the service. Of those that a search finds, counted. */
function selectTotal(ctx: Ctx, where: SQL | undefined) {
  if (!where) return selectTally(ctx.db, 'payments')
  return ctx.db
    .select({ total: count() })
    .from(payments)
    .innerJoin(users, eq(users.id, payments.userId))
    .leftJoin(memorials, eq(memorials.id, subject()))
    .where(where)
}

/** The payment with this id as the list shows it, or `not_found`. */
export async function requireAdminPayment(ctx: Ctx, id: string): Promise<AdminPayment> {
  const [row] = await selectPayments(ctx, eq(payments.id, id))
  if (!row) throw new AppError('not_found', messages.payment.notFound)
  return toAdminPayment(row)
}

function selectPayments(ctx: Ctx, where: SQL | undefined) {
  return ctx.db
    .select({
      ...getTableColumns(payments),
      payerEmail: users.email,
      // Names of their own, as in the list of memorials.
      subjectId: sql<string | null>`${memorials.id}`.as('subject_id'),
      subjectName: memorials.honoureeFullName,
    })
    .from(payments)
    .innerJoin(users, eq(users.id, payments.userId))
    .leftJoin(memorials, eq(memorials.id, subject()))
    .where(where)
}

/** In SQL: the memorial that it has paid for, else the one it is meant for. */
function subject(): SQL {
  return sql`coalesce(${payments.memorialId}, ${payments.targetMemorialId})`
}

function matches(search: string): SQL | undefined {
  const found = contains(search, [users.email, memorials.honoureeFullName, payments.id])
  if (search.toLowerCase() !== REFUND) return found
  return or(found, and(isNotNull(payments.refundReason), eq(payments.status, 'PAID')))
}

function toAdminPayment(row: Awaited<ReturnType<typeof selectPayments>>[number]): AdminPayment {
  const { subjectId, subjectName } = row
  return {
    ...toPayment(row),
    payer: { email: row.payerEmail },
    memorial:
      subjectId === null || subjectName === null ? null : { id: subjectId, honoureeFullName: subjectName },
    paidAt: row.paidAt === null ? null : new Date(row.paidAt).toISOString(),
    refundReason: row.refundReason,
  }
}
