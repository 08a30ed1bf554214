import { env, SELF } from 'cloudflare:test'
import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { DAY_MS } from '#shared/limits.ts'
import { removeUnverifiedAccounts } from '#worker/features/accounts/accounts.jobs.ts'
import { accountTokens, users } from '#worker/features/accounts/accounts.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { Client, ORIGIN, signedIn, testCtx, type Answer } from '../../../../test/worker/harness.ts'
import { mailboxOf, tokenIn } from '../../../../test/worker/mailbox.ts'

const PASSWORD = 'Mutare in the rain'
const newEmail = () => `${randomBase32(12)}@family.test`

function registration(email: string, password = PASSWORD, firstName = 'Rudo') {
  return { email, password, firstName, lastName: 'Moyo' }
}

async function registered(email = newEmail(), password = PASSWORD): Promise<string> {
  await new Client().post('/api/auth/register', registration(email, password))
  return email
}

async function confirmed(password = PASSWORD): Promise<string> {
  const email = await registered(newEmail(), password)
  const [mail] = await mailboxOf(email)
  await new Client().get(`/api/auth/verify-email/${tokenIn(mail)}`)
  return email
}

function seen({ status, body, headers }: Answer) {
  return { status, body, headers: [...headers.keys()].sort() }
}

test('a person registers, confirms the address from the mail and signs in', async () => {
  const email = newEmail()
  const client = new Client()
  expect(await client.post('/api/auth/register', registration(`  ${email.toUpperCase()} `))).toMatchObject({
    status: 201,
    body: {
      message: 'Registration successful! Please check your email to verify your account before logging in.',
    },
  })
  const early = await client.post('/api/auth/login', { email, password: PASSWORD })
  expect(early).toMatchObject({ status: 403, body: { code: 'email_unverified' } })

  const [mail, ...others] = await mailboxOf(email)
  expect(others).toEqual([])
  expect(mail).toMatchObject({ from: 'memorials@nhaka.test', subject: 'Please confirm your email address' })
  const verified = await client.get(`/api/auth/verify-email/${tokenIn(mail)}`)
  expect(verified).toMatchObject({
    status: 200,
    body: { message: 'Your email address is confirmed. You can sign in now.' },
  })
  expect(client.cookies.size).toBe(0)

  const login = await client.post('/api/auth/login', { email, password: PASSWORD })
  const user = {
    id: expect.stringMatching(/^usr_/u),
    email,
    firstName: 'Rudo',
    lastName: 'Moyo',
    isAdmin: false,
  }
  expect(login).toMatchObject({ status: 200 })
  expect(login.body).toEqual({ message: 'Welcome back! You have been logged in successfully.', user })
  expect((await client.get('/api/auth/user')).body).toEqual(user)
})

test('the current user is a 401 for a stranger', async () => {
  expect(await new Client().get('/api/auth/user')).toMatchObject({
    status: 401,
    body: { code: 'not_signed_in' },
  })
})

test('A1 A2: neither an address with "admin" in it nor extra keys give anything', async () => {
  const email = `admin.${newEmail()}`
  const client = new Client()
  await client.post('/api/auth/register', {
    ...registration(email),
    role: 'ADMIN',
    isAdmin: true,
    emailVerified: true,
    emailVerifiedAt: 1,
    id: 'usr_chosen',
  })
  expect(await client.post('/api/auth/login', { email, password: PASSWORD })).toMatchObject({ status: 403 })
  await client.get(`/api/auth/verify-email/${tokenIn((await mailboxOf(email))[0])}`)
  const { body } = await client.post('/api/auth/login', { email, password: PASSWORD })
  expect(body.user.isAdmin).toBe(false)
  expect(body.user.id).not.toBe('usr_chosen')
})

test('A3: registering answers the same for a new, a waiting and a confirmed address', async () => {
  const waiting = await registered()
  const taken = await confirmed()
  const answers = await Promise.all(
    [newEmail(), waiting, taken].map((email) => new Client().post('/api/auth/register', registration(email))),
  )
  expect(new Set(answers.map((answer) => JSON.stringify(seen(answer)))).size).toBe(1)
  const mails = await mailboxOf(taken)
  expect(mails.map((mail) => mail.subject)).toEqual([
    'You already have an account',
    'Please confirm your email address',
  ])
})

test('A3: forgot-password and resend answer the same whether or not there is an account', async () => {
  const taken = await confirmed()
  for (const path of ['/api/auth/forgot-password', '/api/auth/resend-verification']) {
    const known = await new Client().post(path, { email: taken })
    const unknown = await new Client().post(path, { email: newEmail() })
    expect(seen(known)).toEqual(seen(unknown))
    expect(known.status).toBe(200)
    expect(JSON.stringify(known.body)).not.toMatch(/token/iu)
  }
})

