import { PAYNOW_TIMEOUT_MS } from '#shared/limits.ts'
import type { LocalMethod } from '#shared/payments/local-payments.ts'
import {
  centsOf,
  encodePaynowMessage,
  fieldOf,
  parsePaynowMessage,
  PaynowMessageError,
  verifyPaynowMessage,
  type PaynowFields,
} from '#worker/platform/providers/paynow-messages.ts'

const POLL_PATH = /^\/interface\/checkpayment/iu

/** Our integration at Paynow. `timeoutMs`: how long a call waits for its answer. */
export type PaynowAccount = {
  url: string
  id: string
  key: string
  isTest: boolean
  userAgent: string
  timeoutMs?: number
}

/** Paynow said no: nothing was started or accepted. `message` is Paynow's text. Such an answer isn't signed. */
export class PaynowRefusal extends Error {}

/** No answer, or none that can be trusted: the call may or may not have had an effect. */
export class PaynowUnanswered extends Error {}

/** A payment at Paynow. `cents` is null if the amount can't be read; `status` in lower case. */
export type PaynowState = {
  reference: string
  paynowReference: string
  cents: number | null
  status: string
  pollUrl: string
}

/** What Paynow answered to the start of a payment; null for what its method doesn't have. */
export type PaynowStart = {
  pollUrl: string
  paynowReference: string | null
  browserUrl: string | null
  instructions: string | null
  code: string | null
  codeExpires: string | null
  otpUrl: string | null
}

/**
 * Starts a payment: on Paynow's page (`web`), or with a request to a phone. `id` is our payment's and marks it for
 * {@link tracePaynow}; up to 32 characters. Throws {@link PaynowRefusal}, {@link PaynowUnanswered}. Source:
 * https://developers.paynow.co.zw/docs/initiate_transaction.html, https://developers.paynow.co.zw/docs/express_checkout_transactions.html
 */
export async function startPaynow(
  account: PaynowAccount,
  payment: {
    id: string
    cents: number
    returnUrl: string
    resultUrl: string
    email: string
    method: LocalMethod
    phone: string | null
  },
): Promise<PaynowStart> {
  const { method, phone } = payment
  const isWeb = method === 'web'
  const path = isWeb ? '/interface/initiatetransaction' : '/interface/remotetransaction'
  const request: PaynowFields = [
    ['id', account.id],
    ['reference', payment.id],
    ['amount', (payment.cents / 100).toFixed(2)],
    ['additionalinfo', 'Memorial'],
    ['returnurl', payment.returnUrl],
    ['resulturl', payment.resultUrl],
    // Paynow refuses requests to phones without it. On its page, an address with a Paynow account would have to log in.
    ['authemail', isWeb ? '' : payment.email],
    ['merchanttrace', payment.id],
    ['method', isWeb ? '' : method],
    ['phone', phone ?? ''],
    ['status', 'Message'],
  ]
  return ask(account, path, request, (fields) => {
    const text = (name: string) => fieldOf(fields, name) || null
    return {
      pollUrl: requireUrl(account, fieldOf(fields, 'pollurl'), POLL_PATH),
      paynowReference: text('paynowreference'),
      browserUrl: isWeb ? requireUrl(account, fieldOf(fields, 'browserurl'), /^\/payment\//iu) : null,
      instructions: text('instructions'),
      code: text('authorizationcode'),
      codeExpires: text('authorizationexpires'),
      otpUrl: method === 'omari' ? requireUrl(account, fieldOf(fields, 'remoteotpurl'), /^\//u) : null,
    }
  })
}

/**
 * Asks for the state of a payment: https://developers.paynow.co.zw/docs/polling_status.html. Throws
 * {@link PaynowUnanswered}.
 */
export async function pollPaynow(account: PaynowAccount, pollUrl: string): Promise<PaynowState> {
  return neverRefused(() => ask(account, pollUrl, [], (fields) => readPaynowState(account, fields)))
}

/**
 * Finds a payment whose start wasn't answered, by our id; null if Paynow doesn't know it. Throws {@link PaynowUnanswered}.
 */
export async function tracePaynow(account: PaynowAccount, id: string): Promise<PaynowState | null> {
  const request: PaynowFields = [
    ['id', account.id],
    ['merchanttrace', id],
    ['status', 'Message'],
  ]
  return neverRefused(() =>
    ask(account, '/interface/trace', request, (fields) =>
      fieldOf(fields, 'status').toLowerCase() === 'notfound' ? null : readPaynowState(account, fields),
    ),
  )
}

/**
 * Asks about a payment that Paynow can't know, to see whether it can be reached and knows our key. "Trace failed" is an answer
 * too. Throws {@link PaynowUnanswered}.
 */
export async function reachPaynow(account: PaynowAccount, mark: string): Promise<void> {
  try {
    await tracePaynow(account, mark)
  } catch (error) {
    if (!(error instanceof PaynowUnanswered) || !/^trace failed/iu.test(error.message)) throw error
  }
}

/** "Trace failed" and other refusals to tell a state say nothing about the payment. */
async function neverRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PaynowRefusal) throw new PaynowUnanswered(error.message)
    throw error
  }
}

