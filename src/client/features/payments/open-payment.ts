import { HOUR_MS, PAYNOW_OPEN_MS } from '#shared/limits.ts'
import type { LocalPayment } from '#shared/payments/local-payments.ts'
import type { Payment } from '#shared/payments/payments.ts'

/** A payment by Paynow. */
export type LocalPaymentRow = Payment & { local: LocalPayment }

/** For this long, who comes back is told why it failed. */
const TOLD_MS = HOUR_MS

/**
 * The user's payment by Paynow for this target, so that who left finds it again: the newest that is open, else the newest of all
 * if it failed just now.
 */
export function findOpenPayment(
  payments: readonly Payment[],
  memorialId: string | null,
  now: number,
): LocalPaymentRow | null {
  const own = payments.filter(
    (payment): payment is LocalPaymentRow => payment.local?.targetMemorialId === memorialId,
  )
  const open = own.find(
    ({ status, createdAt }) => status === 'PENDING' && now - Date.parse(createdAt) < PAYNOW_OPEN_MS,
  )
  const failedAt = own[0]?.local.failedAt ?? null
  const isTold = failedAt !== null && now - Date.parse(failedAt) < TOLD_MS
  return open ?? (isTold ? (own[0] ?? null) : null)
}
