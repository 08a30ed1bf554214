import { expect, inject, test, vi } from 'vitest'
import type { AdminPayment, AdminPaymentPage } from '#shared/admin/admin.ts'
import { REFUND_NOTE_MAX } from '#shared/limits.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { Client, memorialOf, paidCredit, signedIn } from '../../../../test/worker/harness.ts'
import {
  startPayment,
  draftOf,
  paymentsOf,
  stripeCall,
  injectStripeFault,
  paid,
  deliverEvent,
  refund,
  paidWithoutMemorial,
} from '../../../../test/worker/stripe.ts'
import { callWith } from '../../../../test/worker/runtime/worker-with.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import {
  askPhone,
  atPaynow,
  newPhone,
  onPhone,
  postResult,
  resultPost,
} from '../../../../test/worker/paynow.ts'
import { changeRows, auditOf, rowsOf } from '../../../../test/worker/rows.ts'
import { atOnce, inTurn } from '../../../../test/worker/repeat.ts'

async function refundsOf(intentId: string) {
  const { body } = await stripeCall('GET', `/v1/refunds?payment_intent=${intentId}`)
  return (body['data'] as { amount: number; status: string }[]).map(({ amount, status }) => [amount, status])
}

/** True once the fault for this PaymentIntent has intercepted its one call. */
async function isFaultUsed(intentId: string) {
  const answer = await fetch(`${inject('sandboxUrl')}/faults`)
  const { faults } = await answer.json<{ faults: { match: string; left: number }[] }>()
  return faults.some(({ match, left }) => match === intentId && left === 0)
}

/** From now on Stripe answers every new refund with this status. */
function refundsAnswer(status: 'pending' | 'failed') {
  const realFetch = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const answer = await realFetch(input, init)
    const isRefund = init?.method === 'POST' && (input as string).endsWith('/v1/refunds')
    return isRefund ? Response.json({ ...(await answer.json<object>()), status }) : answer
  })
}

const refundPath = (id: string) => `/api/admin/payments/${id}/refund`
type Refunded = AdminPayment & { code?: string; message?: string }
const refundBy = (admin: Client, id: string, reason?: string) =>
  admin.post<Refunded>(refundPath(id), reason === undefined ? {} : { reason })

test('payments are listed with payer and memorial, found by email, name and id', async () => {
  const admin = await signedIn({ admin: true })
  const name = `Ambuya ${randomBase32(8)}`
  const { owner, memorialId, paymentId } = await paid(name)
  const expected = {
    id: paymentId,
    status: 'PAID',
    memorialId,
    isCredit: false,
    amount: 6000,
    currency: 'usd',
    provider: 'stripe',
    createdAt: expect.stringMatching(/Z$/u),
    payer: { email: owner.user.email, name: null },
    paidFor: null,
    isGift: false,
    memorial: { id: memorialId, honoureeFullName: name },
    paidAt: expect.stringMatching(/Z$/u),
    refundReason: null,
    refundNote: null,
    providerReference: expect.stringMatching(/^pi_/u),
    method: null,
    phone: null,
    attempts: 1,
  }
  for (const search of [owner.user.email.toUpperCase(), name, paymentId]) {
    const { body } = await admin.get<AdminPaymentPage>(
      `/api/admin/payments?search=${encodeURIComponent(search)}`,
    )
    expect([search, body]).toEqual([
      search,
      { payments: [expected], page: 1, pageSize: 20, total: 1, hasMore: false },
    ])
  }
})

test('pages of payments hold 20, newest first', async () => {
  const admin = await signedIn({ admin: true })
  const { user } = await signedIn()
  const ids: string[] = []
  for (let at = 0; at < 22; at += 1) {
    const id = await paidCredit(user.id)
    await changeRows(payments, { id }, { createdAt: at })
    ids.unshift(id)
  }
  const page = async (number: number) => {
    const { body } = await admin.get<AdminPaymentPage>(
      `/api/admin/payments?page=${number}&search=${user.email}`,
    )
    return [body.total, body.payments.map(({ id }) => id)]
  }
  expect([await page(1), await page(2)]).toEqual([
    [22, ids.slice(0, 20)],
    [22, ids.slice(20)],
  ])
})

