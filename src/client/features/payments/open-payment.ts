import type { LocalPayment } from '#shared/local-payments.ts'
import type { Payment } from '#shared/payments.ts'

/** A payment by Paynow. */
export type LocalPaymentRow = Payment & { local: LocalPayment }

const DAY_MS = 86_400_000
/** As long as the server keeps an unpaid one open. */
const OPEN_MS = 2 * DAY_MS
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
