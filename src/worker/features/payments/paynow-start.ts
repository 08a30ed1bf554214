import { and, desc, eq, gt, isNotNull, lt, sql } from 'drizzle-orm'
import { AppError, fieldError } from '#shared/errors.ts'
import { PAYNOW_START_MS, PHONE_REQUEST_MS, WEB_PAYMENT_MS } from '#shared/limits.ts'
import { fillPath } from '#shared/fill-path.ts'
import { paths } from '#shared/pages/pages.ts'
import {
  isOfNetwork,
  localPaymentMessages,
  networkMessage,
  readPhone,
  type LocalMethod,
  type PhoneMethod,
} from '#shared/payments/local-payments.ts'
import { messages } from '#shared/messages.ts'
import type { Payment } from '#shared/payments/payments.ts'
import { insertPayment, openOrder } from '#worker/features/payments/orders.ts'
import {
  findOpenPayment,
  findPayment,
  isOfPayer,
  payerKey,
  requirePayable,
  requirePayment,
  scopeKey,
  settlePayment,
  type PaymentRow,
  type Scope,
  type Target,
} from '#worker/features/payments/payments.ts'
import { findAttempt } from '#worker/features/payments/paynow-attempts.ts'
import {
  checkLocalPayment,
  failLocalPayment,
  findPhoneRequest,
  needsAnswer,
  settleLocalPayments,
  stillOpen,
} from '#worker/features/payments/paynow-check.ts'
import { readPayment } from '#worker/features/payments/sync.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { requirePaynow } from '#worker/platform/providers/paynow-account.ts'
import {
  PaynowRefusal,
  PaynowUnanswered,
  sendPaynowCode,
  startPaynow,
  type PaynowAccount,
} from '#worker/platform/providers/paynow.ts'
import { newId } from '#worker/platform/random.ts'
import { countRateLimit, requireNotRateLimited, requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { createStripeClient } from '#worker/platform/providers/stripe.ts'
import { payments, paynowAttempts } from '#worker/schema/payments.table.ts'

/** Anybody can pay with these in test mode: https://developers.paynow.co.zw/docs/test_mode.html */
const TEST_NUMBERS = new Set(['0771111111', '0772222222', '0773333333', '0774444444'])

/**
 * Asks a phone to pay for this target. The same payer's same request again
 * returns the first payment; a different one throws `conflict` while the first may still be answered. A refused one is
 * FAILED. Throws `bad_input`, `not_found`, `already_paid`, `too_many_requests`, `paynow_unavailable`.
 */
export async function payByPhone(
  ctx: Ctx,
  target: Target,
  input: { method: PhoneMethod; phone: string },
): Promise<Payment> {
  await requirePayable(ctx, target)
  const account = requirePaynow(ctx.env)
  const phone = readPhone(input.phone)
  if (phone === null || (TEST_NUMBERS.has(phone) && /* prove: test-numbers */ !account.isTest))
    throw fieldError('bad_input', 'phone', localPaymentMessages.phoneInvalid)
  if (!isOfNetwork(input.method, phone)) throw fieldError('bad_input', 'phone', networkMessage(input.method))
  await settleOthers(ctx, target)
  const payment = await addAttempt(ctx, target, input.method, phone)
  if (payment.isNew) await start(ctx, account, payment.row, { target, method: input.method, phone })
  return readPayment(ctx, payment.row.id)
}

/**
 * Starts a payment on Paynow's page and returns the page's address; for half an hour the same one. Throws `not_found`,
 * `already_paid`, `conflict`, `too_many_requests`, `upstream_failed`, `paynow_unavailable`.
 */
export async function openPaynowPage(
  ctx: Ctx,
  target: Target,
): Promise<{ redirectUrl: string; paymentId: string }> {
  await requirePayable(ctx, target)
  const account = requirePaynow(ctx.env)
  await settleOthers(ctx, target)
  const open = await findOpenPage(ctx, target)
  if (open) return open
  const { row } = await addAttempt(ctx, target, 'web', null)
  const redirectUrl = await start(ctx, account, row, { target, method: 'web', phone: null })
  if (!redirectUrl) throw new AppError('upstream_failed', localPaymentMessages.unreachable)
  return { redirectUrl, paymentId: row.id }
}

/** Asks both providers about open payments of this target: one may have succeeded. Throws like {@link requirePayable}. */
async function settleOthers(ctx: Ctx, target: Target): Promise<void> {
  const isLocalOpen = await settleLocalPayments(ctx, target)
  const card = await findOpenPayment(ctx, target)
  const isCardOpen = Boolean(card?.providerIntentId && ctx.env.STRIPE_SECRET_KEY)
  if (card && isCardOpen) {
    try {
      await settlePayment(ctx, card, createStripeClient(ctx.env))
    } catch (error) {
      // Mobile money works while the card service doesn't. Two payments would be noticed, and one given back.
      if (!(error instanceof AppError)) throw error
      ctx.log.warn('card_payment_not_checked', { paymentId: card.id })
    }
  }
  if (isLocalOpen || isCardOpen) await requirePayable(ctx, target)
}

async function findOpenPage(ctx: Ctx, { userId, memorialId, payer }: Target) {
  const [open] = await ctx.db
    .select({ paymentId: payments.id, redirectUrl: paynowAttempts.browserUrl })
    .from(payments)
    .innerJoin(paynowAttempts, eq(paynowAttempts.paymentId, payments.id))
    .where(
      and(
        eq(payments.userId, userId),
        gt(payments.createdAt, ctx.now() - WEB_PAYMENT_MS),
        eq(payments.status, 'PENDING'),
        sql`${payments.targetMemorialId} is ${memorialId}`,
        sql`${payments.payerEmail} is ${payer?.email ?? null}`,
        isNotNull(paynowAttempts.browserUrl),
      ),
    )
    .orderBy(desc(payments.createdAt))
    .limit(1)
  return open && open.redirectUrl !== null ? { ...open, redirectUrl: open.redirectUrl } : null
}

/**
 * Adds a payment, unless a request of this order may still be answered: the insert itself decides, so simultaneous calls
 * send one request. Returns the open one if it has the same method and phone. The row exists before Paynow is called,
 * because a result post may come before the answer.
 */
async function addAttempt(
  ctx: Ctx,
  target: Target,
  method: LocalMethod,
  phone: string | null,
): Promise<{ row: PaymentRow; isNew: boolean }> {
  const key = payerKey(target)
  await requireNotRateLimited(ctx, 'paymentIntents', key, messages.payment.paused)
  if (phone) await requireNotRateLimited(ctx, 'phoneRequests', phone, messages.payment.paused)
  const id = newId('payment')
  const now = ctx.now()
  const live = eq(paynowAttempts.liveOrderId, openOrder(target))
  // prove: one-phone-request
  const condition = sql`not ${existsIn(paynowAttempts, live)}`
  const attempt = {
    paymentId: id,
    method,
    phone,
    liveUntil: now + (method === 'web' ? PAYNOW_START_MS : PHONE_REQUEST_MS),
    checkedAt: now,
    nextCheckAt: now,
  }
  const [, , added] = await ctx.db.batch([
    ctx.db
      .update(paynowAttempts)
      .set({ liveOrderId: null })
      .where(and(live, lt(paynowAttempts.liveUntil, now))),
    ...insertPayment(ctx, target, { id, provider: 'paynow', condition }),
    insertWhere(ctx.db, paynowAttempts, attempt, existsIn(payments, eq(payments.id, id)), {
      liveOrderId: openOrder(target),
    }),
  ])
  if (added.length > 0) {
    await countRateLimit(ctx, 'paymentIntents', key)
    if (phone) await countRateLimit(ctx, 'phoneRequests', phone)
    const row = await findPayment(ctx, id)
    if (row) return { row, isNew: true }
  }
  const open = await findPhoneRequest(ctx, target)
  const isSame = open?.attempt.method === method && open.attempt.phone === phone
  if (open && method !== 'web' && isSame && isOfPayer(open.payment, target))
    return { row: open.payment, isNew: false }
  if (open) throw stillOpen(ctx, target, open)
  // Meanwhile the open one was answered, or a credit arrived.
  await requirePayable(ctx, target)
  throw new AppError('conflict', localPaymentMessages.stillOpen, { retryAfterSec: 1 })
}

/** Starts a new payment at Paynow. Returns the address of its page, if it has one. */
async function start(
  ctx: Ctx,
  account: PaynowAccount,
  payment: PaymentRow,
  { target, method, phone }: { target: Target; method: LocalMethod; phone: string | null },
): Promise<string | null> {
  const { id, amount, email } = payment
  const { memorialId, payer } = target
  const path = payer ? fillPath(paths.pay, payer) : paths.checkout
  const returnUrl = new URL(path, ctx.env.PUBLIC_ORIGIN)
  if (payer === null && memorialId !== null) returnUrl.searchParams.set('memorialId', memorialId)
  returnUrl.searchParams.set('paymentId', id)
  const resultUrl = new URL('/api/paynow/result', ctx.env.PUBLIC_ORIGIN).href
  try {
    const request = { id, cents: amount, email, method, phone, returnUrl: returnUrl.href, resultUrl }
    const answer = await startPaynow(account, request)
    await ctx.db
      .update(paynowAttempts)
      .set({ ...answer, ...(method === 'web' ? { liveOrderId: null } : {}) })
      .where(eq(paynowAttempts.paymentId, id))
    return answer.browserUrl
  } catch (error) {
    if (error instanceof PaynowRefusal) {
      ctx.log.warn('paynow_refused', { paymentId: id, reason: error.message })
      await failLocalPayment(ctx, payment, /balance/iu.test(error.message) ? 'no_balance' : 'refused')
    } else if (error instanceof PaynowUnanswered) {
      ctx.log.warn('paynow_not_answered', { paymentId: id, reason: error.message })
      // A phone may have its request: never send it again, but look for it. Nobody can pay with a page or code that nobody knows.
      if (needsAnswer(method)) await failLocalPayment(ctx, payment, 'failed')
      else await checkLocalPayment(ctx, payment, { isUrgent: true })
    } else throw error
    return null
  }
}

/**
 * Sends the code of O'mari's text message for a payment of this scope. Throws `not_found`, `bad_input` for a wrong code,
 * `conflict` unless a code is awaited, `too_many_requests`, `upstream_failed`, `paynow_unavailable`.
 */
export async function sendPaymentCode(ctx: Ctx, scope: Scope, id: string, code: string): Promise<Payment> {
  const payment = await requirePayment(ctx, scope, id)
  const attempt = await findAttempt(ctx, id)
  if (payment.status !== 'PENDING') return readPayment(ctx, id)
  if (!attempt?.otpUrl) throw new AppError('conflict', localPaymentMessages.codeInvalid)
  const account = requirePaynow(ctx.env)
  await requireRateLimit(ctx, 'paymentCodes', scopeKey(scope), messages.payment.paused)
  let isWrong = false
  try {
    await sendPaynowCode(account, attempt.otpUrl, code)
  } catch (error) {
    if (error instanceof PaynowUnanswered) ctx.log.warn('paynow_not_answered', { paymentId: id })
    else if (error instanceof PaynowRefusal) isWrong = true
    else throw error
  }
  await checkLocalPayment(ctx, payment, { isUrgent: true })
  const after = await readPayment(ctx, id)
  if (isWrong && after.status === 'PENDING')
    throw fieldError('bad_input', 'code', localPaymentMessages.codeWrong)
  return after
}
