import { env } from 'cloudflare:test'
import { eq } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import { createCtx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { createPaymentIntent } from '#worker/features/payments/intents.ts'
import { settlePendingPayments } from '#worker/features/payments/payments.jobs.ts'
import { syncPayment } from '#worker/features/payments/sync.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { receiveStripeEvent } from '#worker/features/payments/webhook.ts'
import { purgeAccount } from '#worker/features/removal/removal.jobs.ts'
import { createStripeClient } from '#worker/platform/providers/stripe.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { failingEnv } from './faults.ts'
import { signedIn, testCtx, type SignedIn } from '../harness.ts'
import { rowsOf } from '../rows.ts'
import {
  simulateBank,
  confirm,
  deliver,
  draftOf,
  eventOf,
  signed,
  stripeCall,
  type StripeEvent,
} from '../stripe.ts'

const STEPS = ['create', 'webhook', 'sync'] as const
type Step = (typeof STEPS)[number]
type Faulty = { env: Env; timeoutMs?: number }

/** One person's steps from the draft to the paid memorial, as the Worker performs them. */
async function payer() {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const ctxOf = ({ env: bindings }: Faulty) => createCtx({ env: bindings, waitUntil: () => {} })
  let intentId = ''
  let paymentId = ''
  let event: StripeEvent | null = null
  return {
    owner,
    memorialId,
    async create(with_: Faulty = { env }) {
      const stripe = createStripeClient(env, with_.timeoutMs)
      const made = await createPaymentIntent(
        ctxOf(with_),
        { userId: owner.user.id, memorialId, payer: null },
        stripe,
      )
      paymentId = made.paymentId
      intentId = made.clientSecret.split('_secret_')[0] ?? ''
    },
    intent: () => intentId,
    async pay() {
      await confirm(intentId)
      event = await eventOf(intentId, 'payment_intent.succeeded')
    },
    async webhook(with_: Faulty = { env }) {
      await receiveStripeEvent(ctxOf(with_), await signed(event!))
    },
    async sync(with_: Faulty = { env }) {
      await syncPayment(ctxOf(with_), { userId: owner.user.id }, paymentId)
    },
  }
}

/** The required outcome on every path: paid once, for this memorial, with one receipt. */
async function outcomeOf(owner: SignedIn, memorialId: string) {
  const rows = await rowsOf(payments, { userId: owner.user.id })
  const [memorial] = await rowsOf(memorials, { id: memorialId })
  const receipts = await rowsOf(mails, { recipient: owner.user.email, kind: 'receipt' })
  return {
    payments: rows.map(({ status, memorialId: of, refundReason }) => [status, of, refundReason]),
    memorial: memorial?.status,
    receipts: receipts.length,
  }
}
const paidOnce = (memorialId: string) => ({
  payments: [['PAID', memorialId, null]],
  memorial: 'ACTIVE',
  receipts: 1,
})
async function intentsOf(owner: SignedIn) {
  const { body } = await stripeCall('GET', '/v1/payment_intents?limit=100')
  const all = body['data'] as { metadata: Record<string, string> }[]
  return all.filter(({ metadata }) => metadata['userId'] === owner.user.id).length
}

/** Runs all steps, with one step failing once and then retried, as a browser, Stripe or cron would. */
async function walk(broken: Step, faulty: Faulty, turn: { on: () => void; off: () => void }) {
  const person = await payer()
  const attempt = async (step: Step) => {
    if (step !== broken) return
    turn.on()
    await person[step](faulty).catch(() => null)
    turn.off()
  }
  await attempt('create')
  await person.create()
  const before = await outcomeOf(person.owner, person.memorialId)
  await person.pay()
  await attempt('webhook')
  await attempt('sync')
  await person.sync()
  await person.webhook()
  await person.webhook()
  takeErrorLines()
  return { before, after: await outcomeOf(person.owner, person.memorialId), ...person }
}
const NO_TURN = { on: () => {}, off: () => {} }
const UNPAID = { payments: [['PENDING', null, null]], memorial: 'DRAFT', receipts: 0 }

for (const step of STEPS) {
  test.each(['before', 'after'] as const)(
    `a payment ends paid once if "${step}" fails %s any one binding call`,
    async (mode) => {
      const brokenAt = async (failAt: number) => {
        const failing = failingEnv(failAt, mode)
        const { before, after, owner, memorialId } = await walk(step, failing, NO_TURN)
        expect([failAt, before, after]).toEqual([failAt, UNPAID, paidOnce(memorialId)])
        expect([failAt, await intentsOf(owner)]).toEqual([failAt, 1])
        return failing.calls()
      }
      const calls = await brokenAt(Infinity)
      for (let failAt = 1; failAt <= calls; failAt++) await brokenAt(failAt)
      expect(calls).toBeGreaterThanOrEqual(4)
    },
    120_000,
  )
}

const urlOf = (input: RequestInfo | URL) => new Request(input).url
type Answering = (ask: () => Promise<Response>, signal: AbortSignal | null | undefined) => Promise<Response>
const problem = (status: number, type: string, code?: string) => () =>
  Promise.resolve(Response.json({ error: { type, code, message: 'no' } }, { status }))
/** Faults of one call to Stripe and of its retry. */
const STRIPE_FAULTS: Record<string, Answering> = {
  'no connection': () => Promise.reject(new TypeError('Network connection lost.')),
  'a lost answer': async (ask) => {
    await ask()
    throw new TypeError('Network connection lost.')
  },
  'no answer': (_ask, signal) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
    }),
  '500': problem(500, 'api_error'),
  '503': problem(503, 'api_error'),
  '429': problem(429, 'rate_limit_error', 'rate_limit'),
  '409': problem(409, 'idempotency_error', 'idempotency_key_in_use'),
  '402': problem(402, 'card_error', 'card_declined'),
  'a page of HTML': async () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } }),
  'half an answer': async (ask) => new Response((await (await ask()).text()).slice(0, 40)),
  'an empty answer': async () => new Response(''),
  'an empty object': async () => Response.json({}),
  'another PaymentIntent': async (ask) =>
    Response.json({ ...(await (await ask()).json<object>()), id: 'pi_other', client_secret: null }),
}

