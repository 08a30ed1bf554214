import { api } from '#shared/api.ts'
import type { PhoneMethod } from '#shared/payments/local-payments.ts'
import type { Payment, PaymentIntent } from '#shared/payments/payments.ts'
import { call } from '#client/lib/call.ts'
import { storeBegun, type Payer } from './stored-payer.ts'

/** The link with which somebody pays for somebody else, and who they say they are. */
export type PayerLink = { token: string; payer: Payer; isGift: boolean }

/** `memorialId` is null for a memorial that doesn't exist yet. `link`: who pays has no account, but a link. */
export type Purchase = {
  memorialId: string | null
  link?: PayerLink | undefined
  onPaid: (payment: Payment) => void
  onAlreadyPaid: () => void
}

export type Target = Pick<Purchase, 'memorialId' | 'link'>

/** What the card form needs. */
export function startCardPayment({ memorialId, link }: Target): Promise<PaymentIntent> {
  if (!link) return call(api.createPaymentIntent, { body: { memorialId } })
  const { token, payer } = link
  return begin(token, call(api.payLinkByCard, { params: { token }, body: payer }))
}

/** Asks a phone to pay. */
export function askPhone(
  { memorialId, link }: Target,
  request: { method: PhoneMethod; phone: string },
): Promise<Payment> {
  if (!link) return call(api.payByPhone, { body: { memorialId, ...request } })
  const { token, payer } = link
  return begin(token, call(api.payLinkByPhone, { params: { token }, body: { ...payer, ...request } }))
}

/** The address of Paynow's page. */
export function startPaynowPage({
  memorialId,
  link,
}: Target): Promise<{ redirectUrl: string; paymentId: string }> {
  if (!link) return call(api.initPayment, { body: { memorialId } })
  const { token, payer } = link
  return begin(token, call(api.payLinkOnPaynow, { params: { token }, body: payer }))
}

/** Keeps on this device which payment was begun: who has no account finds it by that. */
async function begin<T extends { id: string } | { paymentId: string }>(
  token: string,
  starting: Promise<T>,
): Promise<T> {
  const begun = await starting
  storeBegun(token, 'id' in begun ? begun.id : begun.paymentId)
  return begun
}

/** What became of a payment. */
export function syncPayment({ link }: Pick<Purchase, 'link'>, id: string): Promise<Payment> {
  return link
    ? call(api.syncLinkPayment, { params: { token: link.token, id } })
    : call(api.syncPayment, { params: { id } })
}

/** Sends the code of O'mari's text message. */
export function sendPaymentCode(
  { link }: Pick<Purchase, 'link'>,
  id: string,
  code: string,
): Promise<Payment> {
  return link
    ? call(api.sendLinkPaymentCode, { params: { token: link.token, id }, body: { code } })
    : call(api.sendPaymentCode, { params: { id }, body: { code } })
}
