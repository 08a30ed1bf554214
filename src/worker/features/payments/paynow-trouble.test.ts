import { env } from 'cloudflare:test'
import { expect, test, vi } from 'vitest'
import type { AdminPayment, AdminPaymentPage } from '#shared/admin/admin.ts'
import { PAYNOW_BRIEF_CHECK_MS, PAYNOW_OPEN_MS, PAYNOW_START_MS } from '#shared/limits.ts'
import { settleLocalPayments, settlePendingLocalPayments } from '#worker/features/payments/paynow-check.ts'
import { createCtx } from '#worker/platform/ctx.ts'
import { requirePaynow } from '#worker/platform/providers/paynow-account.ts'
import { PaynowUnanswered, pollPaynow, startPaynow, tracePaynow } from '#worker/platform/providers/paynow.ts'
import { newId } from '#worker/platform/random.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { paymentHistory, payments, paynowAttempts } from '#worker/schema/payments.table.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { signedIn, testCtx, type SignedIn } from '../../../../test/worker/harness.ts'
import { tellSandbox } from '../../../../test/worker/mailbox.ts'
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
  syncPaynow,
} from '../../../../test/worker/paynow.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { draftOf, paymentsOf } from '../../../../test/worker/stripe.ts'

const ledgerOf = async (paymentId: string) =>
  (await rowsOf(paymentHistory, { paymentId })).map(({ status }) => status)
const afterwards = (ms: number) => testCtx(() => Date.now() + ms)

test(
  'a late “Paid” whose poll fails is posted again, and cron asks too',
  { tags: ['paynow-post-answered'] },
  async () => {
    for (const how of ['post', 'cron']) {
      const { owner, memorialId, id } = await asked()
      await settlePendingLocalPayments(afterwards(PAYNOW_OPEN_MS + 60_000))
      expect(await paymentsOf(owner)).toEqual([['FAILED', null]])
      const { transactions } = await atPaynow(id)
      await injectPaynowFault(transactions[0]!.guid, 'fail', 1)
      // The post itself comes later.
      await tellSandbox('/faults', { service: 'paynow-posts', mode: 'hold', match: id })
      await onPhone(id, 'approve')
      expect(await postResult(await resultPost(id))).toBe(502)
      expect(await paymentsOf(owner)).toEqual([['FAILED', null]])
      if (how === 'post') expect(await postResult(await resultPost(id))).toBe(200)
      else await settlePendingLocalPayments(afterwards(60 * 60_000))
      expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
      const [attempt] = await rowsOf(paynowAttempts, { paymentId: id })
      expect(attempt?.nextCheckAt).toBeNull()
    }
    takeErrorLines()
  },
)

test('a poll that failed about a payment that was over is asked again once', async () => {
  const { id } = await asked()
  await onPhone(id, 'cancel')
  await postResult(await resultPost(id))
  const { transactions } = await atPaynow(id)
  await injectPaynowFault(transactions[0]!.guid, 'fail', 1)
  expect(await postResult(await resultPost(id, { status: 'Paid' }))).toBe(502)
  const next = async () => (await rowsOf(paynowAttempts, { paymentId: id }))[0]?.nextCheckAt
  expect(await next()).toBeGreaterThan(Date.now())
  await settlePendingLocalPayments(afterwards(60 * 60_000))
  expect(await next()).toBeNull()
  takeErrorLines()
})

test.each(['innbucks', 'omari'] as const)(
  'a request by %s whose answer, and so its code, was lost ends, but counts if paid',
  async (method) => {
    const owner = await signedIn()
    const memorialId = await draftOf(owner)
    const phone = newPhone()
    await injectPaynowFault(phone, 'drop', 1)
    const { status, body } = await askPhone(owner, { memorialId, method, phone })
    expect([status, body.status, body.local?.problem]).toEqual([200, 'FAILED', 'failed'])
    const again = await askPhone(owner, { memorialId, method, phone })
    expect([again.body.status, again.body.id === body.id]).toEqual(['PENDING', false])
    await onPhone(body.id, 'approve')
    expect(await postResult(await resultPost(body.id))).toBe(200)
    expect((await syncPaynow(owner, body.id)).body).toMatchObject({ status: 'PAID', memorialId })
  },
)

