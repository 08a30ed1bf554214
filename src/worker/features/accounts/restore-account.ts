import { and, eq, gt, not, sql } from 'drizzle-orm'
import { DELETED_RESTORABLE_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { attachUnusedPayment } from '#worker/features/memorials/delete-memorial.ts'
import { isPaid } from '#worker/access/memorial-access.ts'
import { nextUpdatedAt } from '#worker/features/memorials/memorials.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { queueCachePurge } from '#worker/features/memorials/public-cache.ts'

/**
 * Restores an account that its owner deleted less than 30 days ago, with the memorials that were deleted with it. Memorials
 * that the owner deleted earlier or an admin removed stay that way. Returns false when the 30 days are over.
 */
export async function restoreAccount(ctx: Ctx, userId: string): Promise<boolean> {
  const { db } = ctx
  const isRestorable = and(eq(users.id, userId), gt(users.deletedAt, ctx.now() - DELETED_RESTORABLE_MS))
  const wasDeletedWithAccount = and(
    eq(memorials.ownerId, userId),
    eq(memorials.status, 'DELETED'),
    // prove: restore-only-what-went
    sql`${memorials.deletedAt} = (select ${users.deletedAt} from ${users} where ${isRestorable})`,
  )
  const unpaid = await db
    .select({ id: memorials.id, ownerId: memorials.ownerId })
    .from(memorials)
    .where(and(wasDeletedWithAccount, not(isPaid(db))))
  const [, restored] = await db.batch([
    queueCachePurge(ctx, wasDeletedWithAccount, { urgent: false }),
    db.update(users).set({ updatedAt: ctx.now() }).where(isRestorable).returning({ id: users.id }),
    ...unpaid.map((memorial) =>
      attachUnusedPayment(
        ctx,
        memorial,
        sql`exists (select 1 from ${memorials} where ${memorials.id} = ${memorial.id} and ${wasDeletedWithAccount})`,
      ),
    ),
    db
      .update(memorials)
      .set({
        status: sql`case when ${isPaid(db)} then 'ACTIVE' else 'DRAFT' end`,
        deletedAt: null,
        updatedAt: nextUpdatedAt(ctx),
      })
      .where(wasDeletedWithAccount),
    db.update(users).set({ deletedAt: null }).where(isRestorable),
  ])
  return restored.length > 0
}
