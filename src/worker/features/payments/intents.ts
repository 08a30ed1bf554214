import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Stripe } from 'stripe'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { PaymentIntent } from '#shared/payments/payments.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import {
  findOpenPayment,
  findPayment,
  newKey,
  payerKey,
  requirePayable,
  settlePayment,
  type PaymentRow,
  type Target,
} from '#worker/features/payments/payments.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { insertPayment } from '#worker/features/payments/orders.ts'
import { requireNoPhoneRequest, settleLocalPayments } from '#worker/features/payments/paynow-check.ts'
import { cancelAfterDeclines } from '#worker/features/payments/declines.ts'
import { findDifference } from '#worker/features/payments/compare-intent.ts'
import { applyIntent } from '#worker/features/payments/settle.ts'
import { newId } from '#worker/platform/random.ts'
import {
  callStripe,
  isBrokenAnswer,
  isKeyInUse,
  isLiveMode,
  createStripeClient,
  requireCardForm,
} from '#worker/platform/providers/stripe.ts'
import { countRateLimit, requireNotRateLimited } from '#worker/platform/rate-limiter.ts'

const ATTEMPTS = 4

/**
 * Creates what the card form needs to pay for this target. Repeated and concurrent calls of one payer get the same open payment. Asks for no money while a credit waits. Throws `not_found`, `already_paid`, `too_many_requests`,
 * `upstream_failed`, `not_available`.
 */
export async function createPaymentIntent(
  ctx: Ctx,
  target: Target,
  stripe: Stripe = createStripeClient(ctx.env),
): Promise<PaymentIntent> {
  // First: a credit can be used also while the card service isn't available.
  await requirePayable(ctx, target)
  requireCardForm(ctx.env)
  if (target.memorialId !== null) await settleUnassigned(ctx, target, stripe)
  if (await settleLocalPayments(ctx, target)) {
    await requirePayable(ctx, target)
    await requireNoPhoneRequest(ctx, target)
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const payment = await findOrCreatePayment(ctx, target)
    const intent = payment && (await findOrCreateIntent(ctx, stripe, payment))
    if (intent && intent.status !== 'succeeded' && intent.status !== 'canceled') {
      if (intent.client_secret) return { clientSecret: intent.client_secret, paymentId: payment.id }
      break
    }
    if (intent) await applyIntent(ctx, payment, intent)
    await requirePayable(ctx, target)
  }
  throw new AppError('upstream_failed', messages.payment.upstream)
}

/**
 * Asks Stripe about the account's open payment for its next memorial: it may have succeeded without our knowing yet, and
 * then pays for this one. Throws like {@link requirePayable}.
 */
async function settleUnassigned(ctx: Ctx, target: Target, stripe: Stripe): Promise<void> {
  const open = await findOpenPayment(ctx, { ...target, memorialId: null, payer: null })
  if (!open?.providerIntentId) return
  await settlePayment(ctx, open, stripe)
  await requirePayable(ctx, target)
}

/** Finds or creates this payer's open payment for this target. A unique index resolves simultaneous calls. */
async function findOrCreatePayment(ctx: Ctx, target: Target): Promise<PaymentRow | null> {
  const open = await findOpenPayment(ctx, target)
  const name = target.payer?.name ?? null
  if (open && open.payerName !== name)
    await ctx.db.update(payments).set({ payerName: name }).where(eq(payments.id, open.id))
  if (open) return open
  // prove: payment-attempts-limited
  await requireNotRateLimited(ctx, 'paymentIntents', payerKey(target), messages.payment.paused)
  const payment = { id: newId('payment'), provider: 'stripe', condition: sql`1` } as const
  const [, created] = await ctx.db.batch(insertPayment(ctx, target, payment))
  if (created.length > 0) await countRateLimit(ctx, 'paymentIntents', payerKey(target))
  return findOpenPayment(ctx, target)
}

/** Retrieves the PaymentIntent, or creates it under the row's key. Null: the caller reads the row again. */
async function findOrCreateIntent(
  ctx: Ctx,
  stripe: Stripe,
  payment: PaymentRow,
): Promise<Stripe.PaymentIntent | null> {
  const { providerIntentId } = payment
  if (providerIntentId !== null) {
    const intent = await callStripe(() => stripe.paymentIntents.retrieve(providerIntentId))
    return cancelAfterDeclines(ctx, stripe, payment, intent)
  }
  try {
    const intent = await callStripe(() =>
      stripe.paymentIntents.create(intentParams(payment), { idempotencyKey: payment.idempotencyKey }),
    )
    // prove: stripe-answers-for-us
    requireMatchingIntent(ctx, payment, intent)
    await ctx.db
      .update(payments)
      .set({ providerIntentId: intent.id, updatedAt: ctx.now() })
      .where(and(eq(payments.id, payment.id), isNull(payments.providerIntentId)))
    const stored = await findPayment(ctx, payment.id)
    return stored?.providerIntentId === intent.id ? intent : null
  } catch (error) {
    if (isKeyInUse(error)) return null
    if (isBrokenAnswer(error)) await renewKey(ctx, payment)
    throw error
  }
}

/** Checks a new PaymentIntent before it is stored, because every later call reuses the stored one. */
function requireMatchingIntent(ctx: Ctx, payment: PaymentRow, intent: Stripe.PaymentIntent): void {
  const hasSecret = intent.client_secret?.startsWith(`${intent.id}_secret_`)
  const difference = hasSecret ? findDifference(payment, intent, isLiveMode(ctx.env)) : 'secret'
  if (difference === null) return
  const cause = new Error(`Stripe's new PaymentIntent differs in ${difference}`)
  throw new AppError('upstream_failed', messages.payment.upstream, { cause })
}

/** Safe: a 5xx may leave an intent behind, but nobody has its client secret, so nobody can pay it as well. */
async function renewKey(ctx: Ctx, payment: PaymentRow): Promise<void> {
  await ctx.db
    .update(payments)
    .set({ idempotencyKey: newKey(payment.id), updatedAt: ctx.now() })
    .where(
      and(
        eq(payments.id, payment.id),
        eq(payments.idempotencyKey, payment.idempotencyKey),
        isNull(payments.providerIntentId),
      ),
    )
}

/** Uses only the row, so that the same idempotency key always sends the same parameters. */
function intentParams(payment: PaymentRow): Stripe.PaymentIntentCreateParams {
  return {
    amount: payment.amount,
    currency: payment.currency,
    allowed_payment_method_types: ['card'],
    description: 'Memorial',
    metadata: {
      paymentId: payment.id,
      userId: payment.userId,
      ...(payment.targetMemorialId === null ? {} : { memorialId: payment.targetMemorialId }),
    },
  }
}
