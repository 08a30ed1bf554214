import { sql, type SQL } from 'drizzle-orm'
import { PRICE_CENTS, PRICE_CURRENCY } from '#shared/limits.ts'
import type { PaymentProvider } from '#shared/payments.ts'
import { oldestCredit } from '#worker/features/payments/credits.ts'
import { newKey } from '#worker/features/payments/payments.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { insertWhere } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'
import { orders, payments } from '#worker/schema/payments.table.ts'

/** What is bought: a memorial of this account, or its next one if `memorialId` is null. */
export type Target = { userId: string; memorialId: string | null }

/** SQL: the id of the account's open order for this target. */
export function openOrder({ userId, memorialId }: Target): SQL {
  return sql`(select ${orders.id} from ${orders} where ${orders.userId} = ${userId}
    and coalesce(${orders.targetMemorialId}, '') = ${memorialId ?? ''} and ${orders.settledAt} is null)`
}

/**
 * Two statements that add a payment, and its order unless one is open, if `condition` holds and no credit waits: one may
 * have arrived since it was looked for. The second returns the payment, unless it wasn't added.
 */
export function insertPayment(
  ctx: Ctx,
  target: Target,
  { id, provider, condition }: { id: string; provider: PaymentProvider; condition: SQL },
) {
  const { userId, memorialId } = target
  const at = ctx.now()
  const terms = { userId, targetMemorialId: memorialId, amount: PRICE_CENTS, currency: PRICE_CURRENCY }
  const isWanted = sql`(not exists ${oldestCredit(userId)} and ${condition})`
  const order = { id: newId('order'), ...terms, createdAt: at }
  const row = { id, ...terms, provider, idempotencyKey: newKey(id), createdAt: at, updatedAt: at }
  return [
    insertWhere(ctx.db, orders, order, isWanted).onConflictDoNothing(),
    insertWhere(ctx.db, payments, row, isWanted, { orderId: openOrder(target) })
      .onConflictDoNothing()
      .returning({ id: payments.id }),
  ] as const
}
