import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MailChannels } from 'mailchannels-sdk'
import { Stripe } from 'stripe'
import { afterAll, expect, test } from 'vitest'
import type { Mail } from './mail.ts'
import { startSandbox } from './server.ts'

const sandbox = await startSandbox({ mailchannelsApiKey: 'mail_key' })
afterAll(() => sandbox.close())
const mail = new MailChannels('mail_key', { baseUrl: sandbox.url })
const template = {
  from: 'Nhaka <memorials@nhaka.test>',
  subject: 'Please confirm your address',
  text: 'Follow http://localhost/verify-email/abc.',
  html: '<p>Follow <a href="http://localhost/verify-email/abc">this</a>.</p>',
}

test("a mail sent by MailChannels' client is delivered completely", async () => {
  const sent = await mail.emails.send({
    ...template,
    to: 'ann@example.test',
    replyTo: 'support@nhaka.test',
    headers: { 'X-Nhaka-Message': 'msg_1' },
  })

  expect(sent).toMatchObject({
    success: true,
    error: null,
    data: { results: [{ index: 0, status: 'sent' }] },
  })
  expect(await mailsTo('ann@example.test')).toEqual([
    {
      id: expect.any(String),
      to: 'ann@example.test',
      from: 'memorials@nhaka.test',
      subject: template.subject,
      text: template.text,
      html: template.html,
      headers: {
        From: 'Nhaka <memorials@nhaka.test>',
        To: 'ann@example.test',
        Subject: template.subject,
        'Reply-To': 'support@nhaka.test',
        'Message-ID': sent.data?.results?.[0]?.messageId,
        'X-Nhaka-Message': 'msg_1',
      },
      receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    },
  ])
})

test('attachments arrive with the mail, and anything but Base64 is refused', async () => {
  const file = { filename: 'gathering.ics', type: 'text/calendar', content: 'QkVHSU46VkNBTEVOREFS' }
  const send = async (attachment: typeof file) =>
    mail.emails.send({ ...template, to: 'files@example.test', attachments: [attachment] })
  expect((await send(file)).success).toBe(true)
  expect((await send({ ...file, content: 'BEGIN:VCALENDAR' })).success).toBe(false)
  expect((await mailsTo('files@example.test')).map(({ attachments }) => attachments)).toEqual([[file]])
  const [{ id } = { id: '' }] = await mailsTo('files@example.test')
  const page = await (await fetch(`${sandbox.url}/mailbox/${id}`)).text()
  expect(page).toContain('<pre>BEGIN:VCALENDAR</pre>')
})

test('every recipient, including Bcc, gets a separate copy', async () => {
  await mail.emails.send({
    ...template,
    to: ['one@many.test', 'two@many.test'],
    cc: 'three@many.test',
    bcc: 'four@many.test',
  })

  const mails = await Promise.all(['one', 'two', 'three', 'four'].map((name) => mailsTo(`${name}@many.test`)))

  expect(mails.map((list) => list.length)).toEqual([1, 1, 1, 1])
  expect(mails[3]?.[0]?.headers).toMatchObject({ To: 'one@many.test, two@many.test', Cc: 'three@many.test' })
})

test('mails are listed newest first, and addresses are case-insensitive', async () => {
  await mail.emails.send({ ...template, to: 'Ben@Example.test', subject: 'First' })
  await mail.emails.send({ ...template, to: 'ben@example.test', subject: 'Second' })

  expect((await mailsTo('BEN@example.TEST')).map(({ subject }) => subject)).toEqual(['Second', 'First'])
})

test('a queued mail is delivered, a dry run is not', async () => {
  const queued = await mail.emails.sendAsync({ ...template, to: 'queue@example.test' })
  const rendered = await mail.emails.send({ ...template, to: 'dry@example.test' }, true)

  expect(queued).toMatchObject({ data: { requestId: expect.any(String) }, error: null })
  expect(rendered.data?.rendered?.[0]).toContain('To: dry@example.test')
  expect(await mailsTo('queue@example.test')).toHaveLength(1)
  expect(await mailsTo('dry@example.test')).toEqual([])
})

