import { env, runInDurableObject } from 'cloudflare:test'
import { beforeEach, expect, test, vi } from 'vitest'
import { HOUR_MS, MINUTE_MS, RATE_LIMITS } from '#shared/limits.ts'
import { hashPassword } from '#worker/features/accounts/passwords.ts'
import { rateLimiterName } from '#worker/platform/rate-limiter.ts'
import { growingWaitMs } from '#worker/platform/rate-limiter.do.ts'
import * as scrypt from '#worker/platform/scrypt.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { newEmail, PASSWORD, registered } from '../../../../test/worker/accounts.ts'
import { Client, signedIn, testCtx, type SignedIn } from '../../../../test/worker/harness.ts'
import { mailboxOf, tokenIn } from '../../../../test/worker/mailbox.ts'
import { atOnce, inOneMinute, inTurn } from '../../../../test/worker/repeat.ts'
import { changeRows } from '../../../../test/worker/rows.ts'

/** How many password hashes have been computed so far. */
let checks = 0
beforeEach(() => {
  const real = scrypt.deriveScryptKey
  // Cheap hashes: thousands of guesses would take minutes.
  vi.spyOn(scrypt, 'deriveScryptKey').mockImplementation((password, salt) => {
    checks += 1
    return real(password, salt, { ln: 1, r: 8, p: 1 })
  })
})

/** An account with a password, signed in on a browser that is therefore a known device. */
async function owner(options: { admin?: boolean } = {}): Promise<SignedIn> {
  const client = await signedIn(options)
  const passwordHash = await hashPassword(testCtx(), PASSWORD)
  await changeRows(users, { id: client.user.id }, { passwordHash })
  return client
}

async function logIn(client: Client, email: string, password: string) {
  const { status, body, headers } = await client.post('/api/auth/login', { email, password })
  return { status, code: body.code as string, message: body.message as string, wait: waitIn(headers) }
}
const waitIn = (headers: Headers) => Number(headers.get('Retry-After') ?? 0)
const statusOf = async (client: Client, email: string, password = PASSWORD) =>
  (await logIn(client, email, password)).status

/** One wrong guess each from this many networks. Returns their statuses. */
const guesses = (count: number, email: string) =>
  inTurn(count, async (i) => {
    const attacker = new Client()
    attacker.ip = `198.${18 + Math.floor(i / 62_500)}.${Math.floor(i / 250) % 250}.${i % 250}`
    return statusOf(attacker, email, `wrong guess ${i}`)
  })

/** Moves the counted tries of an account back in time. */
async function age(email: string, ms: number): Promise<void> {
  const throttle = env.THROTTLE.getByName(rateLimiterName('unknownDeviceFailures', email))
  await runInDurableObject(throttle, (_, { storage }) => {
    storage.sql.exec('UPDATE hits SET at = at - ?', ms)
  })
}

test.each([
  { who: 'an owner', networks: 1000, admin: false },
  { who: 'an admin', networks: 50, admin: true },
])(
  'of $networks guesses from as many networks 30 are checked; $who gets in',
  { tags: ['known-device-counts-alone'] },
  async ({ networks, admin }) => {
    const device = await owner({ admin })
    const { email } = device.user
    await device.post('/api/auth/logout')
    const before = checks
    const statuses = await guesses(networks, email)
    expect(statuses.filter((status) => status === 401)).toHaveLength(30)
    expect(statuses.filter((status) => status === 429)).toHaveLength(networks - 30)
    expect(checks - before).toBe(30)

    // On a new phone the right password waits as well, so a guess that is right is not told from one that is wrong.
    const refused = await logIn(new Client(), email, PASSWORD)
    expect(refused).toMatchObject({ status: 429, code: 'too_many_requests' })
    expect(refused.wait).toBeGreaterThan(0)
    expect(refused.wait).toBeLessThanOrEqual(3600)
    expect(await inTurn(3, () => statusOf(device, email))).toEqual([200, 200, 200])
    expect((await device.get('/api/auth/user')).body).toMatchObject({ email, isAdmin: admin })
  },
)

test('the checks of unknown devices come back an hour after each was used', async () => {
  const { email } = (await owner()).user
  await guesses(30, email)
  await age(email, HOUR_MS - 30_000)
  const waiting = await logIn(new Client(), email, PASSWORD)
  expect(waiting).toMatchObject({
    status: 429,
    message: 'Too many wrong passwords were tried. Please try again in a minute.',
  })
  expect(waiting.wait).toBeLessThanOrEqual(30)
  await age(email, 30_000)
  expect(await statusOf(new Client(), email)).toBe(200)
})

test('ten wrong guesses close one network, an IPv6 /64 as one, and no other', async () => {
  const { email } = (await owner()).user
  const at = (ip: string) => Object.assign(new Client(), { ip })
  const statuses = await inTurn(11, (i) => statusOf(at(`2001:db8:1:2::${i + 1}`), email, `wrong guess ${i}`))
  expect(statuses).toEqual([...Array(10).fill(401), 429])
  expect(await statusOf(at('2001:db8:1:2:ffff::1'), email)).toBe(429)
  expect(await statusOf(at('2001:db8:1:3::1'), email)).toBe(200)
})

