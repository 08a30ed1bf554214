import { createExecutionContext, env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { JSON_BODY_MAX_BYTES } from '#shared/limits.ts'
import type { Env } from '#worker/platform/env.ts'
import { api } from '#shared/api.ts'

import worker from '#worker/index.ts'
import { PublicPages } from '#worker/public-pages.ts'
import { toHttps } from '#worker/http/page-request.ts'
import { errorBodyProblems } from './error-body.ts'
import { takeErrorLines } from './runtime/error-lines.ts'
import { brokenBinding } from './faults/faults.ts'
import { fixture } from './fixtures.ts'
import { askWorker, Client, inviteTokenOf, memorialOf, ORIGIN, signedIn, type SignedIn } from './harness.ts'
import { headerProblems, type Kind } from '../expected-headers.ts'
import { signed, injectStripeFault } from './stripe.ts'
import { sendFixture } from './uploads.ts'

/** A local host name, so that the sandbox may replace the providers. */
const SECURE = 'https://localhost'
type Execution = Parameters<typeof worker.fetch>[2]
type Ask = {
  /** The expected status. */
  status: number
  kind: Kind
  path: string
  method?: string
  as?: Client | null
  body?: BodyInit
  json?: unknown
  headers?: Record<string, string>
  settings?: Partial<Env>
}

/** Fails with a message that no answer may contain. */
const broken = <T extends object>(binding: T) =>
  brokenBinding(binding, 'D1_ERROR: SQLITE_ERROR select * from users /src/worker/api.ts sk_live_inside')
const overLimit = { limit: async () => ({ success: false }) }

/** One request over https, as in production. */
async function ask({ path, method = 'GET', as = null, body, json, headers = {}, settings = {} }: Ask) {
  const cookies = [...(as?.cookies ?? [])].map(([name, value]) => `__Host-${name}=${value}`)
  const request = new Request(SECURE + path, {
    method,
    redirect: 'manual',
    headers: {
      'CF-Connecting-IP': new Client().ip,
      ...(method === 'GET' || method === 'HEAD' ? {} : { Origin: SECURE }),
      ...(cookies.length > 0 ? { Cookie: cookies.join('; ') } : {}),
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(body === undefined ? {} : { body }),
  })
  const isPage = !path.startsWith('/api/') && !path.startsWith('/media/')
  if (isPage) return askWorker(request)
  return worker.fetch(
    request,
    { ...env, PUBLIC_ORIGIN: SECURE, ...settings },
    createExecutionContext() as Execution,
  )
}

/** Makes all these requests. Every answer must have its status, all headers and, for a refused call, the standard error body. */
async function expectStated(asks: Ask[]): Promise<void> {
  const problems: string[] = []
  for (const one of asks) {
    const what = `${one.method ?? 'GET'} ${one.path}`
    const answer = await ask(one)
    const text = new TextDecoder().decode(await answer.arrayBuffer())
    if (answer.status !== one.status) problems.push(`${what}: ${answer.status} instead of ${one.status}`)
    const wrong = headerProblems(answer, one.kind, true)
    const isRefusedCall = one.kind === 'call' && answer.status >= 400
    if (isRefusedCall) wrong.push(...errorBodyProblems(answer.status, text))
    problems.push(...wrong.map((problem) => `${what}: ${problem}`))
  }
  takeErrorLines()
  expect(problems).toEqual([])
}

async function photoIn(privacy: 'PRIVATE' | 'LOCKED') {
  const { owner, memorial } = await memorialOf()
  const id = await sendFixture(owner, memorial.id, 'photo.png')
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy })
  return { owner, path: `/media/stream/${id}` }
}

