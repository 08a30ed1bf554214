import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { settlePendingLocalPayments } from '#worker/features/payments/paynow-check.ts'
import { receivePaynowResult } from '#worker/features/payments/paynow-result.ts'
import { payByPhone } from '#worker/features/payments/paynow-start.ts'
import { syncPayment } from '#worker/features/payments/sync.ts'
import { createCtx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { paymentHistory, payments, paynowAttempts } from '#worker/schema/payments.table.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { ORIGIN, signedIn, testCtx } from '../harness.ts'
import { atPaynow, letAskAgain, newPhone, onPhone, resultPost } from '../paynow.ts'
import { changeRows, rowsOf } from '../rows.ts'
import { draftOf } from '../stripe.ts'
import { failingEnv } from './faults.ts'

const STEPS = ['start', 'post', 'check'] as const

/** One person's steps from the draft to the memorial that EcoCash paid for, as the Worker performs them. */
async function payer() {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const phone = newPhone()
  const ctxOf = (bindings: Env) => createCtx({ env: bindings, waitUntil: () => {} })
  let id = ''
  return {
    owner,
    memorialId,
    id: () => id,
    async start(bindings: Env = env) {
      const target = { userId: owner.user.id, memorialId, payer: null }
      id = (await payByPhone(ctxOf(bindings), target, { method: 'ecocash', phone })).id
    },
    async post(bindings: Env = env) {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const init = { method: 'POST', headers, body: await resultPost(id) }
      await receivePaynowResult(ctxOf(bindings), new Request(`${ORIGIN}/api/paynow/result`, init))
    },
    async check(bindings: Env = env) {
      await letAskAgain(id)
      await syncPayment(ctxOf(bindings), { userId: owner.user.id }, id)
    },
  }
}
type Payer = Awaited<ReturnType<typeof payer>>

async function transactionsOf({ owner }: Payer) {
  const rows = await rowsOf(payments, { userId: owner.user.id })
  return (await Promise.all(rows.map(({ id }) => atPaynow(id)))).flatMap(({ transactions }) => transactions)
}

/** Begins again after a broken start: the same request, or a new one once it is known that Paynow never got it. */
async function startAgain(person: Payer) {
  await person.start()
  if ((await transactionsOf(person)).length > 0) return
  await changeRows(paynowAttempts, { paymentId: person.id() }, { liveUntil: 0 })
  await letAskAgain(person.id())
  await settlePendingLocalPayments(testCtx(() => Date.now() + 60_000))
  await person.start()
}

async function outcomeOf({ owner, memorialId }: Payer) {
  const rows = await rowsOf(payments, { userId: owner.user.id })
  const counted = rows.filter(({ status }) => status !== 'FAILED')
  const history = await Promise.all(counted.map(({ id }) => rowsOf(paymentHistory, { paymentId: id })))
  const [memorial] = await rowsOf(memorials, { id: memorialId })
  return {
    payments: counted.map(({ status, memorialId: of, refundReason }) => [status, of, refundReason]),
    ledger: history.flat().map(({ status }) => status),
    memorial: memorial?.status,
    receipts: (await rowsOf(mails, { recipient: owner.user.email, kind: 'receipt' })).length,
  }
}

for (const step of STEPS) {
  test.each(['before', 'after'] as const)(
    `a payment by EcoCash ends paid once if "${step}" fails %s any one binding call`,
    async (mode) => {
      const brokenAt = async (failAt: number) => {
        const failing = failingEnv(failAt, mode)
        const person = await payer()
        if (step === 'start') await person.start(failing.env).catch(() => null)
        await startAgain(person)
        expect([failAt, (await transactionsOf(person)).length]).toEqual([failAt, 1])
        await onPhone(person.id(), 'approve')
        if (step !== 'start') await person[step](failing.env).catch(() => null)
        // Paynow posts again, or the payer's screen asks again; each is enough by itself.
        if (step !== 'post') await person.check()
        await person.post()
        await person.post()
        expect([failAt, await outcomeOf(person)]).toEqual([
          failAt,
          {
            payments: [['PAID', person.memorialId, null]],
            ledger: ['PAID'],
            memorial: 'ACTIVE',
            receipts: 1,
          },
        ])
        takeErrorLines()
        return failing.calls()
      }
      const calls = await brokenAt(Infinity)
      for (let failAt = 1; failAt <= calls; failAt++) await brokenAt(failAt)
      expect(calls).toBeGreaterThanOrEqual(4)
    },
    120_000,
  )
}
