import { and, eq, exists, isNotNull, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/ctx.ts'
import type { MediaFacts } from '#worker/features/media/inspect.ts'
import { findMediaRow, selectMediaRow, type MediaRow } from '#worker/features/media/media.ts'
import { media } from '#worker/features/media/media.table.ts'
import { senderOf, type Draft, type Received } from '#worker/features/media/receive-file.ts'
import { isOpenFor, type MemorialAccess } from '#worker/features/memorials/memorial-access.ts'
import { nextUpdatedAt } from '#worker/features/memorials/memorials.ts'
import { memorials } from '#worker/features/memorials/memorials.table.ts'
import type { QuotaItem } from '#worker/features/quota/quota.do.ts'
import { commitQuota, releaseQuota, reserveQuota } from '#worker/features/quota/quota.ts'
import { findCreatedId } from '#worker/http/idempotency-key.ts'
import { count as countEvent } from '#worker/platform/counters.ts'
import { insertWhere, isUniqueViolation } from '#worker/platform/db.ts'
import { idempotencyKeys } from '#worker/platform/idempotency.table.ts'
import { forgetPages } from '#worker/features/memorials/public-cache.ts'

/** What this sender made with the same key before, or null. Throws `not_found` when it was deleted since. */
export async function findMadeBefore(
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
 * Makes the row of a stored file, if the memorial is still open to its sender at this moment, and counts it. The key
 * of the request and the memorial's profile image go into the same batch. Throws `memorial_locked` or
 * `quota_exceeded`; a second request with the same key gets the first one's row.
 */
export async function saveMedia(
  ctx: Ctx,
  draft: Draft,
  access: MemorialAccess,
  received: Received,
  facts: MediaFacts,
): Promise<MediaRow> {
  if (received.kind !== 'stored') throw new Error('nothing is stored')
  const item: QuotaItem = {
    mediaId: draft.mediaId,
    type: facts.type,
    contributorId: senderOf(access),
    bytes: received.size,
    durationSec: facts.durationSec ?? 0,
  }
  // A film that proves to be a recording counts as one from now on.
  if (draft.reserved && draft.reserved.type !== item.type) {
    await releaseQuota(ctx, draft.memorialId, draft.mediaId)
  }
  // Asked again because the reservation is lost when the quota object restarts under a long upload.
  await reserveQuota(ctx, draft.memorialId, item)
  const values: typeof media.$inferInsert = {
    id: draft.mediaId,
    memorialId: draft.memorialId,
    contributorId: item.contributorId,
    type: facts.type,
    mimeType: facts.mimeType,
    size: received.size,
    width: facts.width,
    height: facts.height,
    durationSec: facts.durationSec,
    originalFileName: received.fileName,
    caption: null,
    placeholder: facts.placeholder,
    objectKey: draft.objectKey,
    hasThumbnail: facts.type === 'IMAGE',
    createdAt: ctx.now(),
  }
  const row = await insertIfOpen(ctx, draft, access, values)
  if (row.id === draft.mediaId) {
    await count(ctx, draft, item)
    countEvent(ctx, 'upload_done', { amount: item.bytes, kind: item.type })
  }
  return row
}

/** Whose key an idempotency key is. */
export function actorOf(access: MemorialAccess): string {
  return senderOf(access) ?? access.memorial.ownerId
}

async function insertIfOpen(
  ctx: Ctx,
  draft: Draft,
  access: MemorialAccess,
  values: typeof media.$inferInsert,
): Promise<MediaRow> {
  const { db } = ctx
  const isMade = exists(
    db
      .select({ one: sql`1` })
      .from(media)
      .where(eq(media.id, draft.mediaId)),
  )
  const key = db.insert(idempotencyKeys).select(
    db
      .select({
        actorId: sql`${actorOf(access)}`.as('actor'),
        key: sql`${draft.idempotencyKey}`.as('key'),
        resultId: media.id,
        createdAt: media.createdAt,
      })
      .from(media)
      .where(and(eq(media.id, draft.mediaId), isNotNull(sql`${draft.idempotencyKey}`))),
  )
  const profile = db
    .update(memorials)
    .set({ profileMediaId: draft.mediaId, updatedAt: nextUpdatedAt(ctx) })
    .where(and(eq(memorials.id, draft.memorialId), isMade, sql`${draft.purpose} = 'profile-image'`))
  const row = insertWhere(db, media, values, isOpenFor(db, access))
  try {
    // Read in the same batch: a look that failed afterwards would take a row that stands for one that does not.
    const [, , , [made]] = await db.batch([row, key, profile, selectMediaRow(ctx, draft.mediaId)])
    if (made) return { ...made.row, contributorName: made.contributorName }
  } catch (error) {
    if (isUniqueViolation(error)) {
      const before = await findMadeBefore(ctx, access, draft.idempotencyKey)
      if (before) return before
    }
    const found = await afterUncertain(ctx, draft)
    if (found) return found
    throw error
  }
  throw new AppError('memorial_locked', messages.memorial.locked)
}

/** The row, if it stands although its write seemed to fail. If even that cannot be seen, its room is held as well. */
async function afterUncertain(ctx: Ctx, draft: Draft): Promise<MediaRow | null> {
  const { reserved } = draft
  draft.isUncertain = true
  draft.reserved = null
  const row = await findMediaRow(ctx, draft.mediaId)
  draft.reserved = reserved
  return row
}

async function count(ctx: Ctx, draft: Draft, item: QuotaItem): Promise<void> {
  try {
    await commitQuota(ctx, draft.memorialId, item)
  } catch (error) {
    if (!(error instanceof AppError)) {
      // The row stands, and the quota object takes it from D1 when it wakes.
      ctx.log.warn('quota_not_committed', { mediaId: item.mediaId })
      return
    }
    draft.isUncertain = true
    await ctx.db.batch([
      forgetPages(ctx, eq(memorials.id, draft.memorialId), { urgent: true }),
      ctx.db.delete(media).where(eq(media.id, item.mediaId)),
      ctx.db.delete(idempotencyKeys).where(eq(idempotencyKeys.resultId, item.mediaId)),
      ctx.db
        .update(memorials)
        .set({ profileMediaId: null, updatedAt: nextUpdatedAt(ctx) })
        .where(and(eq(memorials.id, draft.memorialId), eq(memorials.profileMediaId, item.mediaId))),
    ])
    draft.isUncertain = false
    throw error
  }
}
