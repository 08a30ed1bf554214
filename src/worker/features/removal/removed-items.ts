import { and, desc, eq, lte, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { DELETED_RESTORABLE_MS, PURGE_BATCH, REMOVED_PAGE } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { RemovedItem, RemovedPage } from '#shared/removed.ts'
import { throwIfRefused } from '#worker/access/access.ts'
import { insertAdminAudit } from '#worker/access/audit.ts'
import {
  credentialsIn,
  findMemorial,
  isStillAllowed,
  requireAccess,
  type MemorialAccess,
} from '#worker/access/memorial-access.ts'
import { deleteForGood, isRestorableBy } from '#worker/access/removed.ts'
import type { Guard } from '#worker/access/route.ts'
import { removeMedia } from '#worker/features/media/edit-media.ts'
import { deleteFilesOf } from '#worker/features/media/media.jobs.ts'
import { serveMedia } from '#worker/features/media/serve-media.ts'
import { nextUpdatedAt } from '#worker/features/memorials/memorials.ts'
import type { QuotaItem } from '#worker/features/quota/quota.do.ts'
import { commitQuota, reserveQuota, settleQuota } from '#worker/features/quota/quota.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { cursorAfter, existsIn, insertWhere, isAfterCursor } from '#worker/platform/db.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { commentLikes, comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'

type Removed = typeof removedItems.$inferSelect
export type RemovedAccess = MemorialAccess & { removed: Removed }
type MediaRecord = typeof media.$inferSelect

/** Route guard: the removed item `:id`, if this viewer may restore it. For others it doesn't exist. */
export const removedItem: Guard<RemovedAccess> = async (ctx, input) => {
  const isTarget = eq(removedItems.id, input.params['id'] ?? '')
  const [found] = await ctx.db
    .select({ memorialId: removedItems.memorialId })
    .from(removedItems)
    .where(isTarget)
  if (!found) throw new AppError('not_found', messages.removed.notFound)
  const memorial = await findMemorial(ctx, found.memorialId)
  const access = await requireAccess(ctx, memorial, 'view', credentialsIn(input))
  const [removed] = await ctx.db
    .select()
    .from(removedItems)
    .where(and(isTarget, isRestorableBy(ctx, access)))
  if (!removed) throw new AppError('not_found', messages.removed.notFound)
  throwIfRefused(access.refuseChange(removed.contributorId))
  return { ...access, removed }
}

/** Returns one page of what this viewer may restore, last removed first. Throws the refusal of viewers who may change nothing. */
export async function listRemoved(
  ctx: RequestCtx,
  access: MemorialAccess,
  cursor: string | null,
): Promise<RemovedPage> {
  throwIfRefused(access.refuseChange(access.contributor?.id ?? null))
  const position = { createdAt: removedItems.removedAt, id: removedItems.id }
  const rows = await ctx.db
    .select({ removed: removedItems, contributorName: contributors.displayName })
    .from(removedItems)
    .leftJoin(contributors, eq(contributors.id, removedItems.contributorId))
    .where(
      and(
        eq(removedItems.memorialId, access.memorial.id),
        isRestorableBy(ctx, access),
        isAfterCursor(position, ['media', 'comment'], cursor),
      ),
    )
    .orderBy(desc(removedItems.removedAt), desc(removedItems.id))
    .limit(REMOVED_PAGE + 1)
  const page = rows.slice(0, REMOVED_PAGE)
  const last = page.at(-1)?.removed
  return {
    items: page.map(({ removed, contributorName }) => toRemovedItem(removed, contributorName)),
    nextCursor:
      rows.length > REMOVED_PAGE && last ? cursorAfter({ createdAt: last.removedAt, id: last.id }) : null,
  }
}

function toRemovedItem({ id, item, removedAt }: Removed, contributorName: string | null): RemovedItem {
  return {
    id,
    type: item.type ?? 'MESSAGE',
    text: item.body ?? item.caption ?? null,
    thumbnailPath: item.hasThumbnail ? `/media/removed/${id}` : null,
    placeholder: item.placeholder ?? null,
    contributorName,
    removedAt: new Date(removedAt).toISOString(),
    restorableUntil: new Date(removedAt + DELETED_RESTORABLE_MS).toISOString(),
  }
}

/** The thumbnail of a removed photo or video; never cached, also on a public memorial. */
export async function serveRemoved(ctx: RequestCtx, access: RemovedAccess): Promise<Response> {
  const { item, objectKey } = access.removed
  if (objectKey === null) throw new AppError('not_found', messages.media.notFound)
  const response = await serveMedia(ctx, { ...access, row: item as MediaRecord }, { thumbnail: '1' })
  // prove: removed-never-cached
  response.headers.set('Cache-Control', 'private, no-store')
  response.headers.delete('Cache-Tag')
  return response
}

/** Puts an item back where it was, with its likes, as cover and portrait. Throws `quota_exceeded`, `memorial_locked`, `not_found`. */
export async function restoreRemoved(ctx: RequestCtx, access: RemovedAccess): Promise<void> {
  const { removed, memorial } = access
  if (removed.objectKey === null) return putBack(ctx, access)
  const quota = quotaItemOf(removed)
  await reserveQuota(ctx, memorial.id, quota)
  try {
    await putBack(ctx, access)
  } catch (error) {
    await settleQuota(ctx, memorial.id, removed.id)
    throw error
  }
  try {
    await commitQuota(ctx, memorial.id, quota)
  } catch (error) {
    // The reservation was lost, and somebody else has taken the place meanwhile.
    if (error instanceof AppError) await removeMedia(ctx, { ...access, row: removed.item as MediaRecord })
    throw error
  }
}

function quotaItemOf({ id, contributorId, bytes, item }: Removed): QuotaItem {
  const { type = 'IMAGE', durationSec } = item
  return { mediaId: id, type, contributorId, bytes, durationSec: durationSec ?? 0 }
}

async function putBack(ctx: RequestCtx, access: RemovedAccess): Promise<void> {
  const { db } = ctx
  const { removed, memorial } = access
  const isMedia = removed.objectKey !== null
  const table = isMedia ? media : comments
  const isTarget = eq(removedItems.id, removed.id)
  const isAllowed = existsIn(
    removedItems,
    and(isTarget, isRestorableBy(ctx, access), /* prove: restore-still-allowed */ isStillAllowed(access)),
  )
  const isBack = existsIn(table, eq(table.id, removed.id))
  const isBackAs = (wasUsed: boolean) => and(eq(memorials.id, memorial.id), isBack, sql`${Number(wasUsed)}`)
  const isComment = eq(comments.id, removed.id)
  const [, , , , , , , done] = await db.batch([
    queueCachePurge(ctx, eq(memorials.id, memorial.id), { urgent: false }),
    insertAdminAudit(ctx, access, auditOf(removed, 'restore_removed'), isAllowed),
    isMedia
      ? insertWhere(db, media, removed.item as MediaRecord, isAllowed)
      : insertWhere(db, comments, removed.item as typeof comments.$inferSelect, isAllowed),
    // Without the likes of people whose account has been deleted for good.
    db.insert(commentLikes).select(sql`select ${removed.id}, value ->> 0, value ->> 1
      from json_each(${JSON.stringify(removed.likes)}) where ${existsIn(comments, isComment)} and (
        exists (select 1 from ${users} where ${users.id} = value ->> 0 and ${users.purgedAt} is null)
        or exists (select 1 from ${contributors} where ${contributors.id} = value ->> 0))`),
    db
      .update(comments)
      .set({
        likeCount: sql`(select count(*) from ${commentLikes} where ${commentLikes.commentId} = ${removed.id})`,
      })
      .where(isComment),
    db
      .update(memorials)
      .set({
        coverMediaId: sql`coalesce(${memorials.coverMediaId}, ${removed.id})`,
        updatedAt: nextUpdatedAt(ctx),
      })
      .where(isBackAs(removed.wasCover)),
    db
      .update(memorials)
      .set({
        profileMediaId: sql`coalesce(${memorials.profileMediaId}, ${removed.id})`,
        updatedAt: nextUpdatedAt(ctx),
      })
      .where(isBackAs(removed.wasPortrait)),
    db.delete(removedItems).where(and(isTarget, isBack)).returning({ id: removedItems.id }),
  ])
  if (done.length === 0) await throwWhy(ctx, removed)
}

/** Deletes a removed item for good. Throws `memorial_locked`, `not_found`. */
export async function deleteRemoved(ctx: RequestCtx, access: RemovedAccess): Promise<void> {
  const { removed } = access
  const isTarget = and(eq(removedItems.id, removed.id), isRestorableBy(ctx, access), isStillAllowed(access))
  const [, , deleted] = await ctx.db.batch([
    insertAdminAudit(ctx, access, auditOf(removed, 'delete_removed'), existsIn(removedItems, isTarget)),
    ...deleteForGood(ctx, isTarget),
  ])
  if (deleted.length === 0) await throwWhy(ctx, removed)
  await deleteFilesOf(ctx, deleted)
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

/** Deletes for good what was removed before `until`. Returns true if more may be due. Bounded per run. */
export async function purgeRemoved(ctx: Ctx, until: number): Promise<boolean> {
  const due = ctx.db
    .select({ id: removedItems.id })
    .from(removedItems)
    .where(/* prove: removed-kept-30-days */ lte(removedItems.removedAt, until))
    .orderBy(removedItems.removedAt, removedItems.id)
    .limit(PURGE_BATCH)
  const [, deleted] = await ctx.db.batch(deleteForGood(ctx, sql`${removedItems.id} in ${due}`))
  await deleteFilesOf(ctx, deleted)
  return deleted.length === PURGE_BATCH
}