/** Sends the code of O'mari's text message. Throws {@link PaynowRefusal} for a wrong one, {@link PaynowUnanswered}. */
export async function sendPaynowCode(account: PaynowAccount, otpUrl: string, code: string): Promise<void> {
  const request: PaynowFields = [
    ['id', account.id],
    ['otp', code],
    ['status', 'Message'],
  ]
  await ask(account, otpUrl, request, () => null)
}

/** Reads a signed message about a payment's state, such as a result post. Throws {@link PaynowMessageError}. */
export function readPaynowPost(account: PaynowAccount, body: string): PaynowState {
  const fields = parsePaynowMessage(body)
  // prove: paynow-post-signed
  verifyPaynowMessage(fields, account.key)
  return readPaynowState(account, fields)
}

function readPaynowState(account: PaynowAccount, fields: PaynowFields): PaynowState {
  return {
    reference: fieldOf(fields, 'reference'),
    paynowReference: fieldOf(fields, 'paynowreference'),
    cents: centsOf(fieldOf(fields, 'amount')),
    status: fieldOf(fields, 'status').trim().toLowerCase(),
    pollUrl: requireUrl(account, fieldOf(fields, 'pollurl'), POLL_PATH),
  }
}

/** `address`, if it is Paynow's and has such a path: a message must not make us call anybody else. */
function requireUrl({ url }: PaynowAccount, address: string, path: RegExp): string {
  const found = URL.parse(address)
  // prove: paynow-own-addresses
  if (found?.origin !== new URL(url).origin)
    throw new PaynowMessageError('has an address that is not Paynow’s')
  if (!path.test(found.pathname)) throw new PaynowMessageError('has another address than expected')
  return found.href
}

/**
 * Posts signed fields, or nothing, to Paynow and reads the signed answer with `read`. Throws {@link PaynowRefusal},
 * {@link PaynowUnanswered}.
 */
async function ask<T>(
  account: PaynowAccount,
  address: string,
  fields: PaynowFields,
  read: (answer: PaynowFields) => T,
): Promise<T> {
  try {
    const url = requireUrl(account, new URL(address, account.url).href, /^\//u)
    const response = await fetch(url, {
      method: 'POST',
      // Paynow answers with a page if the type of the body is missing.
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'User-Agent': account.userAgent },
      body: fields.length === 0 ? '' : encodePaynowMessage(fields, account.key),
      redirect: 'manual',
      signal: AbortSignal.timeout(account.timeoutMs ?? PAYNOW_TIMEOUT_MS),
    })
    if (!response.ok) throw new PaynowUnanswered(`Paynow answered ${response.status}`)
    // Not text(): workerd would warn of a body whose type isn't text.
    const answer = parsePaynowMessage(new TextDecoder().decode(await response.arrayBuffer()))
    if (fieldOf(answer, 'status').toLowerCase() === 'error')
      throw new PaynowRefusal(fieldOf(answer, 'error').slice(0, 200))
    // prove: paynow-answers-signed
    verifyPaynowMessage(answer, account.key)
    return read(answer)
  } catch (error) {
    if (error instanceof PaynowRefusal || error instanceof PaynowUnanswered) throw error
    const what = error instanceof PaynowMessageError ? `Paynow's answer ${error.message}` : String(error)
    throw new PaynowUnanswered(what, { cause: error })
  }
}
