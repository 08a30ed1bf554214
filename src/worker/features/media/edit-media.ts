import { and, eq, notExists, or, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Media, updateMediaInput } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import type * as z from 'zod/mini'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { insertAdminAudit } from '#worker/access/audit.ts'
import { findMediaRow, toMedia } from '#worker/features/media/media.ts'
import { media, objectDeletions } from '#worker/schema/media.table.ts'
import { viewableMedia, type MediaAccess } from '#worker/features/media/serve-media.ts'
import { isStillAllowed } from '#worker/access/memorial-access.ts'
import { nextUpdatedAt } from '#worker/features/memorials/memorials.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { queueCachePurge } from '#worker/features/memorials/public-cache.ts'
import { releaseQuota } from '#worker/features/quota/quota.ts'
import type { Guard } from '#worker/access/route.ts'
import { existsIn } from '#worker/platform/db.ts'
import { schedulePurge } from '#worker/platform/edge-cache.ts'

/** Route guard: the media item `:id`, if the viewer may change and delete it. */
export const changeableMedia: Guard<MediaAccess> = async (ctx, input) => {
  const found = await viewableMedia(ctx, input)
  const refusal = found.access.refuseChange(found.row.contributorId)
  // prove: media-change-allowed
  if (refusal) throw new AppError(refusal.code, refusal.message)
  return found
}

/** Changes caption, alternative text or both. Throws `memorial_locked` if that's no longer allowed at the write. */
export async function updateMedia(
  ctx: RequestCtx,
  found: MediaAccess,
  { caption, alt }: z.output<typeof updateMediaInput>,
): Promise<Media> {
  const { id } = found.row
  const isThisMedia = and(eq(media.id, id), isStillAllowed(ctx.db, found))
  const audit = { action: 'edit_media', targetKind: 'media', targetId: id } as const
  const [, , [changed]] = await ctx.db.batch([
    queueCachePurge(ctx, eq(memorials.id, found.memorial.id), { urgent: false }),
    insertAdminAudit(ctx, found, audit, existsIn(media, isThisMedia)),
    ctx.db
      .update(media)
      .set({ ...(caption === undefined ? {} : { caption }), ...(alt === undefined ? {} : { alt }) })
      .where(isThisMedia)
      .returning({ id: media.id }),
  ])
  const row = await findMediaRow(ctx, id)
  if (!row) throw new AppError('not_found', messages.media.notFound)
  if (!changed) throw new AppError('memorial_locked', messages.memorial.locked)
  return toMedia(row, found)
}

/**
 * Deletes a media item: its row and all references at once, its objects by a job that is queued in the same batch; releases
 * its quota. Owner and admin may delete any item, a contributor their own while INVITE. Safe to repeat.
 */
export async function deleteMedia(ctx: RequestCtx, found: MediaAccess): Promise<void> {
  const { db } = ctx
  const { row, memorial } = found
  const isGone = notExists(
    db
      .select({ one: sql`1` })
      .from(media)
      .where(eq(media.id, row.id)),
  )
  const isThisMemorial = eq(memorials.id, memorial.id)
  const isThisMedia = and(eq(media.id, row.id), eq(media.memorialId, memorial.id), isStillAllowed(db, found))
  const audit = { action: 'delete_media', targetKind: 'media', targetId: row.id } as const
  const [purges, , removed] = await db.batch([
    queueCachePurge(ctx, isThisMemorial, { urgent: true }),
    insertAdminAudit(ctx, found, audit, existsIn(media, isThisMedia)),
    db.delete(media).where(isThisMedia).returning({ id: media.id }),
    db
      .insert(objectDeletions)
      .select(
        db
          .select({
            prefix: sql`${row.objectKey}`.as('prefix'),
            createdAt: sql`${ctx.now()}`.as('created_at'),
          })
          .from(memorials)
          .where(and(eq(memorials.id, memorial.id), isGone)),
      )
      .onConflictDoNothing(),
    db
      .update(memorials)
      .set({
        coverMediaId: sql`nullif(${memorials.coverMediaId}, ${row.id})`,
        profileMediaId: sql`nullif(${memorials.profileMediaId}, ${row.id})`,
        updatedAt: nextUpdatedAt(ctx),
      })
      .where(
        and(
          eq(memorials.id, memorial.id),
          or(eq(memorials.coverMediaId, row.id), eq(memorials.profileMediaId, row.id)),
          isGone,
        ),
      ),
  ])
  if (removed.length === 0) {
    if (await findMediaRow(ctx, row.id)) throw new AppError('memorial_locked', messages.memorial.locked)
    return
  }
  await releaseQuota(ctx, memorial.id, row.id)
  await ctx.enqueue({ type: 'delete-objects', prefix: row.objectKey })
  await schedulePurge(ctx, purges)
}