test.each(['innbucks', 'omari', 'web'] as const)(
  'a start by %s that was killed before its answer ends too, after half a minute',
  async (method) => {
    const owner = await signedIn()
    const body = { memorialId: await draftOf(owner) }
    const id =
      method === 'web'
        ? (await owner.post<{ paymentId: string }>('/api/payments/init', body)).body.paymentId
        : (await askPhone(owner, { ...body, method })).body.id
    const unanswered = { pollUrl: null, browserUrl: null, code: null, otpUrl: null }
    await changeRows(paynowAttempts, { paymentId: id }, unanswered)
    await letAskAgain(id)
    expect((await syncPaynow(owner, id)).body.status).toBe('PENDING')
    await settlePendingLocalPayments(afterwards(PAYNOW_START_MS + 60_000))
    expect((await syncPaynow(owner, id)).body).toMatchObject({
      status: 'FAILED',
      local: { problem: 'failed' },
    })
  },
)

/** Has Paynow change a payment's state and post it; a post of the test's own makes the order sure. */
async function become(id: string, ...actions: string[]) {
  for (const action of actions) {
    await onPhone(id, action)
    expect(await postResult(await resultPost(id))).toBe(200)
  }
}
const receiptsOf = async (id: string) => (await rowsOf(mails, { subjectId: id, kind: 'receipt' })).length
const refundBy = (admin: SignedIn, id: string) =>
  admin.post<AdminPayment>(`/api/admin/payments/${id}/refund`, { reason: 'Sent back to your EcoCash.' })

test.each([
  ['won', ['approve', 'dispute', 'approve'], ['PAID', 'DISPUTED', 'PAID'], 1],
  ['won before anybody saw it paid', ['dispute', 'approve'], ['DISPUTED', 'PAID'], 1],
  ['lost', ['approve', 'dispute', 'refund'], ['PAID', 'DISPUTED', 'REFUNDED'], 1],
] as const)(
  'a dispute at Paynow ends: %s',
  { tags: ['payment-status-rises'] },
  async (_how, actions, history, receipts) => {
    const { owner, memorialId, id } = await asked()
    await become(id, ...actions)
    expect(await ledgerOf(id)).toEqual(history)
    expect(await paymentsOf(owner)).toEqual([[history.at(-1), memorialId]])
    const [row] = await rowsOf(payments, { id })
    expect([row?.refundReason, await receiptsOf(id)]).toEqual([null, receipts])
    expect((await rowsOf(memorials, { id: memorialId }))[0]?.status).toBe('ACTIVE')
    // What was paid, disputed or given back is never unpaid again.
    await become(id, 'send', 'cancel')
    expect(await ledgerOf(id)).toEqual(history)
  },
)

test('an admin records that disputed money was sent back, and no later state undoes it', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorialId, id } = await asked()
  await become(id, 'approve', 'dispute')
  const { status, body } = await refundBy(admin, id)
  expect([status, body.status]).toEqual([200, 'REFUNDED'])
  await become(id, 'approve', 'dispute')
  expect(await paymentsOf(owner)).toEqual([['REFUNDED', memorialId]])
  expect(await ledgerOf(id)).toEqual(['PAID', 'DISPUTED', 'REFUNDED'])
})

test(
  'a payment that nobody has paid can’t be recorded as sent back',
  { tags: ['only-money-given-back'] },
  async () => {
    const admin = await signedIn({ admin: true })
    const { id } = await asked()
    expect((await refundBy(admin, id)).status).toBe(409)
    await become(id, 'cancel')
    expect((await refundBy(admin, id)).status).toBe(409)
    expect(await ledgerOf(id)).toEqual(['FAILED'])
  },
)

