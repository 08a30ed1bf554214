import { Stripe } from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedBody } from '../sandbox/paynow/messages.ts'
import { startSandbox, type Sandbox } from '../sandbox/server.ts'
import {
  compareLedger,
  listedRows,
  readPaynow,
  readStripe,
  sumOf,
  type LedgerRow,
  type ProviderRecord,
} from '../tools/operate/invariants/providers.ts'

const KEY = '3e9fed89-60e1-4ce5-ab6e-6b1eb2d4f977'
let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

const row = (changes: Partial<LedgerRow>): LedgerRow => ({
  id: 'pay_a',
  provider: 'stripe',
  status: 'PAID',
  amount: 6000,
  currency: 'usd',
  intent: 'pi_a',
  pollUrl: null,
  createdAt: 0,
  ...changes,
})
const record = (changes: Partial<ProviderRecord>): ProviderRecord => ({
  id: 'pay_a',
  reference: 'pi_a',
  amount: 6000,
  currency: 'usd',
  state: 'paid',
  ...changes,
})

test.each<[string, Partial<LedgerRow> | null, Partial<ProviderRecord> | null, string | null]>([
  ['the same', {}, {}, null],
  ['refunded in both', { status: 'REFUNDED' }, { state: 'refunded' }, null],
  ['disputed in both', { status: 'DISPUTED' }, { state: 'disputed' }, null],
  ['open in both', { status: 'PENDING' }, { state: 'unpaid' }, null],
  ['failed here, unpaid there', { status: 'FAILED' }, { state: 'unpaid' }, null],
  ['given back by hand', { provider: 'paynow', status: 'REFUNDED' }, {}, null],
  [
    'refunded here, paid at Stripe',
    { status: 'REFUNDED' },
    {},
    'pay_a is REFUNDED, and pi_a (60.00 usd) is paid',
  ],
  ['paid there, open here', { status: 'PENDING' }, {}, 'pay_a is PENDING, and pi_a (60.00 usd) is paid'],
  ['paid here, unpaid there', {}, { state: 'unpaid' }, 'pay_a is PAID, and pi_a (60.00 usd) is unpaid'],
  ['another amount', {}, { amount: 5999 }, 'pay_a is 60.00 usd, and pi_a (59.99 usd) is another amount'],
  ['another currency', {}, { currency: 'eur' }, 'pay_a is 60.00 usd, and pi_a (60.00 eur) is another amount'],
  ['unknown here', null, {}, 'pi_a (60.00 usd) is paid, and our ledger lacks it'],
  ['unknown here and unpaid', null, { state: 'unpaid' }, null],
  ['unknown there', {}, null, 'pay_a is PAID, and stripe doesn’t know it'],
  ['unknown there and open', { status: 'PENDING' }, null, null],
])('%s', (_what, ours, theirs, problem) => {
  const found = compareLedger(ours ? [row(ours)] : [], theirs ? [record(theirs)] : [])
  expect(found).toEqual(problem === null ? [] : [problem.replace('’', "'")])
})

test('our payment a moment older than Stripe’s list is known, and no other old one', () => {
  const old = ['pay_a', 'pay_b'].map((id) => row({ id, createdAt: 999 }))
  const records = [record({})]
  const rows = listedRows([...old, row({ id: 'pay_c', createdAt: 1000 })], records, 1000)
  expect(rows.map(({ id }) => id)).toEqual(['pay_a', 'pay_c'])
  expect(compareLedger(rows, records)).toEqual(["pay_c is PAID, and stripe doesn't know it"])
})

test('Stripe’s list has each payment with its refund and its open dispute', async () => {
  const { hostname, port } = new URL(sandbox.url)
  const stripe = new Stripe('sk_test_sandbox', { host: hostname, port, protocol: 'http' })
  const make = async (paymentId: string) => {
    const intent = await stripe.paymentIntents.create({
      amount: 6000,
      currency: 'usd',
      metadata: { paymentId },
    })
    return intent.id
  }
  const [paid, refunded] = [await make('pay_1'), await make('pay_2')]
  await make('pay_3')
  const [disputed, won] = [await make('pay_8'), await make('pay_9')]
  for (const id of [paid, refunded, disputed, won])
    await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' })
  await stripe.refunds.create({ payment_intent: refunded })
  const bank = (path: string, paymentIntent: string) =>
    fetch(`${sandbox.url}/test/${path}`, {
      method: 'POST',
      body: JSON.stringify({ paymentIntent, status: 'won' }),
    })
  for (const id of [disputed, won]) await bank('dispute', id)
  await bank('dispute/close', won)
  const records = await readStripe(stripe, Date.now() - 60_000)
  expect(Object.fromEntries(records.map(({ id, state }) => [id, state]))).toEqual({
    pay_1: 'paid',
    pay_2: 'refunded',
    pay_3: 'unpaid',
    pay_8: 'disputed',
    pay_9: 'paid',
  })
  expect(sumOf(records)).toBe(12_000)
})

test('we ask Paynow about each payment, also those whose start it did not answer', async () => {
  const account = { url: sandbox.url, id: '1201', key: KEY, isTest: true, userAgent: 'test' }
  const start = async (reference: string) => {
    const order = {
      id: '1201',
      reference,
      amount: '60.00',
      returnurl: 'https://example.test/back',
      resulturl: 'http://127.0.0.1:1/result',
      authemail: 'giver@example.test',
      merchanttrace: reference,
      method: 'ecocash',
      phone: '0771234567',
      status: 'Message',
    }
    const body = signedBody(Object.entries(order), KEY)
    await fetch(`${sandbox.url}/interface/remotetransaction`, { method: 'POST', body })
  }
  const act = (reference: string, action: string) =>
    fetch(`${sandbox.url}/test/paynow`, { method: 'POST', body: JSON.stringify({ reference, action }) })
  for (const reference of ['pay_4', 'pay_5', 'pay_6']) await start(reference)
  await act('pay_4', 'approve-in-escrow')
  await act('pay_5', 'cancel')
  const rows = ['pay_4', 'pay_5', 'pay_6', 'pay_7'].map((id) => row({ id, provider: 'paynow' }))
  const { records, unanswered } = await readPaynow(account, rows)
  expect(records.map(({ id, state }) => [id, state])).toEqual([
    ['pay_4', 'paid'],
    ['pay_5', 'unpaid'],
    ['pay_6', 'unpaid'],
  ])
  expect(unanswered).toEqual([])
  const lost = await readPaynow({ ...account, key: 'wrong' }, rows.slice(0, 1))
  expect(lost).toEqual({ records: [], unanswered: ['pay_4'] })
})
