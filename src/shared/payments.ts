import * as z from 'zod/mini'

export const PAYMENT_STATUS = ['PENDING', 'PAID', 'FAILED', 'REFUNDED', 'DISPUTED'] as const
export type PaymentStatus = (typeof PAYMENT_STATUS)[number]
export const PAYMENT_PROVIDERS = ['stripe', 'paynow'] as const
export type PaymentProvider = (typeof PAYMENT_PROVIDERS)[number]

export const paymentTargetInput = z.object({ memorialId: z.optional(z.nullable(z.string())) })

export type Payment = {
  id: string
  status: PaymentStatus
  /** Null until it has paid for a memorial. */
  memorialId: string | null
  /** It may pay for the next memorial: PAID, unused, and its money is not on the way back. */
  isCredit: boolean
  /** US cents. */
  amount: number
  currency: string
  provider: PaymentProvider
  createdAt: string
}
export type PaymentIntent = { clientSecret: string; paymentId: string }
