import { count, sql } from 'drizzle-orm'
import type { AdminStats } from '#shared/admin.ts'
import type { Ctx } from '#worker/ctx.ts'
import { memorialColumns } from '#worker/features/memorials/memorial-access.ts'
import { isThere, memorials } from '#worker/features/memorials/memorials.table.ts'

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
