import { expect, test } from 'vitest'
import { users } from '#worker/schema/accounts.table.ts'
import { confirmed, PASSWORD } from '../../../../test/worker/accounts.ts'
import { Client, askWorker } from '../../../../test/worker/harness.ts'
import { changeRows } from '../../../../test/worker/rows.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'

test('of 15 simultaneous wrong passwords from one address 10 are checked, and 5 wait', async () => {
  const email = await confirmed()
  const client = new Client()
  const answers = await atOnce(15, (i) =>
    client.post('/api/auth/login', { email, password: `wrong guess ${i}` }),
  )
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
  expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)])

  const right = await client.post('/api/auth/login', { email: email.toUpperCase(), password: PASSWORD })
  expect(right).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
  const wait = Number(right.headers.get('Retry-After'))
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(60)
})

test('a right password neither counts nor clears a failure; other accounts stay open', async () => {
  const [email, other] = [await confirmed(), await confirmed()]
  const { ip } = new Client()
  // Each try comes from a browser that has never signed in.
  const tryOnce = async (password: string, address = email) => {
    const client = Object.assign(new Client(), { ip })
    return (await client.post('/api/auth/login', { email: address, password })).status
  }
  const statuses: number[] = []
  for (let i = 0; i < 9; i++) statuses.push(await tryOnce('wrong guess'))
  for (let i = 0; i < 3; i++) statuses.push(await tryOnce(PASSWORD))
  statuses.push(await tryOnce('wrong guess'), await tryOnce(PASSWORD))
  statuses.push(await tryOnce(PASSWORD, other))
  expect(statuses).toEqual([...Array(9).fill(401), 200, 200, 200, 401, 429, 200])
})

test('login never accepts a session id from outside, and sets every cookie flag', async () => {
  const email = await confirmed()
  const chosen = 'c'.repeat(43)
  const response = await askWorker('https://localhost/api/auth/login', {
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
  const [cookie, device, ...others] = response.headers.getSetCookie()
  expect(others).toEqual([])
  expect(device).toMatch(
    /^__Host-device-usr_[a-z0-9]+=[\w-]{43}\.[\w-]{43}; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/u,
  )
  expect(cookie).toMatch(
    /^__Host-session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/u,
  )
  expect(cookie).not.toContain(chosen)
})

test('logout invalidates a copied cookie, and other devices stay signed in', async () => {
  const email = await confirmed()
  const [phone, laptop, thief] = [new Client(), new Client(), new Client()]
  await phone.post('/api/auth/login', { email, password: PASSWORD })
  await laptop.post('/api/auth/login', { email, password: PASSWORD })
  const cookie = phone.cookies.get('session')!
  thief.cookies.set('session', cookie)
  expect((await thief.get('/api/auth/user')).status).toBe(200)
  expect(await phone.post('/api/auth/logout')).toMatchObject({
    status: 200,
    body: { message: 'You have been logged out.' },
  })
  expect([...phone.cookies.keys()].filter((name) => !name.startsWith('device-'))).toEqual([])
  expect((await thief.get('/api/auth/user')).status).toBe(401)
  expect((await laptop.get('/api/auth/user')).status).toBe(200)
})

test('suspension ends the session at the next request and blocks login', async () => {
  const email = await confirmed()
  const client = new Client()
  await client.post('/api/auth/login', { email, password: PASSWORD })
  await changeRows(users, { email }, { suspendedAt: Date.now() })
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

test('a body of the wrong shape is a 400, never a 500', async () => {
  for (const body of [{ email: { $ne: '' }, password: [] }, [], null, 'text', { email: 1, password: 2 }]) {
    expect((await new Client().post('/api/auth/login', body)).status).toBe(400)
  }
})
