import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { confirmed, PASSWORD } from '../accounts.ts'
import { takeErrorLines } from '../error-lines.ts'
import { inviteTokenOf, memorialOf, signedIn, askWorker } from '../harness.ts'
import { sessionOf, storeSession } from '../sessions.ts'
import { DAY_MS } from '#shared/limits.ts'

const SECURE = 'https://localhost'

/** One call over https, and the cookies that its answer set. */
async function cookiesSet(method: string, path: string, cookie: string, body?: unknown): Promise<string[]> {
  const response = await askWorker(`${SECURE}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      Origin: SECURE,
      Cookie: cookie,
      'CF-Connecting-IP': `10.5.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await response.arrayBuffer()
  return response.headers.getSetCookie()
}

const FLAGS = /^__Host-[\w-]+=[\w-]*; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/u

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
      '__Host-session',
      `__Host-contributor-${memorial.id}`,
      '__Host-session',
    ])
    expect(set.filter((cookie) => !FLAGS.test(cookie))).toEqual([])

    const asked = await signedIn({ admin: true })
    const own = `__Host-session=${asked.cookies.get('session')}`
    const others: string[] = []
    for (const { method, path } of Object.values(api)) {
      if (path === api.logout.path || path === api.signOutEverywhere.path) continue
      const address = path.replace(':id', memorial.id).replaceAll(/:[a-z]+/giu, 'nothing')
      others.push(...(await cookiesSet(method, address, own, method === 'GET' ? undefined : {})))
    }
    for (const page of ['/', '/login', '/dashboard', `/m/${memorial.slug}`, `/invite/${invite}`, '/nope']) {
      others.push(...(await cookiesSet('GET', page, own)))
    }
    expect(others).toEqual([])
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
