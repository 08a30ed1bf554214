import { AppError } from '#shared/errors.ts'
import { PAYNOW_BODY_MAX_BYTES } from '#shared/limits.ts'
import { localPaymentMessages, SMOKE_TEST } from '#shared/payments/local-payments.ts'
import { messages } from '#shared/messages.ts'
import { findPayment, type PaymentRow } from '#worker/features/payments/payments.ts'
import { findAttempt } from '#worker/features/payments/paynow-attempts.ts'
import { checkLocalPayment, findPaynowDifference } from '#worker/features/payments/paynow-check.ts'
import { readBytes } from '#worker/http/json-body.ts'
import { isUrlEncoded } from '#worker/http/url-encoded.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { PaynowMessageError } from '#worker/platform/providers/paynow-messages.ts'
import { requirePaynow } from '#worker/platform/providers/paynow-account.ts'
import {
  reachPaynow,
  readPaynowPost,
  type PaynowAccount,
  type PaynowState,
} from '#worker/platform/providers/paynow.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** For `npm run smoke`. Throws `upstream_failed` if Paynow can't be reached. */
async function answerSmokeTest(account: PaynowAccount): Promise<void> {
  try {
    await reachPaynow(account, SMOKE_TEST)
  } catch (cause) {
    throw new AppError('upstream_failed', localPaymentMessages.unreachable, { cause })
  }
}

/**
 * Handles one post of Paynow's about a payment's state. The post itself proves little: its hash covers no single field, and
 * it can be sent again for ever. So it only makes us ask Paynow, whose answer decides. Throws `bad_input`, `not_found`,
 * `too_large`, `too_many_requests`, `paynow_unavailable`, `upstream_failed`; Paynow then posts again, up to ten times.
 */
export async function receivePaynowResult(ctx: Ctx, request: Request): Promise<void> {
  const account = requirePaynow(ctx.env)
  if (!isUrlEncoded(request)) throw new AppError('bad_input', serverMessages.system.badJson)
  const body = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(
    await readBytes(request, PAYNOW_BODY_MAX_BYTES),
  )
  let state: PaynowState
  try {
    state = readPaynowPost(account, body)
  } catch (error) {
    if (!(error instanceof PaynowMessageError)) throw error
    ctx.log.warn('paynow_post_refused', { reason: error.message })
    throw new AppError('bad_input', serverMessages.system.badJson)
  }
  if (state.reference === SMOKE_TEST) return answerSmokeTest(account)
  const payment = await findPayment(ctx, state.reference)
  const attempt = payment && (await findAttempt(ctx, payment.id))
  if (!attempt) throw new AppError('not_found', messages.payment.notFound)
  const difference = findPaynowDifference(payment, attempt, state)
  if (difference) {
    const error = new Error(`Paynow's post differs in ${difference}`)
    ctx.log.error('payment_mismatch', error, { paymentId: payment.id })
    // If money came with this amount, Paynow's answer puts it on the refund list.
    if (difference === 'amount') await askPaynow(ctx, payment, state)
    throw new AppError('bad_input', serverMessages.system.badJson)
  }
  // A repeated post costs Paynow no poll.
  if (state.status === attempt.lastStatus) return
  await askPaynow(ctx, payment, state)
}

/** Throws `too_many_requests`, and `upstream_failed` without an answer, so that Paynow posts again. */
async function askPaynow(ctx: Ctx, payment: PaymentRow, { pollUrl }: PaynowState): Promise<void> {
  await requireRateLimit(ctx, 'paynowPosts', payment.id)
  const isAnswered = await checkLocalPayment(ctx, payment, { isUrgent: true, pollUrl })
  // prove: paynow-post-answered
  if (!isAnswered) throw new AppError('upstream_failed', localPaymentMessages.unreachable)
}
