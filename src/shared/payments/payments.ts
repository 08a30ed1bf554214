import * as z from 'zod/mini'
import type { LocalPayment } from './local-payments.ts'

export const PAYMENT_STATUS = ['PENDING', 'PAID', 'FAILED', 'REFUNDED', 'DISPUTED'] as const
export type PaymentStatus = (typeof PAYMENT_STATUS)[number]
export const PAYMENT_PROVIDERS = ['stripe', 'paynow'] as const
export type PaymentProvider = (typeof PAYMENT_PROVIDERS)[number]

/** Stripe's dispute statuses after which we have the money: https://docs.stripe.com/api/disputes/object#dispute_object-status */
export const DISPUTES_OVER: ReadonlySet<string> = new Set(['won', 'warning_closed', 'prevented'])

export const paymentTargetInput = z.object({ memorialId: z.optional(z.nullable(z.string())) })

export type Payment = {
  id: string
  status: PaymentStatus
  /** Null until the payment is used for a memorial. */
  memorialId: string | null
  /** True if it can pay for the next memorial: PAID, unused and not being refunded. */
  isCredit: boolean
  /** US cents. */
  amount: number
  currency: string
  provider: PaymentProvider
  createdAt: string
  /** Present for payments by Paynow, for whoever paid. */
  local?: LocalPayment
  /** The name of somebody else who paid for this account. */
  paidBy?: string
  /** True once the account has thanked them. Present with `paidBy`. */
  isThanked?: boolean
}
export type PaymentIntent = { clientSecret: string; paymentId: string }
