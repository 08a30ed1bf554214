import { randomUUID } from 'node:crypto'
import type { Deliveries, DeliveryRecord } from '../deliveries.ts'
import type { World } from '../world.ts'
import { signedBody, type Fields } from './messages.ts'

export type PaynowStatus =
  | 'Created'
  | 'Sent'
  | 'Paid'
  | 'Awaiting Delivery'
  | 'Delivered'
  | 'Cancelled'
  | 'Failed'
  | 'Disputed'
  // Not documented: what comes one day.
  | 'Under Review'
  | 'Refunded'

/** One transaction: https://developers.paynow.co.zw/docs/initiate_transaction.html */
export type Transaction = {
  guid: string
  /** Paynow's own number, with a comma from 1,000 on; the answer to the start leaves it out. */
  number: string
  integrationId: string
  reference: string
  trace: string
  amount: string
  info: string
  /** Null until the payer chose one on Paynow's page. */
  method: string | null
  phone: string
  returnUrl: string
  resultUrl: string
  status: PaynowStatus
  /** InnBucks: what the payer types into the app. O'mari: what the text message says. */
  code: string
  wrongCodes: number
  /** A test number's outcome, and when it comes, in milliseconds since 1970. */
  due: { at: number; status: PaynowStatus } | null
}

/** A post to the merchant's `resulturl`, made once for each change of a status. */
export type ResultPost = DeliveryRecord & { id: string; reference: string; url: string; status: PaynowStatus }

/** The integrations that the sandbox knows: id -> key and currency. The currency is nowhere in the API. */
export type Integrations = Record<string, { key: string; currency: 'USD' | 'ZiG' }>

export type Paynow = {
  world: World
  integrations: Integrations
  posts: Deliveries<ResultPost>
  baseUrl: () => string
  /** Refuse a `reference` that was used before; what the real Paynow does is not documented. */
  refusesRepeats: boolean
}

const FIRST_NUMBER = 998
const OVER: ReadonlySet<PaynowStatus> = new Set(['Cancelled', 'Failed', 'Refunded'])

/** Adds a transaction and its first result post. */
export function addTransaction(
  { world }: Paynow,
  values: Omit<Transaction, 'guid' | 'number' | 'status' | 'code' | 'wrongCodes' | 'due'>,
): Transaction {
  const { paynow } = world.state
  const transaction: Transaction = {
    ...values,
    guid: randomUUID(),
    number: (FIRST_NUMBER + paynow.length).toLocaleString('en-US'),
    status: 'Created',
    code: '',
    wrongCodes: 0,
    due: null,
  }
  paynow.push(transaction)
  world.changed()
  return transaction
}

/** Changes the status and posts it to the merchant. Returns false if the payment is over already. */
export function setStatus(paynow: Paynow, transaction: Transaction, status: PaynowStatus): boolean {
  if (transaction.status === status || OVER.has(transaction.status)) return false
  transaction.status = status
  transaction.due = null
  const { world, posts } = paynow
  const post: ResultPost = {
    id: randomUUID(),
    reference: transaction.reference,
    url: transaction.resultUrl,
    status,
    body: signedBody(statusFields(paynow, transaction), keyOf(paynow, transaction)),
    state: 'pending',
    deliveries: [],
  }
  world.state.paynowPosts.push(post)
  posts.add(post)
  world.changed()
  return true
}

/** Applies what test numbers have waited for. `isNow`: without waiting any longer. */
export function applyDue(paynow: Paynow, transaction: Transaction, isNow = false): void {
  const { due } = transaction
  if (due && (isNow || due.at <= paynow.world.nowMs())) setStatus(paynow, transaction, due.status)
}

/** The fields of a status: in a result post and in the answer to a poll. Newer ones than the documented count too. */
export function statusFields(paynow: Paynow, transaction: Transaction): Fields {
  const { reference, number, amount, status, method } = transaction
  return [
    ['reference', reference],
    ['paynowreference', number],
    ['amount', amount],
    ['status', status],
    ['pollurl', pollUrl(paynow, transaction)],
    ...(method === null ? [] : ([['paymentchannel', method]] satisfies Fields)),
  ]
}

/** Where the merchant asks for the status. */
export function pollUrl({ baseUrl }: Paynow, { guid }: Transaction): string {
  return `${baseUrl()}/Interface/CheckPayment/?guid=${guid}`
}

/** The key of the transaction's integration. */
export function keyOf({ integrations }: Paynow, { integrationId }: Transaction): string {
  return integrations[integrationId]?.key ?? ''
}
