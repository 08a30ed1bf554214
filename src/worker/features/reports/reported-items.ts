import { reportMessages } from '#shared/removal/report-messages.ts'
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { REPORT_WORDS_LISTED, REPORTED_PAGE } from '#shared/limits.ts'
import type { ReportedPage, ReportSummary } from '#shared/removal/reports.ts'
import { recordAction } from '#worker/access/audit.ts'
import type { ItemTable } from '#worker/access/held.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { settleReports } from '#worker/access/reported.ts'
import { actorIdOf, selectComments, toComment } from '#worker/features/comments/comments.ts'
import { selectMedia, toMedia, toMediaRow } from '#worker/features/media/media.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { reports } from '#worker/schema/reports.table.ts'

/** One page of the items with open reports, and what the reports say. For approvers. */
export async function listReported(
  ctx: RequestCtx,
  access: MemorialAccess,
  cursor: string | null,
): Promise<ReportedPage> {
  const found = await ctx.db
    .selectDistinct({ id: reports.itemId })
    .from(reports)
    .where(
      and(
        /* prove: reports-own-memorial */ eq(reports.memorialId, access.memorial.id),
        cursor === null ? undefined : gt(reports.itemId, cursor),
        isNull(reports.settledAt),
      ),
    )
    .orderBy(asc(reports.itemId))
    .limit(REPORTED_PAGE + 1)
  const ids = found.slice(0, REPORTED_PAGE).map(({ id }) => id)
  if (ids.length === 0) return { media: [], comments: [], nextCursor: null }
  const [files, words, summaryOf] = await Promise.all([
    selectMedia(ctx).where(inArray(media.id, ids)),
    selectComments(ctx, actorIdOf(ctx, access)).where(inArray(comments.id, ids)),
    summariesOf(ctx, ids),
  ])
  return {
    media: files.map((row) =>
      Object.assign(toMedia(toMediaRow(row), access), { reports: summaryOf(row.row.id) }),
    ),
    comments: words.map((row) =>
      Object.assign(toComment(row, access), { reports: summaryOf(row.comment.id) }),
    ),
    nextCursor: found.length > REPORTED_PAGE ? (ids.at(-1) ?? null) : null,
  }
}

/** Reads what the open reports of these items say. */
export async function summariesOf(ctx: Ctx, itemIds: string[]): Promise<(itemId: string) => ReportSummary> {
  const isOpen = and(inArray(reports.itemId, itemIds), isNull(reports.settledAt))
  const [counts, words] = await ctx.db.batch([
    ctx.db
      .select({
        itemId: reports.itemId,
        reason: reports.reason,
        count: sql<number>`count(*)`,
        firstAt: sql<number>`min(${reports.createdAt})`,
      })
      .from(reports)
      .where(isOpen)
      .groupBy(reports.itemId, reports.reason),
    ctx.db
      .select({ itemId: reports.itemId, words: reports.words })
      .from(reports)
      .where(and(isOpen, isNotNull(reports.words)))
      .orderBy(desc(reports.createdAt), desc(reports.id))
      .limit(REPORT_WORDS_LISTED * itemIds.length),
  ])
  return (id) => {
    const own = counts.filter(({ itemId }) => itemId === id)
    return {
      count: own.reduce((sum, { count }) => sum + count, 0),
      reasons: own
        .map(({ reason, count }) => ({ reason, count }))
        .toSorted((a, b) => b.count - a.count || a.reason.localeCompare(b.reason)),
      words: words
        .flatMap((one) => (one.itemId === id && one.words !== null ? [one.words] : []))
        .slice(0, REPORT_WORDS_LISTED),
      firstAt: new Date(Math.min(...own.map(({ firstAt }) => firstAt))).toISOString(),
    }
  }
}

/**
 * An approver has looked at a reported item and keeps it: settles its reports, and shows it again if they hid it. Throws `not_found` if
 * nothing was open.
 */
export async function keepReported(ctx: RequestCtx, access: MemorialAccess, itemId: string): Promise<void> {
  const { db } = ctx
  const { id } = access.memorial
  const isReported = and(
    /* prove: kept-own-memorial */ eq(reports.memorialId, id),
    eq(reports.itemId, itemId),
    isNull(reports.settledAt),
  )
  const wasReported = existsIn(reports, isReported)
  const isFolded = (table: ItemTable): SQL | undefined =>
    and(
      eq(table.id, itemId),
      wasReported,
      sql`${table.isHeld} = 1`,
      /* prove: kept-if-reports-hid-it */ eq(table.heldAs, 'MAY_HURT'),
      eq(table.heldReason, 'REPORTS'),
    )
  // Blocked since: what reports hid comes back with the rest when the block ends.
  const isBlocked = (table: ItemTable): SQL | undefined =>
    and(
      eq(table.id, itemId),
      wasReported,
      sql`${table.isHeld} = 1`,
      eq(table.heldAs, 'BLOCKED_UNREAD'),
      eq(table.heldReason, 'REPORTS'),
    )
  const blocked = { heldAs: 'BLOCKED', heldReason: null } as const
  const shown = { isHeld: false, heldAs: 'WAITING', heldReason: null } as const
  const [found] = await db.batch([
    db.select({ id: reports.id }).from(reports).where(isReported).limit(1),
    queueCachePurge(ctx, and(eq(memorials.id, id), wasReported), { urgent: false }),
    recordAction(
      ctx,
      access,
      {
        action: 'keep_reported',
        targetKind: itemId.startsWith('med_') ? 'media' : 'comment',
        targetId: itemId,
      },
      wasReported,
    ),
    db.update(media).set(shown).where(isFolded(media)),
    db.update(comments).set(shown).where(isFolded(comments)),
    db.update(media).set(blocked).where(isBlocked(media)),
    db.update(comments).set(blocked).where(isBlocked(comments)),
    settleReports(ctx, id, sql`${itemId}`),
  ])
  if (found.length === 0) throw new AppError('not_found', reportMessages.notFound)
}
