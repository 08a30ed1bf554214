import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Incoming, Reply } from './http.ts'
import { json, readJsonObject } from './http.ts'
import { newId } from './world.ts'
import type { World } from './world.ts'

/** MailChannels' maximum of personalizations per message, and of recipients per list. */
const LIST_MAX = 1_000

/** Headers that MailChannels sets: https://docs.mailchannels.net/email-api/api-reference/send-an-email */
const RESERVED = new Set([
  'authentication-results',
  'bcc',
  'cc',
  'content-transfer-encoding',
  'content-type',
  'dkim-signature',
  'from',
  'message-id',
  'received',
  'reply-to',
  'subject',
  'to',
])

const text = z.string().check(z.minLength(1))
const oneLine = z.string().check(z.regex(/^[^\r\n]*$/u, 'should not contain line breaks'))
const address = z.object({
  email: z.string().check(z.regex(/^[^\s@<>,]+@[^\s@<>,]+$/u, 'must be of type email')),
  name: z.nullish(oneLine),
})
const recipients = z.array(address).check(z.maxLength(LIST_MAX))
const headerName = z.string().check(
  z.regex(/^[!-9;-~]+$/u, 'is not a valid header'),
  z.refine((name) => !RESERVED.has(name.toLowerCase()), 'is a reserved header'),
)
const messageBody = z.object({
  personalizations: z
    .array(
      z.object({
        to: recipients.check(z.minLength(1)),
        cc: z._default(recipients, []),
        bcc: z._default(recipients, []),
      }),
    )
    .check(z.minLength(1), z.maxLength(LIST_MAX)),
  from: address,
  reply_to: z.nullish(address),
  subject: oneLine.check(z.minLength(1)),
  content: z
    .array(z.object({ type: z.string().check(z.startsWith('text/')), value: text }))
    .check(z.minLength(1)),
  headers: z._default(z.record(headerName, oneLine), {}),
})
type Message = z.infer<typeof messageBody>

/** One recipient's copy of a mail, with the headers that MailChannels would set. */
export type Mail = {
  id: string
  to: string
  from: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
  receivedAt: string
}

/**
 * Answers `POST /tx/v1/send`: 202 with a message id for each personalization, 400 with `errors`, 401 for a missing or
 * wrong key. Source: https://docs.mailchannels.com/api-reference/send/send-an-email
 */
export function answerMail(world: World, incoming: Incoming): Reply {
  const key = incoming.headers['x-api-key']
  const expected = world.keys.mailchannelsApiKey
  if (!key || (expected !== null && key !== expected)) return json({ errors: ['Unauthorized'] }, 401)
  if (incoming.method !== 'POST' || incoming.path !== '/tx/v1/send')
    return json({ errors: ['Not Found'] }, 404)
  const { success, data, error } = z.safeParse(messageBody, readJsonObject(incoming))
  if (!success) {
    return json(
      { errors: error.issues.map(({ path, message }) => `${path.join('.')} in body: ${message}`) },
      400,
    )
  }
  const results = data.personalizations.map((part, index) => {
    const messageId = `<${randomUUID()}@mailchannels.example>`
    storeMails(world, data, part, messageId)
    return { index, message_id: messageId, status: 'sent' }
  })
  world.changed()
  return json({ request_id: newId('request'), results }, 202)
}

/** MailChannels' response during an outage. */
export function mailOutageReply(): Reply {
  return json({ errors: ['Internal Server Error (sandbox fault injection)'] }, 500)
}

/** The mails to one address (case-insensitive), or all mails; newest first. */
export function listMails(world: World, to: string | null): Mail[] {
  const wanted = to?.trim().toLowerCase()
  const mails = world.state.mails.toReversed()
  return wanted ? mails.filter((mail) => mail.to.toLowerCase() === wanted) : mails
}

// Each recipient gets a separate copy, so the number of mails is the number of recipients.
function storeMails(
  world: World,
  message: Message,
  { to, cc, bcc }: Message['personalizations'][number],
  messageId: string,
): void {
  const { from, reply_to: replyTo, subject } = message
  const headers: Record<string, string> = {
    From: formatAddress(from),
    To: to.map(formatAddress).join(', '),
    ...(cc.length > 0 ? { Cc: cc.map(formatAddress).join(', ') } : {}),
    Subject: subject,
    ...(replyTo ? { 'Reply-To': formatAddress(replyTo) } : {}),
    'Message-ID': messageId,
    ...message.headers,
  }
  for (const recipient of [...to, ...cc, ...bcc]) {
    world.state.mails.push({
      id: newId('mail'),
      to: recipient.email,
      from: from.email,
      subject,
      text: findContent(message, 'text/plain'),
      html: findContent(message, 'text/html'),
      headers,
      receivedAt: new Date().toISOString(),
    })
  }
}

function findContent(message: Message, type: string): string {
  return message.content.find((item) => item.type.split(';')[0]?.trim() === type)?.value ?? ''
}

function formatAddress({ email, name }: z.infer<typeof address>): string {
  return name ? `${name} <${email}>` : email
}
