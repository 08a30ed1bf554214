import { expect, test } from 'vitest'
import { messages } from '#shared/messages.ts'
import { contactMessages, mails } from '#worker/schema/mail.table.ts'
import { confirmed, newEmail, registered, registration } from '../../../../test/worker/accounts.ts'
import { Client, signedIn } from '../../../../test/worker/harness.ts'
import { mailboxOf, receivedBy } from '../../../../test/worker/mailbox.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'

/** Sends 24 parallel calls from as many IP addresses, or from one, that would all mail one mailbox. */
async function bombard(email: string, ip?: string): Promise<number[]> {
  const client = () => Object.assign(new Client(), ip === undefined ? {} : { ip })
  const calls = Array.from({ length: 8 }, () => [
    client().post('/api/auth/register', registration(email)),
    client().post('/api/auth/forgot-password', { email }),
    client().post('/api/auth/resend-verification', { email }),
  ])
  return (await Promise.all(calls.flat())).map(({ status }) => status)
}

/** Numbers of mails by kind that were sent or wait. */
async function mailsTo(email: string): Promise<Record<string, number>> {
  await mailboxOf(email)
  const sent = (await rowsOf(mails, { recipient: email })).filter(({ status }) => status !== 'CANCELLED')
  const kinds = sent.map(({ kind }) => kind)
  return Object.fromEntries([...new Set(kinds)].map((kind) => [kind, kinds.filter((k) => k === kind).length]))
}

test('24 calls to a confirmed address: 3 resets, 1 "you already have an account"', async () => {
  const email = await confirmed()
  expect(new Set(await bombard(email))).toEqual(new Set([200, 201]))
  expect(await mailsTo(email)).toEqual({ verify: 1, 'already-registered': 1, reset: 3 })
})

test('24 calls from one network send an unconfirmed address at most 3 mails', async () => {
  const email = newEmail()
  const statuses = await bombard(email, '198.51.100.77')
  expect(new Set(statuses)).toEqual(new Set([200, 201, 429]))
  const counts = await mailsTo(email)
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  expect(total).toBeGreaterThan(0)
  expect(total).toBeLessThanOrEqual(3)
})

test('30 networks together send an unconfirmed address at most 20 mails an hour', async () => {
  const email = newEmail()
  await atOnce(30, () => new Client().post('/api/auth/register', registration(email)))
  await mailboxOf(email)
  expect((await receivedBy(email)).length).toBeLessThanOrEqual(20)
})

test('30 networks together send all invented addresses of one mailbox at most 20 mails', async () => {
  const [local, domain] = newEmail().split('@')
  const addresses = Array.from({ length: 30 }, (_, n) => `${local}+${n}@${domain}`)
  await atOnce(30, (n) => new Client().post('/api/auth/register', registration(addresses[n]!)))
  const rows = await Promise.all(addresses.map((recipient) => rowsOf(mails, { recipient })))
  expect(rows.flat()).toHaveLength(20)
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

test('strangers can’t use up the contact form’s limit for a signed-in owner’s address', async () => {
  const owner = await signedIn({ email: newEmail() })
  const write = (from: Client) =>
    from.post('/api/contact', { email: owner.user.email, subject: 'Hello', message: 'x' })
  for (let i = 0; i < 3; i++) expect((await write(new Client())).status).toBe(201)
  const refused = await write(new Client())
  expect([refused.status, refused.body.message]).toEqual([
    429,
    messages.contact.tooMany('support@nhaka.test'),
  ])
  for (let i = 0; i < 3; i++) expect((await write(owner)).status).toBe(201)
  expect((await write(owner)).status).toBe(429)
})

test("contact messages do not use up the mail limit of the sender's mailbox", async () => {
  const email = await confirmed()
  for (let i = 0; i < 3; i++)
    await new Client().post('/api/contact', { email, subject: 'Hello', message: 'x' })
  await new Client().post('/api/auth/forgot-password', { email })
  expect((await mailboxOf(email, 2))[0]?.subject).toBe('Choose a new password')
  await mailboxOf('support@nhaka.test')
})