test('the search "failed" finds failed payments', async () => {
  const admin = await signedIn({ admin: true })
  const id = await paidCredit(admin.user.id)
  await changeRows(payments, { id }, { status: 'FAILED' })
  const { body } = await admin.get<AdminPaymentPage>('/api/admin/payments?search=Failed')
  expect(body.payments.map((payment) => [payment.id, payment.status])).toEqual([[id, 'FAILED']])
})

test('the search "refund" finds payments that still have to be refunded', async () => {
  const admin = await signedIn({ admin: true })
  const { user } = await signedIn()
  const [flagged = '', done = '', plain = ''] = await inTurn(3, () => paidCredit(user.id))
  const reason = { refundReason: 'memorial_already_paid' as const }
  await changeRows(payments, { id: flagged }, reason)
  await changeRows(payments, { id: done }, { ...reason, status: 'REFUNDED' })
  const { body } = await admin.get<AdminPaymentPage>('/api/admin/payments?search=Refund')
  const found = body.payments.filter(({ id }) => [flagged, done, plain].includes(id))
  expect(found.map(({ id, refundReason, memorial }) => [id, refundReason, memorial])).toEqual([
    [flagged, 'memorial_already_paid', null],
  ])
})

test('a refund marks the payment REFUNDED, is logged, and keeps the memorial visible', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorialId, paymentId, intentId } = await paid()
  await owner.patch(`/api/memorials/${memorialId}/privacy`, { privacy: 'LOCKED' })
  const { status, body } = await refundBy(admin, paymentId)
  expect([status, body.id, body.status, body.memorialId]).toEqual([200, paymentId, 'REFUNDED', memorialId])
  expect(await refundsOf(intentId)).toEqual([[6000, 'succeeded']])
  expect(await paymentsOf(owner)).toEqual([['REFUNDED', memorialId]])
  expect((await new Client().get(`/api/memorials/${memorialId}`)).status).toBe(200)
  expect(await auditOf({ targetId: paymentId }, 'actorId', 'action', 'memorialId', 'detail')).toEqual([
    { actorId: admin.user.id, action: 'refund_payment', memorialId, detail: { amount: 6000 } },
  ])

  expect(await deliverEvent(intentId, 'charge.refunded')).toBe(200)
  const again = await refundBy(admin, paymentId)
  expect([again.status, again.body]).toEqual([
    409,
    { code: 'conflict', message: 'Only a payment that is paid can be refunded' },
  ])
  expect(await refundsOf(intentId)).toHaveLength(1)
  expect(await paymentsOf(owner)).toEqual([['REFUNDED', memorialId]])
})

test('the payer gets one mail with the reason, which is nowhere in the audit log', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, paymentId, intentId } = await paid('Ambuya Chipo')
  const reason = 'You paid twice.\nWe are sorry for the trouble.'
  const { body } = await refundBy(admin, paymentId, reason)
  expect([body.status, body.refundNote]).toEqual(['REFUNDED', reason])
  await deliverEvent(intentId, 'charge.refunded')
  const sent = (await mailboxOf(owner.user.email, 2)).filter(({ subject }) => subject.includes('refund'))
  expect(sent.map(({ subject }) => subject)).toEqual(['Your refund: $60.00'])
  for (const part of [reason, 'Amount: $60.00', paymentId, 'the memorial of Ambuya Chipo']) {
    expect(sent[0]?.text).toContain(part)
  }
  expect(JSON.stringify(await auditOf({ targetId: paymentId }, 'detail'))).not.toContain('twice')
  const tooLong = await refundBy(admin, paymentId, 'x'.repeat(REFUND_NOTE_MAX + 1))
  expect([tooLong.status, tooLong.body.code]).toEqual([400, 'bad_input'])
})

