import { GIFT_ACCOUNT } from '#shared/payments/gift-codes.ts'
import { and, eq, gt, inArray, isNotNull, isNull, ne, sql, type SQL } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Stripe } from 'stripe'
import type { PaymentStatus } from '#shared/payments/payments.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { insertMailWhere, enqueueMail } from '#worker/platform/providers/mail.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { findDifference } from '#worker/features/payments/compare-intent.ts'
import type { PaymentRow } from '#worker/features/payments/payments.ts'
import { users } from '#worker/schema/accounts.table.ts'
import {
  isGift,
  orders,
  payLinks,
  paymentHistory,
  payments,
  webhookEvents,
} from '#worker/schema/payments.table.ts'
import { count } from '#worker/platform/metrics.ts'
import { newId } from '#worker/platform/random.ts'
import { existsIn, insertWhere, isUniqueViolation } from '#worker/platform/db.ts'
import { isLiveMode } from '#worker/platform/providers/stripe.ts'

/**
 * A status only moves up this list, so events may repeat and arrive late or out of order. A decline is not a status:
 * the PaymentIntent stays open for another card, and only a cancelled one makes the payment FAILED.
 */
const RANK = ['PENDING', 'FAILED', 'PAID', 'REFUNDED', 'DISPUTED'] as const satisfies PaymentStatus[]
/** For Paynow, from which statuses a payment gets to each: a poll tells the present, so a dispute can end. A refund is the end. */
const PAYNOW_FROM: Record<Exclude<PaymentStatus, 'PENDING'>, PaymentStatus[]> = {
  FAILED: ['PENDING'],
  PAID: ['PENDING', 'FAILED', 'DISPUTED'],
  DISPUTED: ['PENDING', 'FAILED', 'PAID'],
  REFUNDED: ['PENDING', 'FAILED', 'PAID', 'DISPUTED'],
}

/** The Stripe event behind an update, recorded in the same batch, so that it is applied once. */
export type EventInfo = { id: string; type: string; happenedAt: number }
type Decision = { to: Exclude<PaymentStatus, 'PENDING'> | null; outcome: string }

/** Records a PaymentIntent, if amount, currency, metadata and mode match. Returns the outcome for the event log. */
export async function applyIntent(
  ctx: Ctx,
  payment: PaymentRow,
  intent: Stripe.PaymentIntent,
  event: EventInfo | null = null,
): Promise<string> {
  const difference = findDifference(payment, intent, isLiveMode(ctx.env))
  if (difference) {
    ctx.log.error('payment_mismatch', new Error(`PaymentIntent differs in ${difference}`), {
      paymentId: payment.id,
      intentId: intent.id,
    })
    return commit(ctx, payment, { to: null, outcome: `refused: ${difference}` }, intent.id, event)
  }
  const to = intent.status === 'succeeded' ? 'PAID' : intent.status === 'canceled' ? 'FAILED' : null
  return commit(ctx, payment, { to, outcome: to ?? `noted: ${intent.status}` }, intent.id, event)
}

/** Records a refund that Stripe confirmed in response to our own call, and mails the payer. The memorial stays unchanged. */
export async function applyRefund(ctx: Ctx, payment: PaymentRow, intentId: string): Promise<string> {
  return commit(ctx, payment, { to: 'REFUNDED', outcome: 'REFUNDED' }, intentId, null)
}

/** Records what Paynow says of a payment: `to` is null if that changes nothing. Returns the outcome for the log. */
export async function applyPaynow(
  ctx: Ctx,
  payment: PaymentRow,
  to: Exclude<PaymentStatus, 'PENDING'> | null,
  outcome: string,
): Promise<string> {
  if (to === 'PAID' && payment.status === 'DISPUTED' && payment.paidAt !== null)
    return endDispute(ctx, payment, outcome)
  return commit(ctx, payment, { to, outcome }, null, null)
}

/** A dispute at Paynow that ended well: the payment is PAID as before, with its memorial, order and receipt. */
async function endDispute(ctx: Ctx, { id }: PaymentRow, outcome: string): Promise<string> {
  const isDisputed = and(
    eq(payments.id, id),
    eq(payments.status, 'DISPUTED'),
    eq(payments.provider, 'paynow'),
    isNotNull(payments.paidAt),
  )
  const paid = { status: 'PAID', updatedAt: ctx.now() } as const
  await ctx.db.batch([
    recordStatus(ctx, id, 'PAID', isDisputed),
    ctx.db.update(payments).set(paid).where(isDisputed),
  ])
  return outcome
}