/** A payment of which Paynow says that another amount was paid, in the next `times` answers. */
async function paidWrongly(times?: number) {
  const begun = await asked()
  const { transactions } = await atPaynow(begun.id)
  await injectPaynowFault(transactions[0]!.guid, 'amount', times)
  await onPhone(begun.id, 'approve')
  await letAskAgain(begun.id)
  await syncPaynow(begun.owner, begun.id)
  return begun
}
const refundsDue = async (admin: SignedIn, owner: SignedIn) => {
  const { body } = await admin.get<AdminPaymentPage>('/api/admin/payments?search=refund')
  return body.payments
    .filter(({ payer }) => payer.email === owner.user.email)
    .map(({ status, refundReason }) => [status, refundReason])
}

test('another amount than the price gives nothing, alarms once and waits for an admin', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, id } = await paidWrongly()
  for (const _ of [1, 2]) {
    await letAskAgain(id)
    await syncPaynow(owner, id)
  }
  expect(takeErrorLines()).toEqual([expect.stringContaining('differs in amount')])
  expect(await paymentsOf(owner)).toEqual([['PENDING', null]])
  expect([await receiptsOf(id), await ledgerOf(id)]).toEqual([0, []])
  expect(await refundsDue(admin, owner)).toEqual([['PENDING', 'amount_differs']])
  const { status, body } = await refundBy(admin, id)
  expect([status, body.status]).toEqual([200, 'REFUNDED'])
  expect(await refundsDue(admin, owner)).toEqual([])
  // Cron asks once more, and then no longer.
  await settlePendingLocalPayments(afterwards(60 * 60_000))
  expect((await rowsOf(paynowAttempts, { paymentId: id }))[0]?.nextCheckAt).toBeNull()
  expect(takeErrorLines()).toEqual([])
})

test('a later answer with the right amount pays, and takes the payment off the list', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorialId, id } = await paidWrongly(1)
  expect(await refundsDue(admin, owner)).toEqual([['PENDING', 'amount_differs']])
  await letAskAgain(id)
  await syncPaynow(owner, id)
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
  expect(await refundsDue(admin, owner)).toEqual([])
  takeErrorLines()
})

test('a post with another amount for a payment that was over is looked into', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, id } = await asked()
  await settlePendingLocalPayments(afterwards(PAYNOW_OPEN_MS + 60_000))
  const { transactions } = await atPaynow(id)
  await injectPaynowFault(transactions[0]!.guid, 'amount')
  await onPhone(id, 'approve')
  expect(await postResult(await resultPost(id, { amount: '59.99' }))).toBe(400)
  expect(await refundsDue(admin, owner)).toEqual([['FAILED', 'amount_differs']])
  takeErrorLines()
})

test('while no integration is set up, open payments wait, quietly', async () => {
  const { owner, memorialId, id } = await asked()
  await onPhone(id, 'approve')
  const unset = { ...env, PAYNOW_INTEGRATION_ID: '' }
  owner.bindings = unset
  await letAskAgain(id)
  const { status, body } = await syncPaynow(owner, id)
  expect([status, body.status]).toEqual([200, 'PENDING'])
  const now = () => Date.now() + 60 * 60_000
  await settlePendingLocalPayments(createCtx({ env: unset, waitUntil: () => {}, now }))
  expect(takeErrorLines()).toEqual([])
  owner.bindings = env
  await settlePendingLocalPayments(testCtx(now))
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
})

