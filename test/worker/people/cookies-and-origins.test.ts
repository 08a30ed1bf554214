import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { DAY_MS } from '#shared/limits.ts'
import {
  askWorker,
  Client,
  contributorOf,
  inviteTokenOf,
  memorialOf,
  newIp,
  ORIGIN,
  signedIn,
} from '../harness.ts'
import { watchedCall } from '../runtime/watched.ts'
import { confirmed, PASSWORD, sessionOf, storeSession } from '../accounts.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'

const SIGNED: string[] = [api.stripeWebhook.path, api.paynowResult.path]
/** Calls that end, or replace, the session that makes them. */
const END_OWN = new Set<string>([api.logout.path, api.signOutEverywhere.path, api.endOtherSessions.path])
const WRITES = Object.values(api)
  .filter(({ method, path }) => !['GET', 'OPTIONS'].includes(method) && !SIGNED.includes(path))
  .map(({ method, path }) => ({ method, path: path.replaceAll(/:[a-z]+/giu, 'thing') }))

const formOf = () => {
  const form = new FormData()
  form.set('file', new File(['x'], 'a.jpg', { type: 'image/jpeg' }))
  form.set('type', 'IMAGE')
  return form
}
const JSON_TEXT = '{"email":"rudo@family.test","password":"Mutare in the rain"}'

