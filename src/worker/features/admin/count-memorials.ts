import { count } from 'drizzle-orm'
import type { AdminStats } from '#shared/admin.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'

/**
 * Counts all, active and paid memorials, without deleted and removed ones. A memorial that isn't deleted is ACTIVE
 * exactly while it is paid for (tools/operate/invariants checks this), so the last two numbers are equal.
 */
export async function countMemorials(ctx: Ctx): Promise<AdminStats> {
  const rows = await ctx.db
    .select({ status: memorials.status, amount: count() })
    .from(memorials)
    .where(isNotDeleted())
    .groupBy(memorials.status)
  const active = rows.find(({ status }) => status === 'ACTIVE')?.amount ?? 0
  const total = rows.reduce((sum, { amount }) => sum + amount, 0)
  return { totalMemorials: total, activeMemorials: active, paidMemorials: active }
}