async function commit(
  ctx: Ctx,
  payment: PaymentRow,
  { to, outcome }: Decision,
  intentId: string | null,
  event: EventInfo | null,
): Promise<string> {
  const at = ctx.now()
  const lower =
    to === null ? [] : payment.provider === 'paynow' ? PAYNOW_FROM[to] : RANK.slice(0, RANK.indexOf(to))
  const isUpgrade = and(
    eq(payments.id, payment.id),
    /* prove: payment-status-rises */ inArray(payments.status, lower),
    // What was paid before its dispute keeps what it has paid for.
    to === 'PAID' && payment.provider === 'paynow' ? isNull(payments.paidAt) : undefined,
  )

  // Order matters: the mail's condition needs the payment before its update, the memorial's the one after it.
  const record = event ? [ctx.db.insert(webhookEvents).values({ ...event, outcome, receivedAt: at })] : []
  const mail = insertMailWhere(
    ctx,
    { kind: to === 'PAID' ? 'receipt' : 'refund', recipient: payment.email, subjectId: payment.id },
    sql`${to === 'PAID' || to === 'REFUNDED'} and exists (select 1 from ${payments} where ${isUpgrade} and ${hasMailbox()})`,
  )
  // Somebody else has paid for this account.
  const notice = insertMailWhere(
    ctx,
    { kind: 'paid-for-you', recipient: payment.accountEmail, subjectId: payment.id },
    sql`${to === 'PAID' && payment.payerEmail !== null && !isGift(payment.targetMemorialId)} and exists (select 1 from ${payments} where ${isUpgrade} and not ${isPayerGone()})`,
  )
  const update = ctx.db
    .update(payments)
    .set({
      status: to ?? payment.status,
      ...(intentId === null ? {} : { providerIntentId: intentId }),
      updatedAt: at,
      ...(to === 'PAID' ? { paidAt: at, ...attachment(ctx) } : {}),
      // What came with another amount is gone again.
      ...(to === 'FAILED' ? { refundReason: null } : {}),
    })
    .where(isUpgrade)
  const settleOrder = ctx.db
    .update(orders)
    .set({ settledAt: at })
    .where(
      and(
        sql`${orders.id} = (select ${payments.orderId} from ${payments} where ${isUpgrade} and ${to === 'PAID'})`,
        isNull(orders.settledAt),
      ),
    )
  // It was for this account's next memorial, and one is paid for now.
  const nextOrder = ctx.db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.userId, payment.userId), isNull(orders.targetMemorialId), isNull(orders.settledAt)))
  const endLink = ctx.db
    .update(payLinks)
    .set({ expiresAt: at })
    .where(
      and(
        sql`${to === 'PAID' && payment.userId !== GIFT_ACCOUNT}`,
        gt(payLinks.expiresAt, at),
        inArray(payLinks.orderId, nextOrder),
      ),
    )
  const activate = ctx.db
    .update(memorials)
    .set({ status: 'ACTIVE' })
    .where(
      and(
        eq(memorials.status, 'DRAFT'),
        sql`${memorials.id} = (select ${payments.memorialId} from ${payments} where ${payments.id} = ${payment.id})`,
      ),
    )
  try {
    const [mailed, noticed] = await ctx.db.batch([
      mail.statement.returning({ id: mails.id }),
      notice.statement.returning({ id: mails.id }),
      recordStatus(ctx, payment.id, to ?? payment.status, isUpgrade),
      settleOrder,
      update,
      endLink,
      activate,
      ...record,
    ])
    if (mailed.length > 0) {
      if (to === 'PAID') count(ctx, 'payment_paid')
      await enqueueMail(ctx, mail.id)
    }
    if (noticed.length > 0) await enqueueMail(ctx, notice.id)
    return outcome
  } catch (error) {
    // prove: webhook-counts-once
    if (event && isUniqueViolation(error) && (await isKnownEvent(ctx, event.id))) return 'repeated'
    throw error
  }
}

/** Statement: adds a line to the ledger if `condition` matches a payment. Put it before the payment's update. */
export function recordStatus(ctx: Ctx, paymentId: string, status: PaymentStatus, condition: SQL | undefined) {
  const row = { id: newId('paymentStatus'), paymentId, status, at: ctx.now() }
  return insertWhere(ctx.db, paymentHistory, row, existsIn(payments, condition)).returning({
    id: paymentHistory.id,
  })
}

/** True if this event has been processed, with any outcome. */
export async function isKnownEvent(ctx: Ctx, id: string): Promise<boolean> {
  const [row] = await ctx.db
    .select({ id: webhookEvents.id })
    .from(webhookEvents)
    .where(eq(webhookEvents.id, id))
  return row !== undefined
}

/** SQL: whoever paid can get a mail: somebody else, or an account that hasn't been purged. */
export function hasMailbox(): SQL {
  return sql`(${payments.payerEmail} is not null or not ${isPayerGone()})`
}

/** SQL: the payer's account has been purged, so nobody could use the credit or read a mail. */
function isPayerGone(): SQL {
  return sql`exists (select 1 from ${users} where ${users.id} = ${payments.userId} and ${users.purgedAt} is not null)`
}

/**
 * What a payment pays for when it becomes PAID: its target if the payer owns it and it is neither deleted nor paid, else
 * nothing (a credit). If another payment has paid the target or the same order, flags this one for a refund.
 */
function attachment(ctx: Ctx) {
  const other = alias(payments, 'other')
  const paidByOther = ctx.db
    .select({ one: sql`1` })
    .from(other)
    .where(eq(other.memorialId, payments.targetMemorialId))
  const paidByOtherAttempt = ctx.db
    .select({ one: sql`1` })
    .from(other)
    .where(
      and(
        eq(other.orderId, payments.orderId),
        ne(other.id, payments.id),
        inArray(other.status, ['PAID', 'DISPUTED']),
      ),
    )
  const reasons = [
    sql`when exists ${paidByOther} then 'memorial_already_paid'`,
    // prove: order-paid-once
    sql`when exists ${paidByOtherAttempt} then 'order_already_paid'`,
    sql`when ${isPayerGone()} then 'account_deleted'`,
  ]
  return {
    memorialId: sql`(
      select ${memorials.id} from ${memorials}
      where ${memorials.id} = ${payments.targetMemorialId} and ${memorials.ownerId} = ${payments.userId}
        and ${isNotDeleted()} and not exists ${paidByOther} and not exists ${paidByOtherAttempt})`,
    refundReason: sql`case ${sql.join(reasons, sql` `)} end`,
  }
}
