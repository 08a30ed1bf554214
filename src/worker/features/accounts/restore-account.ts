import { and, eq, gt, not, sql } from 'drizzle-orm'
import { DELETED_RESTORABLE_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { attachWaitingPayment } from '#worker/features/memorials/delete-memorial.ts'
import { isPaid } from '#worker/access/memorial-access.ts'
import { nextUpdatedAt } from '#worker/features/memorials/memorials.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { queueCachePurge } from '#worker/features/memorials/public-cache.ts'

/**
 * Brings an account back that was deleted less than 30 days ago, with the memorials that were deleted with it; what its
 * owner had deleted before stays deleted, what an admin removed stays removed. False when the 30 days are over.
 */
export async function restoreAccount(ctx: Ctx, userId: string): Promise<boolean> {
  const { db } = ctx
  const isIt = and(eq(users.id, userId), gt(users.deletedAt, ctx.now() - DELETED_RESTORABLE_MS))
  const wentWithIt = and(
    eq(memorials.ownerId, userId),
    eq(memorials.status, 'DELETED'),
    sql`${memorials.deletedAt} = (select ${users.deletedAt} from ${users} where ${isIt})`,
  )
  const unpaid = await db
    .select({ id: memorials.id, ownerId: memorials.ownerId })
    .from(memorials)
    .where(and(wentWithIt, not(isPaid(db))))
  const [, restored] = await db.batch([
    queueCachePurge(ctx, wentWithIt, { urgent: false }),
    db.update(users).set({ updatedAt: ctx.now() }).where(isIt).returning({ id: users.id }),
    ...unpaid.map((memorial) =>
      attachWaitingPayment(
        ctx,
        memorial,
        sql`exists (select 1 from ${memorials} where ${memorials.id} = ${memorial.id} and ${wentWithIt})`,
      ),
    ),
    db
      .update(memorials)
      .set({
        status: sql`case when ${isPaid(db)} then 'ACTIVE' else 'DRAFT' end`,
        deletedAt: null,
        updatedAt: nextUpdatedAt(ctx),
      })
      .where(wentWithIt),
    db.update(users).set({ deletedAt: null }).where(isIt),
  ])
  return restored.length > 0
}
