import { and, asc, eq, inArray, isNull, lte, notExists, or } from 'drizzle-orm'
import { DELETED_RESTORABLE_MS, MINUTE_MS, PURGE_BATCH } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { purgeAccount } from '#worker/features/removal/purge-account.ts'
import { purgeMemorial } from '#worker/features/removal/purge-memorial.ts'

/** A request that began within the 30 days may still be bringing something back. */
const PURGE_MARGIN_MS = MINUTE_MS

/**
 * Removes for good what was deleted 30 days ago or earlier: memorials that their owner deleted, and accounts with
 * everything of theirs, memorials that an admin removed included. Another's removed memorial is kept: that is for an admin
 * to decide. Bounded a run; where more is due it asks for the next one. Safe to repeat, to run twice at once, to be killed
 * anywhere; what fails is logged, holds up nothing else, and is tried again the next day.
 */
export async function purgeDeleted(ctx: Ctx): Promise<void> {
  const until = ctx.now() - DELETED_RESTORABLE_MS - PURGE_MARGIN_MS
  const isGone = and(lte(users.deletedAt, until), isNull(users.purgedAt))
  const dueMemorials = await ctx.db
    .select({ id: memorials.id })
    .from(memorials)
    .where(
      or(
        and(eq(memorials.status, 'DELETED'), lte(memorials.deletedAt, until)),
        inArray(memorials.ownerId, ctx.db.select({ id: users.id }).from(users).where(isGone)),
      ),
    )
    .orderBy(asc(memorials.deletedAt), asc(memorials.id))
    .limit(PURGE_BATCH)
  const purgedMemorials = await purgeEach(ctx, dueMemorials, purgeMemorial)

  const owned = ctx.db.select({ id: memorials.id }).from(memorials).where(eq(memorials.ownerId, users.id))
  const dueAccounts = await ctx.db
    .select({ id: users.id })
    .from(users)
    .where(and(isGone, notExists(owned)))
    .orderBy(asc(users.deletedAt), asc(users.id))
    .limit(PURGE_BATCH)
  const purgedAccounts = await purgeEach(ctx, dueAccounts, purgeAccount)
  if (purgedMemorials === PURGE_BATCH || purgedAccounts === PURGE_BATCH) {
    await ctx.enqueue({ type: 'purge-deleted' })
  }
}

/** How many were purged. */
async function purgeEach(
  ctx: Ctx,
  due: { id: string }[],
  purge: (ctx: Ctx, id: string) => Promise<void>,
): Promise<number> {
  let purged = 0
  for (const { id } of due) {
    try {
      await purge(ctx, id)
      purged++
    } catch (error) {
      ctx.log.error('purge_failed', error, { id })
    }
  }
  if (purged > 0) ctx.log.info('purged', { what: purge.name, count: purged })
  return purged
}
