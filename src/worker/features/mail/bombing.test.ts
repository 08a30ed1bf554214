import { expect, test } from 'vitest'
import { contactMessages, mails } from '#worker/schema/mail.table.ts'
import { confirmed, newEmail, registered, registration } from '../../../../test/worker/accounts.ts'
import { Client } from '../../../../test/worker/harness.ts'
import { mailboxOf, receivedBy } from '../../../../test/worker/mailbox.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'

/** Sends 24 parallel calls, each from another IP address, that would all mail one mailbox. */
async function bombard(email: string): Promise<number[]> {
  const calls = Array.from({ length: 8 }, () => [
    new Client().post('/api/auth/register', registration(email)),
    new Client().post('/api/auth/forgot-password', { email }),
    new Client().post('/api/auth/resend-verification', { email }),
  ])
  return (await Promise.all(calls.flat())).map(({ status }) => status)
}

test.each([
  ['a new', async () => newEmail(), 0],
  ['an unconfirmed', registered, 1],
  ['a confirmed', confirmed, 1],
])('24 parallel calls send at most 3 mails an hour to %s address', async (_, make, before) => {
  const email = await make()
  await mailboxOf(email, before)
  const statuses = await bombard(email)
  expect(new Set(statuses)).toEqual(new Set([200, 201]))
  await mailboxOf(email)
  const rows = await rowsOf(mails, { recipient: email })
  expect(rows.length).toBeGreaterThanOrEqual(before)
  expect(rows.length).toBeLessThanOrEqual(3)
  expect((await receivedBy(email)).length).toBeLessThanOrEqual(3)
})

test('mail requests for an unknown address do not block its owner from registering', async () => {
  const email = newEmail()
  for (let i = 0; i < 4; i++) {
    await new Client().post('/api/auth/forgot-password', { email })
    await new Client().post('/api/auth/resend-verification', { email })
  }
  await registered(email)
  expect((await mailboxOf(email, 1)).map(({ subject }) => subject)).toEqual([
    'Please confirm your email address',
  ])
})

test('3 of 12 parallel messages from one sender are stored; the sender gets no mail', async () => {
  const email = newEmail()
  const answers = await atOnce(12, () =>
    new Client().post('/api/contact', { email, subject: 'Hello', message: 'x' }),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
  const limited = answers.filter(
    ({ status, headers }) => status === 429 && Number(headers.get('Retry-After')) > 0,
  )
  expect(limited).toHaveLength(9)
  const stored = await rowsOf(contactMessages, { email })
  expect(stored).toHaveLength(3)
  await mailboxOf('support@nhaka.test')
  expect(await receivedBy(email)).toEqual([])
})

test("contact messages do not use up the mail limit of the sender's mailbox", async () => {
  const email = await confirmed()
  for (let i = 0; i < 3; i++)
    await new Client().post('/api/contact', { email, subject: 'Hello', message: 'x' })
  await new Client().post('/api/auth/forgot-password', { email })
  expect((await mailboxOf(email, 2))[0]?.subject).toBe('Choose a new password')
  await mailboxOf('support@nhaka.test')
})
