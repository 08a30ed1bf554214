import type { Payment, PaymentIntent } from '#shared/payments/payments.ts'
import { Client, type SignedIn } from './harness.ts'
import { confirm } from './stripe.ts'

/** The token of a link by which anybody can pay for this account's memorial, or for its next one. */
export async function payTokenOf(
  owner: SignedIn,
  memorialId: string | null = null,
  showsMemorial = false,
): Promise<string> {
  const { body } = await owner.post('/api/payments/ask', { memorialId, showsMemorial })
  return body.token
}

type Begun = { paymentId: string; intentId: string; payment: Payment }

/** Somebody pays by card with a link, or only begins to. */
export async function payWithLink(
  token: string,
  payer: { name: string; email: string },
  { isBegunOnly = false } = {},
): Promise<Begun> {
  const client = new Client()
  const { status, body } = await client.post<PaymentIntent>(`/api/pay/${token}/card`, payer)
  if (status !== 200) throw new Error(`no payment intent: ${JSON.stringify(body)}`)
  const { paymentId } = body
  const intentId = body.clientSecret.split('_secret_')[0] ?? ''
  if (!isBegunOnly) await confirm(intentId)
  const synced = await client.post<Payment>(`/api/pay/${token}/payments/${paymentId}/sync`)
  return { paymentId, intentId, payment: synced.body }
}
