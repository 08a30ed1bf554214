import { env } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import { PAYNOW_BODY_MAX_BYTES } from '#shared/limits.ts'
import type { Payment } from '#shared/payments/payments.ts'
import {
  encodePaynowMessage,
  fieldOf,
  parsePaynowMessage,
  type PaynowFields,
} from '#worker/platform/providers/paynow-messages.ts'
import { paynowProblem } from '#worker/platform/providers/paynow-account.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { paymentHistory, payments, paynowAttempts } from '#worker/schema/payments.table.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { signedIn, type SignedIn } from '../../../../test/worker/harness.ts'
import {
  askPhone,
  injectPaynowFault,
  onPhone,
  postResult,
  resultPost,
  signedPost,
} from '../../../../test/worker/paynow.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { draftOf } from '../../../../test/worker/stripe.ts'

const FORM = 'application/x-www-form-urlencoded'
type Asked = { owner: SignedIn; memorialId: string; id: string }
async function asked(): Promise<Asked> {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const { body } = await askPhone(owner, { memorialId })
  return { owner, memorialId, id: body.id }
}

/** Everything that a post could change, apart from when somebody asked last. */
async function stateOf({ memorialId, id }: Asked) {
  const attempts = await rowsOf(paynowAttempts, { paymentId: id })
  return {
    payments: await rowsOf(payments, { id }),
    attempts: attempts.map((row) => Object.assign(row, { checkedAt: 0, nextCheckAt: 0, lastStatus: null })),
    history: await rowsOf(paymentHistory, { paymentId: id }),
    memorial: (await rowsOf(memorials, { id: memorialId }))[0]?.status,
  }
}

let real: Asked
/** A true post of another payment of the same sandbox, which is paid. */
let othersPost: string
/** The fields of the present, true post about the payment that nobody has paid. */
let truth: PaynowFields
beforeAll(async () => {
  real = await asked()
  truth = parsePaynowMessage(await resultPost(real.id)).filter(([name]) => name !== 'hash')
  const other = await asked()
  await onPhone(other.id, 'approve')
  othersPost = await resultPost(other.id)
})

const changed = (set: Record<string, string>): PaynowFields =>
  truth.map(([name, value]) => [name, set[name] ?? value])
const unsigned = (fields: PaynowFields) =>
  new URLSearchParams(fields.map(([name, value]) => [name, value])).toString()
const paid = () => resultPost(real.id, { status: 'Paid' })
const pollUrl = () => fieldOf(truth, 'pollurl')

