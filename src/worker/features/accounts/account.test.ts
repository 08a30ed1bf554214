import { expect, test } from 'vitest'
import { confirmed, PASSWORD } from '../../../../test/worker/accounts.ts'
import { Client, signedIn } from '../../../../test/worker/harness.ts'

test('asking for the current user without a session is a 401', async () => {
  expect(await new Client().get('/api/auth/user')).toMatchObject({
    status: 401,
    body: { code: 'not_signed_in' },
  })
})

test('sign-out-everywhere ends every session, including the current one', async () => {
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

test('account calls without a session are 401', async () => {
  const stranger = new Client()
  const answers = await Promise.all([
    stranger.patch('/api/account', { firstName: 'A', lastName: 'B' }),
    stranger.post('/api/account/password', { currentPassword: 'x', newPassword: PASSWORD }),
    stranger.post('/api/account/sign-out-everywhere'),
  ])
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
})
