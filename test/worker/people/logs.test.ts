import { createExecutionContext, createMessageBatch, env, getQueueResult } from 'cloudflare:test'
import { expect, test, vi } from 'vitest'
import { handleSchedule, SCHEDULE } from '#worker/schedule.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import type { ErrorBody } from '#shared/errors.ts'
import { handleQueue } from '#worker/jobs.ts'
import type { SentJob } from '#worker/schema/jobs.table.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { failingEnv } from '../faults/faults.ts'
import { Client, contributorOf, inviteTokenOf, memorialOf, signedIn, type SignedIn } from '../harness.ts'
import { mailboxOf, tokenIn } from '../mailbox.ts'
import { confirm, deliver, eventOf, injectStripeFault, startPayment } from '../stripe.ts'
import { uploadFixture } from '../uploads.ts'

const CONSOLE = ['debug', 'info', 'log', 'warn', 'error'] as const

/** Everything written to the console from now on, by any code. */
function captureConsole(): () => string {
  const lines: string[] = []
  for (const name of CONSOLE) {
    vi.spyOn(console, name).mockImplementation(
      (...line: unknown[]) => void lines.push(line.map(String).join(' ')),
    )
  }
  return () => lines.join('\n')
}

/** The start of every address in this test (RFC 5737). */
const NETWORK = '203.0.113.'

/** One call with this person's cookies, with bindings that fail at each of their calls in turn. */
async function failEverywhere(person: Client, method: string, path: string, body?: unknown): Promise<void> {
  for (let failAt = 1; failAt < 40; failAt++) {
    const failing = failingEnv(failAt)
    const client = new Client()
    for (const [name, value] of person.cookies) client.cookies.set(name, value)
    client.ip = `${NETWORK}${100 + failAt}`
    client.bindings = failing.env
    await client.call(method, path, body)
    if (failing.calls() < failAt) break
  }
}

test('no log line of a whole journey with failures holds personal data or secrets', async () => {
  const text = captureConsole()
  const unique = randomBase32(10)
  const typed = {
    email: `log.${unique}@family.test`,
    firstName: `Rudo${unique}`,
    lastName: `Moyo${unique}`,
    password: `Mutare in the rain ${unique}`,
    newPassword: `Masvingo in the sun ${unique}`,
    name: `Tendai ${unique} Chikomo`,
    story: `He kept bees ${unique}`,
    comment: `We miss you ${unique}`,
    relative: `Farai ${unique}`,
    relativeEmail: `farai.${unique}@family.test`,
    subject: `Question ${unique}`,
    message: `Please help ${unique}`,
    place: `Warren Hills ${unique}`,
    fileName: `photo-${unique}.png`,
  }
  const client = new Client()
  client.ip = `${NETWORK}77`
  const { email, password } = typed
  await client.post('/api/auth/register', { ...typed })
  await failEverywhere(client, 'POST', '/api/auth/register', { ...typed, email: `b${email}` })
  const verify = tokenIn((await mailboxOf(email, 1))[0])
  await client.get(`/api/auth/verify-email/${verify}`)
  await client.post('/api/auth/login', { email, password: 'not this one' })
  await client.post('/api/auth/login', { email, password })
  await failEverywhere(client, 'POST', '/api/auth/login', { email, password })
  await client.post('/api/auth/forgot-password', { email })
  const reset = tokenIn((await mailboxOf(email, 2))[0])
  await client.post('/api/auth/reset-password', { token: reset, password: typed.newPassword })
  await client.post('/api/auth/login', { email, password: typed.newPassword })

  const owner = await signedIn({ email: `owner.${unique}@family.test`, firstName: typed.firstName })
  owner.ip = client.ip
  const { memorial, path } = await memorialOf({ owner, name: typed.name, privacy: 'INVITE' })
  const changes = { lifeStory: typed.story, title: typed.subject }
  await owner.patch(path, changes)
  await failEverywhere(owner, 'PATCH', path, changes)
  await owner.put(`${path}/location`, { latitude: -17.7777, longitude: 31.3333, label: typed.place })
  for (const file of ['photo.png', 'not-a-pdf.pdf'])
    await uploadFixture(owner, memorial.id, file, { name: typed.fileName })
  const invite = await inviteTokenOf(owner, memorial.id)
  const relative = await contributorOf(owner, memorial.id, typed.relative)
  await relative.post(`${path}/comments`, { body: typed.comment })
  await failEverywhere(relative, 'POST', `${path}/comments`, { body: typed.comment })
  const anyone = new Client()
  await failEverywhere(anyone, 'GET', `/api/invite/${invite}`)
  await failEverywhere(anyone, 'GET', `${path}?invite=${invite}`)
  await failEverywhere(anyone, 'POST', `/api/invite/${invite}/session`, {
    displayName: typed.relative,
    email: typed.relativeEmail,
  })
  const contact = { name: typed.firstName, email, subject: typed.subject, message: typed.message }
  await client.post('/api/contact', contact)
  await failEverywhere(client, 'POST', '/api/contact', contact)

  const { intentId } = await startPayment(owner)
  await injectStripeFault(owner.user.id, 'fail')
  await confirm(intentId)
  await injectStripeFault(owner.user.id, 'ok')
  const secret = `${intentId}_secret_`
  const event = await eventOf(intentId, 'payment_intent.succeeded')
  await deliver(event, { secret: 'whsec_wrong' })
  await deliver(event)
  await owner.post('/api/auth/login', '{not json')
  for (const cron of Object.keys(SCHEDULE)) {
    const execution = createExecutionContext()
    await handleSchedule(cron, failingEnv(1).env, execution)
    await handleSchedule(cron, env, execution)
  }

  const shown = [...client.cookies, ...owner.cookies, ...relative.cookies].map(([, value]) => value)
  const secrets = [
    env.PASSWORD_PEPPER,
    env.STRIPE_SECRET_KEY,
    env.STRIPE_WEBHOOK_SECRET,
    env.MAILCHANNELS_API_KEY,
  ] as string[]
  const hidden = [
    ...Object.values(typed),
    ...shown,
    ...secrets,
    unique,
    verify,
    reset,
    invite,
    secret,
    relative.session.authToken,
    NETWORK,
    'owner.',
    '4242',
  ]
  const written = text()
  takeErrorLines()
  expect(written.split('\n').length).toBeGreaterThanOrEqual(25)
  expect(hidden.filter((value) => written.includes(value))).toEqual([])
})

