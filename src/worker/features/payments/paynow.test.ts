import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { PAYNOW_OPEN_MS, PHONE_REQUEST_MS } from '#shared/limits.ts'
import { localPaymentMessages } from '#shared/payments/local-payments.ts'
import type { Payment } from '#shared/payments/payments.ts'
import { settlePendingLocalPayments } from '#worker/features/payments/paynow-check.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { paymentHistory, payments, paynowAttempts } from '#worker/schema/payments.table.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { signedIn, testCtx } from '../../../../test/worker/harness.ts'
import {
  asked,
  askPhone,
  atPaynow,
  injectPaynowFault,
  letAskAgain,
  newPhone,
  onPhone,
  postResult,
  resultPost,
  syncPaynow as sync,
} from '../../../../test/worker/paynow.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { confirm, draftOf, paymentsOf, startPayment } from '../../../../test/worker/stripe.ts'

const statusOf = async (memorialId: string) => (await rowsOf(memorials, { id: memorialId }))[0]?.status
const ledgerOf = async (paymentId: string) =>
  (await rowsOf(paymentHistory, { paymentId })).map(({ status }) => status)
const afterwards = (ms: number) => testCtx(() => Date.now() + ms)

test('EcoCash: a request with the price goes to the phone, and the right PIN pays', async () => {
  const { owner, memorialId, payment, id } = await asked({ phone: '+263 77 123 4567' })
  expect(payment).toMatchObject({ provider: 'paynow', amount: 6000, currency: 'usd', memorialId: null })
  expect(payment.local).toEqual({
    method: 'ecocash',
    phone: '077 … 567',
    targetMemorialId: memorialId,
    instructions: expect.stringContaining('*151*2*7#'),
    code: null,
    codeExpires: null,
    needsCode: false,
    redirectUrl: null,
    isStarted: true,
    problem: null,
    failedAt: null,
    waitUntil: expect.any(String),
  })
  const waitMs = Date.parse(payment.local!.waitUntil) - Date.parse(payment.createdAt)
  expect(Math.round(waitMs / 1000)).toBe(PHONE_REQUEST_MS / 1000)
  const { transactions } = await atPaynow(id)
  expect(transactions).toMatchObject([
    {
      amount: '60.00',
      phone: '0771234567',
      method: 'ecocash',
      resultUrl: `${env.PUBLIC_ORIGIN}/api/paynow/result`,
      returnUrl: `${env.PUBLIC_ORIGIN}/checkout?memorialId=${memorialId}&paymentId=${id}`,
    },
  ])

  await onPhone(id, 'approve')
  await letAskAgain(id)
  const { body } = await sync(owner, id)
  expect([body.status, body.memorialId, body.local?.problem]).toEqual(['PAID', memorialId, null])
  expect(await statusOf(memorialId)).toBe('ACTIVE')
  expect(await rowsOf(mails, { subjectId: id, kind: 'receipt' })).toHaveLength(1)
  expect(await ledgerOf(id)).toEqual(['PAID'])
  const [row] = await rowsOf(payments, { id })
  expect(row?.providerIntentId).toBeNull()
})

test('Paynow’s number counts as the same with and without its comma', async () => {
  // The sandbox begins at 998.
  await asked()
  await asked()
  const { owner, memorialId, id } = await asked()
  const [attempt] = await rowsOf(paynowAttempts, { paymentId: id })
  const number = (await atPaynow(id)).transactions[0]!.number
  expect([number, attempt?.paynowReference]).toEqual([
    expect.stringMatching(/^\d+,\d{3}$/u),
    number.replace(',', ''),
  ])
  await onPhone(id, 'approve')
  expect(await postResult(await resultPost(id))).toBe(200)
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
})

