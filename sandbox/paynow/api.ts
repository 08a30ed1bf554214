import { html, type Incoming, type Reply } from '../http.ts'
import { errorBody, hashOf, readFields, signedBody, toBody, valueOf, type Fields } from './messages.ts'
import {
  addTransaction,
  applyDue,
  keyOf,
  pollUrl,
  setStatus,
  statusFields,
  type Paynow,
  type PaynowStatus,
  type Transaction,
} from './transactions.ts'

const PHONE_METHODS = ['ecocash', 'onemoney']
const CODE_METHODS = ['innbucks', 'omari']
/** Outcomes of test numbers: https://developers.paynow.co.zw/docs/test_mode.html */
const TEST_NUMBERS: Record<string, { afterMs: number; status: PaynowStatus }> = {
  '0771111111': { afterMs: 5_000, status: 'Paid' },
  '0772222222': { afterMs: 30_000, status: 'Paid' },
  '0773333333': { afterMs: 30_000, status: 'Failed' },
}
const NO_BALANCE_NUMBER = '0774444444'
const TRACE_MAX = 32
const WRONG_CODES_MAX = 5
/** The code in each text message of O'mari. */
export const OMARI_CODE = '123456'

/** A fault that changes the answer itself, as opposed to the connection. */
export type PaynowFault = 'notfound' | 'tracefailed' | 'amount' | 'unsigned' | null

/** True for paths of Paynow's API; the real one ignores their case. */
export function isPaynowPath(path: string): boolean {
  return path.toLowerCase().startsWith('/interface/')
}

/**
 * Answers `/interface/initiatetransaction`, `/remotetransaction`, `/trace`, `/checkpayment` and `/otp`, always with status 200.
 * Source: https://developers.paynow.co.zw/docs/initiate_transaction.html and the pages beside it.
 */
export function answerPaynow(paynow: Paynow, incoming: Incoming, fault: PaynowFault): Reply {
  if (fault === 'unsigned') return withoutHash(answerPaynow(paynow, incoming, null))
  const action = incoming.path.toLowerCase().split('/')[2] ?? ''
  if (incoming.method !== 'POST') return html('<!doctype html><title>Paynow</title><p>Nothing to see here.')
  if (action === 'checkpayment') return form(check(paynow, incoming.query.get('guid') ?? '', fault))
  const fields = readFields(incoming.body)
  if (!fields) return form(errorBody('Invalid message'))
  const key = paynow.integrations[valueOf(fields, 'id')]?.key
  if (key === undefined) return form(errorBody('Invalid id.'))
  const hash = hashOf(fields, key)
  if (valueOf(fields, 'hash').toUpperCase() !== hash) {
    return form(errorBody(`Invalid Hash.  Hash should start with: ${hash.slice(0, 6)}`))
  }
  if (action === 'trace') return form(findTraced(paynow, fields, key, fault))
  if (action === 'otp') return form(enterCode(paynow, fields, incoming.query.get('guid') ?? ''))
  if (action === 'initiatetransaction') return form(start(paynow, fields, key, false))
  if (action === 'remotetransaction') return form(start(paynow, fields, key, true))
  return form(errorBody('Invalid request'))
}

function withoutHash(reply: Reply): Reply {
  return typeof reply.body === 'string' ? { ...reply, body: reply.body.replace(/&hash=.*$/u, '') } : reply
}

function form(body: string): Reply {
  return { status: 200, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body }
}

function start(paynow: Paynow, fields: Fields, key: string, isExpress: boolean): string {
  const problem = findProblem(paynow, fields, isExpress)
  if (problem) return errorBody(problem)
  const phone = valueOf(fields, 'phone')
  const transaction = addTransaction(paynow, {
    integrationId: valueOf(fields, 'id'),
    reference: valueOf(fields, 'reference'),
    trace: valueOf(fields, 'merchanttrace'),
    amount: Number(valueOf(fields, 'amount')).toFixed(2),
    info: valueOf(fields, 'additionalinfo'),
    method: isExpress ? valueOf(fields, 'method').toLowerCase() : null,
    phone,
    returnUrl: valueOf(fields, 'returnurl'),
    resultUrl: valueOf(fields, 'resulturl'),
  })
  const poll: Fields = [
    ['pollurl', pollUrl(paynow, transaction)],
    // Without the comma that statuses have, as in Paynow's examples.
    ['paynowreference', transaction.number.replaceAll(',', '')],
  ]
  if (!isExpress) {
    const browserUrl = `${paynow.baseUrl()}/Payment/ConfirmPayment/${transaction.guid}`
    return signedBody([['Status', 'Ok'], ['BrowserUrl', browserUrl], ...poll], key)
  }
  setStatus(paynow, transaction, 'Sent')
  const test = TEST_NUMBERS[phone]
  if (test) transaction.due = { at: paynow.world.nowMs() + test.afterMs, status: test.status }
  return signedBody([['status', 'Ok'], ...extrasOf(paynow, transaction), ...poll], key)
}