/** Posts that somebody other than Paynow could send: of none the answer is 2xx, or the poll decides otherwise. */
const FORGED: [what: string, status: number, body: () => Promise<string> | string][] = [
  ['Paid, signed with another key', 400, () => resultPost(real.id, { status: 'Paid' }, 'other')],
  ['Paid, with the hash of the true post', 400, () => resultPost(real.id, { status: 'Paid' }, 'old')],
  ['Paid, without a hash', 400, () => unsigned(changed({ status: 'Paid' }))],
  ['Paid, with an empty hash', 400, async () => (await paid()).replace(/hash=.*$/u, 'hash=')],
  ['Paid, with half of the hash', 400, async () => (await paid()).slice(0, -64)],
  [
    'Paid, with a hash that isn’t hex',
    400,
    async () => (await paid()).replace(/hash=.*$/u, `hash=${'é'.repeat(128)}`),
  ],
  ['Paid, truly signed, while the poll says Sent', 200, paid],
  [
    'Paid, truly signed, with a field nobody knows',
    200,
    () => signedPost([...changed({ status: 'Paid' }), ['bonus', '1']]),
  ],
  [
    'Paid, truly signed, hash in lower case',
    200,
    async () => (await paid()).replace(/hash=.*$/u, (hash) => hash.toLowerCase()),
  ],
  ['a smaller amount, truly signed', 400, () => signedPost(changed({ status: 'Paid', amount: '59.99' }))],
  ['a hundred times the amount', 400, () => signedPost(changed({ status: 'Paid', amount: '6000' }))],
  ['an amount with a comma', 400, () => signedPost(changed({ status: 'Paid', amount: '60,00' }))],
  ['a negative amount', 400, () => signedPost(changed({ status: 'Paid', amount: '-60.00' }))],
  ['no amount', 400, () => signedPost(truth.filter(([name]) => name !== 'amount'))],
  [
    'a figure moved from one field to the next: the hash stays true',
    400,
    () => resultPost(real.id, moved(), 'old'),
  ],
  ['another number of Paynow’s', 400, () => signedPost(changed({ status: 'Paid', paynowreference: '7' }))],
  [
    'a payment that doesn’t exist',
    404,
    () => signedPost(changed({ status: 'Paid', reference: 'pay_00000000000000000000' })),
  ],
  ['no reference', 404, () => signedPost(truth.filter(([name]) => name !== 'reference'))],
  [
    'an address on another host',
    400,
    () =>
      signedPost(changed({ status: 'Paid', pollurl: 'https://evil.example/Interface/CheckPayment/?guid=1' })),
  ],
  [
    'another port of Paynow’s host',
    400,
    () => signedPost(changed({ pollurl: 'http://127.0.0.1:1/Interface/CheckPayment/?guid=1' })),
  ],
  [
    'another path at Paynow',
    400,
    () => signedPost(changed({ pollurl: new URL('/test/paynow', pollUrl()).href })),
  ],
  [
    'an address that is none',
    400,
    () => signedPost(changed({ status: 'Paid', pollurl: 'javascript:alert(1)' })),
  ],
  ['no address', 400, () => signedPost(truth.filter(([name]) => name !== 'pollurl'))],
  ['a field twice', 400, async () => `status=Paid&${await resultPost(real.id)}`],
  ['HTML', 400, () => '<!doctype html><h1>Paid</h1>'],
  ['JSON', 400, () => JSON.stringify({ reference: real.id, status: 'Paid' })],
  ['nothing', 400, () => ''],
  ['a broken encoding', 400, async () => `x=%E0%A4%A&${await paid()}`],
  [
    'a hundred fields',
    400,
    () => signedPost([...truth, ...Array.from({ length: 100 }, (_, at) => [`f${at}`, 'x'] as const)]),
  ],
  ['17 kB', 413, () => signedPost([...truth, ['x', 'x'.repeat(PAYNOW_BODY_MAX_BYTES)]])],
  [
    'the true post of another payment, under this reference',
    400,
    () => othersPost.replace(/reference=[^&]*/u, `reference=${real.id}`),
  ],
  [
    'an unknown status, truly signed, while the poll says Sent',
    200,
    () => signedPost(changed({ status: 'Blessed' })),
  ],
  [
    'Refunded, truly signed, while the poll says Sent',
    200,
    () => signedPost(changed({ status: 'Refunded' })),
  ],
]

/** `paynowreference` 1,000 and `amount` 60.00 become 1,00 and 060.00: joined, they are the same. */
function moved(): Record<string, string> {
  const [number, amount] = [fieldOf(truth, 'paynowreference'), fieldOf(truth, 'amount')]
  return { paynowreference: number.slice(0, -1), amount: number.slice(-1) + amount }
}

test.each(FORGED)(
  'forged: %s',
  { tags: ['paynow-post-signed', 'paynow-own-addresses', 'paynow-amount', 'paynow-reference'] },
  async (_what, status, body) => {
    const before = await stateOf(real)
    const forged = await body()
    for (const _ of [1, 2]) expect(await postResult(forged)).toBe(status)
    expect(await stateOf(real)).toEqual(before)
    takeErrorLines()
  },
)

