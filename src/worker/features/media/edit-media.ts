import { not, and, eq, sql, isNotNull, type SQL } from 'drizzle-orm'
import { AppError, fieldError } from '#shared/errors.ts'
import type { HoldReason } from '#shared/removal/held.ts'
import type { Media, updateMediaInput } from '#shared/media/media.ts'
import { messages } from '#shared/messages.ts'
import type * as z from 'zod/mini'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { recordAction } from '#worker/access/audit.ts'
import { deleteForGood, isBeyondKept, keepRemoved } from '#worker/access/removed.ts'
import { forgetSettledReports, settleWithRemoval } from '#worker/access/reported.ts'
import { findMediaRow, toMedia } from '#worker/features/media/media.ts'
import { media, objectDeletions } from '#worker/schema/media.table.ts'
import { viewableMedia, type MediaAccess } from '#worker/features/media/serve-media.ts'
import type { HeldColumns } from '#worker/access/held.ts'
import { throwIfRefused } from '#worker/access/access.ts'
import { isStillAllowed, isStillRemovable } from '#worker/access/memorial-access.ts'
import { clearImages } from '#worker/features/memorials/clear-images.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { queueCachePurge, schedulePurge } from '#worker/platform/edge-cache.ts'
import { judgeOwn } from '#worker/features/rules/word-rules.ts'
import { settleQuota } from '#worker/features/quota/quota.ts'
import type { Guard } from '#worker/access/route.ts'
import { existsIn } from '#worker/platform/db.ts'
import { HOUR_MS, POSTER_MAX_BYTES } from '#shared/limits.ts'
import { deleteFilesOf, deleteObjects } from '#worker/features/media/media.jobs.ts'
import { requireMoreFiles, wrongType } from '#worker/features/media/receive-file.ts'
import { mediaTypeOf, sniff } from '#shared/media/uploads.ts'
import { makeVariantsOf, type FirstVariants } from '#worker/features/media/variants.ts'
import { readBytes } from '#worker/http/json-body.ts'
import { newId } from '#worker/platform/random.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Route guard: the media item `:id`, if the viewer may change it. */
export const changeableMedia: Guard<MediaAccess> = async (ctx, input) => {
  const found = await viewableMedia(ctx, input)
  // prove: media-change-allowed
  throwIfRefused(found.refuseChange(found.row.contributorId))
  return found
}

/** Whether the family has let others see it, and looks at new things first: then only editors change it. */
function isFixed({ canEdit, memorial }: MediaAccess, row: HeldColumns): boolean {
  return !canEdit && memorial.holdNew && looksShown(row)
}

function refusedAtWrite(found: MediaAccess, row: HeldColumns): AppError {
  return isFixed(found, row)
    ? new AppError('conflict', serverMessages.media.heldNow)
    : new AppError('memorial_locked', messages.memorial.locked)
}

/** Whether its contributor takes it for shown: what a block or reports hold counts too, so that nobody notices those. */
function looksShown({ isHeld, heldAs, heldReason }: HeldColumns): boolean {
  return !isHeld || heldAs === 'BLOCKED' || heldReason === 'REPORTS'
}

/** SQL condition: this item, if the viewer may still change it: while new things wait, only editors change what has been shown since. */
function isStillChangeable(found: MediaAccess): SQL | undefined {
  const isThisMedia = and(eq(media.id, found.row.id), isStillAllowed(found))
  if (found.canEdit || !found.memorial.holdNew) return isThisMedia
  return and(
    isThisMedia,
    /* prove: held-until-changed */ sql`${media.isHeld} = 1`,
    // The same answer as while it was shown, or its contributor would notice: `looksShown`.
    /* prove: unnoticed-until-changed */ sql`${media.heldAs} <> 'BLOCKED' and coalesce(${media.heldReason}, '') <> 'REPORTS'`,
  )
}

/** Route guard: the media item `:id`, if the viewer may remove it. */
export const removableMedia: Guard<MediaAccess> = async (ctx, input) => {
  const found = await viewableMedia(ctx, input)
  // prove: media-removal-allowed
  throwIfRefused(found.refuseRemoval(found.row.contributorId))
  return found
}

