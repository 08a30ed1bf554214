import { MailChannels } from 'mailchannels-sdk'
import type { Env } from '#worker/platform/env.ts'
import { withDeadline } from '#worker/platform/deadline.ts'

/** A mail ready to go. `id` is our own and the same at every try, so that a copy can be told from a new mail. */
export type OutgoingMail = {
  id: string
  to: string
  subject: string
  text: string
  html: string
  replyTo?: string
}

const MAIL_TIMEOUT_MS = 10_000

/**
 * Hands one mail to MailChannels, or throws an Error that says why not. One recipient, no attachment; what people typed
 * can reach the subject and the bodies only, never a header or a recipient. A lost answer leaves open whether the mail
 * went: the caller tries again, with the same `X-Nhaka-Mail-Id` (MailChannels writes `Message-ID` itself).
 */
export async function deliverMail(env: Env, apiKey: string, mail: OutgoingMail): Promise<void> {
  const client = new MailChannels(apiKey, { baseUrl: env.MAIL_API_URL })
  const sending = client.emails.send({
    from: parseMailbox(env.MAIL_FROM),
    to: { email: mail.to },
    ...(mail.replyTo === undefined ? {} : { replyTo: { email: mail.replyTo } }),
    subject: oneLine(mail.subject),
    text: mail.text,
    html: mail.html,
    headers: { 'X-Nhaka-Mail-Id': mail.id, 'Auto-Submitted': 'auto-generated' },
    // A rewritten link would show our one-time tokens to a third party.
    tracking: { click: false, open: false },
  })
  // The client knows no deadline of its own.
  const { data, error } = await withDeadline(sending, MAIL_TIMEOUT_MS, 'MailChannels')
  if (error)
    throw new Error(`MailChannels: ${error.statusCode ?? 'no answer'} ${withoutAddresses(error.message)}`)
  // A page from something in between is no word of theirs.
  if (!data?.requestId && !data?.results?.length) throw new Error('MailChannels: an answer that says nothing')
  const refused = data.results?.find((result) => result.status === 'failed')
  if (refused)
    throw new Error(`MailChannels refused: ${withoutAddresses(refused.reason ?? 'no reason given')}`)
}

/** `Name <address>` or a bare address as the two parts. */
export function parseMailbox(mailbox: string): { email: string; name?: string } {
  const match = /^\s*"?([^"<]*?)"?\s*<([^<>\s]+)>\s*$/u.exec(mailbox)
  if (!match) return { email: mailbox.trim() }
  const [, name = '', email = ''] = match
  return name === '' ? { email } : { email, name }
}

/** What a provider says goes into the log, and it may name the recipient. */
function withoutAddresses(text: string): string {
  return text.replace(/[^\s<>"']+@[^\s<>"']+/gu, '(address)')
}

/** Header text in one line: no line break can begin another header (ASVS 1.3.11). */
function oneLine(text: string): string {
  // eslint-disable-next-line no-control-regex -- taking control characters out is the purpose
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, ' ').trim()
}