for (const step of ['create', 'sync'] as const) {
  // An unanswered status request takes the whole deadline; `create` covers what happens after one.
  const faults = Object.keys(STRIPE_FAULTS).filter((fault) => step === 'create' || fault !== 'no answer')
  test.each(faults)(
    `no money is lost or charged twice after %s in "${step}"`,
    { tags: ['stripe-answers-for-us'] },
    async (fault) => {
      const ask = globalThis.fetch
      let isOn = false
      vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
        const isStripe = isOn && urlOf(input).includes('/v1/payment_intents')
        return isStripe ? STRIPE_FAULTS[fault]!(() => ask(input, init), init?.signal) : ask(input, init)
      })
      const turn = { on: () => void (isOn = true), off: () => void (isOn = false) }
      const { before, after, owner, memorialId } = await walk(step, { env, timeoutMs: 200 }, turn)
      expect([before, after]).toEqual([UNPAID, paidOnce(memorialId)])
      expect(await intentsOf(owner)).toBe(1)
    },
  )
}

test('cron recovers a payment whose every message was lost, even when run concurrently', async () => {
  const person = await payer()
  await person.create()
  await person.pay()
  const later = () => testCtx(() => Date.now() + 16 * 60_000)
  await Promise.all(Array.from({ length: 5 }, () => settlePendingPayments(later())))
  expect(await outcomeOf(person.owner, person.memorialId)).toEqual(paidOnce(person.memorialId))
})

const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
]
test.each(ORDERS)(
  'success, refund and failed refund end as Stripe says in the order %i, %i, %i',
  async (...order) => {
    const person = await payer()
    await person.create()
    await person.pay()
    const intentId = person.intent()
    await stripeCall('POST', '/v1/refunds', { payment_intent: intentId })
    await simulateBank(intentId, 'refund/fail')
    const types = ['payment_intent.succeeded', 'charge.refunded', 'refund.failed']
    for (const index of order) {
      const event = await eventOf(intentId, types[index]!)
      const answers = await Promise.all(Array.from({ length: 5 }, () => deliver(event)))
      expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200))
    }
    expect(await outcomeOf(person.owner, person.memorialId)).toEqual(paidOnce(person.memorialId))
  },
)

test.each(['before', 'after'] as const)(
  'a refund event that failed %s any call and is sent again is recorded once',
  async (mode) => {
    const brokenAt = async (failAt: number) => {
      const person = await payer()
      await person.create()
      await person.pay()
      await person.webhook()
      const intentId = person.intent()
      await stripeCall('POST', '/v1/refunds', { payment_intent: intentId })
      const event = await eventOf(intentId, 'charge.refunded')
      const failing = failingEnv(failAt, mode)
      const ctx = createCtx({ env: failing.env, waitUntil: () => {} })
      await receiveStripeEvent(ctx, await signed(event)).catch(() => null)
      expect((await deliver(event)).status).toBe(200)
      const { payments: rows, memorial } = await outcomeOf(person.owner, person.memorialId)
      expect([failAt, rows, memorial]).toEqual([failAt, [['REFUNDED', person.memorialId, null]], 'ACTIVE'])
      return failing.calls()
    }
    const calls = await brokenAt(Infinity)
    for (let failAt = 1; failAt <= calls; failAt++) await brokenAt(failAt)
    expect(calls).toBeGreaterThanOrEqual(4)
    takeErrorLines()
  },
  60_000,
)

test('money that arrives after an account purge is flagged and mailed to nobody', async () => {
  const person = await payer()
  await person.create()
  await person.pay()
  const { user } = person.owner
  await testCtx().db.delete(memorials).where(eq(memorials.id, person.memorialId))
  await purgeAccount(testCtx(), user.id)
  await person.webhook()
  const rows = await rowsOf(payments, { userId: user.id })
  expect(rows.map(({ status, memorialId, refundReason }) => [status, memorialId, refundReason])).toEqual([
    ['PAID', null, 'account_deleted'],
  ])
  expect(await rowsOf(mails, { subjectId: rows[0]!.id })).toEqual([])
})