/** Headers of a write started by another page, by the technique that the page used. */
const FORGERIES: Record<string, { headers: Record<string, string>; body?: () => BodyInit }> = {
  'fetch from another site': {
    headers: { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
  },
  'a form on another site': {
    headers: { Origin: 'https://evil.example', 'Content-Type': 'application/x-www-form-urlencoded' },
    body: () => 'email=rudo%40family.test',
  },
  'JSON disguised as text': {
    headers: { Origin: 'https://evil.example', 'Content-Type': 'text/plain' },
    body: () => JSON_TEXT,
  },
  'a file in a form': { headers: { Origin: 'https://evil.example' }, body: formOf },
  'a file in a form without an origin': { headers: { 'Sec-Fetch-Site': 'cross-site' }, body: formOf },
  'a sandboxed frame': { headers: { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' } },
  'no origin, from a sibling host': { headers: { Origin: 'null', 'Sec-Fetch-Site': 'same-site' } },
  'no origin, from an address bar': { headers: { Origin: 'null', 'Sec-Fetch-Site': 'none' } },
  'no origin, in an old browser': { headers: { Origin: 'null' } },
  'a host with a similar name': { headers: { Origin: `${ORIGIN}.evil.example` } },
  'the same host on another port': { headers: { Origin: `${ORIGIN}:8080`, 'Sec-Fetch-Site': 'same-site' } },
  'the same host with another scheme': { headers: { Origin: ORIGIN.replace('http:', 'ftp:') } },
  'a same-site page without an origin': { headers: { 'Sec-Fetch-Site': 'same-site' } },
  'an old browser without these headers': { headers: {} },
  'two origins at once': { headers: { Origin: `${ORIGIN}, https://evil.example` } },
  'an empty origin': { headers: { Origin: '' } },
}

test.each(Object.entries(FORGERIES))(
  '%s cannot write and never reaches the database',
  { tags: ['writes-same-origin'] },
  async (_, { headers, body }) => {
    const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
    const { cookies } = await contributorOf(owner, memorial.id)
    const Cookie = [...owner.cookies, ...cookies].map((pair) => pair.join('=')).join('; ')
    const answers = []
    for (const { method, path } of WRITES) {
      const { response, before, after } = await watchedCall(path.replace('thing', memorial.id), {
        method,
        headers: { Cookie, ...headers },
        body: body?.() ?? null,
      })
      const { code } = await response.json<{ code: string }>()
      const cors = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))
      answers.push([method, path, response.status, code, ...before, ...after, ...cors])
    }
    expect(answers).toEqual(WRITES.map(({ method, path }) => [method, path, 403, 'cross_site']))
  },
)

test('the app’s own pages, and clients that send no cookie, are accepted', async () => {
  const code = async (headers: Record<string, string>) => {
    const { response } = await watchedCall('/api/auth/logout', { headers })
    return response.status
  }
  const Cookie = `session=${'x'.repeat(43)}`
  expect(await code({ Cookie, Origin: ORIGIN })).toBe(200)
  expect(await code({ Cookie, 'Sec-Fetch-Site': 'same-origin' })).toBe(200)
  // A form of a page that sends no referrer, because its address holds a token.
  expect(await code({ Cookie, Origin: 'null', 'Sec-Fetch-Site': 'same-origin' })).toBe(200)
  expect(await code({})).toBe(200)
})

test('another site cannot read answers, not even the answer to a preflight', async () => {
  for (const [method, path] of [
    ['OPTIONS', '/api/auth/login'],
    ['OPTIONS', '/api/memorials'],
    ['GET', '/api/auth/user'],
    ['GET', '/api/config'],
  ] as const) {
    const response = await new Client().fetch(path, {
      method,
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
    })
    await response.arrayBuffer()
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull()
    expect(response.headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin')
  }
})

test.each(SIGNED)('%s needs no Origin and does nothing without its signature', async (path) => {
  const { response } = await watchedCall(path, { body: '{}' })
  expect(response.status).toBe(400)
})

const SECURE = 'https://localhost'

/** One call over https, and the cookies that its answer set. */
async function cookiesSet(method: string, path: string, cookie: string, body?: unknown): Promise<string[]> {
  const response = await askWorker(`${SECURE}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      Origin: SECURE,
      Cookie: cookie,
      'CF-Connecting-IP': newIp(),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await response.arrayBuffer()
  return response.headers.getSetCookie()
}

const FLAGS = /^__Host-[\w-]+=[\w.-]*; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/u

test(
  'every cookie that any call sets has every flag, and no call sets another',
  { tags: ['cookie-http-only', 'cookie-same-site'] },
  async () => {
    const email = await confirmed()
    const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
    const invite = await inviteTokenOf(owner, memorial.id)
    const session = `__Host-session=${owner.cookies.get('session')}`
    // Old enough for the next call to renew it.
    const stored = await sessionOf(owner)
    await storeSession(owner, { ...stored, renewedAt: stored.renewedAt - 2 * DAY_MS })

    const set = [
      ...(await cookiesSet('GET', api.currentUser.path, session)),
      ...(await cookiesSet('POST', api.login.path, '', { email, password: PASSWORD })),
      ...(await cookiesSet('POST', `/api/invite/${invite}/session`, '', { displayName: 'Farai', email: '' })),
      ...(await cookiesSet('POST', api.logout.path, session)),
    ]
    expect(set.map((cookie) => cookie.split('=')[0])).toEqual([
      '__Host-session',
      `__Host-device-${owner.user.id}`,
      '__Host-session',
      expect.stringMatching(/^__Host-device-usr_/u),
      `__Host-contributor-${memorial.id}`,
      '__Host-session',
    ])
    expect(set.filter((cookie) => !FLAGS.test(cookie))).toEqual([])

    const asked = await signedIn({ admin: true })
    const own = `__Host-session=${asked.cookies.get('session')}`
    const others: string[] = []
    for (const { method, path } of Object.values(api)) {
      if (END_OWN.has(path)) continue
      const address = path.replace(':id', memorial.id).replaceAll(/:[a-z]+/giu, 'nothing')
      others.push(...(await cookiesSet(method, address, own, method === 'GET' ? undefined : {})))
    }
    for (const page of ['/', '/login', '/dashboard', `/m/${memorial.slug}`, `/invite/${invite}`, '/nope']) {
      others.push(...(await cookiesSet('GET', page, own)))
    }
    // What a passkey is asked at sign-in, and to confirm.
    expect(others.map((cookie) => cookie.split('=')[0])).toEqual(['__Host-passkey', '__Host-passkey'])
    expect(others.filter((cookie) => !FLAGS.test(cookie))).toEqual([])
    // The local payment option is not available, and logs that.
    takeErrorLines()
  },
)

test('a cookie without its prefix, as a sibling host could set it, is no session', async () => {
  const client = await signedIn()
  const token = client.cookies.get('session')
  const statusWith = async (cookie: string) => {
    const response = await askWorker(`${SECURE}/api/auth/user`, { headers: { Cookie: cookie } })
    await response.arrayBuffer()
    return response.status
  }
  expect(await statusWith(`__Host-session=${token}`)).toBe(200)
  expect(await statusWith(`session=${token}`)).toBe(401)
  expect(await statusWith(`__Secure-session=${token}`)).toBe(401)
})
