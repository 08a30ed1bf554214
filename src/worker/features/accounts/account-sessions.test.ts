import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { AccountSession } from '#shared/accounts/accounts.ts'
import { DAY_MS } from '#shared/limits.ts'
import { removeUnverifiedAccounts } from '#worker/features/accounts/accounts.jobs.ts'
import { purgeAccount } from '#worker/features/removal/removal.jobs.ts'
import { hashToken } from '#worker/platform/random.ts'
import { endedSessions, sessions, users } from '#worker/schema/accounts.table.ts'
import { confirmed, PASSWORD, sessionOf, storeSession } from '../../../../test/worker/accounts.ts'
import { Client, paidCredit, signedIn, testCtx, type SignedIn } from '../../../../test/worker/harness.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

const PHONE =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36'
const LAPTOP = 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0'
const INSTANT = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u)
const ID = expect.stringMatching(/^ses_[a-z0-9]{20}$/u)

const hashOf = (client: Client) => hashToken(client.cookies.get('session') ?? '')
const status = async (client: Client) => (await client.get('/api/auth/user')).status

/** Signs in as this device from this country. */
async function signedInOn(email: string, device: string, country?: string): Promise<Client> {
  const client = new Client()
  const cf = country === undefined ? {} : { cf: { country } }
  const answer = await client.fetch('/api/auth/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'User-Agent': device },
    body: JSON.stringify({ email, password: PASSWORD }),
    ...(cf as object),
  })
  expect(answer.status).toBe(200)
  await answer.arrayBuffer()
  return client
}

async function listOf(client: Client): Promise<AccountSession[]> {
  const { status: code, body } = await client.get('/api/account/sessions')
  expect(code).toBe(200)
  return body.sessions
}

/** The id of this client's own session. */
async function idOf(client: Client): Promise<string> {
  return (await listOf(client)).find(({ isCurrent }) => isCurrent)!.id
}

/** A second session of the same account. */
async function another(client: SignedIn): Promise<Client> {
  await changeRows(users, { id: client.user.id }, { passwordHash: await passwordHash() })
  return signedInOn(client.user.email, LAPTOP)
}

let knownHash: string | undefined
async function passwordHash(): Promise<string> {
  if (knownHash === undefined) {
    const [row] = await rowsOf(users, { email: await confirmed() })
    knownHash = row!.passwordHash
  }
  return knownHash
}

test('a user sees where they are signed in, and nothing that works as a session', async () => {
  const email = await confirmed()
  const phone = await signedInOn(email, PHONE, 'ZW')
  const laptop = await signedInOn(email, LAPTOP, 'GB')
  const other = await signedInOn(email, 'curl/8.5.0', 'T1')
  const { status: code, body, headers } = await phone.get('/api/account/sessions')
  const seen = { id: ID, signedInAt: INSTANT, lastUsed: 'DAY' }
  expect([code, headers.get('Cache-Control'), body]).toEqual([
    200,
    'private, no-store',
    {
      sessions: [
        { ...seen, device: 'Chrome on Android', country: 'Zimbabwe', isCurrent: true },
        { ...seen, device: null, country: null, isCurrent: false },
        { ...seen, device: 'Firefox on Linux', country: 'United Kingdom', isCurrent: false },
      ],
    },
  ])
  for (const client of [phone, laptop, other]) {
    expect(JSON.stringify(body)).not.toContain(client.cookies.get('session'))
    expect(JSON.stringify(body)).not.toContain(hashOf(client))
  }
  const attacker = new Client()
  attacker.cookies.set('session', body.sessions[1].id)
  expect(await status(attacker)).toBe(401)
})

test('a form without script and an admin are in the list like everybody', async () => {
  const email = await confirmed()
  await changeRows(users, { email }, { role: 'ADMIN' })
  const client = new Client()
  const answer = await client.fetch('/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'User-Agent': PHONE },
    body: String(new URLSearchParams({ email, password: PASSWORD })),
    ...({ cf: { country: 'ZA' } } as object),
  })
  expect(answer.status).toBe(303)
  expect(await listOf(client)).toEqual([
    {
      id: ID,
      device: 'Chrome on Android',
      country: 'South Africa',
      signedInAt: INSTANT,
      lastUsed: 'DAY',
      isCurrent: true,
    },
  ])
})

test('a header that a client sends itself says nothing about its country', async () => {
  const client = await signedIn()
  const second = new Client()
  await changeRows(users, { id: client.user.id }, { passwordHash: await passwordHash() })
  await second.post(
    '/api/auth/login',
    { email: client.user.email, password: PASSWORD },
    { headers: { 'CF-IPCountry': 'ZW' } },
  )
  expect((await listOf(second)).map(({ country }) => country)).toEqual([null, null])
})

test('ending a session ends it at once, and only it', { tags: ['ended-session-refused'] }, async () => {
  const owner = await signedIn()
  const [laptop, tablet] = [await another(owner), await another(owner)]
  const id = await idOf(laptop)
  const hash = hashOf(laptop)
  const ended = await owner.delete(`/api/account/sessions/${id}`)
  expect([ended.status, ended.body]).toEqual([200, { message: 'That device is signed out.' }])
  expect([await status(owner), await status(laptop), await status(tablet)]).toEqual([200, 401, 200])
  expect((await listOf(owner)).map((one) => one.id)).not.toContain(id)
  expect(await env.KV.get(`session:${hash}`)).toBeNull()
  // KV as a place that hasn't heard of it yet.
  await env.KV.put(
    `session:${hash}`,
    JSON.stringify({ userId: owner.user.id, epoch: 0, createdAt: Date.now(), renewedAt: Date.now() }),
  )
  expect(await status(laptop)).toBe(401)
  const again = await owner.delete(`/api/account/sessions/${id}`)
  expect([again.status, again.body]).toMatchObject([
    404,
    { code: 'not_found', message: 'That device has already been signed out.' },
  ])
})