test.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x', ''])(
  'a true post whose type is “%s” is refused',
  async (type) => {
    const payment = await asked()
    await onPhone(payment.id, 'approve')
    const before = await stateOf(payment)
    expect(await postResult(await resultPost(payment.id), type)).toBe(400)
    expect(await stateOf(payment)).toEqual(before)
    expect(await postResult(await resultPost(payment.id), `${FORM}; charset=utf-8`)).toBe(200)
  },
)

test(
  'before Paynow answers, we ask the address in a post only if it is Paynow’s',
  { tags: ['paynow-own-addresses'] },
  async () => {
    const payment = await asked()
    const fields = parsePaynowMessage(await resultPost(payment.id)).filter(([name]) => name !== 'hash')
    await changeRows(paynowAttempts, { paymentId: payment.id }, { pollUrl: null, lastStatus: null })
    const foreign = fields.map(([name, value]): [string, string] => [
      name,
      name === 'pollurl' ? 'http://127.0.0.1:1/Interface/CheckPayment/?guid=1' : value,
    ])
    expect(await postResult(signedPost(foreign))).toBe(400)
  },
)

test('repeated true posts, and old ones out of order, change nothing and cost no poll', async () => {
  const payment = await asked()
  const sent = await resultPost(payment.id)
  await onPhone(payment.id, 'approve')
  const paidPost = await resultPost(payment.id)
  expect(await postResult(paidPost)).toBe(200)
  const before = await stateOf(payment)
  expect(before.memorial).toBe('ACTIVE')
  // The poll would fail.
  await injectPaynowFault(payment.id, 'fail')
  for (const body of [paidPost, paidPost, paidPost]) expect(await postResult(body)).toBe(200)
  await injectPaynowFault(payment.id, 'ok')
  const cancelled = await resultPost(payment.id, { status: 'Cancelled' })
  for (const body of [sent, cancelled, paidPost, sent]) expect(await postResult(body)).toBe(200)
  expect(await stateOf(payment)).toEqual(before)
})

const sync = ({ owner, id }: Asked) => owner.post<Payment>(`/api/payments/${id}/sync`)
const letAskAgain = ({ id }: Asked) => changeRows(paynowAttempts, { paymentId: id }, { checkedAt: 0 })

test('an answer without Paynow’s hash is none', { tags: ['paynow-answers-signed'] }, async () => {
  const payment = await asked()
  await onPhone(payment.id, 'approve')
  const guid = new URL(fieldOf(parsePaynowMessage(await resultPost(payment.id)), 'pollurl')).searchParams.get(
    'guid',
  )!
  await injectPaynowFault(guid, 'unsigned', 1)
  await letAskAgain(payment)
  expect((await sync(payment)).body.status).toBe('PENDING')
  await letAskAgain(payment)
  expect((await sync(payment)).body.status).toBe('PAID')
})

test(
  'a poll with another amount, reference or payment is an alarm and changes nothing',
  { tags: ['paynow-payment', 'paynow-amount', 'paynow-reference'] },
  async () => {
    const payment = await asked()
    await onPhone(payment.id, 'approve')
    const [attempt] = await rowsOf(paynowAttempts, { paymentId: payment.id })
    const guid = new URL(attempt!.pollUrl!).searchParams.get('guid')!
    const other = await asked()
    const [othersAttempt] = await rowsOf(paynowAttempts, { paymentId: other.id })
    await onPhone(other.id, 'approve')
    const kinds: [field: string, before: () => Promise<unknown>][] = [
      ['amount', () => injectPaynowFault(guid, 'amount', 1)],
      [
        'paynowreference',
        () => changeRows(paynowAttempts, { paymentId: payment.id }, { paynowReference: '9,999' }),
      ],
      [
        'reference',
        () =>
          changeRows(
            paynowAttempts,
            { paymentId: payment.id },
            { pollUrl: othersAttempt!.pollUrl, paynowReference: othersAttempt!.paynowReference },
          ),
      ],
    ]
    for (const [field, before] of kinds) {
      await before()
      await letAskAgain(payment)
      expect((await sync(payment)).body.status).toBe('PENDING')
      expect(takeErrorLines()).toEqual([expect.stringContaining(`differs in ${field}`)])
      await changeRows(
        paynowAttempts,
        { paymentId: payment.id },
        { pollUrl: attempt!.pollUrl, paynowReference: attempt!.paynowReference },
      )
    }
    await letAskAgain(payment)
    expect((await sync(payment)).body.status).toBe('PAID')
  },
)