test('a payment for the next memorial becomes a credit', async () => {
  const owner = await signedIn()
  const { body } = await askPhone(owner)
  await onPhone(body.id, 'approve')
  expect(await postResult(await resultPost(body.id))).toBe(200)
  const { body: list } = await owner.get<{ payments: Payment[] }>('/api/user/payments')
  expect(list.payments).toMatchObject([{ id: body.id, status: 'PAID', isCredit: true, memorialId: null }])
  expect(list.payments[0]?.local).toMatchObject({ method: 'ecocash' })
})

test.each([
  ['Awaiting Delivery', ['approve-in-escrow']],
  ['Delivered', ['approve-in-escrow', 'deliver']],
])('the state %s of a payment in escrow pays', async (_status, actions) => {
  const { owner, memorialId, id } = await asked()
  for (const action of actions) await onPhone(id, action)
  await letAskAgain(id)
  expect((await sync(owner, id)).body.status).toBe('PAID')
  expect(await statusOf(memorialId)).toBe('ACTIVE')
})

test.each([
  ['wrong-pin', 'cancelled'],
  ['fail', 'failed'],
])('after %s the payment failed, and another request may be sent at once', async (action, problem) => {
  const { owner, memorialId, id, payment } = await asked()
  await onPhone(id, action)
  await letAskAgain(id)
  const { body } = await sync(owner, id)
  expect([body.status, body.local?.problem]).toEqual(['FAILED', problem])
  expect(Date.now() - Date.parse(body.local!.failedAt!)).toBeLessThan(60_000)
  expect(await statusOf(memorialId)).toBe('DRAFT')
  const again = await askPhone(owner, { memorialId })
  expect([again.status, again.body.status]).toEqual([200, 'PENDING'])
  expect(again.body.id).not.toBe(payment.id)
  const [first, second] = await Promise.all([id, again.body.id].map((one) => rowsOf(payments, { id: one })))
  expect(second?.[0]?.orderId).toBe(first?.[0]?.orderId)
})

test('too little money is refused at once, with its reason', async () => {
  const owner = await signedIn()
  const { status, body } = await askPhone(owner, { phone: '0774444444' })
  expect([status, body.status, body.local?.problem]).toEqual([200, 'FAILED', 'no_balance'])
  expect(await ledgerOf(body.id)).toEqual(['FAILED'])
})

test.each([
  ['123', 'ecocash', localPaymentMessages.phoneInvalid],
  ['0737654321', 'onemoney', 'OneMoney needs a number that begins with 071'],
  ['0712345678', 'ecocash', 'EcoCash needs a number that begins with 077 or 078'],
  ['+44 7700 900123', 'innbucks', localPaymentMessages.phoneInvalid],
] as const)('the number %s for %s is refused before anything is asked', async (phone, method, message) => {
  const owner = await signedIn()
  const { status, body } = await owner.post('/api/payments/mobile', { method, phone })
  expect([status, body.fields]).toEqual([400, { phone: message }])
  expect(await rowsOf(payments, { userId: owner.user.id })).toEqual([])
})

test('five taps at once send one request', { tags: ['one-phone-request'] }, async () => {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const phone = newPhone()
  const answers = await atOnce(5, () => askPhone(owner, { memorialId, phone }))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(await rowsOf(payments, { userId: owner.user.id })).toHaveLength(1)
  expect((await atPaynow(answers[0]!.body.id)).transactions).toHaveLength(1)
})

