import { sql, type SQL } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { PAYMENT_PROVIDERS, PAYMENT_STATUS } from '#shared/payments.ts'
import { users } from '#worker/schema/accounts.table.ts'

export type RefundReason = 'memorial_already_paid' | 'account_deleted' | 'refund_asked' | 'refund_failed'

export const payments = sqliteTable(
  'payments',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** What it is meant for; null for a memorial that is not made yet. */
    targetMemorialId: text('target_memorial_id'),
    /** What it has paid for. Set once, never changed: one payment, one memorial. */
    memorialId: text('memorial_id'),
    status: text({ enum: PAYMENT_STATUS }).notNull().default('PENDING'),
    provider: text({ enum: PAYMENT_PROVIDERS }).notNull(),
    /** US cents. */
    amount: integer().notNull(),
    currency: text().notNull(),
    /** Stripe's PaymentIntent id; null until Stripe has answered. */
    providerIntentId: text('provider_intent_id'),
    /** The idempotency key sent to Stripe, so that a repeated call is one charge. */
    idempotencyKey: text('idempotency_key').notNull(),
    paidAt: integer('paid_at'),
    /**
     * Why an admin should look at it, else null: the memorial was paid for twice, the account was gone when the money came, a
     * refund was asked for and is not decided, or Stripe could not give the money back.
     */
    refundReason: text('refund_reason').$type<RefundReason>(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('payments_intent').on(t.providerIntentId),
    uniqueIndex('payments_memorial').on(t.memorialId),
    uniqueIndex('payments_open')
      .on(t.userId, sql`coalesce(${t.targetMemorialId}, '')`)
      .where(sql`${t.status} = 'PENDING'`),
    index('payments_user').on(t.userId, t.createdAt),
    // With all that the console's search reads, so that it scans this index and never the table.
    index('payments_created').on(t.createdAt, t.id, t.userId, t.memorialId, t.targetMemorialId),
    index('payments_paid').on(t.paidAt),
    index('payments_status').on(t.status, t.createdAt),
    index('payments_target').on(t.targetMemorialId, t.memorialId),
    index('payments_to_refund')
      .on(t.status, t.createdAt, t.id)
      .where(sql`${t.refundReason} is not null and ${t.status} = 'PAID'`),
  ],
)

/**
 * In SQL: this payment may pay for a memorial. PAID, unused, and its money is not to go back; after a refund that failed
 * the money is still with us, so it is the payer's to use.
 */
export function isUsableCredit(): SQL {
  return sql`(${payments.status} = 'PAID' and ${payments.memorialId} is null
    and (${payments.refundReason} is null or ${payments.refundReason} = 'refund_failed'))`
}

/** Stripe events already handled: the same event changes nothing twice. */
export const webhookEvents = sqliteTable(
  'webhook_events',
  {
    id: text().primaryKey(),
    type: text().notNull(),
    /** What was done, or why nothing was. */
    outcome: text().notNull(),
    receivedAt: integer('received_at').notNull(),
    /** When Stripe says that it happened, in milliseconds; null in rows from before this was kept. */
    happenedAt: integer('happened_at'),
  },
  (t) => [index('webhook_events_received').on(t.receivedAt)],
)