test('A3: an unknown address and a wrong password are one answer', async () => {
  const email = await confirmed()
  const wrong = await new Client().post('/api/auth/login', { email, password: 'not the password' })
  const unknown = await new Client().post('/api/auth/login', { email: newEmail(), password: PASSWORD })
  expect(seen(wrong)).toEqual(seen(unknown))
  expect(wrong).toMatchObject({
    status: 401,
    body: { message: 'Invalid email or password', code: 'invalid_credentials' },
  })
})

test("A4: who registered a stranger's address first gains nothing once its owner registers", async () => {
  const email = newEmail()
  await registered(email, 'the attacker knows this')
  const first = tokenIn((await mailboxOf(email))[0])
  await registered(email, PASSWORD)
  const second = tokenIn((await mailboxOf(email))[0])

  expect((await new Client().get(`/api/auth/verify-email/${first}`)).status).toBe(410)
  expect((await new Client().get(`/api/auth/verify-email/${second}`)).status).toBe(200)
  const attacker = await new Client().post('/api/auth/login', { email, password: 'the attacker knows this' })
  expect(attacker.status).toBe(401)
  expect((await new Client().post('/api/auth/login', { email, password: PASSWORD })).status).toBe(200)
})

test('registering again changes nothing where the mailbox has had its 3 mails of this hour', async () => {
  const email = newEmail()
  for (let i = 0; i < 3; i++) {
    await registered(email)
    await mailboxOf(email)
  }
  const [last, ...earlier] = await mailboxOf(email)
  expect(earlier).toHaveLength(2)
  expect(
    await new Client().post('/api/auth/register', registration(email, 'the attacker knows this')),
  ).toMatchObject({
    status: 201,
  })
  expect(await mailboxOf(email)).toEqual([last, ...earlier])
  expect((await new Client().get(`/api/auth/verify-email/${tokenIn(last)}`)).status).toBe(200)
  expect((await new Client().post('/api/auth/login', { email, password: PASSWORD })).status).toBe(200)
})

test('registering a confirmed address changes neither its name nor its password', async () => {
  const email = await confirmed()
  await new Client().post('/api/auth/register', registration(email, 'another password', 'Mallory'))
  const { status, body } = await new Client().post('/api/auth/login', { email, password: PASSWORD })
  expect(status).toBe(200)
  expect(body.user.firstName).toBe('Rudo')
})

test('10 people registering one address at once make one account', async () => {
  const email = newEmail()
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => new Client().post('/api/auth/register', registration(email))),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201))
  const rows = await testCtx().db.select({ id: users.id }).from(users).where(eq(users.email, email))
  expect(rows).toHaveLength(1)
})

test('resending sends a new link and voids the older one', async () => {
  const email = await registered()
  const first = tokenIn((await mailboxOf(email))[0])
  await new Client().post('/api/auth/resend-verification', { email })
  const second = tokenIn((await mailboxOf(email, 2))[0])
  expect((await new Client().get(`/api/auth/verify-email/${first}`)).status).toBe(410)
  expect((await new Client().get(`/api/auth/verify-email/${second}`)).status).toBe(200)
})

test('A6: HEAD spends nothing, opening the link twice says success twice and signs nobody in', async () => {
  const email = await registered()
  const path = `/api/auth/verify-email/${tokenIn((await mailboxOf(email))[0])}`
  const client = new Client()
  expect((await client.call('HEAD', path)).status).toBe(200)
  const [waiting] = await testCtx().db.select().from(users).where(eq(users.email, email))
  expect(waiting?.emailVerifiedAt).toBeNull()
  expect((await client.get(path)).status).toBe(200)
  expect((await client.get(path)).status).toBe(200)
  expect(client.cookies.size).toBe(0)
})

test('an expired or invented link answers 410', async () => {
  const email = await registered()
  const token = tokenIn((await mailboxOf(email))[0])
  const ctx = testCtx()
  const [user] = await ctx.db.select().from(users).where(eq(users.email, email))
  await ctx.db
    .update(accountTokens)
    .set({ expiresAt: Date.now() - 1 })
    .where(eq(accountTokens.userId, user!.id))
  for (const path of [token, 'nothing', 'a'.repeat(43)]) {
    expect(await new Client().get(`/api/auth/verify-email/${path}`)).toMatchObject({
      status: 410,
      body: {
        message: 'This link has been used or has expired. Sign in to be sent a new one.',
        code: 'link_expired',
      },
    })
  }
})

