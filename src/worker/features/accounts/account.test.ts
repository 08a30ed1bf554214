import { expect, test } from 'vitest'
import {
  attempt,
  confirmed,
  newEmail,
  openLink,
  PASSWORD,
  registered,
} from '../../../../test/worker/accounts.ts'
import { Client, signedIn, ORIGIN, testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf, tokenIn } from '../../../../test/worker/mailbox.ts'
import { DAY_MS } from '#shared/limits.ts'
import { removeUnverifiedAccounts } from '#worker/features/accounts/accounts.jobs.ts'
import { registrations, users } from '#worker/schema/accounts.table.ts'
import { rowsOf, changeRows } from '../../../../test/worker/rows.ts'

test('sign-out-everywhere ends every session, including the current one', async () => {
  const email = await confirmed()
  const [phone, laptop] = [new Client(), new Client()]
  await phone.post('/api/auth/login', { email, password: PASSWORD })
  await laptop.post('/api/auth/login', { email, password: PASSWORD })
  const replayed = phone.cookies.get('session')!
  expect((await phone.post('/api/account/sign-out-everywhere')).status).toBe(200)
  expect(phone.cookies.has('session')).toBe(false)
  phone.cookies.set('session', replayed)
  expect((await phone.get('/api/auth/user')).status).toBe(401)
  expect((await laptop.get('/api/auth/user')).status).toBe(401)
})

test('a user can change only their name', async () => {
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

test('links in mails use our own origin, whatever host the request names', async () => {
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

test('the job deletes only accounts that stayed unconfirmed for 7 days', async () => {
  const old = await registered()
  const young = await registered()
  const verified = await confirmed()
  const ctx = testCtx()
  const setAge = (email: string, days: number) =>
    changeRows(users, { email }, { createdAt: Date.now() - days * DAY_MS })
  await setAge(old, 7.01)
  await setAge(young, 6.99)
  await setAge(verified, 100)
  await mailboxOf(old)
  await removeUnverifiedAccounts(ctx)
  await removeUnverifiedAccounts(ctx)
  const left = async (email: string) => (await rowsOf(users, { email })).length
  expect([await left(old), await left(young), await left(verified)]).toEqual([0, 1, 1])
})

test('resending sends the link of the same browser again, else the newest', async () => {
  const email = newEmail()
  const first = await attempt(email)
  const second = await attempt(email, 'another password', 2)
  const resent = async (client: Client, nth: number) => {
    const { status, body } = await client.post('/api/auth/resend-verification', { email })
    expect([status, body.message]).toEqual([
      200,
      'If this address is waiting to be confirmed, we have sent a new link.',
    ])
    return tokenIn((await mailboxOf(email, nth))[0])
  }
  expect(await resent(first.client, 3)).toBe(first.token)
  expect(await resent(new Client(), 4)).toBe(second.token)
  expect((await openLink(first.client, first.token)).body).toHaveProperty('message')
})

test('HEAD does not use up the link, and opening it twice succeeds without a session', async () => {
  const email = newEmail()
  const { client, token } = await attempt(email)
  const path = `/api/auth/verify-email/${token}`
  expect((await client.fetch(path, { method: 'HEAD' })).status).toBe(200)
  const [user] = await rowsOf(users, { email })
  expect(user?.emailVerifiedAt).toBeNull()
  expect((await client.get(path)).status).toBe(200)
  expect((await client.get(path)).body).toEqual({
    message: 'Your email address is confirmed. You can sign in now.',
  })
  expect([...client.cookies.keys()]).toEqual([expect.stringMatching(/^device-/u)])
})

test('an expired or invented link answers 410, and resending sends one that works', async () => {
  const email = newEmail()
  const { client, token } = await attempt(email)
  const [user] = await rowsOf(users, { email })
  await changeRows(registrations, { userId: user!.id }, { expiresAt: Date.now() - 1 })
  for (const path of [token, 'nothing', 'a'.repeat(43)]) {
    expect(await openLink(client, path)).toMatchObject({
      status: 410,
      body: {
        message: 'This link has been used or has expired. Sign in and we’ll send you a new one.',
        code: 'link_expired',
      },
    })
  }
  const login = await client.post('/api/auth/login', { email, password: PASSWORD })
  expect(login.body.code).toBe('email_unverified')
  await client.post('/api/auth/resend-verification', { email })
  const renewed = tokenIn((await mailboxOf(email, 2))[0])
  expect(renewed).not.toBe(token)
  expect((await openLink(client, renewed)).body).toHaveProperty('message')
})

test('the database stores only the SHA-256 of a token', async () => {
  const email = await registered()
  const token = tokenIn((await mailboxOf(email))[0])
  expect(token).toMatch(/^[\w-]{43}$/u)
  const rows = await testCtx().db.select().from(registrations)
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(token)
})
