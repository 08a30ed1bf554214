import { and, eq, inArray, isNotNull, isNull, ne, not, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { Stripe } from 'stripe'
import { AppError } from '#shared/errors.ts'
import { PAYMENT_RECONCILE_AFTER_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { payLinkMessages } from '#shared/payments/pay-link-messages.ts'
import { DISPUTES_OVER, type PaymentStatus } from '#shared/payments/payments.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { findPayment, newKey, type PaymentRow } from '#worker/features/payments/payments.ts'
import { gifts, payments, webhookEvents, type RefundReason } from '#worker/schema/payments.table.ts'
import { findDifference } from '#worker/features/payments/compare-intent.ts'
import {
  applyIntent,
  applyPaynow,
  isKnownEvent,
  type EventInfo,
  applyRefund,
  hasMailbox,
  recordStatus,
} from '#worker/features/payments/settle.ts'
import { insertWhere, isUniqueViolation, existsIn } from '#worker/platform/db.ts'
import {
  callStripe,
  isLiveMode,
  isBrokenAnswer,
  isKeyInUse,
  createStripeClient,
} from '#worker/platform/providers/stripe.ts'
import { insertAudit } from '#worker/access/audit.ts'
import { enqueueMail, insertMailWhere } from '#worker/platform/providers/mail.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/**
 * Refunds the rest of a PAID payment through Stripe. It becomes REFUNDED only when Stripe confirms it, in the response or by
 * webhook; the payer then gets a mail with `note`, unless it is empty. Two calls make one refund: they use the same key, and
 * Stripe refunds no charge twice. One by Paynow an admin has given back by hand, which this records: also a disputed one, and
 * one of another amount. Throws `conflict` if nothing was paid, `upstream_failed`, `not_available`.
 */
export async function refundPayment(ctx: RequestCtx, payment: PaymentRow, note: string): Promise<void> {
  const { providerIntentId: intentId } = payment
  if (payment.provider === 'paynow' && /* prove: only-money-given-back */ isGivenBackByHand(payment)) {
    await flagForRefund(ctx, payment, note)
    await applyPaynow(ctx, payment, 'REFUNDED', 'given back by hand')
    return
  }
  if (payment.status !== 'PAID' || intentId === null)
    throw new AppError('conflict', serverMessages.payment.notPaid)
  const stripe = createStripeClient(ctx.env)
  await flagForRefund(ctx, payment, note)
  // The row gets a new key when a refund fails, because Stripe repeats the old response for a day.
  const key = `refund:${payment.idempotencyKey}`
  let isRefunded: boolean
  try {
    isRefunded = await refund(stripe, intentId, key)
  } catch (error) {
    if (isKeyInUse(error)) throw new AppError('conflict', serverMessages.payment.refundRunning)
    if (isRefusal(error)) await releaseRefund(ctx, payment.id)
    // Stripe repeats a 5xx under its key for a day, so this needs a new key.
    if (!isBrokenAnswer(error)) throw error
    isRefunded = await refund(stripe, intentId, `${key}:${randomBase32(8)}`)
  }
  if (isRefunded) await applyRefund(ctx, payment, intentId)
}

function isGivenBackByHand({ status, refundReason }: PaymentRow): boolean {
  const isHeld = (status === 'PENDING' || status === 'FAILED') && refundReason !== null
  return status === 'PAID' || status === 'DISPUTED' || isHeld
}

/**
 * Flags before calling Stripe, so that the payment pays for no memorial meanwhile. Records one refund once. Throws `conflict` for a gift
 * that somebody has redeemed.
 */
async function flagForRefund(
  ctx: RequestCtx,
  { id, memorialId, amount, provider, status }: PaymentRow,
  note: string,
): Promise<void> {
  // The payment that somebody redeemed. A second one for the same gift goes back all the same.
  const other = alias(payments, 'other')
  const isOther = and(
    eq(other.orderId, payments.orderId),
    ne(other.id, id),
    inArray(other.status, ['PAID', 'DISPUTED']),
    or(isNull(other.refundReason), eq(other.refundReason, 'refund_failed'), isNotNull(other.memorialId)),
  )
  const others = ctx.db
    .select({ one: sql`1` })
    .from(other)
    .where(isOther)
  const isRedeemed = existsIn(gifts, and(eq(gifts.orderId, payments.orderId), isNotNull(gifts.redeemedAt)))
  const isUsed = sql`(${isRedeemed} and not exists ${others})`
  const isPaid = and(
    eq(payments.id, id),
    eq(payments.status, provider === 'paynow' ? status : 'PAID'),
    /* prove: used-gift-not-refunded */ not(isUsed),
  )
  const isFirst = and(isPaid, sql`${payments.refundReason} is not 'refund_asked'`)
  const [, flagged] = await ctx.db.batch([
    insertAudit(
      ctx,
      { action: 'refund_payment', targetKind: 'payment', targetId: id, memorialId, detail: { amount } },
      existsIn(payments, isFirst),
    ),
    ctx.db
      .update(payments)
      .set({ refundReason: 'refund_asked', refundNote: note === '' ? null : note, updatedAt: ctx.now() })
      .where(isPaid)
      .returning({ id: payments.id }),
  ])
  if (flagged.length === 0) throw new AppError('conflict', payLinkMessages.giftUsed)
}

/** Undoes the flag after Stripe could not refund: the credit is usable, and the next attempt gets a new key. */
export async function releaseRefund(ctx: Ctx, id: string): Promise<void> {
  await ctx.db
    .update(payments)
    .set({ refundReason: 'refund_failed', idempotencyKey: newKey(id), updatedAt: ctx.now() })
    .where(and(eq(payments.id, id), eq(payments.status, 'PAID'), eq(payments.refundReason, 'refund_asked')))
}

/** Returns true if Stripe confirms the refund, false while it is pending. */
async function refund(stripe: Stripe, intentId: string, idempotencyKey: string): Promise<boolean> {
  return callStripe(async () => {
    try {
      const { status } = await stripe.refunds.create({ payment_intent: intentId }, { idempotencyKey })
      if (status === 'succeeded' || status === 'pending') return status === 'succeeded'
      throw new AppError('upstream_failed', serverMessages.payment.refundFailed, {
        cause: new RefundRefused(`refund of ${intentId} is ${status}`),
      })
    } catch (error) {
      if (!isRefundedAlready(error)) throw error
      return true
    }
  })
}

class RefundRefused extends Error {}

/** True if Stripe has definitely refused the refund. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  return (
    error.cause instanceof RefundRefused || error.cause instanceof Stripe.errors.StripeInvalidRequestError
  )
}

/** https://docs.stripe.com/error-codes#charge-already-refunded */
function isRefundedAlready(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'charge_already_refunded'
}

const ATTEMPTS = 4

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
  // After a dispute the payer knows already.
  const isNews = next.status === 'REFUNDED' && !['REFUNDED', 'DISPUTED'].includes(payment.status)
  const mail = insertMailWhere(
    ctx,
    { kind: 'refund', recipient: payment.email, subjectId: payment.id },
    sql`${isNews} and exists (select 1 from ${payments} where ${isUnchanged} and ${hasMailbox()})`,
  )
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
    // The change comes last: the other conditions need the row as it was read.
    const record = eventRow
      ? [
          insertWhere(ctx.db, webhookEvents, eventRow, existsUnchanged).returning({
            id: webhookEvents.id,
          }),
        ]
      : []
    const sent = mail.statement.returning({ id: mails.id })
    const isNewStatus = and(isUnchanged, ne(payments.status, next.status))
    const results = await ctx.db.batch([
      sent,
      ...record,
      recordStatus(ctx, payment.id, next.status, isNewStatus),
      change,
    ])
    const changed = results.at(-1) ?? []
    if (results[0].length > 0) await enqueueMail(ctx, mail.id)
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