test('a refund made at Stripe is mailed once, a refused one is not', async () => {
  const { owner, intentId } = await paid()
  await refund(intentId)
  await deliverEvent(intentId, 'charge.refunded')
  await deliverEvent(intentId, 'charge.refunded')
  const subjects = (await mailboxOf(owner.user.email, 2)).map(({ subject }) => subject)
  expect(subjects).toEqual(['Your refund: $60.00', 'Your receipt: $60.00'])

  const admin = await signedIn({ admin: true })
  const failed = await paid()
  refundsAnswer('failed')
  expect((await refundBy(admin, failed.paymentId, 'We could not help.')).status).toBe(502)
  takeErrorLines()
  expect((await mailboxOf(failed.owner.user.email, 1)).map(({ subject }) => subject)).toEqual([
    'Your receipt: $60.00',
  ])
})

test('a double click on refund returns the money once', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorialId, paymentId, intentId } = await paid()
  const answers = await atOnce(5, () => refundBy(admin, paymentId))
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
  expect(answers.map(({ status }) => status)).toContain(200)
  expect(await refundsOf(intentId)).toEqual([[6000, 'succeeded']])
  expect(await paymentsOf(owner)).toEqual([['REFUNDED', memorialId]])
})

test('while a refund call is running, a second one gets a conflict', async () => {
  const admin = await signedIn({ admin: true })
  const { paymentId, intentId } = await paid()
  await injectStripeFault(intentId, 'hold', 1)
  const first = refundBy(admin, paymentId)
  await expect.poll(async () => isFaultUsed(intentId)).toBe(true)
  const { status, body } = await refundBy(admin, paymentId)
  expect([status, body]).toEqual([409, { code: 'conflict', message: 'This refund is on its way already' }])
  await injectStripeFault(intentId, 'ok')
  expect((await first).body.status).toBe('REFUNDED')
  expect(await refundsOf(intentId)).toEqual([[6000, 'succeeded']])
  expect(await auditOf({ targetId: paymentId }, 'action')).toEqual([{ action: 'refund_payment' }])
})

test.each([
  ['a lost response', 'drop'],
  ['a server error', 'break'],
])('after %s of Stripe the retry uses the same key: one refund', async (_, fault) => {
  const admin = await signedIn({ admin: true })
  const { paymentId, intentId } = await paid()
  await injectStripeFault(intentId, fault, 1)
  expect(await refundBy(admin, paymentId)).toMatchObject({ status: 200, body: { status: 'REFUNDED' } })
  expect(await refundsOf(intentId)).toHaveLength(1)
})

test('while Stripe is down nothing is refunded, and a later try works', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorialId, paymentId, intentId } = await paid()
  await injectStripeFault(intentId, 'fail')
  const { status, body } = await refundBy(admin, paymentId)
  expect([status, body.code]).toEqual([502, 'upstream_failed'])
  expect(takeErrorLines().join()).not.toEqual('')
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
  await injectStripeFault(intentId, 'ok')
  expect((await refundBy(admin, paymentId)).body.status).toBe('REFUNDED')
  expect(await refundsOf(intentId)).toHaveLength(1)
})

test('a pending refund leaves the payment PAID until the webhook arrives', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorialId, paymentId, intentId } = await paid()
  refundsAnswer('pending')
  expect(await refundBy(admin, paymentId)).toMatchObject({ status: 200, body: { status: 'PAID' } })
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
  await deliverEvent(intentId, 'charge.refunded')
  expect(await paymentsOf(owner)).toEqual([['REFUNDED', memorialId]])
})

test('a credit with a pending refund pays for no memorial', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, paymentId, intentId } = await paidWithoutMemorial()
  refundsAnswer('pending')
  const { body } = await refundBy(admin, paymentId)
  expect([body.status, body.refundReason]).toEqual(['PAID', 'refund_asked'])
  const created = await owner.post('/api/memorials', { honoureeFullName: 'Sekuru Dube' })
  expect([created.status, created.body.status]).toEqual([201, 'DRAFT'])
  await deliverEvent(intentId, 'charge.refunded')
  expect(await paymentsOf(owner)).toEqual([['REFUNDED', null]])
})