test(
  'nobody sees or ends the session of another account, and not their own by its id',
  { tags: ['only-own-session-ended', 'sessions-listed-to-their-user'] },
  async () => {
    const [owner, stranger] = [await signedIn(), await signedIn({ admin: true })]
    const id = await idOf(owner)
    expect((await listOf(stranger)).map((one) => one.id)).toEqual([await idOf(stranger)])
    expect((await stranger.delete(`/api/account/sessions/${id}`)).status).toBe(404)
    expect((await owner.delete(`/api/account/sessions/${id}`)).status).toBe(404)
    expect([await status(owner), await status(stranger)]).toEqual([200, 200])
  },
)

test('ending all others leaves only the asking browser, with a new session', async () => {
  const owner = await signedIn()
  const [laptop, unlisted] = [await another(owner), await another(owner)]
  await testCtx().db.delete(sessions)
  const before = owner.cookies.get('session')!
  const { status: code, body } = await owner.post('/api/account/sessions/end-others')
  expect([code, body]).toEqual([200, { message: 'Every other device is signed out.' }])
  const replayed = new Client()
  replayed.cookies.set('session', before)
  const clients = [owner, laptop, unlisted, replayed]
  expect(await Promise.all(clients.map(status))).toEqual([200, 401, 401, 401])
  expect(await listOf(owner)).toMatchObject([{ isCurrent: true }])
  expect(await rowsOf(sessions, { userId: owner.user.id })).toHaveLength(1)
})

test(
  'of two sessions that end each other at once, one wins',
  { tags: ['ended-session-ends-none', 'ended-session-ends-no-others'] },
  async () => {
    for (const how of ['by id', 'all others', 'mixed']) {
      const owner = await signedIn()
      const pair = [owner, await another(owner)]
      const [first = '', second = ''] = await Promise.all(pair.map(idOf))
      const statuses = await atOnce(2, async (n) => {
        const one = pair[n]!
        const isById = how === 'by id' || (how === 'mixed' && n === 0)
        const answer = isById
          ? await one.delete(`/api/account/sessions/${n === 0 ? second : first}`)
          : await one.post('/api/account/sessions/end-others')
        return answer.status
      })
      const live = await Promise.all(pair.map(status))
      expect([how, statuses.filter((code) => code === 200).length]).toEqual([how, 1])
      expect([how, live]).toEqual([how, statuses.map((code) => (code === 200 ? 200 : 401))])
    }
  },
)

test('a session from before the list appears as unknown when it is renewed', async () => {
  const client = await signedIn()
  await testCtx().db.delete(sessions)
  const now = Date.now()
  const stored = await sessionOf(client)
  await storeSession(client, { ...stored, createdAt: now - 9 * DAY_MS, renewedAt: now - 1.1 * DAY_MS })
  expect(await rowsOf(sessions, { userId: client.user.id })).toEqual([])
  expect(await status(client)).toBe(200)
  const [row] = await rowsOf(sessions, { userId: client.user.id })
  expect(row).toMatchObject({ device: null, country: null, createdAt: now - 9 * DAY_MS })
  expect(row!.usedAt).toBeGreaterThanOrEqual(now)
  // One that nobody has renewed yet appears to itself.
  await testCtx().db.delete(sessions)
  expect(await listOf(client)).toMatchObject([{ device: null, isCurrent: true }])
})

test('the list says coarsely when a session was used, and leaves out what is over', async () => {
  const owner = await signedIn()
  const others = [await another(owner), await another(owner), await another(owner), await another(owner)]
  const ids = await Promise.all(others.map(idOf))
  const now = Date.now()
  for (const [n, days] of [0.9, 3, 20].entries()) {
    await changeRows(sessions, { id: ids[n]! }, { usedAt: now - days * DAY_MS })
  }
  await changeRows(sessions, { id: ids[3]! }, { expiresAt: now - 1 })
  const seen = (await listOf(owner)).slice(1).map(({ id, lastUsed }) => [id, lastUsed])
  expect(seen).toEqual([
    [ids[0], 'DAY'],
    [ids[1], 'WEEK'],
    [ids[2], 'MONTH'],
  ])
  // Renewing one says that it was used.
  await storeSession(others[2]!, { ...(await sessionOf(others[2]!)), renewedAt: now - 1.1 * DAY_MS })
  expect(await status(others[2]!)).toBe(200)
  expect((await listOf(owner)).find(({ id }) => id === ids[2])).toMatchObject({ lastUsed: 'DAY' })
})

test('no row of a session outlives it for long', async () => {
  const owner = await signedIn()
  const rows = () => rowsOf(sessions, { userId: owner.user.id })
  const other = await another(owner)
  expect(await rows()).toHaveLength(2)
  await other.post('/api/auth/logout')
  expect(await rows()).toHaveLength(1)
  await changeRows(sessions, { userId: owner.user.id }, { expiresAt: Date.now() - 1 })
  await removeUnverifiedAccounts(testCtx())
  expect(await rows()).toEqual([])

  await listOf(owner)
  await owner.post('/api/account/sign-out-everywhere')
  expect(await rows()).toEqual([])
  expect(await rowsOf(endedSessions, { sessionHash: hashOf(owner) })).toEqual([])

  await another(owner)
  expect(await rows()).toHaveLength(1)
  // The account's row stays for its payment.
  await paidCredit(owner.user.id)
  await changeRows(users, { id: owner.user.id }, { deletedAt: Date.now() - 31 * DAY_MS })
  await purgeAccount(testCtx(), owner.user.id)
  expect(await rowsOf(users, { id: owner.user.id })).toHaveLength(1)
  expect(await rows()).toEqual([])
})
