import { and, desc, eq, gt, or, sql, type SQL } from 'drizzle-orm'
import type { HeldGroup, HeldItems, HeldMedia, HoldReason } from '#shared/removal/held.ts'
import { DELETED_RESTORABLE_MS, HELD_GROUP, HELD_PAGE } from '#shared/limits.ts'
import type { ItemTable } from '#worker/access/held.ts'
import { listLetInRequests } from '#worker/features/let-in/ask.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { actorIdOf, selectComments, toComment } from '#worker/features/comments/comments.ts'
import { selectMedia, toMedia, toMediaRow } from '#worker/features/media/media.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { countRows, existsIn } from '#worker/platform/db.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** SQL condition: held in this memorial as that. Literals, so that the partial index is used. */
export function isHeldAs(
  table: ItemTable,
  memorialId: string,
  heldAs: 'WAITING' | 'MAY_HURT' | 'DECLINED',
): SQL | undefined {
  return and(
    /* prove: held-own-memorial */ eq(table.memorialId, memorialId),
    sql`${table.isHeld} = 1`,
    sql`${table.heldAs} = ${sql.raw(`'${heldAs}'`)}`,
  )
}

/** SQL condition: an approver decided about it in the last 30 days. Names `is not null` for the partial index. */
export function isDecided(ctx: RequestCtx, table: ItemTable, memorialId: string): SQL | undefined {
  return and(
    /* prove: undo-own-memorial */ eq(table.memorialId, memorialId),
    sql`${table.decidedAt} is not null`,
    // Something else may hold it by now.
    sql`(${table.isHeld} = 0 or ${table.heldAs} = 'DECLINED')`,
    gt(table.decidedAt, ctx.now() - DELETED_RESTORABLE_MS),
  )
}

/** Returns what waits, newest first, and what rules hold: the newest of each rule, and more of rule `whole`. For approvers. */
export async function listHeld(
  ctx: RequestCtx,
  access: MemorialAccess,
  whole?: HoldReason,
): Promise<HeldItems> {
  const { id } = access.memorial
  const asOf = new Date(ctx.now()).toISOString()
  const [waitingMedia, waitingComments] = [isHeldAs(media, id, 'WAITING'), isHeldAs(comments, id, 'WAITING')]
  const [files, messages, [mediaCount], [commentCount], mediaReasons, commentReasons, [decided]] =
    await ctx.db.batch([
      newestMedia(ctx, waitingMedia, HELD_PAGE),
      newestComments(ctx, access, waitingComments, HELD_PAGE),
      countRows(ctx.db, media, waitingMedia),
      countRows(ctx.db, comments, waitingComments),
      countReasons(ctx, media, id),
      countReasons(ctx, comments, id),
      ctx.db
        .select({ id: memorials.id })
        .from(memorials)
        .where(
          and(
            eq(memorials.id, id),
            or(existsIn(media, isDecided(ctx, media, id)), existsIn(comments, isDecided(ctx, comments, id))),
          ),
        ),
    ])
  return {
    media: files.map((row) => toHeldMedia(row, access)),
    comments: messages.map((row) => toComment(row, access)),
    count: (mediaCount?.amount ?? 0) + (commentCount?.amount ?? 0),
    mayHurt: await listGroups(ctx, access, [...mediaReasons, ...commentReasons], whole),
    asking: await listLetInRequests(ctx, id),
    hasDecided: decided !== undefined,
    asOf,
  }
}

async function listGroups(
  ctx: RequestCtx,
  access: MemorialAccess,
  counts: { reason: HoldReason | null; amount: number }[],
  whole: HoldReason | undefined,
): Promise<HeldGroup[]> {
  const { id } = access.memorial
  const reasons = [...new Set(counts.map(({ reason }) => reason))].filter((reason) => reason !== null)
  return Promise.all(
    reasons.map(async (reason) => {
      const isOfReason = (table: ItemTable) =>
        and(isHeldAs(table, id, 'MAY_HURT'), eq(table.heldReason, reason))
      const limit = reason === whole ? HELD_PAGE : HELD_GROUP
      const [files, messages] = await ctx.db.batch([
        newestMedia(ctx, isOfReason(media), limit),
        newestComments(ctx, access, isOfReason(comments), limit),
      ])
      return {
        reason,
        count: counts.reduce((sum, each) => sum + (each.reason === reason ? each.amount : 0), 0),
        media: files.map((row) => toHeldMedia(row, access)),
        comments: messages.map((row) => toComment(row, access)),
      }
    }),
  )
}

function toHeldMedia(found: Parameters<typeof toMediaRow>[0], access: MemorialAccess): HeldMedia {
  return Object.assign(toMedia(toMediaRow(found), access), { contributorId: found.row.contributorId })
}

function newestMedia(ctx: RequestCtx, where: SQL | undefined, limit: number) {
  return selectMedia(ctx).where(where).orderBy(desc(media.createdAt), desc(media.id)).limit(limit)
}

function newestComments(ctx: RequestCtx, access: MemorialAccess, where: SQL | undefined, limit: number) {
  return selectComments(ctx, actorIdOf(ctx, access))
    .where(where)
    .orderBy(desc(comments.createdAt), desc(comments.id))
    .limit(limit)
}

/** Statement: how many items each rule holds. Reads the index only. */
function countReasons({ db }: RequestCtx, table: ItemTable, memorialId: string) {
  return (
    db
      .select({ reason: table.heldReason, amount: sql<number>`count(*)`.as('amount') })
      .from(table)
      // What people reported has a list of its own.
      .where(and(isHeldAs(table, memorialId, 'MAY_HURT'), sql`${table.heldReason} <> 'REPORTS'`))
      .groupBy(table.heldReason)
  )
}