test('only the SHA-256 of a token is kept', async () => {
  const email = await registered()
  const token = tokenIn((await mailboxOf(email))[0])
  expect(token).toMatch(/^[\w-]{43}$/u)
  const rows = await testCtx().db.select().from(accountTokens)
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(token)
})

test('A9: links in mails begin with our own address, whatever the request called us', async () => {
  const email = await confirmed()
  await new Client().post(
    '/api/auth/forgot-password',
    { email },
    { headers: { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' } },
  )
  const [mail] = await mailboxOf(email, 2)
  expect(mail?.text).toContain(`${ORIGIN}/reset-password/`)
  expect(mail?.text).not.toContain('evil.example')
  expect(mail?.html).not.toContain('evil.example')
})

test('A10: of 15 simultaneous wrong passwords from 15 places, 10 are tried and 5 are told to wait', async () => {
  const email = await confirmed()
  const answers = await Promise.all(
    Array.from({ length: 15 }, (_, i) =>
      new Client().post('/api/auth/login', { email, password: `wrong guess ${i}` }),
    ),
  )
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
  expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)])

  const right = await new Client().post('/api/auth/login', { email: email.toUpperCase(), password: PASSWORD })
  expect(right).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
  const wait = Number(right.headers.get('Retry-After'))
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(900)
})

test('a right password does not count as a failure, nor does it forgive one', async () => {
  const email = await confirmed()
  const client = new Client()
  const tryOnce = async (password: string) =>
    (await client.post('/api/auth/login', { email, password })).status
  const statuses: number[] = []
  for (let i = 0; i < 9; i++) statuses.push(await tryOnce('wrong guess'))
  for (let i = 0; i < 3; i++) statuses.push(await tryOnce(PASSWORD))
  statuses.push(await tryOnce('wrong guess'), await tryOnce(PASSWORD))
  expect(statuses).toEqual([...Array(9).fill(401), 200, 200, 200, 401, 429])
})

test('an address that nobody has is throttled like any other', async () => {
  const email = newEmail()
  const answers = await Promise.all(
    Array.from({ length: 11 }, () => new Client().post('/api/auth/login', { email, password: PASSWORD })),
  )
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
})

test('one IP address may ask for 5 mails a minute', async () => {
  const client = new Client()
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) {
    statuses.push((await client.post('/api/auth/forgot-password', { email: newEmail() })).status)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
})

test('A12: common passwords are refused in any case of letters, and long ones are taken byte by byte', async () => {
  const message = 'This password is too common'
  for (const password of ['password', 'PassWord', 'iloveyou', 'QWERTYUIOP']) {
    expect(await new Client().post('/api/auth/register', registration(newEmail(), password))).toMatchObject({
      status: 400,
      body: { message, code: 'bad_input', fields: { password: message } },
    })
  }
  const long = `  ${'grief 🕊️ '.repeat(9)} end `
  const email = await confirmed(long)
  const logIn = async (password: string) =>
    (await new Client().post('/api/auth/login', { email, password })).status
  expect(await logIn(long)).toBe(200)
  expect(await logIn(long.trim())).toBe(401)
  expect(await logIn(long.toUpperCase())).toBe(401)
})

test('a password has 8 to 128 characters, counted in code points', async () => {
  const answer = async (password: string) =>
    (await new Client().post('/api/auth/register', registration(newEmail(), password))).body.fields
  expect(await answer('🕊'.repeat(7))).toEqual({ password: 'Password must be at least 8 characters long' })
  expect(await answer('x'.repeat(129))).toEqual({ password: 'Password must be 128 characters or less' })
  expect(await answer('🕊'.repeat(128))).toBeUndefined()
})

