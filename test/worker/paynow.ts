import { env } from 'cloudflare:test'
import { inject } from 'vitest'
import type { PhoneMethod } from '#shared/payments/local-payments.ts'
import type { Payment } from '#shared/payments/payments.ts'
import { encodePaynowMessage, type PaynowFields } from '#worker/platform/providers/paynow-messages.ts'
import { paynowAttempts } from '#worker/schema/payments.table.ts'
import { askWorker, ORIGIN, signedIn, type SignedIn } from './harness.ts'
import { tellSandbox } from './mailbox.ts'
import { changeRows } from './rows.ts'
import { draftOf } from './stripe.ts'

/** A transaction as the sandbox of Paynow knows it. */
export type PaynowTransaction = {
  guid: string
  number: string
  reference: string
  amount: string
  method: string | null
  phone: string
  status: string
  returnUrl: string
  resultUrl: string
}

let phones = 0
/** A number of EcoCash that no other test uses. */
export function newPhone(): string {
  phones += 1
  return `077${String(2_500_000 + ((Date.now() + phones * 7919) % 7_000_000))}`
}

/** Asks a phone to pay, with a number of its own unless given. */
export function askPhone(
  user: SignedIn,
  input: { memorialId?: string | null; method?: PhoneMethod; phone?: string } = {},
) {
  return user.post<Payment>('/api/payments/mobile', { method: 'ecocash', phone: newPhone(), ...input })
}

/** A new account's draft, and a request to a phone to pay for it. */
export async function asked(input: Parameters<typeof askPhone>[1] = {}) {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const { status, body } = await askPhone(owner, { memorialId, ...input })
  if (status !== 200 || body.status !== 'PENDING') throw new Error(`not asked: ${JSON.stringify(body)}`)
  return { owner, memorialId, payment: body, id: body.id }
}

/** Has us ask Paynow about a payment, as its payer's screen does. */
export function syncPaynow(owner: SignedIn, id: string) {
  return owner.post<Payment>(`/api/payments/${id}/sync`)
}

/** As if nobody had asked Paynow for a while. */
export async function letAskAgain(paymentId: string): Promise<void> {
  await changeRows(paynowAttempts, { paymentId }, { checkedAt: 0 })
}

/** What the sandbox knows of a payment of ours: its transactions and the result posts about them. */
export async function atPaynow(
  paymentId: string,
): Promise<{ transactions: PaynowTransaction[]; posts: { body: string; status: string }[] }> {
  return (await fetch(`${inject('sandboxUrl')}/paynow?reference=${paymentId}`)).json()
}

/** What the payer, the wallet or Paynow's staff does: `approve`, `cancel`, `refund`, … (sandbox/paynow/control.ts). */
export async function onPhone(paymentId: string, action: string): Promise<void> {
  await tellSandbox('/test/paynow', { reference: paymentId, action })
}

/** A fault of the sandbox for calls about this payment or with this text. */
export async function injectPaynowFault(match: string, mode: string, times?: number): Promise<void> {
  await tellSandbox('/faults', { service: 'paynow', mode, match, times })
}

/** A result post about this payment's present state, with fields replaced. */
export async function resultPost(
  paymentId: string,
  set: Record<string, string> = {},
  sign: 'key' | 'other' | 'old' = 'key',
): Promise<string> {
  const response = await fetch(`${inject('sandboxUrl')}/test/paynow/post`, {
    method: 'POST',
    body: JSON.stringify({ reference: paymentId, set, sign }),
  })
  return ((await response.json()) as { body: string }).body
}

/** A message with these fields and Paynow's hash. */
export function signedPost(fields: PaynowFields): string {
  return encodePaynowMessage(fields, env.PAYNOW_INTEGRATION_KEY ?? '')
}

/** Posts a body to the result address, as Paynow does. Returns the status. */
export async function postResult(body: string, type = 'application/x-www-form-urlencoded'): Promise<number> {
  const headers = { 'Content-Type': type, 'CF-Connecting-IP': '203.0.113.7' }
  const answer = await askWorker(`${ORIGIN}/api/paynow/result`, { method: 'POST', headers, body })
  await answer.arrayBuffer()
  return answer.status
}