test('after ten wrong guesses each further one makes the wait longer, up to an hour', async () => {
  const { email } = (await owner()).user
  const client = new Client()
  await inTurn(10, (i) => statusOf(client, email, `wrong guess ${i}`))
  const waits: number[] = []
  for (let i = 0; i < 7; i++) {
    const { wait } = await logIn(client, email, PASSWORD)
    waits.push(Math.ceil(wait / 60))
    await age(email, wait * 1000)
    expect(await statusOf(client, email, 'one more guess')).toBe(401)
  }
  expect(waits).toEqual([1, 2, 5, 15, 30, 60, 60])
  await age(email, HOUR_MS)
  expect(await statusOf(client, email)).toBe(200)
})

test('nine guesses in any 15 minutes never wait, and the tenth starts the waiting', async () => {
  const { loginFailures: limit } = RATE_LIMITS
  const slowly = Array.from({ length: 60 }, (_, i) => i * (limit.windowMs / 9))
  expect(growingWaitMs(slowly, limit, slowly.at(-1)! + 1)).toBe(0)
  const ten = Array.from({ length: 10 }, (_, i) => i * MINUTE_MS)
  expect(growingWaitMs(ten.slice(1), limit, 9 * MINUTE_MS)).toBe(0)
  expect(growingWaitMs(ten, limit, 9 * MINUTE_MS)).toBe(MINUTE_MS)
  expect(growingWaitMs([...ten, HOUR_MS], limit, HOUR_MS)).toBe(2 * MINUTE_MS)
})

test('guesses from behind the owner’s own address do not close it to a known device', async () => {
  const statuses = await inOneMinute(async () => {
    const device = await owner()
    const { ip } = device
    const others = await inTurn(35, async () => {
      const attacker = Object.assign(new Client(), { ip })
      // A cookie that somebody made up is counted like none.
      attacker.cookies.set(`device-${device.user.id}`, `${'A'.repeat(43)}.${'A'.repeat(43)}`)
      return statusOf(attacker, newEmail(), 'wrong guess')
    })
    const stranger = Object.assign(new Client(), { ip })
    return [others, await statusOf(stranger, newEmail()), await statusOf(device, device.user.email)] as const
  })
  expect(statuses).toEqual([[...Array(30).fill(401), ...Array(5).fill(429)], 429, 200])
})

test('a known device has ten guesses of its own, and using them up closes no other', async () => {
  const phone = await owner()
  const { email } = phone.user
  const laptop = new Client()
  expect(await statusOf(laptop, email)).toBe(200)
  const statuses = await inTurn(11, (i) => statusOf(phone, email, `wrong guess ${i}`))
  expect(statuses).toEqual([...Array(10).fill(401), 429])
  expect(await logIn(phone, email, PASSWORD)).toMatchObject({
    status: 429,
    message: 'Too many wrong passwords were tried. Please try again in a minute.',
  })
  const besideManyTries = await inOneMinute(async () => {
    await inTurn(35, () => statusOf(phone, email))
    return statusOf(laptop, email)
  })
  expect(besideManyTries).toBe(200)
  expect(await statusOf(new Client(), email)).toBe(200)
})

test(
  'a device cookie counts only for its account, if unforged, until a new password',
  { tags: ['device-cookie-signed'] },
  async () => {
    const device = await owner()
    const { email, id } = device.user
    const stranger = await owner()
    const [name, value = ''] = [`device-${id}`, device.cookies.get(`device-${id}`)]
    expect(value).toMatch(/^[\w-]{43}\.[\w-]{43}$/u)
    const older = value
    await guesses(30, email)

    const forged = [
      stranger.cookies.get(`device-${stranger.user.id}`)!,
      `${'A'.repeat(43)}.${value.slice(44)}`,
      `${value.slice(0, 43)}.${'A'.repeat(43)}`,
      value.slice(0, 43),
      `${value}.${value}`,
      '',
    ]
    for (const cookie of forged) {
      const attacker = new Client()
      attacker.cookies.set(name, cookie)
      expect([cookie, await statusOf(attacker, email)]).toEqual([cookie, 429])
    }
    const change = { currentPassword: PASSWORD, newPassword: 'a new beginning' }
    expect((await device.post('/api/account/password', change)).status).toBe(200)
    expect(await statusOf(device, email, 'a new beginning')).toBe(200)
    const copied = new Client()
    copied.cookies.set(name, older)
    expect(await statusOf(copied, email, 'a new beginning')).toBe(429)
  },
)

