import { and, eq, not, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Ctx } from '#worker/platform/ctx.ts'
import { isPaid } from '#worker/access/memorial-access.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { isUsableCredit, payments } from '#worker/schema/payments.table.ts'
import { existsIn } from '#worker/platform/db.ts'

/**
 * SQL: the oldest payment that can pay for a memorial, also one whose target was deleted before it was PAID. `targetId`: only
 * one that was meant for this memorial.
 */
export function oldestCredit(userId: string | SQLiteColumn, targetId?: string) {
  const isMeant = targetId === undefined ? sql`1` : eq(payments.targetMemorialId, targetId)
  return sql`(select ${payments.id} from ${payments}
    where ${payments.userId} = ${userId} and ${isUsableCredit()} and ${isMeant}
    order by ${payments.paidAt}, ${payments.createdAt}, ${payments.id} limit 1)`
}

/**
 * Two statements that pay for a memorial with its owner's oldest credit, if they have one, `isWanted`, and the memorial is
 * neither deleted nor paid for. The writes themselves decide, so simultaneous calls use one credit once. The first
 * statement returns the payment used.
 */
export function attachCredit(ctx: Ctx, memorial: { id: string; ownerId: string }, isWanted = true) {
  const isOwned = and(eq(memorials.id, memorial.id), eq(memorials.ownerId, memorial.ownerId), isNotDeleted())
  const isPayable = existsIn(memorials, and(isOwned, /* prove: credit-used-once */ not(isPaid())))
  return [
    ctx.db
      .update(payments)
      .set({ memorialId: memorial.id, updatedAt: ctx.now() })
      .where(sql`${payments.id} = ${oldestCredit(memorial.ownerId)} and ${Number(isWanted)} and ${isPayable}`)
      .returning({ id: payments.id }),
    ctx.db
      .update(memorials)
      .set({ status: 'ACTIVE' })
      .where(and(isOwned, eq(memorials.status, 'DRAFT'), isPaid())),
  ] as const
}

/** Statement: attaches the payment that the owner meant for this memorial, unless the memorial has one. */
export function attachUnusedPayment(ctx: Ctx, memorial: { id: string; ownerId: string }, condition: SQL) {
  return ctx.db
    .update(payments)
    .set({ memorialId: memorial.id, updatedAt: ctx.now() })
    .where(
      sql`${payments.id} = ${oldestCredit(memorial.ownerId, memorial.id)} and ${condition}
        and not exists (select 1 from ${payments} where ${payments.memorialId} = ${memorial.id})`,
    )
}
