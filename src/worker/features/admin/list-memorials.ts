import { count, desc, eq, sql, type SQL } from 'drizzle-orm'
import type { AdminMemorial, AdminMemorialPage } from '#shared/admin.ts'
import { AppError } from '#shared/errors.ts'
import { ADMIN_PAGE } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { PaymentStatus } from '#shared/payments.ts'
import type { Ctx } from '#worker/ctx.ts'
import { users } from '#worker/features/accounts/accounts.table.ts'
import { toAdminOwner } from '#worker/features/admin/suspend-account.ts'
import { contains } from '#worker/features/admin/search.ts'
import { memorialColumns } from '#worker/features/memorials/memorial-access.ts'
import { toMemorial } from '#worker/features/memorials/memorials.ts'
import { memorials } from '#worker/features/memorials/memorials.table.ts'
import { payments } from '#worker/features/payments/payments.table.ts'
import { selectTally } from '#worker/platform/tallies.table.ts'

/**
 * One page of all memorials, in whatever state, newest first; `search` looks in name, slug, and the owner's name and
 * address. Life stories are left out (null): a list of 20 could be megabytes.
 */
export async function listAllMemorials(
  ctx: Ctx,
  { page, search }: { page: number; search: string },
): Promise<AdminMemorialPage> {
  const ownerName = sql`${users.firstName} || ' ' || ${users.lastName}`
  const places = [memorials.honoureeFullName, memorials.slug, users.email, ownerName]
  const where = search === '' ? undefined : contains(search, places)
  const [rows, totals] = await ctx.db.batch([
    selectMemorials(ctx, where)
      .orderBy(desc(memorials.createdAt), desc(memorials.id))
      .limit(ADMIN_PAGE)
      .offset((page - 1) * ADMIN_PAGE),
    selectTotal(ctx, where),
  ])
  return {
    memorials: rows.map(toAdminMemorial),
    page,
    pageSize: ADMIN_PAGE,
    total: totals[0]?.total ?? 0,
  }
}

/** Of all of them as the tally has it: counting would grow with the service. Of those that a search finds, counted. */
function selectTotal(ctx: Ctx, where: SQL | undefined) {
  if (!where) return selectTally(ctx.db, 'memorials')
  return ctx.db
    .select({ total: count() })
    .from(memorials)
    .innerJoin(users, eq(users.id, memorials.ownerId))
    .where(where)
}

/** The memorial with this id in whatever state, as the list shows it, or `not_found`. */
export async function requireAdminMemorial(ctx: Ctx, id: string): Promise<AdminMemorial> {
  const [row] = await selectMemorials(ctx, eq(memorials.id, id))
  if (!row) throw new AppError('not_found', messages.memorial.notFound)
  return toAdminMemorial(row)
}

function selectMemorials(ctx: Ctx, where: SQL | undefined) {
  return ctx.db
    .select({
      ...memorialColumns(ctx.db),
      // Names of their own: D1 gives a batch's rows as objects, where two columns of one name become one.
      lifeStory: sql<null>`null`.as('no_story'),
      ownerEmail: users.email,
      ownerSuspendedAt: users.suspendedAt,
      paymentStatus: sql<PaymentStatus | null>`${payments.status}`.as('payment_status'),
    })
    .from(memorials)
    .innerJoin(users, eq(users.id, memorials.ownerId))
    .leftJoin(payments, eq(payments.memorialId, memorials.id))
    .where(where)
}

function toAdminMemorial(row: Awaited<ReturnType<typeof selectMemorials>>[number]): AdminMemorial {
  return {
    ...toMemorial(row),
    owner: toAdminOwner({ id: row.ownerId, email: row.ownerEmail, suspendedAt: row.ownerSuspendedAt }),
    payment: row.paymentStatus === null ? null : { status: row.paymentStatus },
  }
}
