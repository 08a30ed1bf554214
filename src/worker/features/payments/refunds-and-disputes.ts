import { and, eq, sql } from 'drizzle-orm'
import type { Stripe } from 'stripe'
import { AppError } from '#shared/errors.ts'
import { PAYMENT_RECONCILE_AFTER_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { PaymentStatus } from '#shared/payments.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { findPayment, newKey, type PaymentRow } from '#worker/features/payments/payments.ts'
import { payments, webhookEvents, type RefundReason } from '#worker/schema/payments.table.ts'
import {
  applyIntent,
  findDifference,
  isKnownEvent,
  type EventInfo,
} from '#worker/features/payments/settle.ts'
import { insertWhere, isUniqueViolation } from '#worker/platform/db.ts'
import { callStripe, isLiveMode } from '#worker/platform/stripe.ts'

const ATTEMPTS = 4
/** Dispute statuses after which we have the money: https://docs.stripe.com/api/disputes/object#dispute_object-status */
const DISPUTES_OVER = new Set(['won', 'warning_closed', 'prevented'])

/** State of the money of one PaymentIntent at Stripe. */
type MoneyState = {
  intent: Stripe.PaymentIntent
  isDisputed: boolean
  refunded: number
  isUndecided: boolean
}

/**
 * Asks Stripe what became of a payment and records it: refunded, disputed, or ours again after a failed refund or a won
 * dispute. Events arrive late and out of order, so we record Stripe's current state, not the event. Never hides a
 * memorial. Returns the outcome for the event log. Throws `upstream_failed`, `not_available`.
 */
export async function syncRefundsAndDisputes(
  ctx: Ctx,
  stripe: Stripe,
  { id }: { id: string },
  intentId: string,
  event: EventInfo | null = null,
): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const payment = await findPayment(ctx, id)
    if (!payment) return 'unknown payment'
    const state = await callStripe(() => fetchMoneyState(stripe, intentId))
    const difference = findDifference(payment, state.intent, isLiveMode(ctx.env))
    const isPaidOnly = !state.isDisputed && state.refunded < payment.amount
    if (difference || state.intent.status !== 'succeeded' || (isPaidOnly && isNotPaidYet(payment))) {
      return applyIntent(ctx, payment, state.intent, event)
    }
    const outcome = await commitMoneyState(ctx, payment, state, event)
    if (outcome !== null) return outcome
  }
  throw new AppError('upstream_failed', messages.payment.upstream)
}

async function fetchMoneyState(stripe: Stripe, intentId: string): Promise<MoneyState> {
  const of = { payment_intent: intentId, limit: 100 }
  const [intent, refunds, disputes] = await Promise.all([
    stripe.paymentIntents.retrieve(intentId),
    stripe.refunds.list(of),
    stripe.disputes.list(of),
  ])
  const succeeded = refunds.data.filter(({ status }) => status === 'succeeded')
  return {
    intent,
    isDisputed: disputes.data.some(({ status }) => !DISPUTES_OVER.has(status)),
    refunded: succeeded.reduce((sum, { amount }) => sum + amount, 0),
    isUndecided: refunds.data.some(({ status }) => status === 'pending' || status === 'requires_action'),
  }
}

function isNotPaidYet({ status }: PaymentRow): boolean {
  return status === 'PENDING' || status === 'FAILED'
}

/** Returns null if the row has changed since it was read. */
async function commitMoneyState(
  ctx: Ctx,
  payment: PaymentRow,
  state: MoneyState,
  event: EventInfo | null,
): Promise<string | null> {
  const next = nextStatus(ctx, payment, state)
  const isNewFailure = next.refundReason === 'refund_failed' && payment.refundReason !== 'refund_failed'
  const isSame = next.status === payment.status && next.refundReason === payment.refundReason
  const isUnchanged = and(
    eq(payments.id, payment.id),
    eq(payments.status, payment.status),
    sql`${payments.refundReason} is ${payment.refundReason}`,
  )
  const outcome = next.status === 'PAID' && state.refunded > 0 ? 'refunded in part' : next.status
  const eventRow = event && { ...event, outcome, receivedAt: ctx.now() }
  const existsUnchanged = sql`exists (select 1 from ${payments} where ${isUnchanged})`
  try {
    const change = ctx.db
      .update(payments)
      .set({
        ...next,
        providerIntentId: state.intent.id,
        ...(isNewFailure ? { idempotencyKey: newKey(payment.id) } : {}),
        // The payment was never recorded as PAID before its refund or dispute.
        ...(next.status === 'PAID' && payment.paidAt === null ? { paidAt: ctx.now() } : {}),
        // Cron checks the payments with the oldest `updatedAt` first.
        ...(isSame && !state.isUndecided ? {} : { updatedAt: ctx.now() }),
      })
      .where(isUnchanged)
      .returning({ id: payments.id })
    // Insert the event first: its condition needs the row as it was read.
    const changed = eventRow
      ? (await ctx.db.batch([insertWhere(ctx.db, webhookEvents, eventRow, existsUnchanged), change]))[1]
      : await change
    if (changed.length > 0 && isNewFailure) ctx.log.error('refund_failed', null, { paymentId: payment.id })
    return changed.length > 0 ? outcome : null
  } catch (error) {
    if (event && isUniqueViolation(error) && (await isKnownEvent(ctx, event.id))) return 'repeated'
    throw error
  }
}

function nextStatus(
  ctx: Ctx,
  payment: PaymentRow,
  { isDisputed, refunded, isUndecided }: MoneyState,
): { status: PaymentStatus; refundReason: RefundReason | null } {
  const { refundReason } = payment
  if (isDisputed) return { status: 'DISPUTED', refundReason }
  if (refunded >= payment.amount) return { status: 'REFUNDED', refundReason }
  if (isUndecided) return { status: 'PAID', refundReason: 'refund_asked' }
  const isLongAsked =
    refundReason === 'refund_asked' && payment.updatedAt <= ctx.now() - PAYMENT_RECONCILE_AFTER_MS
  const isFailed = payment.status === 'REFUNDED' || isLongAsked
  return { status: 'PAID', refundReason: isFailed ? 'refund_failed' : refundReason }
}
