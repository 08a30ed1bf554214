import { randomUUID } from 'node:crypto'
import type { Incoming, Reply } from './http.ts'
import { json, readJsonObject } from './http.ts'
import { newId } from './ids.ts'
import { readMessage } from './mail-body.ts'
import type { Attachment, Message, Personalization } from './mail-body.ts'
import type { World } from './world.ts'

/** One recipient's copy of a mail, with the headers that MailChannels would set. */
export type Mail = {
  id: string
  to: string
  from: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
  /** Left out if there are none. */
  attachments?: Attachment[]
  receivedAt: string
}

/**
 * Answers `POST /tx/v1/send` and `/tx/v1/send-async`: 202 with a message id for each personalization, 400
 * with `errors`, 401 for a missing or wrong key. With `?dry-run=true` it returns 200 and sends nothing.
 * Source: https://docs.mailchannels.com/api-reference/send/send-an-email
 */
export function answerMail(world: World, incoming: Incoming): Reply {
  const key = incoming.headers['x-api-key']
  const expected = world.keys.mailchannelsApiKey
  if (!key || (expected !== null && key !== expected)) return json({ errors: ['Unauthorized'] }, 401)
  const path = incoming.path
  if (incoming.method !== 'POST' || (path !== '/tx/v1/send' && path !== '/tx/v1/send-async')) {
    return json({ errors: ['Not Found'] }, 404)
  }
  const body = readJsonObject(incoming)
  const message = body ? readMessage(body) : ['the body must be a JSON object']
  if (Array.isArray(message)) return json({ errors: message }, 400)
  if (incoming.query.get('dry-run') === 'true') {
    return json({ data: message.personalizations.map((part) => render(message, part)) })
  }
  const results = message.personalizations.map((part, index) => {
    const messageId = `<${randomUUID()}@mailchannels.example>`
    storeMails(world, message, part, messageId)
    return { index, message_id: messageId, status: 'sent' }
  })
  world.changed()
  const requestId = newId('request')
  if (path === '/tx/v1/send') return json({ request_id: requestId, results }, 202)
  return json({ request_id: requestId, queued_at: new Date(world.nowMs()).toISOString() }, 202)
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
function storeMails(world: World, message: Message, part: Personalization, messageId: string): void {
  const from = part.from ?? message.from
  const replyTo = part.replyTo ?? message.replyTo
  const headers: Record<string, string> = {
    From: formatAddress(from),
    To: part.to.map(formatAddress).join(', '),
    ...(part.cc.length > 0 ? { Cc: part.cc.map(formatAddress).join(', ') } : {}),
    Subject: part.subject ?? message.subject,
    ...(replyTo ? { 'Reply-To': formatAddress(replyTo) } : {}),
    'Message-ID': messageId,
    ...message.headers,
    ...part.headers,
  }
  for (const recipient of [...part.to, ...part.cc, ...part.bcc]) {
    world.state.mails.push({
      id: newId('mail'),
      to: recipient.email,
      from: from.email,
      subject: part.subject ?? message.subject,
      text: findContent(message, 'text/plain'),
      html: findContent(message, 'text/html'),
      headers,
      ...(message.attachments.length > 0 ? { attachments: message.attachments } : {}),
      receivedAt: new Date(world.nowMs()).toISOString(),
    })
  }
}

function render(message: Message, part: Personalization): string {
  const subject = part.subject ?? message.subject
  const content = message.content.map((item) => item.value).join('\r\n\r\n')
  const from = part.from ?? message.from
  return `From: ${formatAddress(from)}\r\nTo: ${part.to.map(formatAddress).join(', ')}\r\nSubject: ${subject}\r\n\r\n${content}`
}

function findContent(message: Message, type: string): string {
  return message.content.find((item) => item.type.split(';')[0]?.trim() === type)?.value ?? ''
}

function formatAddress(address: { email: string; name: string | null }): string {
  return address.name ? `${address.name} <${address.email}>` : address.email
}
