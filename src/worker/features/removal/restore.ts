import { and, eq, lte, not, sql } from 'drizzle-orm'
import type { Comment } from '#shared/comments/comments.ts'
import { AppError } from '#shared/errors.ts'
import { PURGE_BATCH } from '#shared/limits.ts'
import type { Media } from '#shared/media/media.ts'
import { messages } from '#shared/messages.ts'
import { throwIfRefused } from '#worker/access/access.ts'
import type { ItemTable } from '#worker/access/held.ts'
import { recordAction } from '#worker/access/audit.ts'
import { isStillRemovable, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { deleteForGood, isKeptForFormerOwner, isRestorableBy } from '#worker/access/removed.ts'
import {
  actorIdOf,
  removeComment,
  selectComments,
  toComment,
  type CommentAccess,
} from '#worker/features/comments/comments.ts'
import { removeMedia } from '#worker/features/media/edit-media.ts'
import { deleteFilesOf } from '#worker/features/media/media.jobs.ts'
import { findMediaRow, toMedia } from '#worker/features/media/media.ts'
import type { MediaAccess } from '#worker/features/media/serve-media.ts'
import type { QuotaItem } from '#worker/features/quota/quota-limits.ts'
import { commitQuota, reserveQuota, settleQuota } from '#worker/features/quota/quota.ts'
import { putBack } from '#worker/features/removal/put-back.ts'
import { withRemoved, type Removed, type RemovedAccess } from '#worker/features/removal/removed-items.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { forgetVisitorsOf } from '#worker/features/visitors/forget-visitors.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'

/** Puts a media item back where it was. Throws `quota_exceeded`, `memorial_locked`, `not_found`. */
export async function restoreMedia(ctx: RequestCtx, access: RemovedAccess): Promise<Media> {
  const { removed, memorial } = access
  const quota = quotaItemOf(removed)
  await reserveQuota(ctx, memorial.id, quota)
  try {
    await putBackOne(ctx, access, media)
  } catch (error) {
    await settleQuota(ctx, memorial.id, removed.id)
    throw error
  }
  try {
    await commitQuota(ctx, memorial.id, quota)
  } catch (error) {
    // The quota object reads the row from D1 when it starts.
    if (!(error instanceof AppError)) ctx.log.warn('quota_not_committed', { mediaId: removed.id })
    else {
      // The reservation was lost, and somebody else has taken the place meanwhile.
      await takeBack(ctx, removed)
      await settleQuota(ctx, memorial.id, removed.id)
      throw error
    }
  }
  const row = await findMediaRow(ctx, removed.id)
  if (!row) throw new AppError('not_found', messages.removed.notFound)
  return toMedia(row, access)
}

/** Puts a comment back with its likes. Throws `memorial_locked`, `not_found`. */
export async function restoreComment(ctx: RequestCtx, access: RemovedAccess): Promise<Comment> {
  await putBackOne(ctx, access, comments)
  const [row] = await selectComments(ctx, actorIdOf(ctx, access)).where(eq(comments.id, access.removed.id))
  if (!row) throw new AppError('not_found', messages.removed.notFound)
  return toComment(row, access)
}

/** Takes a restored media item back to where it was, as if nothing had happened. */
async function takeBack(ctx: Ctx, removed: Removed): Promise<void> {
  const { db } = ctx
  const { id } = removed
  await db.batch([
    queueCachePurge(ctx, eq(memorials.id, removed.memorialId), { urgent: true }),
    insertWhere(db, removedItems, removed, existsIn(media, eq(media.id, id))),
    db.delete(media).where(and(eq(media.id, id), existsIn(removedItems, eq(removedItems.id, id)))),
    db
      .update(memorials)
      .set({
        coverMediaId: sql`nullif(${memorials.coverMediaId}, ${id})`,
        profileMediaId: sql`nullif(${memorials.profileMediaId}, ${id})`,
      })
      .where(eq(memorials.id, removed.memorialId)),
  ])
}

/** The removed media item as the quota counts it. */
export function quotaItemOf({
  id,
  contributorId,
  bytes,
  item,
}: Pick<Removed, 'id' | 'contributorId' | 'bytes' | 'item'>): QuotaItem {
  const { type = 'IMAGE', durationSec } = item
  return { mediaId: id, type, contributorId, bytes, durationSec: durationSec ?? 0 }
}

/** Moves the item back. Does nothing if it is back already. */
async function putBackOne(ctx: RequestCtx, access: RemovedAccess, table: ItemTable): Promise<void> {
  const { removed } = access
  // The row that was read: another request may have restored it, and removed it again with other texts.
  const isTarget = and(eq(removedItems.id, removed.id), eq(removedItems.removedAt, removed.removedAt))
  const done = await putBack(ctx, access, isTarget, auditOf(removed, 'restore_removed'))
  if (done > 0) return
  const [back] = await ctx.db.select({ id: table.id }).from(table).where(eq(table.id, removed.id))
  if (!back) await throwWhy(ctx, removed)
}

/** Hides a media item; for good if `isForever`. */
export async function deleteMedia(
  ctx: RequestCtx,
  found: MediaAccess | RemovedAccess,
  isForever: boolean,
): Promise<void> {
  if ('removed' in found) return deleteRemoved(ctx, found)
  if (isForever) throwIfRefused(found.refuseForGood(found.row.contributorId))
  await removeMedia(ctx, found)
  if (isForever) await deleteJustRemoved(ctx, found, found.row.id)
}

/** Hides a comment; for good if `isForever`, and if a visitor takes their words back: nobody else may keep them. */
export async function deleteComment(
  ctx: RequestCtx,
  found: CommentAccess | RemovedAccess,
  isForever: boolean,
): Promise<void> {
  if ('removed' in found) return deleteRemoved(ctx, found)
  if (isForever) throwIfRefused(found.refuseForGood(found.comment.authorContributorId))
  await removeComment(ctx, found.comment, found)
  const isTakenBack = found.role === 'CONTRIBUTOR' && found.contributor?.isVisitor
  if (isForever || isTakenBack) await deleteJustRemoved(ctx, found, found.comment.id)
}

async function deleteJustRemoved(ctx: RequestCtx, access: MemorialAccess, id: string): Promise<void> {
  const found = await withRemoved(ctx, access, id)
  if (found) await deleteRemoved(ctx, found)
}

/** Throws `memorial_locked`, `not_found`. */
async function deleteRemoved(ctx: RequestCtx, access: RemovedAccess): Promise<void> {
  const { removed } = access
  const isTarget = and(eq(removedItems.id, removed.id), isRestorableBy(ctx, access), isStillRemovable(access))
  const [, , deleted] = await ctx.db.batch([
    recordAction(ctx, access, auditOf(removed, 'delete_removed'), existsIn(removedItems, isTarget)),
    ...deleteForGood(ctx, isTarget),
  ])
  if (deleted.length === 0) await throwWhy(ctx, removed)
  await deleteFilesOf(ctx, deleted)
  await forgetVisitorsOf(ctx, deleted)
}

function auditOf({ id, objectKey }: Removed, action: 'restore_removed' | 'delete_removed') {
  return { action, targetKind: objectKey === null ? 'comment' : 'media', targetId: id } as const
}

async function throwWhy(ctx: Ctx, { id }: Removed): Promise<never> {
  const [left] = await ctx.db
    .select({ id: removedItems.id })
    .from(removedItems)
    .where(eq(removedItems.id, id))
  if (left) throw new AppError('memorial_locked', messages.memorial.locked)
  throw new AppError('not_found', messages.removed.notFound)
}

/**
 * Deletes for good what was removed before `until`; while a former owner can take the memorial back, only what people removed of their own. Returns true
 * if more may be due. Bounded per run.
 */
export async function purgeRemoved(ctx: Ctx, until: number): Promise<boolean> {
  const { memorialId, removedBy, contributorId } = removedItems
  const isByAnother = sql`${removedBy} is not ${contributorId}`
  const due = ctx.db
    .select({ id: removedItems.id })
    .from(removedItems)
    .where(
      and(
        /* prove: removed-kept-30-days */ lte(removedItems.removedAt, until),
        /* prove: removed-kept-for-former-owner */ not(and(isByAnother, isKeptForFormerOwner(memorialId))!),
      ),
    )
    .orderBy(removedItems.removedAt, removedItems.id)
    .limit(PURGE_BATCH)
  const [, deleted] = await ctx.db.batch(deleteForGood(ctx, sql`${removedItems.id} in ${due}`))
  await deleteFilesOf(ctx, deleted)
  await forgetVisitorsOf(ctx, deleted)
  return deleted.length === PURGE_BATCH
}
