import { and, eq, exists, notExists, or, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Media, updateMediaInput } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import type * as z from 'zod/mini'
import type { RequestCtx } from '#worker/ctx.ts'
import { canDelete, findMediaRow, toMedia } from '#worker/features/media/media.ts'
import { media, objectDeletions } from '#worker/features/media/media.table.ts'
import type { MediaAccess } from '#worker/features/media/serve-media.ts'
import { requireAccess } from '#worker/features/memorials/memorial-access.ts'
import { nextUpdatedAt } from '#worker/features/memorials/memorials.ts'
import { memorials } from '#worker/features/memorials/memorials.table.ts'
import { forgetPages } from '#worker/features/memorials/public-cache.ts'
import { releaseQuota } from '#worker/features/quota/quota.ts'
import { purgeSoon } from '#worker/platform/edge-cache.ts'

/** Changes the caption. Throws `forbidden` (or `memorial_locked`) unless the person may delete the medium too. */
export async function updateMedia(
  ctx: RequestCtx,
  found: MediaAccess,
  { caption }: z.output<typeof updateMediaInput>,
): Promise<Media> {
  await requireOwn(ctx, found)
  await ctx.db
    .update(media)
    .set({ caption })
    .where(and(eq(media.id, found.row.id), isStillAllowed(ctx, found)))
  const row = await findMediaRow(ctx, found.row.id)
  if (!row) throw new AppError('not_found', messages.media.notFound)
  return toMedia(row, found)
}

/**
 * Removes a medium: its row goes at once, with every reference to it; its objects go by a job that stands in the same
 * batch; its room is given back. Owner and admin any, a contributor their own while INVITE. Safe to repeat.
 */
export async function deleteMedia(ctx: RequestCtx, found: MediaAccess): Promise<void> {
  await requireOwn(ctx, found)
  const { db } = ctx
  const { row, memorial } = found
  const isGone = notExists(
    db
      .select({ one: sql`1` })
      .from(media)
      .where(eq(media.id, row.id)),
  )
  const isHere = eq(memorials.id, memorial.id)
  const [forgotten, removed] = await db.batch([
    forgetPages(ctx, isHere, { urgent: true }),
    db
      .delete(media)
      .where(and(eq(media.id, row.id), eq(media.memorialId, memorial.id), isStillAllowed(ctx, found)))
      .returning({ id: media.id }),
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
  await purgeSoon(ctx, forgotten)
}

async function requireOwn(ctx: RequestCtx, found: MediaAccess): Promise<void> {
  if (!found.access.canEdit && canDelete(found.row, found)) return
  const isOwn = found.contributor !== null && found.row.contributorId === found.contributor.id
  if (isOwn && found.memorial.privacy === 'LOCKED') {
    throw new AppError('memorial_locked', messages.memorial.locked)
  }
  // Throws for everybody else, and writes an admin's deed into the audit log.
  await requireAccess(ctx, found.memorial, 'edit')
}

/** True in the statement itself while a contributor may still change things; always for owner and admin. */
function isStillAllowed({ db }: RequestCtx, { access, memorial }: MediaAccess) {
  if (access.canEdit) return undefined
  return exists(
    db
      .select({ one: sql`1` })
      .from(memorials)
      .where(and(eq(memorials.id, memorial.id), eq(memorials.privacy, 'INVITE'))),
  )
}