/** Changes caption, alternative text or both. Throws `memorial_locked` if that's no longer allowed at the write. */
export async function updateMedia(
  ctx: RequestCtx,
  found: MediaAccess,
  { caption, alt }: z.output<typeof updateMediaInput>,
): Promise<Media> {
  const { id } = found.row
  const isThisMedia = isStillChangeable(found)
  const words = [caption === undefined ? found.row.caption : caption, alt === undefined ? found.row.alt : alt]
  const sorted = found.canEdit ? {} : sortedBy(await judgeOwn(ctx, found, words.join('\n')))
  const audit = { action: 'edit_media', targetKind: 'media', targetId: id } as const
  const isChanging = existsIn(media, isThisMedia)
  const [, , [changed]] = await ctx.db.batch([
    queueCachePurge(ctx, eq(memorials.id, found.memorial.id), { urgent: false }),
    recordAction(ctx, found, audit, isChanging),
    ctx.db
      .update(media)
      .set({
        ...(caption === undefined ? {} : { caption }),
        ...(alt === undefined ? {} : { alt }),
        ...sorted,
        ...changedNow(ctx, found),
      })
      .where(isThisMedia)
      .returning({ id: media.id }),
    ...(found.canEdit ? [] : [forgetSettledReports(ctx, id, isChanging)]),
  ])
  const row = await findMediaRow(ctx, id)
  if (!row) throw new AppError('not_found', messages.media.notFound)
  if (!changed) throw refusedAtWrite(found, row)
  return toMedia(row, found)
}

/** For `decided-as-seen`: an editor's own change needs no second look. */
function changedNow(ctx: RequestCtx, { canEdit }: MediaAccess) {
  return canEdit ? {} : { changedAt: ctx.now() }
}

/**
 * The columns of an item whose words have changed, while it is held: what waits is sorted at once, anything else when its decision or block is
 * taken back. What else held it stays as it is.
 */
function sortedBy(reason: HoldReason | null) {
  const isJudged = sql`${media.isHeld} = 1 and coalesce(${media.heldReason}, 'WORDS') in ('WORDS', 'LINK', 'CONTACT', 'SHOUTING')`
  const isSorted = sql`${isJudged} and ${media.heldAs} in ('WAITING', 'MAY_HURT')`
  return {
    heldAs: sql`case when ${isSorted} then ${reason === null ? 'WAITING' : 'MAY_HURT'} else ${media.heldAs} end`,
    heldReason: sql`case when ${isJudged} then ${reason} else ${media.heldReason} end`,
  }
}

/** Hides it at once; it can be restored for 30 days. Contributors remove their own while INVITE or LOCKED. Throws `memorial_locked`. */
export async function removeMedia(ctx: RequestCtx, found: MediaAccess): Promise<void> {
  const { db } = ctx
  const { row, memorial } = found
  const isGone = not(existsIn(media, eq(media.id, row.id)))
  const isThisMemorial = eq(memorials.id, memorial.id)
  const isThisMedia = and(eq(media.id, row.id), eq(media.memorialId, memorial.id), isStillRemovable(found))
  const audit = { action: 'delete_media', targetKind: 'media', targetId: row.id } as const
  const [purges, , , removed, , , , beyondKept] = await db.batch([
    queueCachePurge(ctx, isThisMemorial, { urgent: true }),
    recordAction(ctx, found, audit, existsIn(media, isThisMedia)),
    keepRemoved(ctx, found, media, isThisMedia),
    db.delete(media).where(isThisMedia).returning({ id: media.id }),
    clearImages(ctx, memorial.id, (used) => and(eq(used, row.id), isGone)),
    settleWithRemoval(ctx, memorial.id, sql`${row.id}`),
    ...deleteForGood(ctx, isBeyondKept(ctx, found)),
  ])
  if (removed.length === 0) {
    if (await findMediaRow(ctx, row.id)) throw new AppError('memorial_locked', messages.memorial.locked)
    return
  }
  await schedulePurge(ctx, purges)
  await settleQuota(ctx, memorial.id, row.id)
  await deleteFilesOf(ctx, beyondKept)
}

