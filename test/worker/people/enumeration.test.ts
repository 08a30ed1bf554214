import { beforeEach, expect, test, vi } from 'vitest'
import * as scrypt from '#worker/platform/scrypt.ts'
import type { ScryptCost } from '#worker/platform/scrypt.ts'
import { confirmed, newEmail, PASSWORD, registered, registration } from '../accounts.ts'
import { Client } from '../harness.ts'
import { mailboxOf } from '../mailbox.ts'
import { OWN_JSON, watchedCall } from '../runtime/watched.ts'

const ONE_HASH = [{ ln: 14, r: 8, p: 5 }]

/** The cost of each password hash computed so far. */
const hashed: ScryptCost[] = []
beforeEach(() => {
  const real = scrypt.deriveScryptKey
  vi.spyOn(scrypt, 'deriveScryptKey').mockImplementation((password, salt, cost) => {
    hashed.push(cost)
    return real(password, salt, cost)
  })
})

/** The answer to a call as the caller sees it, and all work done before it. */
async function traceOf(path: string, body: object, ip: string, own: Record<string, string> = {}) {
  hashed.length = 0
  const { response, before } = await watchedCall(path, {
    headers: { ...OWN_JSON, 'CF-Connecting-IP': ip, ...own },
    body: JSON.stringify(body),
  })
  const { status } = response
  const headers = [...response.headers.keys()].toSorted()
  return { status, headers, body: await response.text(), asked: before, hashed: [...hashed] }
}

test('a wrong login does the same hashes and statements with or without an account', async () => {
  const known = await traceOf(
    '/api/auth/login',
    { email: await confirmed(), password: 'wrong guess' },
    '10.7.1.1',
  )
  const waiting = await traceOf(
    '/api/auth/login',
    { email: await registered(), password: 'wrong guess' },
    '10.7.1.2',
  )
  const unknown = await traceOf('/api/auth/login', { email: newEmail(), password: 'wrong guess' }, '10.7.1.3')
  expect(known).toMatchObject({
    status: 401,
    body: '{"message":"Invalid email or password","code":"invalid_credentials"}',
    hashed: ONE_HASH,
  })
  expect(known.asked).toEqual([expect.stringMatching(/^select/u), 'throttle'])
  expect(waiting).toEqual(known)
  expect(unknown).toEqual(known)
})

test('registering does the same work for a new, an unconfirmed and a confirmed address', async () => {
  const [taken, waiting, fresh] = [await confirmed(), await registered(), newEmail()]
  const known = await traceOf('/api/auth/register', registration(taken), '10.7.2.1')
  const again = await traceOf('/api/auth/register', registration(waiting), '10.7.2.2')
  const unknown = await traceOf('/api/auth/register', registration(fresh), '10.7.2.3')
  expect(known).toMatchObject({ status: 201, hashed: ONE_HASH })
  expect(known.asked.filter((what) => !/^(?:insert|update|delete)/u.test(what))).toEqual([
    'throttle',
    'throttle',
    'D1 batch',
    'queue',
  ])
  expect(again).toEqual(known)
  expect(unknown).toEqual(known)
  expect((await mailboxOf(taken, 2)).map(({ subject }) => subject)).toEqual([
    'You already have an account',
    'Please confirm your email address',
  ])
  await mailboxOf(waiting, 2)
  expect((await mailboxOf(fresh, 1))[0]?.subject).toBe('Please confirm your email address')
})

test('asking for another address does the same work whoever has it', async () => {
  const traces = []
  for (const [n, email] of [await confirmed(), await registered(), newEmail()].entries()) {
    const client = new Client()
    await client.post('/api/auth/login', { email: await confirmed(), password: PASSWORD })
    const own = { Cookie: `session=${client.cookies.get('session')}` }
    traces.push(await traceOf('/api/account/email', { email, password: PASSWORD }, `10.7.5.${n}`, own))
  }
  const [taken, ...others] = traces
  expect(taken).toMatchObject({ status: 200, hashed: ONE_HASH })
  expect(taken?.asked.filter((what) => what === 'D1 batch' || what === 'queue')).toEqual([
    'D1 batch',
    'queue',
    'queue',
  ])
  expect(others).toEqual([taken, taken])
})

test.each(['/api/auth/forgot-password', '/api/auth/resend-verification'])(
  '%s answers before looking up the account',
  async (path) => {
    const [confirmedOne, waiting] = [await confirmed(), await registered()]
    const traces = []
    for (const [i, email] of [confirmedOne, waiting, newEmail()].entries()) {
      traces.push(await traceOf(path, { email }, `10.7.3.${i}${path.length}`))
    }
    const [first, ...others] = traces
    expect(first).toMatchObject({ status: 200, hashed: [] })
    // The limit of verification mails counts for every address. The lookup has started, and nothing has come back yet.
    const counts = path.endsWith('resend-verification') ? ['throttle', 'throttle'] : []
    expect(first?.asked).toEqual([...counts, expect.stringMatching(/^select/u)])
    expect(others).toEqual([first, first])
    for (const email of [confirmedOne, waiting]) await mailboxOf(email, 1)
  },
)

test('long, excessive or rate-limited input is refused before any password hash', async () => {
  const ask = async (path: string, body: object | string, ip: string) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = { ...OWN_JSON, 'CF-Connecting-IP': ip }
    return (await watchedCall(path, { headers, body: text })).response.status
  }
  const email = newEmail()
  const megabyte = 'x'.repeat(1024 * 1024)
  hashed.length = 0
  expect(await ask('/api/auth/login', { email, password: megabyte }, '10.7.4.1')).toBe(413)
  expect(await ask('/api/auth/register', registration(email, megabyte), '10.7.4.2')).toBe(413)
  expect(await ask('/api/auth/login', { email, password: 'x'.repeat(129) }, '10.7.4.3')).toBe(400)
  expect(await ask('/api/auth/register', registration(email, '🕊'.repeat(129)), '10.7.4.4')).toBe(400)
  expect(
    await ask('/api/auth/reset-password', { token: 'x'.repeat(43), password: PASSWORD }, '10.7.4.5'),
  ).toBe(410)
  expect(hashed).toEqual([])

  const gate = { limit: async () => ({ success: false }) }
  const settings = { LIMIT_LOGIN: gate, LIMIT_REGISTER: gate, LIMIT_MAIL_LINK: gate }
  for (const [path, body] of [
    ['/api/auth/login', { email, password: PASSWORD }],
    ['/api/auth/register', registration(email)],
    ['/api/auth/reset-password', { token: 'x', password: PASSWORD }],
  ] as const) {
    const { response } = await watchedCall(path, { headers: OWN_JSON, body: JSON.stringify(body), settings })
    expect([path, response.status, response.headers.get('Retry-After')]).toEqual([path, 429, '60'])
  }
  expect(hashed).toEqual([])
})

test('of 200 wrong logins from 200 addresses 30 are hashed and 170 get a Retry-After', async () => {
  const email = newEmail()
  hashed.length = 0
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const headers = { ...OWN_JSON, 'CF-Connecting-IP': `10.8.${i}.1`, 'X-Forwarded-For': `192.0.2.${i}` }
      const body = JSON.stringify({ email, password: `wrong guess ${i}` })
      const { response } = await watchedCall('/api/auth/login', { headers, body })
      return [response.status, Number(response.headers.get('Retry-After') ?? 0)] as const
    }),
  )
  expect(hashed).toHaveLength(30)
  expect(answers.filter(([status]) => status === 401)).toHaveLength(30)
  const refused = answers.filter(([status, wait]) => status === 429 && wait > 0 && wait <= 3600)
  expect(refused).toHaveLength(170)
})