async function asksOfCalls(): Promise<Ask[]> {
  const owner: SignedIn = await signedIn({ admin: true })
  const { path } = await memorialOf({ owner, privacy: 'INVITE' })
  const { memorial: locked } = await memorialOf({ privacy: 'LOCKED' })
  const draft = (await owner.post('/api/memorials', { honoureeFullName: 'Draft' })).body.id
  await owner.put(`${path}/funeral`, { dateTime: '2026-06-06T10:00' })
  await owner.put(`${path}/location`, { latitude: -17.8, longitude: 31 })
  const { comment } = (await owner.post(`${path}/comments`, { body: 'Rest well' })).body
  const form = new FormData()
  form.set('type', 'IMAGE')
  form.set('file', new File([await fixture('html-disguised.png')], 'a.png'))
  const multipart = new Response(form)
  const login = { email: 'nobody@family.test', password: 'wrong guess' }
  const event = await signed({
    id: 'evt_status',
    object: 'event',
    type: 'payment_intent.succeeded',
    livemode: false,
    data: { object: { id: 'pi_status', metadata: {} } },
  })
  // From here on the payment provider fails for this person.
  await injectStripeFault(owner.user.id, 'fail')
  const anyone = (status: number, method: string, at: string, more: Partial<Ask> = {}): Ask => ({
    kind: 'call',
    status,
    method,
    path: at,
    ...more,
  })
  const mine: typeof anyone = (status, method, at, more) => anyone(status, method, at, { as: owner, ...more })
  const toStripe = '/api/stripe/webhook'
  const headersOfEvent = { 'Stripe-Signature': event.headers.get('Stripe-Signature') ?? '' }
  const headersOfForm = { 'Content-Type': multipart.headers.get('Content-Type') ?? '' }
  return [
    anyone(200, 'GET', '/api/config'),
    anyone(200, 'HEAD', '/api/config'),
    mine(200, 'GET', '/api/auth/user'),
    mine(200, 'GET', '/api/account/export'),
    mine(200, 'GET', `${path}/funeral.ics`),
    mine(200, 'GET', `${path}/location/map`),
    mine(200, 'POST', `${path}/location/qr`),
    mine(200, 'GET', '/api/admin/system'),
    mine(201, 'POST', '/api/memorials', { json: { honoureeFullName: 'Tendai' } }),
    mine(204, 'DELETE', `/api/comments/${comment.id}`),
    mine(400, 'POST', '/api/memorials', { json: {} }),
    mine(400, 'POST', '/api/memorials', { body: '{' }),
    anyone(400, 'POST', toStripe, { body: '{}' }),
    anyone(401, 'GET', '/api/dashboard'),
    anyone(401, 'POST', '/api/auth/login', { json: login }),
    mine(402, 'PATCH', `/api/memorials/${draft}/privacy`, { json: { privacy: 'LOCKED' } }),
    anyone(403, 'GET', path),
    mine(403, 'POST', '/api/auth/logout', { headers: { Origin: 'https://evil.example' } }),
    anyone(404, 'GET', '/api/nope'),
    anyone(404, 'GET', '/api'),
    anyone(404, 'GET', '/media/stream/med_nope'),
    anyone(404, 'GET', '/media/'),
    anyone(405, 'DELETE', '/api/config'),
    anyone(405, 'OPTIONS', '/api/config'),
    mine(409, 'POST', `/api/memorials/${locked.id}/comments`, { json: { body: 'x' } }),
    anyone(410, 'GET', '/api/auth/verify-email/no-such-token'),
    mine(413, 'POST', '/api/memorials', { body: ' '.repeat(JSON_BODY_MAX_BYTES + 1) }),
    mine(415, 'POST', `${path}/media/upload`, {
      body: await multipart.arrayBuffer(),
      headers: headersOfForm,
    }),
    anyone(429, 'POST', '/api/auth/login', { json: login, settings: { LIMIT_LOGIN: overLimit } }),
    mine(500, 'GET', '/api/dashboard', { settings: { DB: broken(env.DB) } }),
    mine(500, 'GET', '/api/dashboard', { settings: { KV: broken(env.KV) } }),
    anyone(500, 'POST', toStripe, {
      body: await event.text(),
      headers: headersOfEvent,
      settings: { DB: broken(env.DB) },
    }),
    mine(502, 'POST', '/api/stripe/create-payment-intent', { json: {} }),
    mine(503, 'POST', '/api/payments/init', { json: {}, settings: { PAYNOW_INTEGRATION_KEY: '' } }),
    anyone(503, 'POST', toStripe, { settings: { STRIPE_WEBHOOK_SECRET: '' } }),
  ]
}

test('calls of every status state all headers and refuse in one form', async () => {
  await expectStated(await asksOfCalls())
})

test.each(['PRIVATE', 'LOCKED'] as const)(
  'a photo of a %s memorial states every header, for ranges and errors too',
  async (privacy) => {
    const { owner, path } = await photoIn(privacy)
    const media = { as: owner, path, kind: 'media' } as const
    const whole = await ask({ ...media, status: 200 })
    await whole.arrayBuffer()
    const etag = whole.headers.get('ETag') ?? ''
    await expectStated([
      { ...media, status: 200 },
      { ...media, status: 200, method: 'HEAD' },
      { ...media, status: 200, path: `${path}?original=1` },
      { ...media, status: 206, headers: { Range: 'bytes=0-9' } },
      { ...media, status: 304, headers: { 'If-None-Match': etag } },
      { ...media, status: 416, headers: { Range: 'bytes=99999999-' } },
      { ...media, kind: 'call', status: 400, path: `${path}?w=7` },
      { ...media, kind: 'call', status: 405, method: 'PUT' },
      { ...media, kind: 'call', status: 500, settings: { MEDIA: broken(env.MEDIA) } },
    ])
  },
)

test('known and unknown pages state every header', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const { memorial: locked } = await memorialOf({ privacy: 'LOCKED' })
  const page = { kind: 'page', status: 200 } as const
  await expectStated([
    ...['/', '/about', '/login', '/dashboard', '/admin', '/create-memorial', '/checkout?memorialId=x'].map(
      (path): Ask => ({ kind: 'page', status: 200, path }),
    ),
    { ...page, path: `/m/${memorial.slug}` },
    { ...page, path: `/m/${locked.slug}` },
    { ...page, path: `/m/${locked.slug}`, method: 'HEAD' },
    { ...page, path: `/memorial/${memorial.id}?invite=${await inviteTokenOf(owner, memorial.id)}` },
    { ...page, path: `/invite/${await inviteTokenOf(owner, memorial.id)}` },
    { ...page, path: '/verify-email/x' },
    { ...page, path: '/nope', status: 404 },
    { ...page, path: '/favicon.ico', status: 404 },
    { kind: 'call', status: 405, path: '/', method: 'POST' },
  ])
})