test('a missing or wrong key is refused', async () => {
  const wrong = await new MailChannels('other', { baseUrl: sandbox.url }).emails.send({
    ...template,
    to: 'ann@example.test',
  })
  const none = await fetch(`${sandbox.url}/tx/v1/send`, { method: 'POST', body: '{}' })

  expect(wrong).toMatchObject({ success: false, error: { statusCode: 401 } })
  expect(none.status).toBe(401)
})

const body = {
  from: { email: 'memorials@nhaka.test' },
  subject: 'Hello',
  personalizations: [{ to: [{ email: 'ann@refused.test' }] }],
  content: [{ type: 'text/plain', value: 'Hello' }],
}

test.each([
  ['no recipients', { ...body, personalizations: [] }],
  ['a recipient list that is empty', { ...body, personalizations: [{ to: [] }] }],
  ['two addresses in one', { ...body, personalizations: [{ to: [{ email: 'a@x.test,b@x.test' }] }] }],
  ['no sender', { ...body, from: undefined }],
  ['no subject', { ...body, subject: '' }],
  ['a subject of two lines', { ...body, subject: 'Hello\r\nBcc: eve@x.test' }],
  ['no content', { ...body, content: [] }],
  ['a reserved header', { ...body, headers: { Bcc: 'eve@x.test' } }],
  ['a header of two lines', { ...body, headers: { 'X-A': 'b\nBcc: eve@x.test' } }],
])('a message with %s is refused and not stored', async (_reason, message) => {
  const response = await fetch(`${sandbox.url}/tx/v1/send`, {
    method: 'POST',
    headers: { 'X-Api-Key': 'mail_key', 'content-type': 'application/json' },
    body: JSON.stringify(message),
  })

  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ errors: [expect.any(String)] })
  expect(await mailsTo('ann@refused.test')).toEqual([])
})

test('the mailbox page escapes mails, finds them by recipient and opens them', async () => {
  await mail.emails.send({ ...template, to: 'page@example.test', subject: '<b>Not bold</b>' })
  const list = await (await fetch(`${sandbox.url}/mailbox?to=page@`)).text()
  const path = /href="(\/mailbox\/\w+)"/.exec(list)?.[1] ?? ''

  const opened = await (await fetch(sandbox.url + path)).text()

  expect(list).toContain('&lt;b&gt;Not bold&lt;/b&gt;')
  expect(list).not.toContain('ann@example.test')
  expect(opened).toContain(
    '<a href="http://localhost/verify-email/abc">http://localhost/verify-email/abc</a>.',
  )
  expect(opened).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"')
})

test('a restart with the same folder has the mails, the payments and their keys', async () => {
  const stateFolder = await mkdtemp(join(tmpdir(), 'sandbox-'))
  const first = await startSandbox({ stateFolder })
  await new MailChannels('any', { baseUrl: first.url }).emails.send({
    ...template,
    to: 'stored@example.test',
  })
  const intent = await createIntent(first.url)
  await first.close()

  const second = await startSandbox({ stateFolder })
  const again = await createIntent(second.url)
  const stored = await (await fetch(`${second.url}/mail`)).json()
  await second.close()

  expect(again).toEqual(intent)
  expect(stored).toMatchObject({ messages: [{ to: 'stored@example.test' }] })
  expect(await readdir(stateFolder)).toEqual(['sandbox.json'])
  await rm(stateFolder, { recursive: true })
})

test('DELETE /mail empties the mailbox', async () => {
  await mail.emails.send({ ...template, to: 'gone@example.test' })

  const response = await fetch(`${sandbox.url}/mail`, { method: 'DELETE' })

  expect(response.status).toBe(200)
  expect(await mailsTo('gone@example.test')).toEqual([])
})

async function mailsTo(address: string): Promise<Mail[]> {
  const response = await fetch(`${sandbox.url}/mail?to=${encodeURIComponent(address)}`)
  const answer = (await response.json()) as { messages: Mail[] }
  return answer.messages
}

async function createIntent(url: string): Promise<Stripe.PaymentIntent> {
  const { hostname, port } = new URL(url)
  const stripe = new Stripe('sk_test_sandbox', { host: hostname, port, protocol: 'http', telemetry: false })
  return stripe.paymentIntents.create({ amount: 6000, currency: 'usd' }, { idempotencyKey: 'k1' })
}
