import { and, desc, eq, isNull, lte, sql } from 'drizzle-orm'
import type { AdminReportPage } from '#shared/removal/reports.ts'
import { ADMIN_PAGE, REPORTS_LEFT_AFTER_MS } from '#shared/limits.ts'
import { summariesOf } from '#worker/features/reports/reported-items.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { isAfterCursor, splitPage } from '#worker/platform/db.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { reports } from '#worker/schema/reports.table.ts'

/**
 * One page of the items whose oldest open report the family has left for 7 days, last reported first. Without the items themselves: admins
 * look at them in the memorial, where that is recorded.
 */
export async function listLeftReports(ctx: Ctx, cursor: string | null): Promise<AdminReportPage> {
  const isFirstOfItem = sql`not exists (select 1 from ${reports} as "older"
    where "older"."item_id" = ${reports.itemId} and +"older"."settled_at" is null
      and ("older"."created_at", "older"."id") < (${reports.createdAt}, ${reports.id}))`
  // The plus keeps SQLite from reading all memorials first.
  const isThere = sql`+${memorials.status} in ('DRAFT', 'ACTIVE')`
  const rows = await ctx.db
    .select({
      id: reports.id,
      createdAt: reports.createdAt,
      itemId: reports.itemId,
      memorial: { id: memorials.id, honoureeFullName: memorials.honoureeFullName },
    })
    .from(reports)
    .innerJoin(memorials, and(eq(memorials.id, reports.memorialId), isThere))
    .where(
      and(
        isNull(reports.settledAt),
        lte(reports.createdAt, ctx.now() - REPORTS_LEFT_AFTER_MS),
        isFirstOfItem,
        isAfterCursor(reports, 'report', cursor),
      ),
    )
    .orderBy(desc(reports.createdAt), desc(reports.id))
    .limit(ADMIN_PAGE + 1)
  const { page, nextCursor } = splitPage(rows, ADMIN_PAGE)
  if (page.length === 0) return { reports: [], nextCursor }
  const summaryOf = await summariesOf(
    ctx,
    page.map(({ itemId }) => itemId),
  )
  return {
    reports: page.map(({ id, itemId, memorial }) => ({
      id,
      memorial,
      item: { kind: itemId.startsWith('med_') ? 'media' : 'comment', id: itemId },
      reports: summaryOf(itemId),
    })),
    nextCursor,
  }
}
