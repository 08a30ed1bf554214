import { and, desc, eq, gt, inArray, isNull, lte, or, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import {
  PAYMENT_RECONCILE_BATCH,
  PAYNOW_BRIEF_CHECK_MS,
  PAYNOW_CHECK_GAP_MS,
  PAYNOW_CHECKS,
  PAYNOW_OPEN_MS,
  PAYNOW_START_MS,
} from '#shared/limits.ts'
import { localPaymentMessages, type LocalMethod, type LocalProblem } from '#shared/payments/local-payments.ts'
import type { PaymentStatus } from '#shared/payments/payments.ts'
import { openOrder } from '#worker/features/payments/orders.ts'
import {
  isOfPayer,
  selectPayments,
  type PaymentRow,
  type Target,
} from '#worker/features/payments/payments.ts'
import { findAttempt, type AttemptRow } from '#worker/features/payments/paynow-attempts.ts'
import { applyPaynow } from '#worker/features/payments/settle.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { DeadlineError, withDeadline } from '#worker/platform/deadlines.ts'
import { paynowProblem, requirePaynow } from '#worker/platform/providers/paynow-account.ts'
import {
  PaynowUnanswered,
  pollPaynow,
  tracePaynow,
  type PaynowState,
} from '#worker/platform/providers/paynow.ts'
import { payments, paynowAttempts } from '#worker/schema/payments.table.ts'

/** Open payments of one account that are asked about before it pays in another way. */
const OPEN_CHECKED_MAX = 3

/** Paynow's statuses: https://developers.paynow.co.zw/docs/status_update.html; `failed` comes from test numbers. Null: wait. */
const STATUSES: Record<string, Exclude<PaymentStatus, 'PENDING'> | null> = {
  created: null,
  'created but not paid': null,
  'awaiting redirect': null,
  sent: null,
  paid: 'PAID',
  // Paynow holds the money back for a while, and may never say "Paid".
  'awaiting delivery': 'PAID',
  delivered: 'PAID',
  cancelled: 'FAILED',
  failed: 'FAILED',
  disputed: 'DISPUTED',
  refunded: 'REFUNDED',
}

/**
 * Asks Paynow for the state of a payment and records it, unless somebody has just asked (`isUrgent` asks all the same).
 * Without an answer everything stays, and cron asks later. `pollUrl`: where to ask if the start wasn't answered. Returns
 * false if Paynow didn't answer.
 */
export async function checkLocalPayment(
  ctx: Ctx,
  payment: PaymentRow,
  { isUrgent = false, pollUrl = null }: { isUrgent?: boolean; pollUrl?: string | null } = {},
): Promise<boolean> {
  const account = requirePaynow(ctx.env)
  if (!(await claimCheck(ctx, payment, isUrgent))) return true
  const attempt = await findAttempt(ctx, payment.id)
  if (!attempt) throw new Error(`payment ${payment.id} has no attempt`)
  const address = attempt.pollUrl ?? pollUrl
  try {
    const state = address ? await pollPaynow(account, address) : await tracePaynow(account, payment.id)
    if (state) await recordState(ctx, payment, attempt, state)
    else if (ctx.now() > attempt.liveUntil) await failLocalPayment(ctx, payment, 'failed')
    return true
  } catch (error) {
    if (!(error instanceof PaynowUnanswered)) throw error
    ctx.log.warn('paynow_not_answered', { paymentId: payment.id, reason: error.message })
    // Something has happened to a payment that was over, for example a late PIN: cron must find out what.
    if (payment.status !== 'PENDING') await askLater(ctx, payment)
    return false
  }
}

async function askLater(ctx: Ctx, payment: PaymentRow): Promise<void> {
  const later = { nextCheckAt: ctx.now() + pauseOf(ctx, payment) }
  await ctx.db.update(paynowAttempts).set(later).where(eq(paynowAttempts.paymentId, payment.id))
}

/** How long cron waits until it asks about a payment of this age again. */
function pauseOf(ctx: Ctx, { createdAt }: PaymentRow): number {
  return PAYNOW_CHECKS.find(([age]) => ctx.now() - createdAt < age)?.[1] ?? 0
}

/** Notes that we ask now, and when cron asks next. False if another call has just asked. */
async function claimCheck(ctx: Ctx, payment: PaymentRow, isUrgent: boolean): Promise<boolean> {
  const now = ctx.now()
  const isDue = lte(paynowAttempts.checkedAt, now - PAYNOW_CHECK_GAP_MS)
  const claimed = await ctx.db
    .update(paynowAttempts)
    .set({
      checkedAt: now,
      ...(payment.status === 'PENDING' ? { nextCheckAt: now + pauseOf(ctx, payment) } : {}),
    })
    .where(and(eq(paynowAttempts.paymentId, payment.id), isUrgent ? undefined : isDue))
    .returning({ id: paynowAttempts.paymentId })
  return claimed.length > 0
}

async function recordState(
  ctx: Ctx,
  payment: PaymentRow,
  attempt: AttemptRow,
  state: PaynowState,
): Promise<void> {
  const { status } = state
  const difference = findPaynowDifference(payment, attempt, state)
  if (difference) return holdDifferent(ctx, payment, attempt, { status, difference })
  const to = STATUSES[status]
  if (to === undefined) {
    ctx.log.error('paynow_status_unknown', new Error(`status ${status}`), { paymentId: payment.id })
  }
  const age = ctx.now() - payment.createdAt
  const isExpired = to === null && age > PAYNOW_OPEN_MS
  const isLost = to === null && age > PAYNOW_START_MS && lacksAnswer(attempt)
  const isOver = isExpired || isLost
  const failure = to === 'FAILED' ? (status as 'cancelled' | 'failed') : null
  const problem = isExpired ? 'expired' : isLost ? 'failed' : failure
  const outcome = await applyPaynow(ctx, payment, isOver ? 'FAILED' : (to ?? null), status)
  await ctx.db
    .update(paynowAttempts)
    .set({
      pollUrl: attempt.pollUrl ?? state.pollUrl,
      paynowReference: attempt.paynowReference ?? state.paynowReference,
      lastStatus: status,
      ...(problem ? { problem } : {}),
      ...(to || isOver || payment.status !== 'PENDING' ? CLOSED : {}),
    })
    .where(eq(paynowAttempts.paymentId, payment.id))
  if (status !== attempt.lastStatus) ctx.log.info('paynow_state', { paymentId: payment.id, outcome })
}

/**
 * Alarms once about a payment that differs at Paynow, and gives no credit. If money came, it is on the refund list, where an
 * admin decides. A later answer without the difference counts as usual.
 */
async function holdDifferent(
  ctx: Ctx,
  payment: PaymentRow,
  attempt: AttemptRow,
  { status, difference }: { status: string; difference: string },
): Promise<void> {
  const lastStatus = `${status}: ${difference} differs`
  const isMoney = difference === 'amount' && STATUSES[status] === 'PAID'
  await ctx.db.batch([
    ctx.db
      .update(paynowAttempts)
      .set({ lastStatus, ...(payment.status === 'PENDING' ? {} : CLOSED) })
      .where(eq(paynowAttempts.paymentId, payment.id)),
    ctx.db
      .update(payments)
      .set({ refundReason: 'amount_differs', updatedAt: ctx.now() })
      .where(
        and(
          eq(payments.id, payment.id),
          inArray(payments.status, ['PENDING', 'FAILED']),
          isNull(payments.refundReason),
          sql`${Number(isMoney)}`,
        ),
      ),
  ])
  if (attempt.lastStatus === lastStatus) return
  const error = new Error(`Paynow's payment differs in ${difference}`)
  ctx.log.error('payment_mismatch', error, { paymentId: payment.id, status })
}

/** True for a method that nobody can pay by without what only the answer to the start tells: a page, or a code. */
export function needsAnswer(method: LocalMethod): boolean {
  return method === 'web' || method === 'innbucks' || method === 'omari'
}

/** True if that answer was lost: Paynow tells it once. */
function lacksAnswer({ method, browserUrl, code, otpUrl }: AttemptRow): boolean {
  return needsAnswer(method) && browserUrl === null && code === null && otpUrl === null
}

const CLOSED = { liveOrderId: null, nextCheckAt: null }

/** Returns the name of the first field where what Paynow tells differs from our payment, or null. */
export function findPaynowDifference(
  payment: PaymentRow,
  { paynowReference }: AttemptRow,
  state: PaynowState,
): string | null {
  // prove: paynow-payment
  if (state.reference !== payment.id) return 'reference'
  // prove: paynow-amount
  if (state.cents !== payment.amount) return 'amount'
  // prove: paynow-reference
  if (paynowReference !== null && plain(state.paynowReference) !== plain(paynowReference))
    return 'paynowreference'
  return null
}

/** Paynow writes one number as `9510` and as `9,510`. */
function plain(paynowReference: string): string {
  return paynowReference.replaceAll(',', '')
}

/** Ends a payment that Paynow refused, doesn't know, or that nobody paid. If it is paid all the same, that counts. */
export async function failLocalPayment(ctx: Ctx, payment: PaymentRow, problem: LocalProblem): Promise<void> {
  await applyPaynow(ctx, payment, 'FAILED', problem)
  await ctx.db
    .update(paynowAttempts)
    .set({ problem, ...CLOSED })
    .where(eq(paynowAttempts.paymentId, payment.id))
}

/**
 * Asks Paynow about the account's open payments for this target or for its next memorial, before it pays in another way.
 * Returns true if there were any.
 */
export async function settleLocalPayments(
  ctx: Ctx,
  { userId, memorialId }: Target,
  timeoutMs = PAYNOW_BRIEF_CHECK_MS,
): Promise<boolean> {
  const open = await selectPayments(ctx)
    .where(
      and(
        eq(payments.userId, userId),
        eq(payments.status, 'PENDING'),
        eq(payments.provider, 'paynow'),
        memorialId === null
          ? isNull(payments.targetMemorialId)
          : or(eq(payments.targetMemorialId, memorialId), isNull(payments.targetMemorialId)),
      ),
    )
    .orderBy(desc(payments.createdAt))
    .limit(OPEN_CHECKED_MAX)
  if (paynowProblem(ctx.env) === null)
    await Promise.all(open.map(async (row) => checkBriefly(ctx, row, timeoutMs)))
  return open.length > 0
}

/** Checks a payment, but doesn't wait long: who pays by card must not suffer from Paynow's outage. */
async function checkBriefly(ctx: Ctx, row: PaymentRow, timeoutMs: number): Promise<void> {
  try {
    await withDeadline(checkLocalPayment(ctx, row), timeoutMs, 'Paynow')
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
    ctx.log.warn('paynow_not_answered', { paymentId: row.id, reason: error.message })
  }
}

/** The request to a phone for this target that may still be answered, or null. */
export async function findPhoneRequest(
  ctx: Ctx,
  target: Target,
): Promise<{ payment: PaymentRow; attempt: AttemptRow } | null> {
  const [attempt] = await ctx.db
    .select()
    .from(paynowAttempts)
    .where(and(eq(paynowAttempts.liveOrderId, openOrder(target)), gt(paynowAttempts.liveUntil, ctx.now())))
  if (!attempt) return null
  const [payment] = await selectPayments(ctx).where(
    and(eq(payments.id, attempt.paymentId), eq(payments.status, 'PENDING')),
  )
  return payment ? { payment, attempt } : null
}

/** Throws `conflict` with Retry-After while a request to a phone for this target may still be answered. */
export async function requireNoPhoneRequest(ctx: Ctx, target: Target): Promise<void> {
  const open = await findPhoneRequest(ctx, target)
  if (open) throw stillOpen(ctx, target, open)
}

/** `conflict`, with the time until which the first request may be answered, which may be somebody else's. */
export function stillOpen(
  ctx: Ctx,
  target: Target,
  { payment, attempt }: { payment: PaymentRow; attempt: AttemptRow },
): AppError {
  const retryAfterSec = Math.max(1, Math.ceil((attempt.liveUntil - ctx.now()) / 1000))
  const { stillOpen: own, somebodyPays } = localPaymentMessages
  return new AppError('conflict', isOfPayer(payment, target) ? own : somebodyPays, { retryAfterSec })
}

/**
 * Asks Paynow about open payments that are due, longest due first. A post of Paynow's may have been lost. Without an
 * integration they wait for one.
 */
export async function settlePendingLocalPayments(ctx: Ctx): Promise<void> {
  if (paynowProblem(ctx.env) !== null) return
  const due = ctx.db
    .select({ id: paynowAttempts.paymentId })
    .from(paynowAttempts)
    .where(lte(paynowAttempts.nextCheckAt, ctx.now()))
    .orderBy(paynowAttempts.nextCheckAt)
    .limit(PAYMENT_RECONCILE_BATCH)
  const rows = await selectPayments(ctx).where(inArray(payments.id, due))
  for (const row of rows) {
    try {
      await checkLocalPayment(ctx, row)
    } catch (error) {
      ctx.log.error('payment_not_settled', error, { paymentId: row.id })
    }
  }
}