function findProblem(paynow: Paynow, fields: Fields, isExpress: boolean): string | null {
  const { world, refusesRepeats } = paynow
  const known = world.state.paynow
  const [reference, trace, method, phone] = ['reference', 'merchanttrace', 'method', 'phone'].map((name) =>
    valueOf(fields, name),
  )
  if (!/^\d+(?:\.\d{1,2})?$/u.test(valueOf(fields, 'amount'))) return 'Invalid amount field'
  for (const name of ['reference', 'returnurl', 'resulturl', 'status']) {
    if (valueOf(fields, name) === '') return `Invalid ${name} field`
  }
  if (refusesRepeats && known.some((other) => other.reference === reference)) return 'Duplicate reference'
  if ((trace ?? '').length > TRACE_MAX) return 'Invalid merchanttrace field'
  if (trace && known.some((other) => other.trace === trace)) return 'Duplicate merchanttrace'
  if (!isExpress) return null
  if (valueOf(fields, 'authemail') === '') return 'Invalid authemail field'
  if (![...PHONE_METHODS, ...CODE_METHODS].includes(method ?? '')) return 'Payment method is not enabled'
  if (!/^07\d{8}$/u.test(phone ?? '')) return 'Invalid phone number'
  return phone === NO_BALANCE_NUMBER ? 'Insufficient balance' : null
}

/** What the payer needs for this method: https://developers.paynow.co.zw/docs/express_checkout_transactions.html */
function extrasOf(paynow: Paynow, transaction: Transaction): Fields {
  const { method, guid, phone } = transaction
  if (method === 'innbucks') {
    transaction.code = String(100_000_000 + (Number.parseInt(guid.slice(0, 7), 16) % 900_000_000))
    const expires = new Date(paynow.world.nowMs() + 600_000)
    return [
      ['authorizationcode', transaction.code],
      ['authorizationexpires', expiryOf(expires)],
    ]
  }
  if (method === 'omari') {
    transaction.code = OMARI_CODE
    return [
      ['otpreference', guid.slice(0, 8)],
      ['remoteotpurl', `${paynow.baseUrl()}/Interface/Otp/?guid=${guid}`],
    ]
  }
  const dial = method === 'ecocash' ? '*151*2*7#' : '*111#'
  return [['instructions', `Dial ${dial} on ${phone} and enter your PIN.`]]
}

/** For example `24-Nov-2026 15:04`, in Zimbabwe's time; Paynow does not say which zone it means. */
function expiryOf(moment: Date): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Africa/Harare',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(moment)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('day')}-${part('month').slice(0, 3)}-${part('year')} ${part('hour')}:${part('minute')}`
}

function check(paynow: Paynow, guid: string, fault: PaynowFault): string {
  const transaction = paynow.world.state.paynow.find((one) => one.guid === guid)
  if (!transaction) return errorBody('Invalid guid')
  return statusBody(paynow, transaction, fault)
}

function statusBody(paynow: Paynow, transaction: Transaction, fault: PaynowFault): string {
  applyDue(paynow, transaction)
  const amount = fault === 'amount' ? '59.99' : transaction.amount
  return signedBody(statusFields(paynow, { ...transaction, amount }), keyOf(paynow, transaction))
}

function findTraced(paynow: Paynow, fields: Fields, key: string, fault: PaynowFault): string {
  if (fault === 'tracefailed') return errorBody('Trace failed')
  const found = paynow.world.state.paynow.find(({ trace: mark }) => mark === valueOf(fields, 'merchanttrace'))
  if (!found || fault === 'notfound') return signedBody([['status', 'NotFound']], key)
  return statusBody(paynow, found, fault)
}

function enterCode(paynow: Paynow, fields: Fields, guid: string): string {
  const transaction = paynow.world.state.paynow.find((one) => one.guid === guid)
  if (transaction?.method !== 'omari') return errorBody('Invalid guid')
  if (valueOf(fields, 'otp') === transaction.code) {
    setStatus(paynow, transaction, 'Awaiting Delivery')
    return statusBody(paynow, transaction, null)
  }
  transaction.wrongCodes += 1
  if (transaction.wrongCodes === WRONG_CODES_MAX) setStatus(paynow, transaction, 'Cancelled')
  paynow.world.changed()
  return errorBody('Invalid OTP')
}

/** A result post as an attacker or a broken line would send it: fields replaced, signed with `key` or with the old hash. */
export function forgedBody(
  paynow: Paynow,
  transaction: Transaction,
  set: Record<string, string>,
  key: string | null,
): string {
  const real = statusFields(paynow, transaction)
  const changed = real.map(([name, value]): [string, string] => [name, set[name] ?? value])
  const more = Object.entries(set).filter(([name]) => real.every(([other]) => other !== name))
  const fields: Fields = [...changed, ...more]
  if (key !== null) return signedBody(fields, key)
  return toBody([...fields, ['hash', hashOf(real, keyOf(paynow, transaction))]])
}
