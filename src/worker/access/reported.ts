import { and, eq, isNotNull, isNull, sql, type SQL } from 'drizzle-orm'
import type { Ctx } from '#worker/platform/ctx.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import { reports } from '#worker/schema/reports.table.ts'

/** SQL condition: these are reports of the items that `itemIds` selects. */
function areOf(memorialId: string, itemIds: SQL): SQL | undefined {
  return and(eq(reports.memorialId, memorialId), sql`${reports.itemId} in (${itemIds})`)
}

/** SQL: when the item of the report was removed; null if it wasn't. */
const removedAt = sql`(select ${removedItems.removedAt} from ${removedItems} where ${removedItems.id} = ${reports.itemId})`

/**
 * Statement: settles the open reports of the items that `itemIds` selects, because somebody decides about them in the same batch. The people
 * who made them don't count again for these items.
 */
export function settleReports(ctx: Ctx, memorialId: string, itemIds: SQL, at: SQL = sql`${ctx.now()}`) {
  return ctx.db
    .update(reports)
    .set({ settledAt: at })
    .where(and(areOf(memorialId, itemIds), isNull(reports.settledAt)))
}

/** The same for items that are being removed. Put it behind `keepRemoved`; {@link reopenReports} takes it back. */
export function settleWithRemoval(ctx: Ctx, memorialId: string, itemIds: SQL) {
  return settleReports(ctx, memorialId, itemIds, removedAt)
}

/**
 * Statement: opens the reports again that the removal of these items settled, so that removing and restoring rids nobody of them. Put it
 * before the statement that deletes the items from `removed_items`.
 */
export function reopenReports(ctx: Ctx, memorialId: string, itemIds: SQL) {
  return ctx.db
    .update(reports)
    .set({ settledAt: null })
    .where(
      and(areOf(memorialId, itemIds), /* prove: restored-with-reports */ eq(reports.settledAt, removedAt)),
    )
}

/**
 * Statement: forgets the settled reports of an item whose contributor changes it if `isChanging`: an approver decided about other words, so the
 * same people count again.
 */
export function forgetSettledReports(ctx: Ctx, itemId: string, isChanging: SQL) {
  return ctx.db
    .delete(reports)
    .where(and(eq(reports.itemId, itemId), isNotNull(reports.settledAt), isChanging))
}
