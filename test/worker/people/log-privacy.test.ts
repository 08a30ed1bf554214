import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { expect, test, vi } from 'vitest'
import { handleApi } from '#worker/api.ts'
import { handleSchedule, SCHEDULE } from '#worker/schedule.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { takeErrorLines } from '../error-lines.ts'
import { failingEnv } from '../faults/failing-env.ts'
import { fixture } from '../fixtures.ts'
import { Client, ORIGIN, contributorOf, inviteTokenOf, memorialOf, signedIn } from '../harness.ts'
import { mailboxOf, tokenIn } from '../mailbox.ts'
import { startPayment, confirm, deliver, eventOf, injectStripeFault } from '../stripe.ts'
import { upload } from '../uploads.ts'

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

/** One call by this person with a database that fails at each of its calls in turn. */
async function failEverywhere(client: Client, method: string, path: string, body: unknown): Promise<void> {
  for (let failAt = 1; failAt < 40; failAt++) {
    const failing = failingEnv(failAt)
    const request = new Request(`${ORIGIN}${path}`, {
      method,
      headers: {
        Origin: ORIGIN,
        'Content-Type': 'application/json',
        'CF-Connecting-IP': client.ip,
        Cookie: [...client.cookies].map((pair) => pair.join('=')).join('; '),
      },
      body: JSON.stringify(body),
    })
    const execution = createExecutionContext()
    await handleApi(request, failing.env, execution)
    await waitOnExecutionContext(execution)
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
  client.ip = '203.0.113.77'
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
  const { memorial } = await memorialOf({ owner, name: typed.name, privacy: 'INVITE' })
  const path = `/api/memorials/${memorial.id}`
  const changes = { lifeStory: typed.story, title: typed.subject }
  await owner.patch(path, changes)
  await failEverywhere(owner, 'PATCH', path, changes)
  await owner.put(`${path}/location`, { latitude: -17.7777, longitude: 31.3333, label: typed.place })
  await upload(owner, memorial.id, { bytes: await fixture('photo.png'), name: typed.fileName, type: 'IMAGE' })
  await upload(owner, memorial.id, {
    bytes: await fixture('not-a-pdf.pdf'),
    name: typed.fileName,
    type: 'IMAGE',
  })
  const invite = await inviteTokenOf(owner, memorial.id)
  const relative = await contributorOf(owner, memorial.id, typed.relative)
  await relative.post(`${path}/comments`, { body: typed.comment })
  await failEverywhere(relative, 'POST', `${path}/comments`, { body: typed.comment })
  await failEverywhere(new Client(), 'POST', `/api/invite/${invite}/session`, {
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
    client.ip,
    'owner.',
    '4242',
  ]
  const written = text()
  takeErrorLines()
  expect(written.split('\n').length).toBeGreaterThanOrEqual(25)
  expect(hidden.filter((value) => written.includes(value))).toEqual([])
}, 120_000)