test('only pages with the card form allow the payment provider’s script', async () => {
  const foreign = async (path: string) => {
    const csp = (await askWorker(SECURE + path)).headers.get('Content-Security-Policy') ?? ''
    return csp.includes(new URL(env.STRIPE_JS_URL).origin)
  }
  const letIn = ['/create-memorial', '/create-memorial/mem_x', '/checkout']
  const keptOut = ['/', '/m/tendai-k7q2mx', '/memorial/mem_x', '/dashboard', '/checkouts', '/nope/checkout']
  expect(await Promise.all(letIn.map(foreign))).toEqual(letIn.map(() => true))
  expect(await Promise.all(keptOut.map(foreign))).toEqual(keptOut.map(() => false))
})

test('a page whose document is missing is a plain 500 with all headers and is logged', async () => {
  const exports = {
    PublicPages: { fetch: async () => Promise.reject(new Error('SQLITE_BUSY at /src/x.ts')) },
  }
  const execution = Object.assign(createExecutionContext(), { exports }) as unknown as Execution
  const answer = await worker.fetch(new Request(`${SECURE}/about`), env, execution)
  expect([answer.status, headerProblems(answer, 'text', true)]).toEqual([500, []])
  expect(await answer.text()).toMatch(
    /^This page could not be opened\. Please try again in a minute\.\n\nreq_[a-z0-9]{16}\n$/u,
  )
  expect(takeErrorLines().join()).toContain('SQLITE_BUSY')
})

test('the https redirect states every header too', async () => {
  const settings = { ...env, PUBLIC_ORIGIN: SECURE }
  const execution = createExecutionContext() as Execution
  for (const path of ['/', '/api/config']) {
    const answer = await worker.fetch(new Request(`http://nhaka.test${path}`), settings, execution)
    expect([answer.status, headerProblems(answer, 'call')]).toEqual([308, []])
  }
})

test('a known call or page with a wrong method answers 405 and lists the allowed ones', async () => {
  for (const path of [api.config.path, '/login']) {
    const { status, headers } = await new Client().call('DELETE', path)
    expect([path, status, headers.get('Allow')]).toEqual([path, 405, 'GET, HEAD'])
  }
})

test('a page whose document arrived incomplete is fetched again, never served empty', async () => {
  let asked = 0
  const pagesWith = (isWhole: (attempt: number) => boolean) => {
    const ASSETS = new Proxy(env.ASSETS, {
      get: () => async () => new Response(isWhole(asked++) ? '<!doctype html><p></p></html>' : ''),
    })
    return new PublicPages(createExecutionContext(), { ...env, ASSETS })
  }
  const open = async (pages: PublicPages) => (await pages.fetch(new Request(`${ORIGIN}/admin`))).text()
  expect(await open(pagesWith((attempt) => attempt > 0))).toContain('</html>')
  expect(asked).toBe(2)
  await expect(open(pagesWith(() => false))).rejects.toThrow('did not come whole')
})

test('a page tells each browser whether it sent a session', async () => {
  const mark = async (client: Client) => (await client.fetch('/about')).headers.get('Server-Timing')
  expect(await mark(new Client())).toBe('no-session')
  expect(await mark(await signedIn())).toBe('session')
})

test('a page names its Trusted Types policies, and allows each name once', async () => {
  for (const path of ['/', '/faq', '/m/nobody-k7q2mx', '/invite/abc', '/nowhere']) {
    const policy = (await new Client().fetch(path)).headers.get('Content-Security-Policy') ?? ''
    expect(policy.split('; ').filter((directive) => directive.includes('trusted-types'))).toEqual([
      "require-trusted-types-for 'script'",
      'trusted-types inert-html ProseMirrorClipboard service-worker',
    ])
  }
})

test('plain http redirects to https where the product uses it; a laptop keeps http', () => {
  const at = (address: string, PUBLIC_ORIGIN: string) => {
    const settings: Env = { ...env, PUBLIC_ORIGIN }
    const answer = toHttps(new Request(address, { method: 'POST' }), settings)
    return answer && [answer.status, answer.headers.get('Location'), answer.headers.get('Cache-Control')]
  }
  const secure = 'https://nhaka.test'
  expect(at('http://nhaka.test/api/auth/login?a=1', secure)).toEqual([
    308,
    'https://nhaka.test/api/auth/login?a=1',
    'private, no-store',
  ])
  expect(at('https://nhaka.test/login', secure)).toBeNull()
  expect(at('http://localhost:8787/login', secure)).toBeNull()
  expect(at('http://nhaka.test/login', 'http://nhaka.test')).toBeNull()
})
