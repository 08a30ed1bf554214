import { count, desc, eq, or, sql, type SQL } from 'drizzle-orm'
import type { AdminMemorial, AdminMemorialPage, AdminStats, TokenPool } from '#shared/admin.ts'
import { ADMIN_PAGE } from '#shared/limits.ts'
import type { PaymentStatus } from '#shared/payments.ts'
import type { Ctx } from '#worker/ctx.ts'
import { users } from '#worker/features/accounts/accounts.table.ts'
import { inviteTokens } from '#worker/features/invites/invites.table.ts'
import { memorialColumns, type MemorialRow } from '#worker/features/memorials/memorial-access.ts'
import { toMemorial } from '#worker/features/memorials/memorials.ts'
import { isThere, memorials } from '#worker/features/memorials/memorials.table.ts'
import { payments } from '#worker/features/payments/payments.table.ts'

/**
 * One page of all memorials, in whatever state, newest first; `search` looks in name, slug, and the owner's name and
 * address. Life stories are left out (null): a list of 20 could be megabytes.
 */
export async function listAllMemorials(
  ctx: Ctx,
  { page, search }: { page: number; search: string },
): Promise<AdminMemorialPage> {
  const where = search === '' ? undefined : matches(search)
  const [rows, totals] = await ctx.db.batch([
    ctx.db
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
      .orderBy(desc(memorials.createdAt), desc(memorials.id))
      .limit(ADMIN_PAGE)
      .offset((page - 1) * ADMIN_PAGE),
    ctx.db
      .select({ total: count() })
      .from(memorials)
      .innerJoin(users, eq(users.id, memorials.ownerId))
      .where(where),
  ])
  return {
    memorials: rows.map(toAdminMemorial),
    page,
    pageSize: ADMIN_PAGE,
    total: totals[0]?.total ?? 0,
  }
}

function toAdminMemorial(
  row: MemorialRow & {
    ownerEmail: string
    ownerSuspendedAt: number | null
    paymentStatus: PaymentStatus | null
  },
): AdminMemorial {
  return {
    ...toMemorial(row),
    owner: {
      id: row.ownerId,
      email: row.ownerEmail,
      suspendedAt: row.ownerSuspendedAt === null ? null : new Date(row.ownerSuspendedAt).toISOString(),
    },
    payment: row.paymentStatus === null ? null : { status: row.paymentStatus },
  }
}

/** How many memorials there are (deleted and removed ones not counted), are active, and are paid for. */
export async function countMemorials(ctx: Ctx): Promise<AdminStats> {
  const isPaid = memorialColumns(ctx.db).isPaid
  const [row] = await ctx.db
    .select({
      totalMemorials: count(),
      activeMemorials: sql<number>`coalesce(sum(${memorials.status} = 'ACTIVE'), 0)`,
      paidMemorials: sql<number>`coalesce(sum(${isPaid}), 0)`,
    })
    .from(memorials)
    .where(isThere())
  return row ?? { totalMemorials: 0, activeMemorials: 0, paidMemorials: 0 }
}

/** How many invitation tokens wait, are in use, and are revoked. */
export async function countTokens(ctx: Ctx): Promise<TokenPool> {
  const rows = await ctx.db
    .select({ status: inviteTokens.status, amount: count() })
    .from(inviteTokens)
    .groupBy(inviteTokens.status)
  const amounts = new Map(rows.map(({ status, amount }) => [status, amount]))
  return {
    availableCount: amounts.get('AVAILABLE') ?? 0,
    assignedCount: amounts.get('ASSIGNED') ?? 0,
    revokedCount: amounts.get('REVOKED') ?? 0,
  }
}

/** Contains `search`, letter for letter, in any case of ASCII letters. D1 refuses LIKE patterns over 50 bytes. */
function matches(search: string): SQL | undefined {
  const ownerName = sql`${users.firstName} || ' ' || ${users.lastName}`
  return or(
    ...[memorials.honoureeFullName, memorials.slug, users.email, ownerName].map(
      (place) => sql`instr(lower(${place}), lower(${search})) > 0`,
    ),
  )
}
