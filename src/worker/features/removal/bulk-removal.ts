import { and, eq, gte, inArray, isNotNull, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { BulkRemoval, BulkRestored, RemoveAddedInput } from '#shared/removal/removed.ts'
import { recordAction } from '#worker/access/audit.ts'
import { addedByOf, type ItemTable } from '#worker/access/held.ts'
import { isStillEditor, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { deleteForGood, isRestorableBy, keepRemoved } from '#worker/access/removed.ts'
import { settleWithRemoval } from '#worker/access/reported.ts'
import { findLinkToken } from '#worker/features/invites/list-contributors.ts'
import { clearImages } from '#worker/features/memorials/clear-images.ts'
import { reserveEach, settleQuota } from '#worker/features/quota/quota.ts'
import { putBack } from '#worker/features/removal/put-back.ts'
import { selectRemovals, toBulkRemoval } from '#worker/features/removal/removed-items.ts'
import { quotaItemOf } from '#worker/features/removal/restore.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { queueCachePurge, schedulePurge } from '#worker/platform/edge-cache.ts'
import { newId } from '#worker/platform/random.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Messages in one call: https://developers.cloudflare.com/queues/platform/limits/ */
const MESSAGES_PER_SEND = 100

/**
 * Hides everything that one contributor added, or that came by one link since an instant, in one batch however much it is.
 * Returns what was removed, or null if there was nothing. Only editors may call it: owner, keepers and admins. Throws
 * `not_found` for an unknown link.
 */
export async function removeAdded(
  ctx: RequestCtx,
  access: MemorialAccess,
  input: RemoveAddedInput,
): Promise<BulkRemoval | null> {
  const { db } = ctx
  const { memorial } = access
  const id = newId('removal')
  const isWanted = await wantedBy(ctx, memorial.id, input)
  const isEditor = isStillEditor(access)
  const [theirMedia, theirComments] = [and(isWanted(media), isEditor), and(isWanted(comments), isEditor)]
  const isThisMemorial = eq(memorials.id, memorial.id)
  const wasRemoved = (used: SQLiteColumn) =>
    existsIn(removedItems, and(eq(removedItems.id, used), eq(removedItems.removalId, id)))
  const by = input.contributorId === undefined ? 'link' : 'contributor'
  const [purges, , , , , , , , [removal]] = await db.batch([
    queueCachePurge(ctx, isThisMemorial, { urgent: true }),
    recordAction(
      ctx,
      access,
      { action: 'remove_added', detail: { by } },
      sql`(${existsIn(media, theirMedia)} or ${existsIn(comments, theirComments)})`,
    ),
    keepRemoved(ctx, access, media, theirMedia, id),
    keepRemoved(ctx, access, comments, theirComments, id),
    db.delete(media).where(theirMedia),
    db.delete(comments).where(theirComments),
    clearImages(ctx, memorial.id, wasRemoved),
    settleWithRemoval(
      ctx,
      memorial.id,
      sql`select ${removedItems.id} from ${removedItems}
        where ${and(eq(removedItems.memorialId, memorial.id), eq(removedItems.removalId, id))}`,
    ),
    selectRemovals(ctx, access, id),
  ])
  if (!removal) return null
  await schedulePurge(ctx, purges)
  await settleQuota(ctx, memorial.id)
  return toBulkRemoval(removal)
}

/** SQL conditions for the rows of a table that the input names. */
async function wantedBy(
  ctx: Ctx,
  memorialId: string,
  { contributorId, since, linkId }: RemoveAddedInput,
): Promise<(table: ItemTable) => SQL | undefined> {
  if (contributorId !== undefined)
    return (table) =>
      and(
        /* prove: removal-own-memorial */ eq(table.memorialId, memorialId),
        eq(addedByOf(table), contributorId),
      )
  const token = await findLinkToken(ctx, memorialId, linkId)
  if (token === null) throw new AppError('not_found', serverMessages.removed.linkUnknown)
  const people = ctx.db
    .select({ id: contributors.id })
    .from(contributors)
    .where(eq(contributors.inviteToken, token))
  return (table) =>
    and(
      eq(table.memorialId, memorialId),
      gte(table.createdAt, Date.parse(since ?? '')),
      inArray(addedByOf(table), people),
    )
}

/**
 * Restores what {@link removeAdded} removed and this viewer may restore, in one batch. What has no place in a quota stays
 * removed. Throws `not_found`; `quota_exceeded` if nothing has a place; `too_many_requests`.
 */
export async function restoreAdded(
  ctx: RequestCtx,
  access: MemorialAccess,
  removalId: string,
): Promise<BulkRestored> {
  const { id: memorialId } = access.memorial
  const isOfRemoval = isRestorable(ctx, access, removalId)
  const found = await ctx.db
    .select({
      id: removedItems.id,
      contributorId: removedItems.contributorId,
      bytes: removedItems.bytes,
      objectKey: removedItems.objectKey,
      // The row without its text.
      item: sql`json_object('type', ${removedItems.item} ->> 'type', 'durationSec', ${removedItems.item} ->> 'durationSec')`.mapWith(
        removedItems.item,
      ),
    })
    .from(removedItems)
    .where(isOfRemoval)
  if (found.length === 0) throw new AppError('not_found', messages.removed.notFound)
  const files = found.filter(({ objectKey }) => objectKey !== null)
  const placed = await reserveEach(ctx, memorialId, files.map(quotaItemOf))
  if (found.length === files.length && placed.length === 0)
    throw new AppError('quota_exceeded', serverMessages.removed.noRoom)
  try {
    const hasPlace = sql`(${removedItems.objectKey} is null
      or ${removedItems.id} in (select value from json_each(${JSON.stringify(placed)})))`
    const audit = { action: 'restore_added', targetKind: 'memorial', targetId: memorialId } as const
    const restored = await putBack(ctx, access, and(isOfRemoval, hasPlace), audit)
    return { restored, left: found.length - restored }
  } finally {
    await settleQuota(ctx, memorialId, ...placed)
  }
}

/** Deletes for good what {@link removeAdded} removed. Throws `not_found`. */
export async function deleteAdded(ctx: RequestCtx, access: MemorialAccess, removalId: string): Promise<void> {
  const isOfRemoval = isRestorable(ctx, access, removalId)
  const [, , deleted] = await ctx.db.batch([
    recordAction(ctx, access, { action: 'delete_added' }, existsIn(removedItems, isOfRemoval)),
    ...deleteForGood(ctx, isOfRemoval),
  ])
  if (deleted.length === 0) throw new AppError('not_found', messages.removed.notFound)
  await settleQuota(ctx, access.memorial.id)
  const jobs = deleted.flatMap(({ objectKey }) =>
    objectKey === null ? [] : [{ type: 'delete-objects', prefix: objectKey } as const],
  )
  for (let at = 0; at < jobs.length; at += MESSAGES_PER_SEND)
    await ctx.enqueue(...jobs.slice(at, at + MESSAGES_PER_SEND))
}

/** SQL condition on `removed_items`: what this removal holds and this viewer may restore. */
function isRestorable(ctx: Ctx, access: MemorialAccess, removalId: string): SQL | undefined {
  return and(
    /* prove: restore-own-memorial */ eq(removedItems.memorialId, access.memorial.id),
    eq(removedItems.removalId, removalId),
    isNotNull(removedItems.removalId),
    isRestorableBy(ctx, access),
  )
}
