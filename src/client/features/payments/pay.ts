import { useRef, useState } from 'react'
import { messages } from '#shared/messages.ts'
import type { Payment } from '#shared/payments/payments.ts'
import { ApiError, errorText } from '#client/lib/call.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import { useLeaveWarning } from '#client/lib/browser/window-hooks.ts'
import { startCardPayment, syncPayment, type Purchase, type Target } from './pay-calls.ts'
import { isOver, tellOver, tellPaid } from './tell-payer.ts'
import type { ConfirmResult, Stripe, StripeCard } from './stripe-js.ts'

/** Delays between status checks: the provider often confirms a second later than the browser. */
const POLL_DELAYS_MS = [0, 1000, 2000, 3000, 5000, 8000]

type PaymentOutcome =
  | { kind: 'paid'; payment: Payment }
  /** The card was declined, or the bank's authentication failed. No money was taken. */
  | { kind: 'declined'; text: string }
  /** The provider has not settled the payment yet. */
  | { kind: 'pending'; paymentId: string }
  /** Another failure. `isCharged: false` means that no money can have been taken. */
  | { kind: 'error'; text: string; isCharged: false | 'unknown'; code: string | null }

/** Pays for one memorial with the card in the form. Never throws. */
export async function payByCard(stripe: Stripe, card: StripeCard, target: Target): Promise<PaymentOutcome> {
  let intent: { clientSecret: string; paymentId: string }
  try {
    intent = await startCardPayment(target)
  } catch (error) {
    const code = error instanceof ApiError ? error.code : null
    return {
      kind: 'error',
      text: errorText(error, messages.payment.errorFallback),
      isCharged: false,
      code,
    }
  }
  let result: ConfirmResult
  try {
    result = await stripe.confirmCardPayment(intent.clientSecret, { payment_method: { card } })
  } catch (error) {
    // The connection may have failed after the charge: only the server knows.
    const settled = await settlePayment(target, intent.paymentId, [0])
    if (settled.kind === 'paid') return settled
    const text = error instanceof Error && error.message ? error.message : messages.payment.errorFallback
    return { kind: 'error', text, isCharged: 'unknown', code: null }
  }
  if (!result.error || result.error.payment_intent?.status === 'succeeded') {
    return settlePayment(target, intent.paymentId)
  }
  // The server may have closed this payment after too many declined cards.
  const isClosed = (await fetchPayment(target, intent.paymentId))?.status === 'FAILED'
  const text = result.error.message ?? messages.payment.failedFallback
  return { kind: 'declined', text: isClosed ? messages.payment.tooManyDeclines : text }
}

/** Polls the server until the payment is no longer PENDING, or the delays are used up. */
export async function settlePayment(
  target: Pick<Target, 'link'>,
  paymentId: string,
  waitsMs: readonly number[] = POLL_DELAYS_MS,
): Promise<PaymentOutcome> {
  for (const wait of waitsMs) {
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    const payment = await fetchPayment(target, paymentId)
    if (payment?.status === 'PAID') return { kind: 'paid', payment }
    if (payment?.status === 'FAILED') {
      return { kind: 'declined', text: messages.payment.failedFallback }
    }
  }
  return { kind: 'pending', paymentId }
}

/** Null if the request failed: the next check may succeed. */
async function fetchPayment(target: Pick<Target, 'link'>, paymentId: string): Promise<Payment | null> {
  try {
    return await syncPayment(target, paymentId)
  } catch (error) {
    console.warn('The payment could not be looked up', error)
    return null
  }
}

type Failure = { title: string; text: string; isCharged: false | 'unknown' }

/** State of the payment: idle, processing, then succeeded (`onPaid`), failed, or pending at the provider. */
export function useCardPayment(purchase: Purchase) {
  const { onPaid, onAlreadyPaid } = purchase
  const [isProcessing, setProcessing] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [pendingId, setPendingId] = useState<string | null>(null)
  const running = useRef(false)
  useLeaveWarning(isProcessing)

  function fail(title: string, text: string, isCharged: Failure['isCharged']) {
    setFailure({ title, text, isCharged })
    showErrorToast(title, text)
  }

  function report(outcome: PaymentOutcome) {
    switch (outcome.kind) {
      case 'paid':
        tellPaid(purchase)
        onPaid(outcome.payment)
        return
      case 'pending':
        setPendingId(outcome.paymentId)
        return
      case 'declined':
        fail(messages.payment.failedTitle, outcome.text, false)
        return
      case 'error':
        if (!isOver(purchase, outcome.code)) {
          fail(messages.payment.errorTitle, outcome.text, outcome.isCharged)
          return
        }
        tellOver(purchase, outcome.text)
        onAlreadyPaid()
    }
  }

  /** Runs one payment at a time: a second click meanwhile does nothing. */
  async function run(work: () => Promise<PaymentOutcome>) {
    if (running.current) return
    running.current = true
    setProcessing(true)
    setFailure(null)
    setPendingId(null)
    try {
      report(await work())
    } finally {
      running.current = false
      setProcessing(false)
    }
  }

  return {
    isProcessing,
    failure,
    /** Set while the provider has not settled the payment. */
    pendingId,
    async pay(stripe: Stripe, card: StripeCard | null) {
      if (card) await run(() => payByCard(stripe, card, purchase))
      else fail(messages.payment.errorTitle, messages.payment.cardMissing, false)
    },
    async checkAgain() {
      if (pendingId) await run(() => settlePayment(purchase, pendingId))
    },
  }
}