/** Route guard: the video `:id`, if the viewer may change it. */
export const posterableMedia: Guard<MediaAccess> = async (ctx, input) => {
  const found = await changeableMedia(ctx, input)
  if (found.row.type !== 'VIDEO') throw new AppError('bad_input', serverMessages.media.posterOfVideoOnly)
  return found
}

/**
 * Stores the body as the poster of a video, creates its variants and deletes the previous poster. Each poster has its own
 * prefix, which is scheduled for deletion first and unscheduled with the row's update, so that a crash leaves no objects.
 * Throws `wrong_type`, `too_large`, `bad_input`, `memorial_locked`, `too_many_requests`.
 */
export async function savePoster(ctx: RequestCtx, found: MediaAccess): Promise<Media> {
  const { row } = found
  await requireRateLimit(ctx, 'posters', row.id)
  // Also limited per sender: deleting and uploading a video again resets its own limit.
  await requireMoreFiles(ctx, found, null)
  const bytes = await readBytes(ctx.request, POSTER_MAX_BYTES)
  if (bytes.byteLength === 0) throw fieldError('bad_input', 'file', messages.media.empty)
  const sniffed = sniff(bytes)
  if (!sniffed || mediaTypeOf(sniffed.mimeType) !== 'IMAGE') throw wrongType(found, 'IMAGE')
  const posterKey = `${row.objectKey}/${newId('file')}`
  await ctx.db.insert(objectDeletions).values({ prefix: posterKey, createdAt: ctx.now() + HOUR_MS })
  const made = await makeOrRemove(ctx, posterKey, bytes)
  const isChanged = await pointAt(ctx, found, posterKey, made)
  if (!isChanged) await deleteObjects(ctx, posterKey)
  const now = await findMediaRow(ctx, row.id)
  if (!now) throw new AppError('not_found', messages.media.notFound)
  if (!isChanged) throw refusedAtWrite(found, now)
  return toMedia(now, found)
}

async function makeOrRemove(ctx: RequestCtx, posterKey: string, bytes: Uint8Array): Promise<FirstVariants> {
  try {
    return await makeVariantsOf(ctx, posterKey, bytes)
  } catch (error) {
    if (error instanceof AppError) await deleteObjects(ctx, posterKey)
    throw error
  }
}

/** In one batch: points the row at the new poster, schedules the old one for deletion and unschedules the new one. */
async function pointAt(
  ctx: RequestCtx,
  found: MediaAccess,
  posterKey: string,
  { width, height, placeholder }: FirstVariants,
): Promise<boolean> {
  const { db } = ctx
  const { row } = found
  const isMine = isStillChangeable(found)
  const isNamed = existsIn(media, and(eq(media.id, row.id), eq(media.posterKey, posterKey)))
  const audit = { action: 'edit_media', targetKind: 'media', targetId: row.id } as const
  const [, , before, changed] = await db.batch([
    queueCachePurge(ctx, eq(memorials.id, found.memorial.id), { urgent: false }),
    recordAction(ctx, found, audit, existsIn(media, isMine)),
    db
      .insert(objectDeletions)
      .select(
        db
          .select({
            prefix: sql`${media.posterKey}`.as('prefix'),
            createdAt: sql`${ctx.now()}`.as('created_at'),
          })
          .from(media)
          .where(and(isMine, isNotNull(media.posterKey))),
      )
      .onConflictDoNothing()
      .returning({ prefix: objectDeletions.prefix }),
    db
      .update(media)
      .set({
        posterKey,
        hasThumbnail: true,
        placeholder,
        ...changedNow(ctx, found),
        // The poster has the video's size if the file itself doesn't state it.
        ...(row.width === null || row.height === null ? { width, height } : {}),
      })
      .where(isMine)
      .returning({ id: media.id }),
    db.delete(objectDeletions).where(and(eq(objectDeletions.prefix, posterKey), isNamed)),
  ])
  await ctx.enqueue(...before.map(({ prefix }) => ({ type: 'delete-objects', prefix }) as const))
  return changed.length > 0
}