test('a refund that fails at Stripe reports it and leaves the payment PAID', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorialId, paymentId } = await paid()
  refundsAnswer('failed')
  const { status, body } = await refundBy(admin, paymentId)
  expect([status, body.code, body.message]).toEqual([
    502,
    'upstream_failed',
    'The card payment service could not give the money back. Please look at the payment there.',
  ])
  expect(takeErrorLines().join()).toContain('is failed')
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
})

test('after a partial refund, a refund returns the rest', async () => {
  const admin = await signedIn({ admin: true })
  const { paymentId, intentId } = await paid()
  await refund(intentId, 1000)
  expect((await refundBy(admin, paymentId)).body.status).toBe('REFUNDED')
  expect(new Set((await refundsOf(intentId)).map(([amount]) => amount))).toEqual(new Set([1000, 5000]))
})

test('only a PAID payment can be refunded, and an unknown one is not found', async () => {
  const admin = await signedIn({ admin: true })
  const owner = await signedIn()
  const { paymentId } = await startPayment(owner, await draftOf(owner))
  for (const status of ['PENDING', 'FAILED', 'REFUNDED', 'DISPUTED'] as const) {
    await changeRows(payments, { id: paymentId }, { status })
    expect([status, (await refundBy(admin, paymentId)).status]).toEqual([status, 409])
  }
  expect(await auditOf({ targetId: paymentId }, 'action')).toEqual([])
  expect((await refundBy(admin, 'pay_nothing')).status).toBe(404)
})

test('without a Stripe key, a refund is reported as not available', async () => {
  const admin = await signedIn({ admin: true })
  const { owner } = await memorialOf()
  const [payment] = (await owner.get('/api/user/payments')).body.payments
  const answer = await callWith({ STRIPE_SECRET_KEY: undefined }, 'POST', refundPath(payment.id), admin)
  expect(answer).toEqual({ status: 503, code: 'not_available' })
  expect(takeErrorLines().join()).toContain('STRIPE_SECRET_KEY is not set')
})

test('an admin sees the details of a Paynow payment and records a manual refund once', async () => {
  const admin = await signedIn({ admin: true })
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const phone = newPhone()
  const { body: refused } = await askPhone(owner, { memorialId, phone: '0774444444' })
  const { body: asked } = await askPhone(owner, { memorialId, phone })
  await onPhone(asked.id, 'approve')
  expect(await postResult(await resultPost(asked.id))).toBe(200)
  const listed = await admin.get<AdminPaymentPage>(`/api/admin/payments?search=${owner.user.email}`)
  expect(listed.body.payments).toMatchObject([
    {
      id: asked.id,
      status: 'PAID',
      provider: 'paynow',
      method: 'ecocash',
      phone,
      providerReference: (await atPaynow(asked.id)).transactions[0]?.number.replace(',', ''),
      attempts: 2,
    },
    { id: refused.id, status: 'FAILED', providerReference: null, attempts: 2 },
  ])

  const answers = await Promise.all([1, 2].map(() => refundBy(admin, asked.id, 'You paid twice.')))
  expect(answers.map(({ status }) => status).filter((status) => status !== 409)).toContain(200)
  expect((await refundBy(admin, asked.id, 'Once more')).status).toBe(409)
  const [row] = await rowsOf(payments, { id: asked.id })
  expect([row?.status, row?.refundNote, row?.memorialId]).toEqual(['REFUNDED', 'You paid twice.', memorialId])
  expect(await auditOf({ targetId: asked.id })).toHaveLength(1)
  expect(await rowsOf(mails, { subjectId: asked.id, kind: 'refund' })).toHaveLength(1)
})
