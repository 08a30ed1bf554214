import { sql, type SQL } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ID_PREFIX } from '#shared/ids.ts'
import { LOCAL_METHODS, type LocalProblem } from '#shared/payments/local-payments.ts'
import { PAYMENT_PROVIDERS, PAYMENT_STATUS } from '#shared/payments/payments.ts'
import { users } from '#worker/schema/accounts.table.ts'

export type RefundReason =
  | 'amount_differs'
  | 'memorial_already_paid'
  | 'order_already_paid'
  | 'account_deleted'
  | 'refund_asked'
  | 'refund_failed'

/** True for the target of a gift, also after somebody has redeemed it. */
export function isGift(target: string | null): boolean {
  return target?.startsWith(`${ID_PREFIX.gift}_`) ?? false
}

/** What somebody buys: one memorial for one account. It may take several payments until one of them succeeds. */
export const orders = sqliteTable(
  'orders',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** The memorial it is intended for; null for one that doesn't exist yet. Of a gift: the gift. */
    targetMemorialId: text('target_memorial_id'),
    /** US cents. */
    amount: integer().notNull(),
    currency: text().notNull(),
    createdAt: integer('created_at').notNull(),
    /** When the first of its payments became PAID. Set once: who pays again, after a refund, makes a new order. */
    settledAt: integer('settled_at'),
  },
  (t) => [
    uniqueIndex('orders_open')
      .on(t.userId, sql`coalesce(${t.targetMemorialId}, '')`)
      .where(sql`${t.settledAt} is null`),
    index('orders_user').on(t.userId),
  ],
)

/** A link by which anybody can pay for an order: one that the account sends around, or the page of a gift. */
export const payLinks = sqliteTable(
  'pay_links',
  {
    orderId: text('order_id')
      .primaryKey()
      .references(() => orders.id),
    /** 100 random bits. A new link replaces the one before. */
    token: text().notNull(),
    /** Who asks for the money, or gives the memorial. */
    fromName: text('from_name').notNull(),
    /** The page shows the name and the portrait of the person who died. */
    showsMemorial: integer('shows_memorial', { mode: 'boolean' }).notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [uniqueIndex('pay_links_token').on(t.token)],
)

/** A memorial that somebody pays for before anybody knows whose account will have it. Its code opens it, once. */
export const gifts = sqliteTable(
  'gifts',
  {
    id: text().primaryKey(),
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    /** 80 random bits. */
    code: text().notNull(),
    /** On the letter; null for none. */
    recipientName: text('recipient_name'),
    words: text(),
    createdAt: integer('created_at').notNull(),
    redeemedAt: integer('redeemed_at'),
    redeemedBy: text('redeemed_by').references(() => users.id),
  },
  (t) => [
    uniqueIndex('gifts_code').on(t.code),
    uniqueIndex('gifts_order').on(t.orderId),
    index('gifts_redeemed_by').on(t.redeemedBy),
  ],
)

/** One attempt to pay for an order, with one provider. */
export const payments = sqliteTable(
  'payments',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** Null if the version before orders made it while this one was being deployed. */
    orderId: text('order_id').references(() => orders.id),
    /** As in its order. */
    targetMemorialId: text('target_memorial_id'),
    /** Who paid, if not the account; null also once their own account or this one is purged. The family sees only the name. */
    payerName: text('payer_name'),
    /** The token of the link by which they paid; null if the account itself did. */
    linkToken: text('link_token'),
    payerEmail: text('payer_email'),
    /** The family's words of thanks to that payer, once they have sent them. */
    thanks: text(),
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
     * Why an admin should review it, else null: the memorial or the order was paid for twice, the account was already
     * deleted, a refund request is undecided, Stripe's refund failed, or another amount than ours was paid at Paynow: such a
     * payment doesn't become PAID.
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
      .on(t.userId, sql`coalesce(${t.targetMemorialId}, '')`, sql`coalesce(${t.payerEmail}, '')`)
      .where(sql`${t.status} = 'PENDING' and ${t.provider} = 'stripe'`),
    index('payments_order').on(t.orderId),
    index('payments_user').on(t.userId, t.createdAt),
    // Covers the admin console's search, so that it never scans the table.
    index('payments_created').on(t.createdAt, t.id, t.userId, t.memorialId, t.targetMemorialId, t.payerEmail),
    index('payments_payer')
      .on(t.payerEmail)
      .where(sql`${t.payerEmail} is not null`),
    index('payments_paid').on(t.paidAt),
    index('payments_status').on(t.status, t.createdAt),
    index('payments_target').on(t.targetMemorialId, t.memorialId),
    index('payments_to_refund')
      .on(t.status, t.createdAt, t.id)
      .where(sql`${t.refundReason} is not null`),
  ],
)