test('a second request, page or card has to wait while the first may be answered', async () => {
  const { owner, memorialId, id } = await asked()
  const others = () =>
    Promise.all([
      askPhone(owner, { memorialId }),
      askPhone(owner, { memorialId, method: 'innbucks' }),
      owner.post('/api/payments/init', { memorialId }),
      owner.post('/api/stripe/create-payment-intent', { memorialId }),
    ])
  for (const { status, body, headers } of await others()) {
    expect([status, (body as { message?: string }).message]).toEqual([409, localPaymentMessages.stillOpen])
    const wait = Number(headers.get('Retry-After'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(PHONE_REQUEST_MS / 1000)
  }
  await changeRows(paynowAttempts, { paymentId: id }, { liveUntil: Date.now() - 1 })
  expect((await owner.post('/api/stripe/create-payment-intent', { memorialId })).status).toBe(200)
  const second = await askPhone(owner, { memorialId })
  expect(second.status).toBe(200)
  // The first PIN comes late, and then the second.
  for (const one of [id, second.body.id]) await onPhone(one, 'approve')
  await letAskAgain(id)
  await letAskAgain(second.body.id)
  await Promise.all([sync(owner, id), sync(owner, second.body.id)])
  expect((await paymentsOf(owner)).filter(([status]) => status === 'PAID')).toHaveLength(2)
  const rows = await rowsOf(payments, { userId: owner.user.id, provider: 'paynow' })
  expect(rows.map(({ memorialId: used, refundReason }) => [used, refundReason])).toEqual(
    expect.arrayContaining([
      [null, 'memorial_already_paid'],
      [memorialId, null],
    ]),
  )
})

test('a card and EcoCash at the same time give one credit, and the other is owed back', async () => {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const card = await startPayment(owner, memorialId)
  const { body } = await askPhone(owner, { memorialId })
  await Promise.all([confirm(card.intentId), onPhone(body.id, 'approve')])
  await letAskAgain(body.id)
  await Promise.all([sync(owner, body.id), sync(owner, card.paymentId)])
  const rows = await rowsOf(payments, { userId: owner.user.id })
  expect(rows.map(({ status }) => status)).toEqual(['PAID', 'PAID'])
  expect(rows.filter(({ memorialId: used }) => used === memorialId)).toHaveLength(1)
  expect(rows.filter(({ refundReason }) => refundReason === 'memorial_already_paid')).toHaveLength(1)
})

test('who has paid by EcoCash is asked for no card, although no post came', async () => {
  const { owner, memorialId, id } = await asked()
  await onPhone(id, 'approve')
  await letAskAgain(id)
  const { status, body } = await owner.post('/api/stripe/create-payment-intent', { memorialId })
  expect([status, body.code]).toEqual([409, 'already_paid'])
})

test('who has paid by card is asked for no EcoCash, although no webhook came', async () => {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const card = await startPayment(owner, memorialId)
  await confirm(card.intentId)
  const { status, body } = await owner.post('/api/payments/mobile', {
    memorialId,
    method: 'ecocash',
    phone: newPhone(),
  })
  expect([status, body.code]).toEqual([409, 'already_paid'])
})

test('InnBucks gives a code for its app', async () => {
  const { payment } = await asked({ method: 'innbucks' })
  expect(payment.local).toMatchObject({
    method: 'innbucks',
    code: expect.stringMatching(/^\d{9}$/u),
    codeExpires: expect.stringMatching(/^\d{1,2}-[A-Z][a-z]{2}-\d{4} \d\d:\d\d$/u),
  })
})

test('O’mari: the text message’s code pays; a wrong one can be corrected, five end it', async () => {
  const { owner, memorialId, id, payment } = await asked({ method: 'omari', phone: '0781112223' })
  expect(payment.local?.needsCode).toBe(true)
  const send = (code: string) => owner.post<Payment>(`/api/payments/${id}/code`, { code })
  const wrong = await send('999999')
  expect([wrong.status, wrong.body]).toMatchObject([
    400,
    { fields: { code: localPaymentMessages.codeWrong } },
  ])
  expect((await send('x')).status).toBe(400)
  const right = await send(' 123456 ')
  expect([right.status, right.body.status]).toEqual([200, 'PAID'])
  expect(await statusOf(memorialId)).toBe('ACTIVE')

  const other = await asked({ method: 'omari', phone: '0781112224' })
  const tries: string[] = []
  for (let at = 0; at < 5; at += 1) {
    const { status, body } = await other.owner.post(`/api/payments/${other.id}/code`, { code: '999999' })
    tries.push(`${status} ${body.status ?? body.code}`)
  }
  expect(tries).toEqual([...Array(4).fill('400 bad_input'), '200 FAILED'])
})

test('nobody else can see, ask about or send a code for a payment', async () => {
  const { id } = await asked({ method: 'omari' })
  const stranger = await signedIn()
  expect((await sync(stranger, id)).status).toBe(404)
  expect((await stranger.post(`/api/payments/${id}/code`, { code: '123456' })).status).toBe(404)
  const draft = await draftOf(await signedIn())
  expect((await askPhone(stranger, { memorialId: draft })).status).toBe(404)
})

test('Zimswitch: one Paynow page lasts half an hour, and its payment counts on return', async () => {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const open = () =>
    owner.post<{ redirectUrl: string; paymentId: string }>('/api/payments/init', { memorialId })
  const first = await open()
  expect(first.status).toBe(200)
  expect(first.body.redirectUrl).toMatch(/\/Payment\/ConfirmPayment\//u)
  expect((await open()).body).toEqual(first.body)
  const { paymentId } = first.body
  expect((await atPaynow(paymentId)).transactions).toMatchObject([
    { amount: '60.00', method: null, phone: '' },
  ])
  await onPhone(paymentId, 'approve')
  await letAskAgain(paymentId)
  expect((await sync(owner, paymentId)).body).toMatchObject({ status: 'PAID', memorialId })
})

test('a request whose answer was lost is found by its mark, and never sent twice', async () => {
  const owner = await signedIn()
  const phone = newPhone()
  await injectPaynowFault(phone, 'drop', 1)
  const { status, body } = await askPhone(owner, { phone })
  expect([status, body.status, body.local?.isStarted]).toEqual([200, 'PENDING', true])
  expect((await atPaynow(body.id)).transactions).toHaveLength(1)
  const again = await askPhone(owner, { phone })
  expect(again.body.id).toBe(body.id)
  await onPhone(body.id, 'approve')
  await letAskAgain(body.id)
  expect((await sync(owner, body.id)).body.status).toBe('PAID')
})

test.each(['fail', 'forbid', 'html', 'empty'])(
  'Paynow’s outage (%s) keeps a payment open until we know that nothing was sent',
  async (mode) => {
    const owner = await signedIn()
    const phone = newPhone()
    await injectPaynowFault(phone, mode, 1)
    const { status, body } = await askPhone(owner, { phone })
    expect([status, body.status, body.local?.isStarted]).toEqual([200, 'PENDING', false])
    // Paynow doesn't know it, but the request may still be on its way.
    expect((await atPaynow(body.id)).transactions).toEqual([])
    await settlePendingLocalPayments(afterwards(PHONE_REQUEST_MS + 60_000))
    expect((await sync(owner, body.id)).body).toMatchObject({
      status: 'FAILED',
      local: { problem: 'failed' },
    })
    const again = await askPhone(owner, { phone })
    expect([again.status, again.body.status]).toEqual([200, 'PENDING'])
    expect(again.body.id).not.toBe(body.id)
  },
)

test('a failed trace proves nothing, so the payment stays open', async () => {
  const owner = await signedIn()
  const phone = newPhone()
  await injectPaynowFault(phone, 'fail', 1)
  const { body } = await askPhone(owner, { phone })
  await injectPaynowFault(body.id, 'tracefailed', 1)
  await settlePendingLocalPayments(afterwards(PHONE_REQUEST_MS + 60_000))
  expect((await rowsOf(payments, { id: body.id }))[0]?.status).toBe('PENDING')
})

test('if Paynow’s page fails to open, nothing is charged, and the next call opens it', async () => {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  await injectPaynowFault(memorialId, 'html', 1)
  const { status, body } = await owner.post('/api/payments/init', { memorialId })
  expect([status, body.code, body.message]).toEqual([
    502,
    'upstream_failed',
    localPaymentMessages.unreachable,
  ])
  expect((await owner.post('/api/payments/init', { memorialId })).status).toBe(200)
  takeErrorLines()
})

test('a PIN hours later still pays: cron asks, ever more rarely, for two days', async () => {
  const late = await asked()
  const never = await asked()
  await settlePendingLocalPayments(afterwards(10 * 60_000))
  expect(await paymentsOf(late.owner)).toEqual([['PENDING', null]])
  await onPhone(late.id, 'approve')
  await settlePendingLocalPayments(afterwards(3 * 60 * 60_000))
  expect(await paymentsOf(late.owner)).toEqual([['PAID', late.memorialId]])
  await settlePendingLocalPayments(afterwards(PAYNOW_OPEN_MS + 60_000))
  const [row] = await rowsOf(paynowAttempts, { paymentId: never.id })
  expect([row?.problem, row?.nextCheckAt, row?.liveOrderId]).toEqual(['expired', null, null])
  expect(await paymentsOf(never.owner)).toEqual([['FAILED', null]])
  // Later still it counts all the same.
  await onPhone(never.id, 'approve')
  expect(await postResult(await resultPost(never.id))).toBe(200)
  expect(await paymentsOf(never.owner)).toEqual([['PAID', never.memorialId]])
})

test('without an answer nothing is closed, not even after two days', async () => {
  const { owner, id } = await asked()
  const [attempt] = await rowsOf(paynowAttempts, { paymentId: id })
  const guid = new URL(attempt!.pollUrl!).searchParams.get('guid')!
  await injectPaynowFault(guid, 'fail')
  await settlePendingLocalPayments(afterwards(PAYNOW_OPEN_MS + 60_000))
  expect(await paymentsOf(owner)).toEqual([['PENDING', null]])
  await injectPaynowFault(guid, 'ok')
  await letAskAgain(id)
  expect((await sync(owner, id)).body.status).toBe('PENDING')
})

test('a post that comes before the answer to the start finds its payment', async () => {
  const { owner, memorialId, id } = await asked()
  await changeRows(paynowAttempts, { paymentId: id }, { pollUrl: null, paynowReference: null })
  await onPhone(id, 'approve')
  expect(await postResult(await resultPost(id))).toBe(200)
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
  const [attempt] = await rowsOf(paynowAttempts, { paymentId: id })
  expect([attempt?.paynowReference, attempt?.pollUrl]).toEqual([
    (await atPaynow(id)).transactions[0]?.number,
    expect.stringContaining('/Interface/CheckPayment/?guid='),
  ])
})

test('a status that Paynow never told of waits and is an error in the log', async () => {
  const { owner, id } = await asked()
  await onPhone(id, 'review')
  await letAskAgain(id)
  expect((await sync(owner, id)).body.status).toBe('PENDING')
  expect(takeErrorLines()).toEqual([expect.stringContaining('paynow_status_unknown')])
})

test('a refund and a dispute at Paynow are recorded, and the memorial stays', async () => {
  for (const [action, status] of [
    ['refund', 'REFUNDED'],
    ['dispute', 'DISPUTED'],
  ] as const) {
    const { owner, memorialId, id } = await asked()
    await onPhone(id, 'approve')
    await letAskAgain(id)
    await sync(owner, id)
    await onPhone(id, action)
    expect(await postResult(await resultPost(id))).toBe(200)
    expect(await paymentsOf(owner)).toEqual([[status, memorialId]])
    expect(await ledgerOf(id)).toEqual(['PAID', status])
    expect(await statusOf(memorialId)).toBe('ACTIVE')
  }
})

test('six requests to one phone within an hour are too many, whoever sends them', async () => {
  const phone = newPhone()
  const answers: number[] = []
  for (let at = 0; at < 6; at += 1) answers.push((await askPhone(await signedIn(), { phone })).status)
  expect(answers).toEqual([200, 200, 200, 200, 200, 429])
})
