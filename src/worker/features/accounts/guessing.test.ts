import { env, runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { RATE_LIMITS } from '#shared/limits.ts'
import { loginRateLimitKey } from '#worker/features/accounts/login.ts'
import { confirmed, PASSWORD } from '../../../../test/worker/accounts.ts'
import { Client } from '../../../../test/worker/harness.ts'

const logIn = async (email: string, password: string, client = new Client()) => {
  const { status, headers } = await client.post('/api/auth/login', { email, password })
  return { status, wait: Number(headers.get('Retry-After') ?? 0) }
}

/** Moves the failed logins of an address back in time by `ms`. */
async function ageFailures(email: string, ms: number): Promise<void> {
  const throttle = env.THROTTLE.getByName(`loginFailures:${loginRateLimitKey(email)}`)
  await runInDurableObject(throttle, async (_, { storage }) => {
    storage.sql.exec('UPDATE hits SET at = at - ?', ms)
  })
}

test('the wait after failed logins counts down, then the right password works', async () => {
  const email = await confirmed()
  for (let i = 0; i < 10; i++) await logIn(email, `wrong guess ${i}`)
  const first = await logIn(email, PASSWORD)
  expect(first.status).toBe(429)
  await ageFailures(email, RATE_LIMITS.loginFailures.windowMs - 60_000)
  const later = await logIn(email, PASSWORD)
  expect(later.status).toBe(429)
  expect(later.wait).toBeLessThanOrEqual(60)
  await ageFailures(email, 60_000)
  expect((await logIn(email, PASSWORD)).status).toBe(200)
})

test('failed logins block only their account, and a success clears none of them', async () => {
  const [email, other] = [await confirmed(), await confirmed()]
  for (let i = 0; i < 9; i++) await logIn(email, `wrong guess ${i}`)
  expect((await logIn(email, PASSWORD)).status).toBe(200)
  expect((await logIn(email, 'wrong guess 9')).status).toBe(401)
  expect((await logIn(email, PASSWORD)).status).toBe(429)
  expect((await logIn(other, PASSWORD)).status).toBe(200)
})
