import { and, desc, eq, sql, type SQL } from 'drizzle-orm'
import type { HeldItems } from '#shared/held.ts'
import { HELD_PAGE } from '#shared/limits.ts'
import { insertAdminAudit } from '#worker/access/audit.ts'
import { settleReports } from '#worker/access/reported.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { actorIdOf, selectComments, toComment } from '#worker/features/comments/comments.ts'
import { selectMedia, toMedia, toMediaRow } from '#worker/features/media/media.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { countRows, existsIn } from '#worker/platform/db.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** SQL condition: held in this memorial. A literal, so that the partial index is used. */
function isHeldIn(table: typeof media | typeof comments, memorialId: string): SQL | undefined {
  return and(eq(table.memorialId, memorialId), sql`${table.isHeld} = 1`)
}

/** Returns the newest held media items and comments, and how many there are. For editors. */
export async function listHeld(ctx: RequestCtx, access: MemorialAccess): Promise<HeldItems> {
  const { id } = access.memorial
  const [isHeldMedia, isHeldComment] = [isHeldIn(media, id), isHeldIn(comments, id)]
  const [files, messages, [mediaCount], [commentCount]] = await ctx.db.batch([
    selectMedia(ctx).where(isHeldMedia).orderBy(desc(media.createdAt), desc(media.id)).limit(HELD_PAGE),
    selectComments(ctx, actorIdOf(ctx, access))
      .where(isHeldComment)
      .orderBy(desc(comments.createdAt), desc(comments.id))
      .limit(HELD_PAGE),
    countRows(ctx.db, media, isHeldMedia),
    countRows(ctx.db, comments, isHeldComment),
  ])
  return {
    media: files.map((row) => toMedia(toMediaRow(row), access)),
    comments: messages.map((row) => toComment(row, access)),
    count: (mediaCount?.amount ?? 0) + (commentCount?.amount ?? 0),
  }
}

/** Shows these held items, or all, to everyone who may see the memorial. Returns how many. Idempotent. */
export async function showHeld(
  ctx: RequestCtx,
  access: MemorialAccess,
  ids: string[] | undefined,
): Promise<number> {
  const { db } = ctx
  const { id } = access.memorial
  const isChosen = (table: typeof media | typeof comments) =>
    and(
      /* prove: held-own-memorial */ isHeldIn(table, id),
      ids && sql`${table.id} in (select value from json_each(${JSON.stringify(ids)}))`,
    )
  const isAny = sql`(${existsIn(media, isChosen(media))} or ${existsIn(comments, isChosen(comments))})`
  const chosen = sql`select ${media.id} from ${media} where ${isChosen(media)}
    union all select ${comments.id} from ${comments} where ${isChosen(comments)}`
  const [, , , files, messages] = await db.batch([
    queueCachePurge(ctx, eq(memorials.id, id), { urgent: false }),
    insertAdminAudit(ctx, access, { action: 'show_held' }, isAny),
    settleReports(ctx, id, chosen),
    db.update(media).set({ isHeld: false }).where(isChosen(media)).returning({ id: media.id }),
    db.update(comments).set({ isHeld: false }).where(isChosen(comments)).returning({ id: comments.id }),
  ])
  return files.length + messages.length
}
