import { createExecutionContext, env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { handleApi } from '#worker/api.ts'
import type { Env } from '#worker/platform/env.ts'
import { publicConfig } from '#worker/features/config/config.routes.ts'
import { drainMailOutbox, sendMail } from '#worker/features/mail/mail.jobs.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { mailRow } from '#worker/platform/providers/mail.ts'
import { pageCsp } from '#worker/http/headers.ts'
import { sandboxProblem } from '#worker/platform/providers/provider-origins.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { Client, inviteTokenOf, memorialOf, signedIn, testCtx } from '../harness.ts'
import { rowsOf } from '../rows.ts'
import { sendFixture } from '../uploads.ts'

test('without PASSWORD_PEPPER nobody registers or signs in, and the log says why', async () => {
  const person = { email: 'rudo@family.test', password: 'Mutare in the rain', firstName: 'R', lastName: 'M' }
  for (const path of ['/api/auth/register', '/api/auth/login']) {
    const client = new Client()
    client.bindings = { ...env, PASSWORD_PEPPER: '' }
    const { status, body } = await client.post(path, person)
    expect([status, body]).toEqual([
      503,
      {
        message: 'This is not available at the moment. Please try again later.',
        code: 'not_available',
        requestId: expect.stringMatching(/^req_/u),
      },
    ])
    expect(takeErrorLines().join('\n')).toContain('password_pepper_missing')
  }
})

type Missing = { name: keyof Env; call: string; status: number; log: string }
/** The bindings that a signed-in user needs. */
const NEEDED_BY_ALL = new Set<keyof Env>(['DB', 'KV', 'THROTTLE'])
/** A missing secret answers 503, since an operator may omit it; a missing binding is a 500, since deployments include them. */
const MISSING: Missing[] = [
  { name: 'STRIPE_SECRET_KEY', call: 'pay', status: 503, log: 'STRIPE_SECRET_KEY is not set' },
  { name: 'STRIPE_PUBLISHABLE_KEY', call: 'pay', status: 503, log: 'STRIPE_PUBLISHABLE_KEY is not set' },
  { name: 'STRIPE_WEBHOOK_SECRET', call: 'webhook', status: 503, log: 'STRIPE_WEBHOOK_SECRET is not set' },
  { name: 'PASSWORD_PEPPER', call: 'login', status: 503, log: 'password_pepper_missing' },
  { name: 'ACCESS_AUD', call: 'console', status: 503, log: 'must be set together' },
  { name: 'ACCESS_TEAM_DOMAIN', call: 'console', status: 503, log: 'must be set together' },
  { name: 'MAP_IMAGE_URL', call: 'map', status: 503, log: 'not_available' },
  { name: 'KV', call: 'dashboard', status: 500, log: 'unhandled' },
  { name: 'DB', call: 'dashboard', status: 500, log: 'unhandled' },
  { name: 'MEDIA', call: 'photo', status: 500, log: 'unhandled' },
  { name: 'QUOTA', call: 'upload', status: 500, log: 'unhandled' },
  { name: 'THROTTLE', call: 'login', status: 500, log: 'unhandled' },
  { name: 'LIMIT_LOGIN', call: 'login', status: 500, log: 'unhandled' },
  { name: 'LIMIT_FORGOT', call: 'forgot', status: 500, log: 'unhandled' },
  { name: 'LIMIT_REGISTER', call: 'register', status: 500, log: 'unhandled' },
  { name: 'LIMIT_RESEND', call: 'resend', status: 500, log: 'unhandled' },
  { name: 'LIMIT_CONTACT', call: 'contact', status: 500, log: 'unhandled' },
  { name: 'LIMIT_MAIL_LINK', call: 'link', status: 500, log: 'unhandled' },
  { name: 'LIMIT_CONTRIBUTOR_SESSION', call: 'invite', status: 500, log: 'unhandled' },
  { name: 'LIMIT_MAP_IMAGE', call: 'map', status: 500, log: 'unhandled' },
  { name: 'LIMIT_SLUG', call: 'guess', status: 500, log: 'unhandled' },
  { name: 'LIMIT_INVITE', call: 'invitation', status: 500, log: 'unhandled' },
  { name: 'LIMIT_HEALTH', call: 'health', status: 500, log: 'unhandled' },
  { name: 'LIMIT_CLIENT_ERRORS', call: 'report', status: 500, log: 'unhandled' },
]

test.each(MISSING)(
  'without $name its feature fails loudly, and the others work',
  async ({ name, call, status, log }) => {
    const owner = await signedIn({ admin: true })
    const { memorial } = await memorialOf({ owner, privacy: 'INVITE' })
    await owner.put(`/api/memorials/${memorial.id}/location`, {
      latitude: -17.8,
      longitude: 31,
      label: 'Home',
    })
    const photo = await sendFixture(owner, memorial.id, 'photo.png')
    const token = await inviteTokenOf(owner, memorial.id)
    const person = { email: owner.user.email, password: 'Mutare in the rain' }
    const calls: Record<string, [string, string, unknown?]> = {
      pay: ['POST', '/api/stripe/create-payment-intent', {}],
      webhook: ['POST', '/api/stripe/webhook', {}],
      login: ['POST', '/api/auth/login', person],
      forgot: ['POST', '/api/auth/forgot-password', person],
      register: ['POST', '/api/auth/register', person],
      resend: ['POST', '/api/auth/resend-verification', person],
      contact: ['POST', '/api/contact', person],
      link: ['GET', '/api/auth/verify-email/nothing'],
      console: ['GET', '/api/admin/stats'],
      map: ['GET', `/api/memorials/${memorial.id}/location/map`],
      dashboard: ['GET', '/api/dashboard'],
      guess: ['GET', '/api/memorial/tendai-moyo'],
      photo: ['GET', `/media/stream/${photo}`],
      upload: ['DELETE', `/api/media/${photo}`],
      invitation: ['GET', '/api/invite/unknown'],
      health: ['GET', '/api/health'],
      report: ['POST', '/api/client-errors', {}],
      invite: ['POST', `/api/invite/${token}/session`, { displayName: 'Farai', email: '' }],
    }
    const bindings = { ...env, ACCESS_TEAM_DOMAIN: 'team', ACCESS_AUD: 'aud' }
    const ask = async (which: string, settings: object) => {
      const [method, path, body] = calls[which]!
      owner.bindings = settings as Env
      return owner.call(method, path, body)
    }
    const answer = await ask(call, { ...(call === 'console' ? bindings : env), [name]: undefined })
    expect([answer.status, answer.body]).toEqual([
      status,
      expect.objectContaining({
        code: status === 503 ? 'not_available' : 'internal',
        requestId: expect.stringMatching(/^req_/u),
      }),
    ])
    expect(takeErrorLines().join()).toContain(log)

    const stranger = new Client()
    stranger.bindings = { ...env, [name]: undefined }
    expect((await stranger.get('/api/config')).status).toBe(200)
    const others = ['dashboard', 'pay'].filter((other) => other !== call && !NEEDED_BY_ALL.has(name))
    for (const other of others) {
      expect([other, (await ask(other, { ...env, [name]: undefined })).status]).toEqual([other, 200])
    }
  },
)

/** A production deployment with valid settings. */
const DEPLOYED: Env = {
  ...env,
  PUBLIC_ORIGIN: 'https://memorials.test',
  STRIPE_API_URL: 'https://api.stripe.com',
  STRIPE_JS_URL: 'https://js.stripe.com/v3/',
  MAIL_API_URL: 'https://api.mailchannels.net',
  MAILBOX_URL: '',
  MAP_IMAGE_URL: 'https://maps.test/static?at={latitude},{longitude}',
}
const problemWith = (feature: 'payments' | 'mail' | 'maps', settings: Partial<Env>) =>
  sandboxProblem({ ...DEPLOYED, ...settings }, feature)

test('a deployment calls the providers themselves', () => {
  expect((['payments', 'mail', 'maps'] as const).map((feature) => problemWith(feature, {}))).toEqual([
    null,
    null,
    null,
  ])
})

test.each([
  'http://localhost:8788',
  'http://127.0.0.1:8788',
  'http://[::1]:8788',
  'https://sandbox.memorials.test',
  'http://api.stripe.com',
  'https://api.stripe.com.memorials.test',
  'https://api.stripe.com@memorials.test',
  'https://api.stripe.com:8443',
  'api.stripe.com',
  '',
])('outside localhost payments do not go to %j', (STRIPE_API_URL) => {
  expect(problemWith('payments', { STRIPE_API_URL })).toBe(
    'STRIPE_API_URL is not at https://api.stripe.com/, and PUBLIC_ORIGIN is not localhost',
  )
})

test('outside localhost no sandbox serves the card form, mail or maps', () => {
  const sandbox = 'http://localhost:8788/'
  expect(problemWith('payments', { STRIPE_JS_URL: sandbox })).toContain('STRIPE_JS_URL')
  expect(problemWith('mail', { MAIL_API_URL: sandbox })).toContain('MAIL_API_URL')
  expect(problemWith('mail', { MAILBOX_URL: 'https://mailbox.memorials.test' })).toContain('MAILBOX_URL')
  expect(problemWith('maps', { MAP_IMAGE_URL: sandbox })).toContain('MAP_IMAGE_URL')
})

test.each(['http://localhost:8787', 'http://localhost', 'http://127.0.0.1:1', 'https://nhaka.localhost'])(
  'at %s a sandbox may replace every provider',
  (PUBLIC_ORIGIN) => {
    const settings = { ...env, PUBLIC_ORIGIN }
    expect([sandboxProblem(settings, 'payments'), sandboxProblem(settings, 'mail')]).toEqual([null, null])
  },
)

test.each(['STRIPE_API_URL', 'STRIPE_JS_URL'] as const)(
  'outside localhost a sandbox as %s takes no payment and is logged',
  async (name) => {
    const owner = await signedIn()
    const settings = { ...DEPLOYED, [name]: env[name] }
    const cookie = [...owner.cookies].map((pair) => `__Host-${pair.join('=')}`).join('; ')
    for (const path of ['/api/stripe/create-payment-intent', '/api/stripe/webhook']) {
      const request = new Request(`https://memorials.test${path}`, {
        method: 'POST',
        headers: {
          Origin: 'https://memorials.test',
          'Content-Type': 'application/json',
          'CF-Connecting-IP': owner.ip,
          Cookie: cookie,
        },
        body: '{}',
      })
      const answer = await handleApi(request, settings, createExecutionContext())
      expect([path, answer.status, await answer.json()]).toEqual([
        path,
        503,
        expect.objectContaining({
          message: 'Card payment is not available at the moment. Nothing was charged.',
        }),
      ])
      expect(takeErrorLines().join()).toContain(`${name} is not at https://`)
    }
    expect(publicConfig(settings).stripePublishableKey).toBeNull()
    expect(pageCsp(new URL('https://memorials.test/checkout'), settings)).not.toContain(
      new URL(env.STRIPE_JS_URL).origin,
    )
  },
)

test('outside localhost mail for a sandbox stays in the outbox, with the reason logged', async () => {
  const ctx = testCtx()
  const row = mailRow(ctx, {
    kind: 'already-registered',
    recipient: 'waiting@family.test',
    subjectId: 'usr_nobody',
  })
  await ctx.db.insert(mails).values({ ...row, createdAt: 1 })
  for (const setting of [
    { MAIL_API_URL: env.MAIL_API_URL },
    { MAILBOX_URL: 'http://localhost:8788/mailbox' },
  ]) {
    const deployed = { ...ctx, env: { ...DEPLOYED, ...setting } }
    await sendMail(deployed, row.id)
    await drainMailOutbox(deployed)
    expect(publicConfig(deployed.env).mailboxUrl).toBeNull()
    expect(await rowsOf(mails, { id: row.id })).toMatchObject([{ status: 'QUEUED', attempts: 0 }])
    expect(takeErrorLines().filter((line) => line.includes('mail_address_refused'))).toHaveLength(2)
  }
})

test('outside localhost no sandbox serves the map image, and the log omits the key', async () => {
  const { owner, memorial } = await memorialOf()
  const path = `/api/memorials/${memorial.id}/location`
  await owner.put(path, { latitude: -17.8, longitude: 31, label: 'Home' })
  const settings = { ...DEPLOYED, MAP_IMAGE_URL: 'http://localhost:8788/map.png?key=secret-of-ours' }
  expect(publicConfig(settings).hasMapImages).toBe(false)
  owner.bindings = settings
  expect((await owner.get(`${path}/map`)).status).toBe(503)
  const lines = takeErrorLines().join()
  expect(lines).toContain('MAP_IMAGE_URL is not at a provider on https')
  expect(lines).not.toContain('secret-of-ours')
})