test('guesses at the login leave a signed-in owner’s own password checks alone', async () => {
  const device = await owner()
  const { email } = device.user
  await guesses(40, email)
  const message = 'That password is wrong'
  const change = (currentPassword: string) =>
    device.post('/api/account/password', { currentPassword, newPassword: 'a new beginning' })
  expect(await change('wrong guess')).toMatchObject({ status: 400, body: { message } })
  expect((await change(PASSWORD)).status).toBe(200)
  const removal = await device.delete('/api/account', { password: 'a new beginning' })
  expect(removal.status).toBe(200)
  // Signing in again undoes it, from this browser although others go on guessing.
  expect(await statusOf(device, email, 'a new beginning')).toBe(200)
})

test(
  'a completed reset opens the login for everyone, and this browser for good',
  { tags: ['reset-clears-failed-logins', 'reset-knows-device'] },
  async () => {
    const { email } = (await owner()).user
    await guesses(31, email)
    const [newPhone, other] = [new Client(), new Client()]
    expect(await statusOf(newPhone, email)).toBe(429)
    await newPhone.post('/api/auth/forgot-password', { email })
    const token = tokenIn((await mailboxOf(email, 1))[0])
    const password = 'a new beginning'
    expect((await newPhone.post('/api/auth/reset-password', { token, password })).status).toBe(200)
    expect(newPhone.cookies.has('session')).toBe(false)
    expect(await statusOf(other, email, password)).toBe(200)
    await guesses(31, email)
    expect(await statusOf(new Client(), email, password)).toBe(429)
    expect(await statusOf(newPhone, email, password)).toBe(200)
  },
)

test('signing out everywhere leaves only this browser a known device', async () => {
  const phone = await owner()
  const { email } = phone.user
  const laptop = new Client()
  await logIn(laptop, email, PASSWORD)
  await phone.post('/api/account/sign-out-everywhere')
  await guesses(30, email)
  expect(await statusOf(laptop, email)).toBe(429)
  expect(await statusOf(phone, email)).toBe(200)
})

test('families who share a phone each stay known on it', async () => {
  const [rudo, tendai] = [await owner(), await owner()]
  const phone = new Client()
  expect(await statusOf(phone, rudo.user.email)).toBe(200)
  await phone.post('/api/auth/logout')
  expect(await statusOf(phone, tendai.user.email)).toBe(200)
  await guesses(30, rudo.user.email)
  expect(await statusOf(phone, rudo.user.email)).toBe(200)
})

test('the right password of an unconfirmed address counts as a failed try', async () => {
  const email = await registered()
  const client = new Client()
  const statuses = await inTurn(11, () => statusOf(client, email))
  expect(statuses).toEqual([...Array(10).fill(403), 429])
})

test('guessing at an address without an account is refused by the same rule', async () => {
  const email = newEmail()
  const statuses = await guesses(32, email)
  expect(statuses).toEqual([...Array(30).fill(401), 429, 429])
})

test('logging out has no limit, and needs nothing but the cookie', async () => {
  const statuses = await inOneMinute(() => {
    const client = new Client()
    return inTurn(40, async () => (await client.post('/api/auth/logout')).status)
  })
  expect(statuses).toEqual(Array(40).fill(200))

  const device = await owner()
  const thief = new Client()
  thief.cookies.set('session', device.cookies.get('session')!)
  // KV is away: nothing can be looked up, and the session ends all the same.
  const KV = Object.assign(Object.create(env.KV) as typeof env.KV, {
    get: async () => Promise.reject(new Error('KV is away')),
    delete: async (key: string) => env.KV.delete(key),
  })
  device.bindings = { ...env, KV }
  expect((await device.post('/api/auth/logout')).status).toBe(200)
  expect(device.cookies.has('session')).toBe(false)
  expect((await thief.get('/api/auth/user')).status).toBe(401)
})

test('the names of rate limiters are hashes, without addresses', async () => {
  const names: string[] = []
  const getByName = (name: string) => {
    names.push(name)
    return env.THROTTLE.getByName(name)
  }
  const client = await owner()
  const { email } = client.user
  const THROTTLE = Object.assign(Object.create(env.THROTTLE) as typeof env.THROTTLE, { getByName })
  client.bindings = { ...env, THROTTLE }
  await client.post('/api/auth/login', { email, password: 'wrong guess' })
  await client.post('/api/auth/forgot-password', { email })
  await client.post('/api/contact', { email, subject: 'Hello', message: 'x' })
  const stranger = Object.assign(new Client(), { bindings: client.bindings })
  await stranger.post('/api/auth/login', { email, password: 'wrong guess' })
  await client.get('/api/health')
  expect(names.length).toBeGreaterThanOrEqual(4)
  expect(names.filter((name) => !/^[0-9a-f]{64}$/u.test(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
  await mailboxOf(email)
  await mailboxOf(env.SUPPORT_EMAIL)
})

test('of 45 guesses at the same moment from 45 networks no more than 30 are checked', async () => {
  const { email } = (await owner()).user
  const before = checks
  const answers = await atOnce(45, () => logIn(new Client(), email, 'wrong guess'))
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(30)
  expect(checks - before).toBe(30)
})
