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
    /** The memorial it is intended for; null for one that doesn't exist yet. */
    targetMemorialId: text('target_memorial_id'),
    /** The memorial it paid for. Set once and never changed. */
    memorialId: text('memorial_id'),
    status: text({ enum: PAYMENT_STATUS }).notNull().default('PENDING'),
    provider: text({ enum: PAYMENT_PROVIDERS }).notNull(),
    /** US cents. */
    amount: integer().notNull(),
    currency: text().notNull(),
    /** Stripe's PaymentIntent id; null until Stripe responds. */
    providerIntentId: text('provider_intent_id'),
    /** The idempotency key sent to Stripe, so that a repeated call charges once. */
    idempotencyKey: text('idempotency_key').notNull(),
    paidAt: integer('paid_at'),
    /**
     * Why an admin should review it, else null: the memorial was paid for twice, the account was already deleted, a refund
     * request is undecided, or Stripe's refund failed.
     */
    refundReason: text('refund_reason').$type<RefundReason>(),
    /** Why it is refunded, in an admin's words to the payer; null if nobody wrote any, and once the payer's account is purged. */
    refundNote: text('refund_note'),
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
    // Covers the admin console's search, so that it never scans the table.
    index('payments_created').on(t.createdAt, t.id, t.userId, t.memorialId, t.targetMemorialId),
    index('payments_paid').on(t.paidAt),
    index('payments_status').on(t.status, t.createdAt),
    index('payments_target').on(t.targetMemorialId, t.memorialId),
    index('payments_to_refund')
      .on(t.status, t.createdAt, t.id)
      .where(sql`${t.refundReason} is not null and ${t.status} = 'PAID'`),
  ],
)

/** SQL: can still pay for a memorial: PAID, unused, no refund pending. A failed refund makes it usable again. */
export function isUsableCredit(): SQL {
  // The pluses keep SQLite from reading every paid or unused payment by their indexes, instead of the payer's few.
  return sql`(+${payments.status} = 'PAID' and +${payments.memorialId} is null
    and (${payments.refundReason} is null or ${payments.refundReason} = 'refund_failed'))`
}

/** {@link isUsableCredit} for a row that was read. */
export function isCredit({ status, memorialId, refundReason }: typeof payments.$inferSelect): boolean {
  return (
    status === 'PAID' && memorialId === null && (refundReason === null || refundReason === 'refund_failed')
  )
}

/** Stripe events that were handled, so that a repeated event has no effect. */
export const webhookEvents = sqliteTable(
  'webhook_events',
  {
    id: text().primaryKey(),
    type: text().notNull(),
    /** What the handler did, or why it did nothing. */
    outcome: text().notNull(),
    receivedAt: integer('received_at').notNull(),
    /** Stripe's timestamp of the event, in milliseconds; null in rows older than this column. */
    happenedAt: integer('happened_at'),
  },
  (t) => [index('webhook_events_received').on(t.receivedAt)],
)