test('A13 A16: login never adopts a session id, and the cookie has every flag', async () => {
  const email = await confirmed()
  const chosen = 'c'.repeat(43)
  const response = await SELF.fetch('https://localhost/api/auth/login', {
    method: 'POST',
    headers: {
      Origin: 'https://localhost',
      'Content-Type': 'application/json',
      'CF-Connecting-IP': '10.9.9.9',
      Cookie: `__Host-session=${chosen}`,
    },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  expect(response.status).toBe(200)
  const [cookie, ...others] = response.headers.getSetCookie()
  expect(others).toEqual([])
  expect(cookie).toMatch(
    /^__Host-session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/u,
  )
  expect(cookie).not.toContain(chosen)
})

test('signing in again ends the session that this browser had', async () => {
  const email = await confirmed()
  const client = new Client()
  await client.post('/api/auth/login', { email, password: PASSWORD })
  const older = new Client()
  older.cookies.set('session', client.cookies.get('session')!)
  await client.post('/api/auth/login', { email, password: PASSWORD })
  expect((await client.get('/api/auth/user')).status).toBe(200)
  expect((await older.get('/api/auth/user')).status).toBe(401)
})

test('A14: a replayed cookie is dead after logout, and other devices stay signed in', async () => {
  const email = await confirmed()
  const [phone, laptop, thief] = [new Client(), new Client(), new Client()]
  await phone.post('/api/auth/login', { email, password: PASSWORD })
  await laptop.post('/api/auth/login', { email, password: PASSWORD })
  const cookie = phone.cookies.get('session')!
  thief.cookies.set('session', cookie)
  expect((await thief.get('/api/auth/user')).status).toBe(200)
  const stored = await env.KV.list({ prefix: 'session:' })
  const sessions = await Promise.all(
    stored.keys.map(async ({ name }) => [name, await env.KV.get(name)] as const),
  )

  expect(await phone.post('/api/auth/logout')).toMatchObject({
    status: 200,
    body: { message: 'You have been logged out.' },
  })
  expect(phone.cookies.size).toBe(0)
  expect((await thief.get('/api/auth/user')).status).toBe(401)
  // KV elsewhere may still have the session for a minute: give it back, as that place would see it.
  for (const [name, value] of sessions) await env.KV.put(name, value!)
  expect((await thief.get('/api/auth/user')).status).toBe(401)
  expect((await laptop.get('/api/auth/user')).status).toBe(200)
})

test('A20: a suspended person is out with the next call and cannot sign in', async () => {
  const email = await confirmed()
  const client = new Client()
  await client.post('/api/auth/login', { email, password: PASSWORD })
  await testCtx().db.update(users).set({ suspendedAt: Date.now() }).where(eq(users.email, email))
  expect((await client.get('/api/auth/user')).status).toBe(401)
  expect(await client.post('/api/auth/login', { email, password: PASSWORD })).toMatchObject({
    status: 403,
    body: { code: 'account_suspended' },
  })
  expect(await client.post('/api/auth/login', { email, password: 'wrong guess' })).toMatchObject({
    status: 401,
    body: { code: 'invalid_credentials' },
  })
})

test('sign-out-everywhere ends every session, this one too', async () => {
  const email = await confirmed()
  const [phone, laptop] = [new Client(), new Client()]
  await phone.post('/api/auth/login', { email, password: PASSWORD })
  await laptop.post('/api/auth/login', { email, password: PASSWORD })
  const replayed = phone.cookies.get('session')!
  expect((await phone.post('/api/account/sign-out-everywhere')).status).toBe(200)
  expect(phone.cookies.size).toBe(0)
  phone.cookies.set('session', replayed)
  expect((await phone.get('/api/auth/user')).status).toBe(401)
  expect((await laptop.get('/api/auth/user')).status).toBe(401)
})

test('a person changes the name, and nothing else', async () => {
  const client = await signedIn()
  const { status, body } = await client.patch('/api/account', {
    firstName: ' Tariro ',
    lastName: 'Ncube',
    email: 'other@family.test',
    role: 'ADMIN',
  })
  expect(status).toBe(200)
  expect(body).toEqual({ ...client.user, firstName: 'Tariro', lastName: 'Ncube' })
  expect((await client.get('/api/auth/user')).body).toEqual(body)
})

test('account calls are 401 for a stranger', async () => {
  const stranger = new Client()
  const answers = await Promise.all([
    stranger.patch('/api/account', { firstName: 'A', lastName: 'B' }),
    stranger.post('/api/account/password', { currentPassword: 'x', newPassword: PASSWORD }),
    stranger.post('/api/account/sign-out-everywhere'),
  ])
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
})

test('W11: bodies of the wrong shape are 400, never 500', async () => {
  for (const body of [{ email: { $ne: '' }, password: [] }, [], null, 'text', { email: 1, password: 2 }]) {
    expect((await new Client().post('/api/auth/login', body)).status).toBe(400)
  }
})

test('accounts that nobody confirmed within 7 days are removed; younger and confirmed ones stay', async () => {
  const old = await registered()
  const young = await registered()
  const kept = await confirmed()
  const ctx = testCtx()
  const setAge = (email: string, days: number) =>
    ctx.db
      .update(users)
      .set({ createdAt: Date.now() - days * DAY_MS })
      .where(eq(users.email, email))
  await setAge(old, 7.01)
  await setAge(young, 6.99)
  await setAge(kept, 100)
  await mailboxOf(old)
  await removeUnverifiedAccounts(ctx)
  await removeUnverifiedAccounts(ctx)
  const left = async (email: string) =>
    (await ctx.db.select({ id: users.id }).from(users).where(eq(users.email, email))).length
  expect([await left(old), await left(young), await left(kept)]).toEqual([0, 1, 1])
})
