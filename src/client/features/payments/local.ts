import { isOfNetwork, localPaymentMessages, networkMessage, readPhone } from '#shared/local-payments.ts'
import type { LocalMethod, LocalPayment } from '#shared/local-payments.ts'
import type { Payment } from '#shared/payments.ts'
import type { Problem } from '#client/lib/use-form.ts'

/** A payment by Paynow. */
export type LocalPaymentRow = Payment & { local: LocalPayment }

const DAY_MS = 86_400_000
/** As long as the server keeps an unpaid one open. */
const OPEN_MS = 2 * DAY_MS
/** Pauses between looks while somebody waits; the last one repeats. */
const PAUSES_MS = [5000, 5000, 10_000, 10_000, 20_000, 30_000]

/** The user's newest payment by Paynow for this target that is still open, so that who left finds it again. */
export function findOpenPayment(
  payments: readonly Payment[],
  memorialId: string | null,
  now: number,
): LocalPaymentRow | null {
  return (
    payments.find(
      (payment): payment is LocalPaymentRow =>
        payment.status === 'PENDING' &&
        payment.local?.targetMemorialId === memorialId &&
        now - Date.parse(payment.createdAt) < OPEN_MS,
    ) ?? null
  )
}

/** Milliseconds until the next look, after this many. */
export function pauseAfter(looks: number): number {
  return PAUSES_MS[Math.min(looks, PAUSES_MS.length - 1)] ?? 30_000
}

/** What to show of a payment: a request may be answered, ran out, ended, or its start isn't known. */
export function stageOf(payment: LocalPaymentRow, now: number): 'waiting' | 'uncertain' | 'late' | 'over' {
  if (payment.status !== 'PENDING') return 'over'
  if (now >= Date.parse(payment.local.waitUntil) && payment.local.method !== 'web') return 'late'
  return payment.local.isStarted ? 'waiting' : 'uncertain'
}

/** What is wrong with the form, or null. */
export function checkLocalForm({ method, phone }: { method: LocalMethod; phone: string }): Problem | null {
  if (method === 'web') return null
  const number = readPhone(phone)
  const text =
    number === null
      ? localPaymentMessages.phoneInvalid
      : isOfNetwork(method, number)
        ? null
        : networkMessage(method)
  return text === null ? null : { text, fields: { phone: text } }
}
