type Address = { email: string; name: string | null }

export type Personalization = {
  to: Address[]
  cc: Address[]
  bcc: Address[]
  from: Address | null
  replyTo: Address | null
  subject: string | null
  headers: Record<string, string>
}

/** A file, in Base64. */
export type Attachment = { filename: string; type: string; content: string }

/** A validated message of `POST /tx/v1/send`. */
export type Message = {
  from: Address
  replyTo: Address | null
  subject: string
  content: { type: string; value: string }[]
  attachments: Attachment[]
  headers: Record<string, string>
  personalizations: Personalization[]
}

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

/** The message, or a list of validation errors. */
export function readMessage(body: Record<string, unknown>): Message | string[] {
  const errors: string[] = []
  const parts = toList(body['personalizations'])
  if (parts.length === 0) errors.push('personalizations in body is required')
  if (parts.length > LIST_MAX) errors.push(`personalizations in body should have at most ${LIST_MAX} items`)
  const subject = toText(body['subject'])
  const personalizations = parts.map((part, index) => readPart(part, `personalizations.${index}`, errors))
  const isSubjectMissing = !subject && personalizations.some((part) => !part.subject)
  if (isSubjectMissing) errors.push('subject in body is required')
  if (hasLineBreak(subject)) errors.push('subject in body should not contain line breaks')
  const from = readAddress(body['from'], 'from', errors)
  if (!from && body['from'] === undefined) errors.push('from in body is required')
  const message: Message = {
    from: from ?? { email: '', name: null },
    replyTo: readAddress(body['reply_to'], 'reply_to', errors),
    subject,
    content: readContent(body['content'], errors),
    attachments: readAttachments(body['attachments'], errors),
    headers: readHeaders(body['headers'], 'headers', errors),
    personalizations,
  }
  return errors.length > 0 ? errors : message
}

function readPart(value: unknown, name: string, errors: string[]): Personalization {
  const part = toObject(value)
  const to = readAddresses(part['to'], `${name}.to`, errors)
  if (to.length === 0) errors.push(`${name}.to in body is required`)
  const subject = part['subject'] === undefined ? null : toText(part['subject'])
  if (hasLineBreak(subject ?? '')) errors.push(`${name}.subject in body should not contain line breaks`)
  return {
    to,
    cc: readAddresses(part['cc'], `${name}.cc`, errors),
    bcc: readAddresses(part['bcc'], `${name}.bcc`, errors),
    from: readAddress(part['from'], `${name}.from`, errors),
    replyTo: readAddress(part['reply_to'], `${name}.reply_to`, errors),
    subject,
    headers: readHeaders(part['headers'], `${name}.headers`, errors),
  }
}

function readAddresses(value: unknown, name: string, errors: string[]): Address[] {
  const items = toList(value)
  if (items.length > LIST_MAX) errors.push(`${name} in body should have at most ${LIST_MAX} items`)
  return items
    .map((item, index) => readAddress(item, `${name}.${index}`, errors))
    .filter((item) => item !== null)
}

function readAddress(value: unknown, name: string, errors: string[]): Address | null {
  if (value === undefined || value === null) return null
  const address = toObject(value)
  const email = toText(address['email'])
  const displayName = toText(address['name'])
  if (!/^[^\s@<>,]+@[^\s@<>,]+$/.test(email)) errors.push(`${name}.email in body must be of type email`)
  if (hasLineBreak(displayName)) errors.push(`${name}.name in body should not contain line breaks`)
  return { email, name: displayName || null }
}

function readContent(value: unknown, errors: string[]): Message['content'] {
  const items = toList(value).map(toObject)
  if (items.length === 0) errors.push('content in body is required')
  return items.map((item, index) => {
    const type = toText(item['type'])
    const text = toText(item['value'])
    if (!type.startsWith('text/')) errors.push(`content.${index}.type in body is required`)
    if (!text) errors.push(`content.${index}.value in body is required`)
    return { type, value: text }
  })
}

function readAttachments(value: unknown, errors: string[]): Attachment[] {
  const items = toList(value).map(toObject)
  if (items.length > LIST_MAX) errors.push(`attachments in body should have at most ${LIST_MAX} items`)
  return items.map((item, index) => {
    const [filename, type, content] = [item['filename'], item['type'], item['content']].map(toText)
    if (!filename || hasLineBreak(filename)) errors.push(`attachments.${index}.filename in body is required`)
    if (!type || hasLineBreak(type)) errors.push(`attachments.${index}.type in body is required`)
    if (!content || !/^[A-Za-z0-9+/]+={0,2}$/.test(content) || content.length % 4 > 0)
      errors.push(`attachments.${index}.content in body must be of type byte`)
    return { filename: filename ?? '', type: type ?? '', content: content ?? '' }
  })
}

function readHeaders(value: unknown, name: string, errors: string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [key, text] of Object.entries(toObject(value))) {
    if (typeof text !== 'string') errors.push(`${name}.${key} in body must be of type string`)
    else if (RESERVED.has(key.toLowerCase())) errors.push(`${name}.${key} is a reserved header`)
    else if (!/^[!-9;-~]+$/.test(key) || hasLineBreak(text))
      errors.push(`${name}.${key} is not a valid header`)
    else headers[key] = text
  }
  return headers
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function toObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function hasLineBreak(text: string): boolean {
  return /[\r\n]/.test(text)
}
