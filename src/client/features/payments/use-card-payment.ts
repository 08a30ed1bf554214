import { useRef, useState } from 'react'
import { messages } from '#shared/messages.ts'
import type { Payment } from '#shared/payments.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { useLeaveWarning } from '#client/lib/use-leave-warning.ts'
import { payByCard, settlePayment, type PaymentOutcome } from './pay.ts'
import type { Stripe, StripeCard } from './stripe-js.ts'

type Failure = { title: string; text: string; isCharged: false | 'unknown' }
export type CardPayment = {
  isProcessing: boolean
  failure: Failure | null
  /** Set while the provider has not settled the payment. */
  pendingId: string | null
  pay: (stripe: Stripe, card: StripeCard | null) => Promise<void>
  checkAgain: () => Promise<void>
}

/** State of the payment: idle, processing, then succeeded (`onPaid`), failed, or pending at the provider. */
export function useCardPayment({
  memorialId,
  onPaid,
  onAlreadyPaid,
}: {
  memorialId: string | null
  onPaid: (payment: Payment) => void
  onAlreadyPaid?: (() => void) | undefined
}): CardPayment {
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
        showToast({ title: messages.payment.successTitle, text: messages.payment.successText })
        onPaid(outcome.payment)
        return
      case 'pending':
        setPendingId(outcome.paymentId)
        return
      case 'declined':
        fail(messages.payment.failedTitle, outcome.text, false)
        return
      case 'error':
        fail(messages.payment.errorTitle, outcome.text, outcome.isCharged)
        if (outcome.code === 'already_paid') onAlreadyPaid?.()
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
    pendingId,
    async pay(stripe, card) {
      if (card) await run(() => payByCard(stripe, card, memorialId))
      else fail(messages.payment.errorTitle, messages.payment.cardMissing, false)
    },
    async checkAgain() {
      if (pendingId) await run(() => settlePayment(pendingId))
    },
  }
}
