import { createExecutionContext, env } from 'cloudflare:test'
import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { SystemCheck, SystemState } from '#shared/admin/admin.ts'
import { checkSystem } from '#worker/features/admin/system.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { newId } from '#worker/platform/random.ts'
import { createCtx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { brokenBinding } from '../../../../test/worker/faults/faults.ts'
import { signedIn, testCtx } from '../../../../test/worker/harness.ts'

const answered = expect.stringMatching(/^Answered in \d+ ms\.$/u)

/** The system state with some bindings or settings replaced. */
async function stateWith(settings: { [K in keyof Env]?: Env[K] | undefined }, timeoutMs?: number) {
  const execution = createExecutionContext()
  const other = { ...env, ...settings } as Env
  const ctx = createCtx({ env: other, waitUntil: (promise) => execution.waitUntil(promise) })
  return checkSystem(ctx, timeoutMs)
}

function partOf({ checks }: SystemState, part: SystemCheck['part']) {
  const check = checks.find((one) => one.part === part)
  return [check?.status, check?.detail]
}

const SECRET = 'D1_ERROR: secret inside at 10.0.0.1'
/** A binding that never answers. */
const silent = new Proxy({}, { get: () => () => new Promise(() => {}) })

test('every part is checked and reports its state', async () => {
  const admin = await signedIn({ admin: true })
  await testCtx().db.delete(mails)
  const { status, body } = await admin.get<SystemState>('/api/admin/system')
  expect([status, body]).toEqual([
    200,
    {
      checks: [
        { part: 'database', status: 'ok', detail: answered },
        { part: 'storage', status: 'ok', detail: answered },
        { part: 'sessions', status: 'ok', detail: answered },
        { part: 'counters', status: 'ok', detail: answered },
        { part: 'pictures', status: 'ok', detail: answered },
        { part: 'queue', status: 'ok', detail: 'No email is waiting.' },
        { part: 'mail', status: 'ok', detail: 'The key of the email service is set.' },
        { part: 'payments', status: 'ok', detail: answered },
        { part: 'localPayments', status: 'ok', detail: answered },
      ],
      leftovers: expect.objectContaining({ uploads: 0, deletions: 0 }),
      operations: expect.objectContaining({ purges: { urgent: 0, other: 0 } }),
      checkedAt: expect.stringMatching(/Z$/u),
    },
  ])
})

test('the console shows queued and dead mails and how long they have waited', async () => {
  const { db } = testCtx()
  await db.delete(mails)
  const mail = (status: 'QUEUED' | 'DEAD', ageMs: number) => ({
    id: newId('mail'),
    kind: 'receipt' as const,
    recipient: 'a@family.test',
    subjectId: 'pay_nothing',
    status,
    createdAt: Date.now() - ageMs,
  })
  await db.insert(mails).values(mail('QUEUED', 1000))
  expect(partOf(await stateWith({}), 'queue')).toEqual([
    'ok',
    '1 email is waiting, the oldest for less than a minute.',
  ])
  await db.insert(mails).values([mail('QUEUED', 130_000), mail('DEAD', 9_000_000)])
  expect(partOf(await stateWith({}), 'queue')).toEqual([
    'ok',
    '2 emails are waiting, the oldest for 2 minutes. 1 email could not be delivered.',
  ])
  await db.insert(mails).values([mail('QUEUED', 20 * 60_000 + 1), mail('DEAD', 1)])
  expect(partOf(await stateWith({}), 'queue')).toEqual([
    'failing',
    '3 emails are waiting, the oldest for 20 minutes. 2 emails could not be delivered.',
  ])
  await db.delete(mails).where(eq(mails.recipient, 'a@family.test'))
})

test('a failing part reports a plain message without internals, beside the others', async () => {
  const state = await stateWith({
    DB: brokenBinding(env.DB, SECRET),
    MEDIA: brokenBinding(env.MEDIA, SECRET),
    KV: brokenBinding(env.KV, SECRET),
  })
  expect(state.checks).toEqual([
    { part: 'database', status: 'failing', detail: 'The database did not answer in time.' },
    { part: 'storage', status: 'failing', detail: 'A test file could not be stored and found again.' },
    { part: 'sessions', status: 'failing', detail: 'The store of sessions did not answer in time.' },
    { part: 'counters', status: 'ok', detail: answered },
    { part: 'pictures', status: 'ok', detail: answered },
    { part: 'queue', status: 'failing', detail: 'The waiting emails could not be counted.' },
    { part: 'mail', status: 'ok', detail: 'The key of the email service is set.' },
    { part: 'payments', status: 'ok', detail: answered },
    { part: 'localPayments', status: 'ok', detail: answered },
  ])
  expect([state.leftovers, state.operations]).toEqual([null, null])
  const lines = takeErrorLines()
  expect(lines.filter((line) => line.includes('system_check_failed'))).toHaveLength(4)
  expect(lines.filter((line) => line.includes('leftovers_not_read'))).toHaveLength(1)
  expect(lines.filter((line) => line.includes('operations_not_read'))).toHaveLength(1)
})

test('a part that never answers times out without blocking the response', async () => {
  const state = await stateWith({ KV: silent as KVNamespace, MEDIA: silent as R2Bucket }, 1000)
  expect(partOf(state, 'sessions')).toEqual(['failing', 'The store of sessions did not answer in time.'])
  expect(partOf(state, 'storage')).toEqual(['failing', 'A test file could not be stored and found again.'])
  expect(partOf(state, 'mail')).toEqual(['ok', 'The key of the email service is set.'])
  expect(takeErrorLines().join('\n')).toContain('sessions did not answer in 1000 ms')
})

test('a missing key is reported as not set up, a wrong one as failing', async () => {
  const without = await stateWith({ MAILCHANNELS_API_KEY: undefined, STRIPE_WEBHOOK_SECRET: undefined })
  expect([partOf(without, 'mail'), partOf(without, 'payments')]).toEqual([
    [
      'not_set_up',
      'The key of the email service is missing. Emails wait until you set it (MAILCHANNELS_API_KEY).',
    ],
    [
      'not_set_up',
      'The keys of the card payment service are missing. Nobody can pay until you set them: docs/deploying.md names them.',
    ],
  ])
  const cardsOnly = await stateWith({ PAYNOW_INTEGRATION_ID: undefined })
  expect(partOf(cardsOnly, 'localPayments')).toEqual([
    'not_set_up',
    'Local payments are not set up. Only cards can pay: docs/deploying.md says how.',
  ])
  for (const settings of [{ PAYNOW_INTEGRATION_KEY: 'wrong' }, { PAYNOW_CURRENCY: 'ZiG' }]) {
    expect(partOf(await stateWith(settings), 'localPayments')).toEqual([
      'failing',
      'Paynow did not answer, or does not know our key.',
    ])
    expect(takeErrorLines()).toHaveLength(1)
  }
  const wrong = await stateWith({ STRIPE_SECRET_KEY: 'sk_test_wrong' })
  expect(partOf(wrong, 'payments')).toEqual([
    'failing',
    'The card payment service did not answer, or does not know our key.',
  ])
  expect(takeErrorLines()).toHaveLength(1)
})
