import { env } from 'cloudflare:test'
import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { DAY_MS } from '#shared/limits.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { hashToken } from '#worker/platform/random.ts'
import { confirmed, PASSWORD } from '../../../test/worker/accounts.ts'
import { Client, signedIn, testCtx } from '../../../test/worker/harness.ts'
import { sessionOf, storeSession } from '../../../test/worker/accounts.ts'
import { watchedCall } from '../../../test/worker/runtime/watched.ts'

const status = async (client: Client) => (await client.get('/api/auth/user')).status

/** A session that was created and renewed this many days ago. */
async function aged(days: { created: number; renewed: number }): Promise<Client> {
  const client = await signedIn()
  const now = Date.now()
  await storeSession(client, {
    ...(await sessionOf(client)),
    createdAt: now - days.created * DAY_MS,
    renewedAt: now - days.renewed * DAY_MS,
  })
  return client
}

test(
  'a session expires after 30 unused days or 90 days, even if KV still has it',
  { tags: ['session-idle-limit'] },
  async () => {
    expect(await status(await aged({ created: 29.99, renewed: 29.99 }))).toBe(200)
    expect(await status(await aged({ created: 30.01, renewed: 30.01 }))).toBe(401)
    expect(await status(await aged({ created: 89.99, renewed: 0.1 }))).toBe(200)
    expect(await status(await aged({ created: 90.01, renewed: 0.1 }))).toBe(401)
  },
)

test('a session in use is renewed once a day, but not beyond 90 days', async () => {
  const renewal = async (client: Client) => {
    const response = await client.fetch('/api/auth/user')
    await response.arrayBuffer()
    const [cookie] = response.headers.getSetCookie()
    return cookie === undefined ? null : Number(/Max-Age=(\d+)/u.exec(cookie)?.[1])
  }
  expect(await renewal(await aged({ created: 0.9, renewed: 0.9 }))).toBeNull()
  const used = await aged({ created: 10, renewed: 1.1 })
  const before = used.cookies.get('session')
  expect(await renewal(used)).toBe(30 * 86_400)
  expect(await renewal(used)).toBeNull()
  expect(used.cookies.get('session')).toBe(before)
  expect((await sessionOf(used)).createdAt).toBeLessThan(Date.now() - 9.9 * DAY_MS)

  const last = await renewal(await aged({ created: 89, renewed: 2 }))
  expect(last).toBeGreaterThan(0)
  expect(last).toBeLessThanOrEqual(86_400)
})

test('nothing stored in KV or D1 works as a session token', async () => {
  const client = await signedIn()
  const token = client.cookies.get('session') ?? ''
  const { keys } = await env.KV.list({ prefix: 'session:' })
  const stored = await Promise.all(keys.map(async ({ name }) => `${name} ${await env.KV.get(name)}`))
  expect(stored.join('\n')).toContain(hashToken(token))
  expect(stored.join('\n')).not.toContain(token)
  await new Client().post('/api/auth/logout', {}, { headers: { Cookie: `session=${token}` } })
  const ended = await env.DB.prepare('SELECT session_hash FROM ended_sessions').all<{
    session_hash: string
  }>()
  expect(ended.results.map(({ session_hash: hash }) => hash)).toEqual([hashToken(token)])

  const other = await signedIn()
  const hash = hashToken(other.cookies.get('session') ?? '')
  for (const guess of [hash, `session:${hash}`, hash.slice(0, 43), other.user.id, '']) {
    const attacker = new Client()
    attacker.cookies.set('session', guess)
    expect([guess, await status(attacker)]).toEqual([guess, 401])
  }
  expect(await status(other)).toBe(200)
})

/** KV as another location sees it for a minute: it caches values and missing keys. */
function frozenKv(): KVNamespace {
  const seen = new Map<string, unknown>()
  return new Proxy(env.KV, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name !== 'get') return value.bind(target)
      return async (key: string, type: 'json') => {
        if (!seen.has(key)) seen.set(key, await target.get(key, type))
        return seen.get(key)
      }
    },
  })
}

test(
  'a session that ended is refused even where KV reads are stale',
  { tags: ['session-epoch-matches', 'suspended-signed-out', 'ended-session-refused'] },
  async () => {
    const email = await confirmed()
    const settings = { KV: frozenKv() }
    const seenElsewhere = async (client: Client) => {
      const headers = { Cookie: [...client.cookies].map((pair) => pair.join('=')).join('; ') }
      const { response } = await watchedCall('/api/auth/user', { method: 'GET', headers, settings })
      await response.arrayBuffer()
      return response.status
    }
    const signIn = async () => {
      const client = new Client()
      await client.post('/api/auth/login', { email, password: PASSWORD })
      // A copy of the cookie: the browser's own is deleted at sign-out.
      const attacker = new Client()
      attacker.cookies.set('session', client.cookies.get('session') ?? '')
      expect(await seenElsewhere(attacker)).toBe(200)
      return { client, attacker }
    }
    const { db } = testCtx()
    const endings: Record<string, (client: Client) => Promise<unknown>> = {
      logout: (client) => client.post('/api/auth/logout'),
      'sign out everywhere': (client) => client.post('/api/account/sign-out-everywhere'),
      'signing in again': (client) => client.post('/api/auth/login', { email, password: PASSWORD }),
      suspension: () => db.update(users).set({ suspendedAt: Date.now() }).where(eq(users.email, email)),
      'another password': (client) =>
        client.post('/api/account/password', { currentPassword: PASSWORD, newPassword: 'a new beginning' }),
    }
    for (const [name, end] of Object.entries(endings)) {
      await db.update(users).set({ suspendedAt: null }).where(eq(users.email, email))
      const { client, attacker } = await signIn()
      await end(client)
      expect([name, await seenElsewhere(attacker)]).toEqual([name, 401])
      if (name === 'signing in again') expect(await status(client)).toBe(200)
    }
  },
)