/** Each status that a payment reached, oldest first: the ledger of what was paid, refunded and disputed. */
export const paymentHistory = sqliteTable(
  'payment_history',
  {
    id: text().primaryKey(),
    paymentId: text('payment_id')
      .notNull()
      .references(() => payments.id),
    status: text({ enum: PAYMENT_STATUS }).notNull(),
    at: integer().notNull(),
  },
  (t) => [index('payment_history_payment').on(t.paymentId, t.at)],
)

/** What only a payment by Paynow has. */
export const paynowAttempts = sqliteTable(
  'paynow_attempts',
  {
    paymentId: text('payment_id')
      .primaryKey()
      .references(() => payments.id),
    method: text({ enum: LOCAL_METHODS }).notNull(),
    /** The number that pays, for who gives money back by hand; null on Paynow's page, and once the payer's account is purged. */
    phone: text(),
    /** Where Paynow tells the state; null until it has answered. */
    pollUrl: text('poll_url'),
    /** Paynow's number of the payment. Not a number: from 1,000 on it may have a comma. */
    paynowReference: text('paynow_reference'),
    browserUrl: text('browser_url'),
    instructions: text(),
    code: text(),
    codeExpires: text('code_expires'),
    otpUrl: text('otp_url'),
    /** The status as Paynow wrote it last, in lower case. */
    lastStatus: text('last_status'),
    problem: text().$type<LocalProblem>(),
    /** The order, while a request to a phone may still be answered: an order has one at a time. */
    liveOrderId: text('live_order_id'),
    liveUntil: integer('live_until').notNull(),
    checkedAt: integer('checked_at').notNull(),
    /** When cron asks Paynow next; null once the payment isn't PENDING any more. */
    nextCheckAt: integer('next_check_at'),
  },
  (t) => [
    uniqueIndex('paynow_attempts_live').on(t.liveOrderId),
    index('paynow_attempts_due')
      .on(t.nextCheckAt)
      .where(sql`${t.nextCheckAt} is not null`),
  ],
)

/** SQL: PAID, and neither given back nor being given back. A failed refund makes it count again. */
export function countsAsPaid(): SQL {
  // The plus keeps SQLite from reading every paid payment by its index, instead of those of one payer or order.
  return sql`(+${payments.status} = 'PAID'
    and (${payments.refundReason} is null or ${payments.refundReason} = 'refund_failed'))`
}

/** SQL: can still pay for a memorial: it counts as paid and is unused. */
export function isUsableCredit(): SQL {
  return sql`(${countsAsPaid()} and +${payments.memorialId} is null)`
}

type PaymentRow = typeof payments.$inferSelect

/** {@link countsAsPaid} for a row that was read. */
export function isMoneyKept({ status, refundReason }: PaymentRow): boolean {
  return status === 'PAID' && (refundReason === null || refundReason === 'refund_failed')
}

/** {@link isUsableCredit} for a row that was read. */
export function isCredit(row: PaymentRow): boolean {
  return isMoneyKept(row) && row.memorialId === null
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
