import { env, runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { THROTTLE } from '#shared/limits.ts'
import { loginRateLimitKey } from '#worker/features/accounts/login.ts'
import { confirmed, PASSWORD } from '../../../../test/worker/accounts.ts'
import { Client } from '../../../../test/worker/harness.ts'

const logIn = async (email: string, password: string, client = new Client()) => {
  const { status, headers } = await client.post('/api/auth/login', { email, password })
  return { status, wait: Number(headers.get('Retry-After') ?? 0) }
}

/** Makes the failed logins of an address that much older. */
async function age(email: string, ms: number): Promise<void> {
  const throttle = env.THROTTLE.getByName(`loginFailures:${loginRateLimitKey(email)}`)
  await runInDurableObject(throttle, async (_, { storage }) => {
    storage.sql.exec('UPDATE hits SET at = at - ?', ms)
  })
}

test('A10: after the wait the right password works, and until then the wait gets shorter', async () => {
  const email = await confirmed()
  for (let i = 0; i < 10; i++) await logIn(email, `wrong guess ${i}`)
  const first = await logIn(email, PASSWORD)
  expect(first.status).toBe(429)
  await age(email, THROTTLE.loginFailures.windowMs - 60_000)
  const later = await logIn(email, PASSWORD)
  expect(later.status).toBe(429)
  expect(later.wait).toBeLessThanOrEqual(60)
  await age(email, 60_000)
  expect((await logIn(email, PASSWORD)).status).toBe(200)
})

test('A10: failures of one account stop nobody else, and a success from elsewhere forgives none', async () => {
  const [email, other] = [await confirmed(), await confirmed()]
  for (let i = 0; i < 9; i++) await logIn(email, `wrong guess ${i}`)
  expect((await logIn(email, PASSWORD)).status).toBe(200)
  expect((await logIn(email, 'wrong guess 9')).status).toBe(401)
  expect((await logIn(email, PASSWORD)).status).toBe(429)
  expect((await logIn(other, PASSWORD)).status).toBe(200)
})
