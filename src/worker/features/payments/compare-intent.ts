import type { Stripe } from 'stripe'
import { GIFT_ACCOUNT } from '#shared/payments/gift-codes.ts'
import type { PaymentRow } from '#worker/features/payments/payments.ts'
import { isGift } from '#worker/schema/payments.table.ts'

/** Returns the name of the first field where the PaymentIntent differs from our payment, or null. */
export function findDifference(
  payment: PaymentRow,
  intent: Stripe.PaymentIntent,
  isLive: boolean,
): string | null {
  // prove: stripe-mode
  if (intent.livemode !== isLive) return 'livemode'
  // prove: stripe-intent
  if (payment.providerIntentId !== null && payment.providerIntentId !== intent.id) return 'intent'
  if (intent.metadata['paymentId'] !== payment.id) return 'metadata'
  // prove: stripe-payer
  if (intent.metadata['userId'] !== payingAccount(payment)) return 'metadata'
  if ((intent.metadata['memorialId'] ?? null) !== payment.targetMemorialId) return 'metadata'
  // prove: stripe-currency
  if (intent.currency !== payment.currency) return 'currency'
  // prove: stripe-amount
  if (intent.amount !== payment.amount) return 'amount'
  if (intent.status === 'succeeded' && intent.amount_received !== payment.amount) return 'amount'
  return null
}

/** The account that Stripe knows: a gift's payment goes to another one once somebody redeems it. */
function payingAccount({ targetMemorialId, userId }: PaymentRow): string {
  return isGift(targetMemorialId) ? GIFT_ACCOUNT : userId
}
