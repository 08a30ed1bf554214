import { and, asc, eq, inArray, isNull, lte, notExists, or } from 'drizzle-orm'
import { DELETED_RESTORABLE_MS, MINUTE_MS, PURGE_BATCH } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { purgeAccount, purgeMemorial } from '#worker/features/removal/purge.ts'

/** A request that started within the 30 days may still be restoring something. */
const PURGE_MARGIN_MS = MINUTE_MS

/**
 * Purges memorials that their owners deleted 30 days ago or earlier, and such accounts with all their memorials, even
 * removed ones. Handles a limited number and queues another run if more are due. Safe to repeat, run concurrently or
 * kill; failures are logged and retried the next day.
 */
export async function purgeDeleted(ctx: Ctx): Promise<void> {
  const until = ctx.now() - DELETED_RESTORABLE_MS - PURGE_MARGIN_MS
  const isGone = and(lte(users.deletedAt, until), isNull(users.purgedAt))
  const dueMemorials = await ctx.db
    .select({ id: memorials.id })
    .from(memorials)
    .where(
      or(
        and(
          eq(memorials.status, 'DELETED'),
          /* prove: purge-after-30-days */ lte(memorials.deletedAt, until),
        ),
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

/** Returns how many were purged. */
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
