import { expect, test } from 'vitest'
import { TERMS_VERSION } from '#shared/limits.ts'
import { registrations, users } from '#worker/schema/accounts.table.ts'
import { createSession } from '#worker/access/sessions.ts'
import {
  attempt,
  confirmed,
  newEmail,
  openLink,
  PASSWORD,
  registered,
  registration,
} from '../../../../test/worker/accounts.ts'
import { Client, ORIGIN, testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf, tokenIn } from '../../../../test/worker/mailbox.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

test(
  'a user registers, confirms the address with the mailed link and signs in',
  { tags: ['login-needs-confirmed-address'] },
  async () => {
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
    expect([...client.cookies.keys()]).toEqual([expect.stringMatching(/^device-/u)])

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
  },
)

test('neither an address with "admin" in it nor extra keys grant anything', async () => {
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

test('the verification mail dates the account and says nothing that was typed', async () => {
  const email = await registered(newEmail(), 'the attacker knows this')
  await mailboxOf(email, 1)
  const [row] = await rowsOf(users, { email })
  await changeRows(registrations, { userId: row!.id }, { createdAt: Date.UTC(2026, 10, 19, 22, 5) })
  await new Client().post('/api/auth/resend-verification', { email })
  const [older] = await mailboxOf(email, 2)
  expect(older?.text).toContain('created an account with this address on 19 November 2026, 22:05 UTC.')
  expect(older?.text).toContain('On any other, we’ll ask for your name and a password.')
  expect(older?.text).toContain('If you didn’t create an account, you can ignore this email.')
  expect(older?.text).not.toContain('Rudo')
})

test('confirming an address ends every earlier session of the account', async () => {
  const email = newEmail()
  const own = await attempt(email)
  const [before] = await rowsOf(users, { email })
  const headers = new Headers()
  const user = { id: before?.id ?? '', sessionEpoch: before?.sessionEpoch ?? 0 }
  await createSession(testCtx(), new Request(ORIGIN), headers, user)
  const thief = new Client()
  thief.cookies.set('session', /session=([^;]+)/u.exec(headers.get('Set-Cookie') ?? '')?.[1] ?? '')
  expect((await thief.get('/api/auth/user')).status).toBe(200)
  await openLink(own.client, own.token)
  expect((await thief.get('/api/auth/user')).status).toBe(401)
})

test('until the address is confirmed, no password opens anything or reveals anything', async () => {
  const [email, other] = [newEmail(), newEmail()]
  const [{ client, token }, another] = [await attempt(email), await attempt(other)]
  const login = async (password: string) => {
    const { status, body } = await client.post('/api/auth/login', { email, password })
    return [status, body.code]
  }
  expect(await login(PASSWORD)).toEqual([403, 'email_unverified'])
  expect(await login('wrong guess')).toEqual([401, 'invalid_credentials'])
  expect([...client.cookies.keys()]).toEqual(['registration'])
  expect((await client.post('/api/memorials', { honoureeFullName: 'Tendai Moyo' })).status).toBe(401)
  expect((await client.post('/api/stripe/create-payment-intent', {})).status).toBe(401)

  // The link of one address confirms no other.
  await openLink(another.client, another.token)
  expect(await login(PASSWORD)).toEqual([403, 'email_unverified'])
  await openLink(client, token)
  expect(await login(PASSWORD)).toEqual([200, undefined])
})

test('registering a confirmed address changes neither its name nor its password', async () => {
  const email = await confirmed()
  await new Client().post('/api/auth/register', registration(email, 'another password', 'Mallory'))
  const { status, body } = await new Client().post('/api/auth/login', { email, password: PASSWORD })
  expect(status).toBe(200)
  expect(body.user.firstName).toBe('Rudo')
})

test('10 simultaneous registrations of one address: one account, 5 attempts', async () => {
  const email = newEmail()
  const answers = await atOnce(10, () => new Client().post('/api/auth/register', registration(email)))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201))
  const [user, ...others] = await rowsOf(users, { email })
  expect(others).toEqual([])
  expect(await rowsOf(registrations, { userId: user!.id })).toHaveLength(5)
})

test('a password has 8 to 128 characters, counted in code points', async () => {
  const answer = async (password: string) =>
    (await new Client().post('/api/auth/register', registration(newEmail(), password))).body.fields
  expect(await answer('🕊'.repeat(7))).toEqual({ password: 'Password must be at least 8 characters long' })
  expect(await answer('x'.repeat(129))).toEqual({ password: 'Password must be 128 characters or less' })
  expect(await answer('🕊'.repeat(128))).toBeUndefined()
})

test('each registration stores the time and version of the terms accepted', async () => {
  const email = await registered()
  const consentOf = async () => {
    const [row] = await rowsOf(users, { email })
    return { at: row!.termsAcceptedAt, version: row!.termsVersion }
  }
  expect(await consentOf()).toEqual({ at: expect.any(Number), version: TERMS_VERSION })
  expect(Date.now() - (await consentOf()).at).toBeLessThan(60_000)
  await changeRows(users, { email }, { termsAcceptedAt: 1, termsVersion: '2020-01-01' })
  await registered(email)
  expect(await consentOf()).toEqual({ at: expect.any(Number), version: TERMS_VERSION })
  expect((await consentOf()).at).toBeGreaterThan(1)
})
