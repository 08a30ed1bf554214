import { sql, type SQL } from 'drizzle-orm'
import { GIFT_ACCOUNT } from '#shared/payments/gift-codes.ts'
import { PRICE_CENTS, PRICE_CURRENCY } from '#shared/limits.ts'
import type { PaymentProvider } from '#shared/payments/payments.ts'
import { oldestCredit } from '#worker/features/payments/credits.ts'
import { newKey, type Target } from '#worker/features/payments/payments.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { insertWhere } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'
import { orders, payments } from '#worker/schema/payments.table.ts'

/** SQL: the id of the account's open order for this target. */
export function openOrder({ userId, memorialId }: Pick<Target, 'userId' | 'memorialId'>): SQL {
  return sql`(select ${orders.id} from ${orders} where ${orders.userId} = ${userId}
    and coalesce(${orders.targetMemorialId}, '') = ${memorialId ?? ''} and ${orders.settledAt} is null)`
}

/** Statement: adds the order unless it is open, if `condition` holds. */
export function insertOrder(ctx: Ctx, { userId, memorialId }: Omit<Target, 'payer'>, condition: SQL) {
  const terms = { userId, targetMemorialId: memorialId, amount: PRICE_CENTS, currency: PRICE_CURRENCY }
  const order = { id: newId('order'), ...terms, createdAt: ctx.now() }
  return insertWhere(ctx.db, orders, order, condition).onConflictDoNothing()
}

/**
 * Two statements that add a payment, and its order unless one is open, if `condition` holds and no credit waits: one may
 * have arrived since it was looked for. Who pays with a link adds no order, because the link's must be open. The second
 * statement returns the payment, unless it wasn't added.
 */
export function insertPayment(
  ctx: Ctx,
  target: Target,
  { id, provider, condition }: { id: string; provider: PaymentProvider; condition: SQL },
) {
  const { userId, memorialId, payer } = target
  const at = ctx.now()
  // What the gift account has paid for belongs to the account that redeems it.
  const hasNoCredit = userId === GIFT_ACCOUNT ? sql`1` : sql`not exists ${oldestCredit(userId)}`
  const hasOrder = payer === null ? sql`1` : sql`${openOrder(target)} is not null`
  const isWanted = sql`(${hasNoCredit} and ${hasOrder} and ${condition})`
  const row = {
    id,
    userId,
    targetMemorialId: memorialId,
    amount: PRICE_CENTS,
    currency: PRICE_CURRENCY,
    payerName: payer?.name,
    payerEmail: payer?.email,
    linkToken: payer?.token,
    provider,
    idempotencyKey: newKey(id),
    createdAt: at,
    updatedAt: at,
  }
  return [
    insertOrder(ctx, target, sql`(${isWanted} and ${Number(payer === null)})`),
    insertWhere(ctx.db, payments, row, isWanted, {
      orderId: openOrder(target),
      // The price of the day on which it was ordered.
      amount: sql`(select ${orders.amount} from ${orders} where ${orders.id} = ${openOrder(target)})`,
    })
      .onConflictDoNothing()
      .returning({ id: payments.id }),
  ] as const
}