const LIVE = {
  ...env,
  PUBLIC_ORIGIN: 'https://memorials.test',
  PAYNOW_API_URL: 'https://www.paynow.co.zw',
  STRIPE_SECRET_KEY: ['sk', 'live', 'x'].join('_'),
  PAYNOW_MODE: 'live',
}

test.each([
  ['no id', { PAYNOW_INTEGRATION_ID: '' }, 'not set'],
  ['no key', { PAYNOW_INTEGRATION_KEY: '' }, 'not set'],
  ['an integration for ZiG', { PAYNOW_CURRENCY: 'ZiG' }, 'not USD'],
  ['no currency', { PAYNOW_CURRENCY: '' }, 'not USD'],
  ['no mode', { PAYNOW_MODE: '' }, 'neither live nor test'],
  ['test mode beside live cards', { PAYNOW_MODE: 'test' }, 'PAYNOW_MODE is test'],
  ['test mode without cards', { PAYNOW_MODE: 'test', STRIPE_SECRET_KEY: '' }, 'PAYNOW_MODE is test'],
  ['a sandbox', { PAYNOW_API_URL: env.PAYNOW_API_URL }, 'PAYNOW_API_URL is not at'],
  [
    'a host that only begins like Paynow’s',
    { PAYNOW_API_URL: 'https://www.paynow.co.zw.evil.example' },
    'is not at',
  ],
])(
  'with %s a deployment takes no local payment and says why',
  { tags: ['paynow-currency', 'paynow-mode'] },
  (_what, settings, reason) => {
    expect(paynowProblem(LIVE)).toBeNull()
    expect(paynowProblem({ ...LIVE, ...settings })).toContain(reason)
    const tested = { PAYNOW_MODE: 'test', STRIPE_SECRET_KEY: ['sk', 'test', 'x'].join('_') }
    expect(paynowProblem({ ...LIVE, ...tested })).toBeNull()
  },
)

test(
  'a live integration refuses test numbers, with which anybody could pay',
  { tags: ['test-numbers'] },
  async () => {
    const owner = await signedIn()
    owner.bindings = { ...env, PAYNOW_MODE: 'live' }
    const { status, body } = await askPhone(owner, { phone: '0771111111' })
    expect([status, body]).toMatchObject([400, { code: 'bad_input', fields: { phone: expect.any(String) } }])
    owner.bindings = env
    expect((await askPhone(owner, { phone: '0771111111' })).status).toBe(200)
  },
)

test('a signed smoke test tells whether the Worker reaches Paynow, and makes nothing', async () => {
  const smoke = (key?: string) => {
    const fields: PaynowFields = [
      ['reference', 'smoke-test'],
      ['status', 'Message'],
      ['pollurl', new URL('/Interface/CheckPayment/', env.PAYNOW_API_URL).href],
    ]
    return postResult(key ? encodePaynowMessage(fields, key) : signedPost(fields))
  }
  expect(await smoke()).toBe(200)
  expect(await smoke('another key')).toBe(400)
  // An answer all the same.
  await injectPaynowFault('smoke-test', 'tracefailed')
  expect(await smoke()).toBe(200)
  await injectPaynowFault('smoke-test', 'html')
  expect(await smoke()).toBe(502)
  await injectPaynowFault('smoke-test', 'ok')
  expect(takeErrorLines()).toHaveLength(1)
})
