import { expect, test } from 'vitest'
import { contactMessages } from '#worker/schema/mail.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { Client } from '../../../../test/worker/harness.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'

const SUPPORT = 'support@nhaka.test'
const newAddress = () => `${randomBase32(12)}@family.test`
const send = (body: unknown, client = new Client()) => client.post('/api/contact', body)

/** Mails in the support mailbox from this sender. */
async function arrivedFrom(email: string) {
  return (await mailboxOf(SUPPORT)).filter(({ headers }) => headers['Reply-To'] === email)
}

test('a message is stored and reaches support with its sender in Reply-To', async () => {
  const email = newAddress()
  const message = 'Good day.\n\nHow do I order a plaque? <b>Thanks</b>'
  expect(await send({ email: ` ${email.toUpperCase()} `, subject: ' Plaque ', message })).toMatchObject({
    status: 201,
    body: { message: "Your message has been sent successfully. We'll get back to you soon." },
  })
  const rows = await rowsOf(contactMessages, { email })
  expect(rows).toEqual([
    {
      id: expect.stringMatching(/^msg_/u),
      email,
      subject: 'Plaque',
      message,
      isAnswered: false,
      createdAt: expect.any(Number),
    },
  ])
  const [mail, ...others] = await arrivedFrom(email)
  expect(others).toEqual([])
  expect(mail).toMatchObject({ to: SUPPORT, from: 'memorials@nhaka.test', subject: 'Contact form: Plaque' })
  expect(mail?.text).toContain(message)
  expect(mail?.html).toContain('&lt;b&gt;Thanks&lt;/b&gt;')
  expect(await mailboxOf(email)).toEqual([])
})

test('each invalid field gets its own message', async () => {
  expect((await send({ email: 'nobody', subject: ' ', message: '' })).body).toEqual({
    message: 'Please enter a valid email address',
    code: 'bad_input',
    fields: {
      email: 'Please enter a valid email address',
      subject: 'Subject is required',
      message: 'Message is required',
    },
  })
  const email = newAddress()
  expect((await send({ email, subject: '🕊'.repeat(51), message: 'x'.repeat(2001) })).body.fields).toEqual({
    subject: 'Subject must be 50 characters or less',
    message: 'Message must be 2000 characters or less',
  })
  expect((await send({ email, subject: '🕊'.repeat(50), message: '🕊'.repeat(2000) })).status).toBe(201)
})

test('no input adds a header or a recipient to the mail', async () => {
  const victim = newAddress()
  const attempts = [
    { email: `a@family.test\r\nBcc: ${victim}`, subject: 'Hello', message: 'x' },
    { email: `a@family.test,${victim}`, subject: 'Hello', message: 'x' },
    { email: `<${victim}> a@family.test`, subject: 'Hello', message: 'x' },
    { email: 'a@family.test', subject: `Hello\r\nBcc: ${victim}`, message: 'x' },
    { email: 'a@family.test', subject: `Hello\nTo: ${victim}`, message: 'x' },
    { email: 'a@family.test', subject: `Hello\u2028Bcc: ${victim}`, message: 'x' },
  ]
  for (const attempt of attempts) expect((await send(attempt)).status).toBe(400)

  const email = newAddress()
  const message = `x\r\nBcc: ${victim}\n\n.\n`
  expect((await send({ email, subject: 'Hello Bcc: x', message })).status).toBe(201)
  const [mail] = await arrivedFrom(email)
  expect(mail?.headers).toEqual({
    From: 'Keeping Legacies Alive <memorials@nhaka.test>',
    To: SUPPORT,
    Subject: 'Contact form: Hello Bcc: x',
    'Reply-To': email,
    'Message-ID': expect.any(String),
    'X-Nhaka-Mail-Id': expect.stringMatching(/^mail_/u),
    'Auto-Submitted': 'auto-generated',
  })
  expect(await mailboxOf(victim)).toEqual([])
})
