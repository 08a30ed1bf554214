import { expect, test } from 'vitest'
import { confirmed, PASSWORD, registered } from '../../../../test/worker/accounts.ts'
import { Client, signedIn, ORIGIN, testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf, tokenIn } from '../../../../test/worker/mailbox.ts'
import { DAY_MS } from '#shared/limits.ts'
import { removeUnverifiedAccounts } from '#worker/features/accounts/accounts.jobs.ts'
import { users, accountTokens } from '#worker/schema/accounts.table.ts'
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

test('resending sends a new link and voids the older one', async () => {
  const email = await registered()
  const first = tokenIn((await mailboxOf(email))[0])
  await new Client().post('/api/auth/resend-verification', { email })
  const second = tokenIn((await mailboxOf(email, 2))[0])
  expect((await new Client().get(`/api/auth/verify-email/${first}`)).status).toBe(410)
  expect((await new Client().get(`/api/auth/verify-email/${second}`)).status).toBe(200)
})

test('HEAD does not use up the link, and opening it twice succeeds without a session', async () => {
  const email = await registered()
  const path = `/api/auth/verify-email/${tokenIn((await mailboxOf(email))[0])}`
  const client = new Client()
  expect((await client.fetch(path, { method: 'HEAD' })).status).toBe(200)
  const [user] = await rowsOf(users, { email })
  expect(user?.emailVerifiedAt).toBeNull()
  expect((await client.get(path)).status).toBe(200)
  expect((await client.get(path)).status).toBe(200)
  expect(client.cookies.size).toBe(0)
})

test('an expired or invented link answers 410', async () => {
  const email = await registered()
  const token = tokenIn((await mailboxOf(email))[0])
  const [user] = await rowsOf(users, { email })
  await changeRows(accountTokens, { userId: user!.id }, { expiresAt: Date.now() - 1 })
  for (const path of [token, 'nothing', 'a'.repeat(43)]) {
    expect(await new Client().get(`/api/auth/verify-email/${path}`)).toMatchObject({
      status: 410,
      body: {
        message: 'This link has been used or has expired. Sign in and we’ll send you a new one.',
        code: 'link_expired',
      },
    })
  }
})

test('the database stores only the SHA-256 of a token', async () => {
  const email = await registered()
  const token = tokenIn((await mailboxOf(email))[0])
  expect(token).toMatch(/^[\w-]{43}$/u)
  const rows = await testCtx().db.select().from(accountTokens)
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(token)
})
