import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { contactMessages } from '#worker/schema/contact.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { confirmed, newEmail, registered, registration } from '../../../../test/worker/accounts.ts'
import { Client, testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf, receivedBy } from '../../../../test/worker/mailbox.ts'

/** 24 calls at once, each from another address, that would all mail one mailbox. */
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
  ['a waiting', registered, 1],
  ['a confirmed', confirmed, 1],
])('W8: 24 calls at once send at most 3 mails an hour to %s address', async (_, make, before) => {
  const email = await make()
  await mailboxOf(email, before)
  const statuses = await bombard(email)
  expect(new Set(statuses)).toEqual(new Set([200, 201]))
  await mailboxOf(email)
  const rows = await testCtx().db.select().from(mails).where(eq(mails.recipient, email))
  expect(rows.length).toBeGreaterThanOrEqual(before)
  expect(rows.length).toBeLessThanOrEqual(3)
  expect((await receivedBy(email)).length).toBeLessThanOrEqual(3)
})

test('W8: asking for mails to an address without an account does not keep its owner from registering', async () => {
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

test('W8: of 12 messages at once in the name of one sender 3 are kept, and the sender is never written to', async () => {
  const email = newEmail()
  const answers = await Promise.all(
    Array.from({ length: 12 }, () =>
      new Client().post('/api/contact', { email, subject: 'Hello', message: 'x' }),
    ),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
  const told = answers.filter(
    ({ status, headers }) => status === 429 && Number(headers.get('Retry-After')) > 0,
  )
  expect(told).toHaveLength(9)
  const kept = await testCtx().db.select().from(contactMessages).where(eq(contactMessages.email, email))
  expect(kept).toHaveLength(3)
  await mailboxOf('support@nhaka.test')
  expect(await receivedBy(email)).toEqual([])
})

test('W8: messages of the contact form do not use up the mails of the mailbox they name', async () => {
  const email = await confirmed()
  for (let i = 0; i < 3; i++)
    await new Client().post('/api/contact', { email, subject: 'Hello', message: 'x' })
  await new Client().post('/api/auth/forgot-password', { email })
  expect((await mailboxOf(email, 2))[0]?.subject).toBe('Choose a new password')
  await mailboxOf('support@nhaka.test')
})