/** Everything written to the log from now on. */
function captureLog(): () => Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = []
  for (const name of ['info', 'warn', 'error'] as const) {
    vi.spyOn(console, name).mockImplementation((line: string) => void lines.push(JSON.parse(line)))
  }
  return () => lines
}

/** Makes this memorial private with a database that fails right after the call has queued a job. */
async function failAfterJob(owner: SignedIn, memorialId: string) {
  const sent: SentJob[] = []
  const JOBS = {
    sendBatch: async (messages: Iterable<{ body: SentJob }>) => {
      sent.push(...[...messages].map(({ body }) => body))
    },
  }
  for (let failAt = 1; ; failAt++) {
    sent.length = 0
    owner.bindings = { ...failingEnv(failAt).env, JOBS: JOBS as unknown as typeof env.JOBS }
    const { status, body } = await owner.patch<ErrorBody>(`/api/memorials/${memorialId}/privacy`, {
      privacy: 'PRIVATE',
    })
    if (sent.length > 0) return { status, body, sent }
  }
}

test('one id links a browser error to the failed call and to the job it queued', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const log = captureLog()
  const { status, body, sent } = await failAfterJob(owner, memorial.id)
  expect([status, sent]).toEqual([500, [{ type: 'purge-cache', requestId: body.requestId }]])

  const batch = createMessageBatch<SentJob>('nhaka-jobs', [
    { id: 'one', timestamp: new Date(), attempts: 1, body: sent[0]! },
  ])
  const execution = createExecutionContext()
  await handleQueue(batch, env, execution)
  expect((await getQueueResult(batch, execution)).explicitAcks).toEqual(['one'])

  await new Client().post('/api/client-errors', {
    name: 'ApiError',
    message: '500 internal',
    screen: '/create-memorial/:id',
    release: 'x.js',
    requestId: body.requestId,
  })
  const found = log().filter((line) => Object.values(line).includes(body.requestId))
  expect(found.map(({ event }) => event)).toEqual(['unhandled', 'job_done', 'client_error'])
})

test('a job without a valid request id gets an id of its own', async () => {
  const log = captureLog()
  for (const requestId of [undefined, 'mem_abcdefghjkmnpqrs', 'req_"},{', 7]) {
    const body = { type: 'purge-cache', requestId } as SentJob
    const batch = createMessageBatch<SentJob>('nhaka-jobs', [
      { id: 'one', timestamp: new Date(), attempts: 4, body },
    ])
    await handleQueue(batch, env, createExecutionContext())
  }
  // Jobs that earlier tests left end meanwhile.
  const ids = log().flatMap(({ requestId, attempts }) => (attempts === 4 ? [requestId] : []))
  expect(new Set(ids).size).toBe(4)
  expect(ids.filter((id) => !/^req_[a-z0-9]{16}$/u.test(String(id)))).toEqual([])
  expect(takeErrorLines()).toEqual([])
})
