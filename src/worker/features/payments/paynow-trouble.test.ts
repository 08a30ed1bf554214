import { expect, test } from 'vitest'
import { PAYNOW_OPEN_MS, PAYNOW_START_MS } from '#shared/limits.ts'
import { settlePendingLocalPayments } from '#worker/features/payments/paynow-check.ts'
import { paynowAttempts } from '#worker/schema/payments.table.ts'
import { takeErrorLines } from '../../../../test/worker/error-lines.ts'
import { signedIn, testCtx } from '../../../../test/worker/harness.ts'
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
  'a request by %s whose answer was lost ends, because nobody knows its code; paid, it counts',
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
