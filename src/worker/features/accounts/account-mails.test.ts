import { expect, test } from 'vitest'
import { confirmed, newEmail, seen } from '../../../../test/worker/accounts.ts'
import { Client, ORIGIN } from '../../../../test/worker/harness.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'

test('forgot-password and resend do not reveal whether an account exists', async () => {
  const taken = await confirmed()
  for (const path of ['/api/auth/forgot-password', '/api/auth/resend-verification']) {
    const known = await new Client().post(path, { email: taken })
    const unknown = await new Client().post(path, { email: newEmail() })
    expect(seen(known)).toEqual(seen(unknown))
    expect(known.status).toBe(200)
    expect(JSON.stringify(known.body)).not.toMatch(/token/iu)
  }
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

test('one IP address may request 5 mails a minute', async () => {
  const client = new Client()
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) {
    statuses.push((await client.post('/api/auth/forgot-password', { email: newEmail() })).status)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
})
