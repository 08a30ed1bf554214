import { inArray } from 'drizzle-orm'
import type { AdminStats } from '#shared/admin.ts'
import type { Ctx } from '#worker/ctx.ts'
import { tallies } from '#worker/platform/tallies.table.ts'

const DRAFTS = 'memorials DRAFT'
const ACTIVE = 'memorials ACTIVE'

/**
 * How many memorials there are (deleted and removed ones not counted), are active, and are paid for. A memorial that is
 * there is ACTIVE exactly while it is paid for (scripts/lib/invariants), so the last two are one number.
 */
export async function countMemorials(ctx: Ctx): Promise<AdminStats> {
  const rows = await ctx.db
    .select()
    .from(tallies)
    .where(inArray(tallies.name, [DRAFTS, ACTIVE]))
  const amountOf = (wanted: string) => rows.find(({ name }) => name === wanted)?.amount ?? 0
  const active = amountOf(ACTIVE)
  return { totalMemorials: amountOf(DRAFTS) + active, activeMemorials: active, paidMemorials: active }
}
