import { and, getTableColumns, sql, type SQL } from 'drizzle-orm'
import { recordAction } from '#worker/access/audit.ts'
import { holdNew, type ItemTable } from '#worker/access/held.ts'
import { isStillAllowed, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { isRestorableBy } from '#worker/access/removed.ts'
import { reopenReports } from '#worker/access/reported.ts'
import { actorIdOf } from '#worker/features/comments/comments.ts'
import { coverWith, nextUpdatedAt } from '#worker/features/memorials/memorials.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { commentLikes, comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'

/**
 * Moves the removed items that match `which` back with their likes, as cover and portrait if nobody chose another
 * meanwhile, in one batch however many they are. Leaves those that this viewer may not restore. Returns how many came back.
 */
export async function putBack(
  ctx: RequestCtx,
  access: MemorialAccess,
  which: SQL | undefined,
  audit: Pick<Parameters<typeof recordAction>[2], 'action' | 'targetKind' | 'targetId'>,
): Promise<number> {
  const { db } = ctx
  const isThisMemorial = sql`${memorials.id} = ${access.memorial.id}`
  await requireRateLimit(ctx, 'restores', actorIdOf(ctx, access) ?? '')
  const isTarget = and(
    sql`${removedItems.memorialId} = ${access.memorial.id}`,
    which,
    isRestorableBy(ctx, access),
    /* prove: restore-still-allowed */ isStillAllowed(access),
  )
  const isBack = sql`(${existsIn(media, sql`${media.id} = ${removedItems.id}`)}
    or ${existsIn(comments, sql`${comments.id} = ${removedItems.id}`)})`
  // What a contributor brings back is new to the family.
  const hold = holdNew(access.memorial.id, access.canEdit ? null : (access.contributor?.id ?? null))
  // The person who added it may be blocked by now.
  const isShownAgain = existsIn(
    media,
    and(
      sql`${media.id} = ${removedItems.id}`,
      /* prove: restored-held-is-no-cover */ sql`${media.isHeld} = 0`,
    ),
  )
  /** SQL: the id of the restored photo that was the cover, or the portrait; else null. */
  const former = (wasUsed: SQL) => sql`(select ${removedItems.id} from ${removedItems}
    where ${isTarget} and ${wasUsed} and ${isShownAgain} limit 1)`
  const [cover, portrait] = [former(sql`${removedItems.wasCover}`), former(sql`${removedItems.wasPortrait}`)]
  const restoredComments = sql`select ${removedItems.id} from ${removedItems}
    where ${isTarget} and ${removedItems.objectKey} is null`
  const [, , , , , , , , , done] = await db.batch([
    queueCachePurge(ctx, isThisMemorial, { urgent: false }),
    recordAction(ctx, access, audit, existsIn(removedItems, isTarget)),
    insertBack(ctx, media, hold, sql`${isTarget} and ${removedItems.objectKey} is not null`),
    insertBack(ctx, comments, hold, sql`${isTarget} and ${removedItems.objectKey} is null`),
    // Without the likes of people whose account has been deleted for good.
    db.insert(commentLikes).select(sql`select ${removedItems.id}, value ->> 0, value ->> 1
      from ${removedItems}, json_each(${removedItems.likes}) where ${isTarget} and ${isBack} and (
        exists (select 1 from ${users} where ${users.id} = value ->> 0 and ${users.purgedAt} is null)
        or exists (select 1 from ${contributors} where ${contributors.id} = value ->> 0))`),
    db
      .update(comments)
      .set({
        likeCount: sql`(select count(*) from ${commentLikes} where ${commentLikes.commentId} = ${comments.id})`,
      })
      .where(sql`${comments.id} in (${restoredComments})`),
    db
      .update(memorials)
      .set({ coverMediaId: coverWith(cover), updatedAt: nextUpdatedAt(ctx) })
      .where(sql`${isThisMemorial} and ${cover} is not null`),
    db
      .update(memorials)
      .set({
        profileMediaId: sql`coalesce(${memorials.profileMediaId}, ${portrait})`,
        updatedAt: nextUpdatedAt(ctx),
      })
      .where(sql`${isThisMemorial} and ${portrait} is not null`),
    reopenReports(
      ctx,
      access.memorial.id,
      sql`select ${removedItems.id} from ${removedItems} where ${isTarget} and ${isBack}`,
    ),
    db
      .delete(removedItems)
      .where(sql`${isTarget} and ${isBack}`)
      .returning({ id: removedItems.id }),
  ])
  return done.length
}

/**
 * Statement: inserts the stored rows of the removed items that match `where`, held if they were, if `hold` says so, or if their sender is
 * blocked now. A column that they lack gets its default.
 */
function insertBack({ db }: RequestCtx, table: ItemTable, hold: ReturnType<typeof holdNew>, where: SQL) {
  const storedOf = (name: string) => sql`${removedItems.item} ->> ${sql.raw(`'${name}'`)}`
  const wasHeld = sql`coalesce(${storedOf('isHeld')}, 0)`
  const heldAs = sql`coalesce(${storedOf('heldAs')}, 'WAITING')`
  const heldReason = sql`case when ${wasHeld} then ${storedOf('heldReason')} else ${hold.heldReason} end`
  const isBlocked = sql`exists (select 1 from ${contributors}
    where ${contributors.id} = ${removedItems.contributorId} and ${contributors.blockedAt} is not null)`
  const values = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const stored = storedOf(name)
    if (column === table.isHeld) return sql`max(${wasHeld}, ${hold.isHeld}, ${isBlocked})`
    if (column === table.heldReason) return heldReason
    if (column === table.heldAs)
      return sql`case when ${wasHeld} and ${heldAs} = 'DECLINED' then 'DECLINED'
        when ${isBlocked} then case when (${wasHeld} and ${heldAs} <> 'BLOCKED') or ${hold.isHeld} then 'BLOCKED_UNREAD' else 'BLOCKED' end
        when not ${wasHeld} then ${hold.heldAs}
        when ${heldAs} in ('WAITING', 'MAY_HURT') then ${heldAs}
        when ${heldReason} is null then 'WAITING' else 'MAY_HURT' end`
    return column.default === undefined
      ? stored
      : sql`coalesce(${stored}, ${sql.param(column.default, column)})`
  })
  return db.insert(table).select(sql`select ${sql.join(values, sql`, `)} from ${removedItems} where ${where}`)
}