test('a call without an answer in time counts as unanswered, and its mark finds it', async () => {
  const account = { ...requirePaynow(env), timeoutMs: 200 }
  const phone = newPhone()
  const id = newId('payment')
  const start = {
    id,
    cents: 6000,
    returnUrl: `${env.PUBLIC_ORIGIN}/checkout`,
    resultUrl: `${env.PUBLIC_ORIGIN}/api/paynow/result`,
    email: 'payer@family.test',
    method: 'ecocash',
    phone,
  } as const
  await injectPaynowFault(phone, 'stall', 1)
  await expect(startPaynow(account, start)).rejects.toThrow(PaynowUnanswered)
  expect(await tracePaynow(account, id)).toBeNull()
  const { pollUrl } = await startPaynow(account, start)
  await injectPaynowFault(new URL(pollUrl).searchParams.get('guid')!, 'stall', 1)
  await expect(pollPaynow(account, pollUrl)).rejects.toThrow(/timed out|timeout/iu)
  expect(await pollPaynow(account, pollUrl)).toMatchObject({ reference: id, status: 'sent' })
})

test('who pays in another way doesn’t wait long for Paynow, and the open payment stays', async () => {
  const { owner, memorialId, id } = await asked()
  const { transactions } = await atPaynow(id)
  await injectPaynowFault(transactions[0]!.guid, 'stall', 1)
  await letAskAgain(id)
  const startedAt = performance.now()
  const target = { userId: owner.user.id, memorialId, payer: null }
  expect(await settleLocalPayments(testCtx(), target, 100)).toBe(true)
  // Far below the deadline of the call itself.
  expect(performance.now() - startedAt).toBeLessThan(PAYNOW_BRIEF_CHECK_MS)
  expect(await paymentsOf(owner)).toEqual([['PENDING', null]])
})

test('requests to phones have the payer’s address, and Paynow’s pages have none', async () => {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const realFetch = globalThis.fetch
  const sent: [path: string, email: string | null][] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const path = new URL(new Request(input).url).pathname
    if (path.endsWith('transaction'))
      sent.push([path, new URLSearchParams(init?.body as string).get('authemail')])
    return realFetch(input, init)
  })
  expect((await owner.post('/api/payments/init', { memorialId })).status).toBe(200)
  expect((await askPhone(owner, { memorialId })).status).toBe(200)
  expect(sent).toEqual([
    ['/interface/initiatetransaction', null],
    ['/interface/remotetransaction', owner.user.email],
  ])
})

test('OneMoney pays', async () => {
  const phone = newPhone().replace(/^077/u, '071')
  const { owner, memorialId, id, payment } = await asked({ method: 'onemoney', phone })
  expect(payment.local).toMatchObject({ method: 'onemoney', instructions: expect.stringContaining('*111#') })
  await become(id, 'approve')
  expect(await paymentsOf(owner)).toEqual([['PAID', memorialId]])
})

test('no log line has the integration’s key, whatever goes wrong', async () => {
  const lines: string[] = []
  for (const level of ['info', 'warn', 'error', 'log'] as const)
    vi.spyOn(console, level).mockImplementation((...line) => void lines.push(line.map(String).join(' ')))
  const wrong = '0aa52cb2-9a34-4c39-8f39-2f3b2f0a1d11'
  const { owner, id } = await asked()
  const { transactions } = await atPaynow(id)
  for (const mode of ['fail', 'html', 'amount', 'unsigned']) {
    await injectPaynowFault(transactions[0]!.guid, mode, 1)
    await postResult(await resultPost(id, { status: 'Paid' }))
  }
  await postResult(await resultPost(id, { amount: '59.99' }))
  await postResult(await resultPost(id, {}, 'other'))
  await onPhone(id, 'review')
  await letAskAgain(id)
  await syncPaynow(owner, id)
  const other = await signedIn()
  other.bindings = { ...env, PAYNOW_INTEGRATION_KEY: wrong }
  expect((await askPhone(other)).body.local?.problem).toBe('refused')
  for (const event of [
    'paynow_not_answered',
    'paynow_post_refused',
    'payment_mismatch',
    'paynow_status_unknown',
    'paynow_refused',
  ])
    expect(lines.some((line) => line.includes(event))).toBe(true)
  for (const key of [wrong, env.PAYNOW_INTEGRATION_KEY ?? ''])
    expect(lines.filter((line) => line.toLowerCase().includes(key.toLowerCase()))).toEqual([])
})
