import { reportMessages } from '#shared/removal/report-messages.ts'
import { and, eq, isNotNull, isNull, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { isOfFamily } from '#shared/memorials/memorials.ts'
import { REPORTS_TO_FOLD } from '#shared/limits.ts'
import type { ReportInput } from '#shared/removal/reports.ts'
import { networkOf } from '#worker/access/guards.ts'
import { addedByOf, isShown, type ItemTable } from '#worker/access/held.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { networkHash, reporterHash } from '#worker/access/pepper.ts'
import { actorIdOf } from '#worker/features/comments/comments.ts'
import { clearImages } from '#worker/features/memorials/clear-images.ts'
import { tellOwnerOf } from '#worker/features/memorials/tell-owner.ts'
import { unknownBrowser } from '#worker/access/pepper.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { queueCachePurge, schedulePurge } from '#worker/platform/edge-cache.ts'
import { newId } from '#worker/platform/random.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { reports } from '#worker/schema/reports.table.ts'

/** Groups of an IPv6 address that count as one person: what one customer can rent. */
const NETWORK_GROUPS = 3

type Item = { table: ItemTable; id: string; addedBy: string | null }

/**
 * Stores a report of an item that the viewer sees. The third from different people hides the item in the same batch, until an approver
 * decides. A person's second report of an item changes nothing and gets the same answer. Throws `forbidden` for approvers and whoever
 * added it, `too_many_requests`.
 */
export async function reportItem(
  ctx: RequestCtx,
  access: MemorialAccess,
  item: Item,
  { reason, words = null }: ReportInput,
): Promise<void> {
  const { memorial, role, contributor } = access
  if (isOfFamily(role) || role === 'ADMIN') throw new AppError('forbidden', reportMessages.ofKeeper)
  // prove: report-not-own
  if (item.addedBy !== null && item.addedBy === contributor?.id)
    throw new AppError('forbidden', reportMessages.own)
  const reporter = reporterHash(ctx, item.id, networkOf(ctx.ip, NETWORK_GROUPS))
  const isSame = and(eq(reports.itemId, item.id), eq(reports.reporter, reporter))
  const [known] = await ctx.db.select({ id: reports.id }).from(reports).where(isSame)
  if (known) return
  await limitReports(ctx, access)

  const { table, id: itemId } = item
  const row = { id: newId('report'), memorialId: memorial.id, itemId, reporter, reason, words }
  const isFolded = isToFold(item)
  const isUnseen = existsIn(media, and(eq(media.id, itemId), sql`${media.isHeld} = 1`))
  const [, purges] = await ctx.db.batch([
    insertWhere(
      ctx.db,
      reports,
      { ...row, createdAt: ctx.now() },
      existsIn(table, eq(table.id, itemId)),
    ).onConflictDoNothing(),
    queueCachePurge(ctx, and(eq(memorials.id, memorial.id), existsIn(table, isFolded)), { urgent: true }),
    ctx.db
      .update(table)
      .set({ isHeld: true, heldAs: 'MAY_HURT', heldReason: 'REPORTS', decidedAt: null })
      .where(isFolded),
    /* prove: reported-is-no-cover */ clearImages(ctx, memorial.id, (used) =>
      and(eq(used, itemId), isUnseen),
    ),
    tellOwnerOf(ctx, table, { id: itemId, memorialId: memorial.id }),
  ])
  await schedulePurge(ctx, purges)
}

/** SQL condition: everybody sees it, enough people reported it since an approver last decided, and it isn't the owner's. */
function isToFold({ table, id }: Item): SQL | undefined {
  const isOpen = and(eq(reports.itemId, id), /* prove: settled-reports-past */ isNull(reports.settledAt))
  return and(
    eq(table.id, id),
    isShown(table),
    /* prove: owners-own-stays */ isNotNull(addedByOf(table)),
    /* prove: three-people-fold */ sql`(select count(*) from ${reports} where ${isOpen}) >= ${REPORTS_TO_FOLD}`,
  )
}

async function limitReports(ctx: RequestCtx, access: MemorialAccess): Promise<void> {
  const { id } = access.memorial
  const { tooMany } = reportMessages
  await requireRateLimit(ctx, 'reports', actorIdOf(ctx, access) ?? unknownBrowser(ctx, id), tooMany)
  await requireRateLimit(ctx, 'reportsOfNetwork', networkHash(ctx, networkOf(ctx.ip)), tooMany)
  await requireRateLimit(ctx, 'reportsOfMemorial', id, tooMany)
}
