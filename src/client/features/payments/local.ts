import {
  isOfNetwork,
  localPaymentMessages,
  networkMessage,
  readPhone,
} from '#shared/payments/local-payments.ts'
import type { LocalMethod, LocalPayment } from '#shared/payments/local-payments.ts'
import type { Problem } from '#client/lib/use-form.ts'
import type { LocalPaymentRow } from './open-payment.ts'

/** Pauses between looks while somebody waits; the last one repeats. */
const PAUSES_MS = [5000, 5000, 10_000, 10_000, 20_000, 30_000]

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

/** What the payer does next; null while that isn't known. */
export function stepOf({
  method,
  code,
  needsCode,
}: LocalPayment): 'show' | 'enter' | 'page' | 'phone' | null {
  if (method === 'innbucks') return code === null ? null : 'show'
  if (method === 'omari') return needsCode ? 'enter' : null
  return method === 'web' ? 'page' : 'phone'
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
