import { and, eq, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { MediaType } from '#shared/media/media-types.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { inspect, type MediaFacts } from '#worker/features/media/inspect.ts'
import { findMediaRow, selectMediaRow, type MediaRow } from '#worker/features/media/media.ts'
import { media } from '#worker/schema/media.table.ts'
import { enqueueVariants } from '#worker/features/media/pictures.ts'
import {
  discardUpload,
  quotaUserOf,
  senderOf,
  type CommittedUpload,
  type StoredUpload,
  type UncertainUpload,
} from '#worker/features/media/receive-file.ts'
import { recordAdded } from '#worker/access/family-actions.ts'
import { holdNew } from '#worker/access/held.ts'
import { acceptsFrom, refusalAtWrite, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { coverWith, nextUpdatedAt } from '#worker/features/memorials/memorials.ts'
import { tellOwnerOf } from '#worker/features/memorials/tell-owner.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import type { QuotaItem } from '#worker/features/quota/quota-limits.ts'
import { judgeInvited } from '#worker/features/rules/word-rules.ts'
import { commitQuota, releaseQuota, reserveQuota } from '#worker/features/quota/quota.ts'
import { findCreatedId, insertKey } from '#worker/http/idempotency-key.ts'
import { count } from '#worker/platform/metrics.ts'
import { existsIn, insertWhere, isUniqueViolation } from '#worker/platform/db.ts'
import { idempotencyKeys } from '#worker/schema/idempotency.table.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'
import { removedItems } from '#worker/schema/removed.table.ts'

/**
 * The last step of every upload, multipart or tus: inspects the stored file and creates its row. Throws the errors of
 * {@link inspect}, of {@link refusalAtWrite}, and `quota_exceeded`; then no row exists, and the caller calls {@link discardUpload}.
 */
export async function finalizeUpload(
  ctx: Ctx,
  upload: StoredUpload,
  access: MemorialAccess,
  declared: MediaType,
): Promise<CommittedUpload | UncertainUpload> {
  const facts = await inspect(ctx, upload, access, declared)
  const ended = await saveMedia(ctx, upload, access, facts)
  if (ended.state === 'uncertain') return ended
  if (ended.row.id !== upload.mediaId) await discardUpload(ctx, upload)
  else await enqueueVariants(ctx, ended.row)
  return ended
}

/** The media item that this sender created with the same key, or null. Throws `not_found` if it has been deleted. */
export async function findCreatedBefore(
  ctx: Ctx,
  access: MemorialAccess,
  key: string | null,
): Promise<MediaRow | null> {
  const id = await findCreatedId(ctx, actorOf(access), key)
  if (id === null) return null
  const row = await findMediaRow(ctx, id)
  if (row?.memorialId !== access.memorial.id) throw new AppError('not_found', messages.media.notFound)
  return row
}

/**
 * Writes row, idempotency key and profile image in one batch, if the memorial is still open to the sender, and commits the
 * quota. Throws {@link refusalAtWrite} or `quota_exceeded`; a second request with the same key gets the row of the first.
 */
async function saveMedia(
  ctx: Ctx,
  upload: StoredUpload,
  access: MemorialAccess,
  facts: MediaFacts,
): Promise<CommittedUpload | UncertainUpload> {
  const item: QuotaItem = {
    mediaId: upload.mediaId,
    type: facts.type,
    contributorId: quotaUserOf(access),
    bytes: upload.size,
    durationSec: facts.durationSec ?? 0,
  }
  // A file reserved as a video that turns out to be a recording counts as a recording.
  if (upload.item.type !== item.type) await releaseQuota(ctx, upload.memorialId, upload.mediaId)
  // Repeated, because a restart of the quota object during a long upload loses the reservation, and the owner may take its place.
  await reserveQuota(ctx, upload.memorialId, item)
  const values: typeof media.$inferInsert = {
    id: upload.mediaId,
    memorialId: upload.memorialId,
    contributorId: senderOf(access),
    type: facts.type,
    mimeType: facts.mimeType,
    size: upload.size,
    width: facts.width,
    height: facts.height,
    durationSec: facts.durationSec,
    originalFileName: upload.fileName,
    caption: null,
    placeholder: facts.placeholder,
    objectKey: upload.objectKey,
    hasThumbnail: facts.type === 'IMAGE',
    createdAt: ctx.now(),
  }
  const ended = await insertIfOpen(ctx, upload, access, values)
  if (ended.state === 'uncertain' || ended.row.id !== upload.mediaId) return ended
  const failure = await commitItem(ctx, upload, item)
  if (failure) return failure
  count(ctx, 'upload_done', { amount: item.bytes, kind: item.type })
  return ended
}

/** The user or contributor id that scopes an idempotency key. */
export function actorOf(access: MemorialAccess): string {
  return senderOf(access) ?? access.memorial.ownerId
}

async function insertIfOpen(
  ctx: Ctx,
  upload: StoredUpload,
  access: MemorialAccess,
  values: typeof media.$inferInsert,
): Promise<CommittedUpload | UncertainUpload> {
  const { db } = ctx
  const isMade = existsIn(media, eq(media.id, upload.mediaId))
  const key = insertKey(ctx, actorOf(access), upload.idempotencyKey, values, isMade)
  const profile = db
    .update(memorials)
    .set({
      profileMediaId: upload.mediaId,
      coverMediaId: coverWith(upload.mediaId),
      updatedAt: nextUpdatedAt(ctx),
    })
    .where(and(eq(memorials.id, upload.memorialId), isMade, sql`${upload.purpose} = 'profile-image'`))
  const wasRemoved = existsIn(removedItems, eq(removedItems.id, upload.mediaId))
  // A caption comes later: `updateMedia`.
  const reason = await judgeInvited(ctx, access, '')
  const hold = holdNew(upload.memorialId, values.contributorId ?? null, { reason })
  const row = insertWhere(db, media, values, sql`${acceptsFrom(access)} and not ${wasRemoved}`, hold)
  const tell = tellOwnerOf(ctx, media, { id: upload.mediaId, memorialId: upload.memorialId })
  const noted = recordAdded(ctx, access, 'add_media', isMade)
  try {
    // Read in the same batch: a separate read that fails would hide a row that exists.
    const [, , , [made]] = await db.batch([
      row,
      key,
      profile,
      selectMediaRow(ctx, upload.mediaId),
      tell,
      ...noted,
    ])
    if (made) return { state: 'committed', row: { ...made.row, contributorName: made.contributorName } }
  } catch (error) {
    if (isUniqueViolation(error)) {
      const before = await findCreatedBefore(ctx, access, upload.idempotencyKey)
      if (before) return { state: 'committed', row: before }
    }
    return afterLostAnswer(ctx, upload, error)
  }
  throw await refusalAtWrite(ctx, access)
}

/** Checks whether the row exists although its write seemed to fail. */
async function afterLostAnswer(
  ctx: Ctx,
  upload: StoredUpload,
  error: unknown,
): Promise<CommittedUpload | UncertainUpload> {
  try {
    const row = await findMediaRow(ctx, upload.mediaId)
    return row ? { state: 'committed', row } : { ...upload, state: 'uncertain', isRoomKept: false, error }
  } catch (cause) {
    return { ...upload, state: 'uncertain', isRoomKept: true, error: cause }
  }
}

/** If the quota is full, deletes the row and throws `quota_exceeded`; uncertain if that deletion may have failed. */
async function commitItem(ctx: Ctx, upload: StoredUpload, item: QuotaItem): Promise<UncertainUpload | null> {
  try {
    await commitQuota(ctx, upload.memorialId, item)
    return null
  } catch (error) {
    if (!(error instanceof AppError)) {
      // The row exists, and the quota object reads it from D1 when it starts.
      ctx.log.warn('quota_not_committed', { mediaId: item.mediaId })
      return null
    }
    const failure = await removeRow(ctx, upload)
    if (failure) return failure
    throw error
  }
}

async function removeRow(ctx: Ctx, upload: StoredUpload): Promise<UncertainUpload | null> {
  const { mediaId, memorialId } = upload
  try {
    await ctx.db.batch([
      queueCachePurge(ctx, eq(memorials.id, memorialId), { urgent: true }),
      ctx.db.delete(media).where(eq(media.id, mediaId)),
      ctx.db.delete(idempotencyKeys).where(eq(idempotencyKeys.resultId, mediaId)),
      ctx.db
        .update(memorials)
        .set({
          profileMediaId: null,
          coverMediaId: sql`nullif(${memorials.coverMediaId}, ${mediaId})`,
          updatedAt: nextUpdatedAt(ctx),
        })
        .where(and(eq(memorials.id, memorialId), eq(memorials.profileMediaId, mediaId))),
    ])
    return null
  } catch (error) {
    return { ...upload, state: 'uncertain', isRoomKept: false, error }
  }
}
