import { Buffer } from 'node:buffer'
import { MailChannels } from 'mailchannels-sdk'
import type { Env } from '#worker/platform/env.ts'
import { withDeadline } from '#worker/platform/deadlines.ts'
import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { Ctx } from '#worker/platform/ctx.ts'
import { LATER_MAILS, mails, type MAIL_KINDS } from '#worker/schema/mail.table.ts'
import { insertWhere } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'

export type MailKind = (typeof MAIL_KINDS)[number]
type NewMail = { kind: MailKind; recipient: string; subjectId: string }

/**
 * Insert it in the same batch as its cause, then pass its id to {@link enqueueMail}; cron sends it even if that is lost. Those of {@link LATER_MAILS} cron
 * sends in any case: don't enqueue them.
 * `subjectId` is the id of what the mail is about: a user, change of address, payment, contact message, memorial, contributor or reply.
 */
export function mailRow(ctx: Ctx, mail: NewMail): typeof mails.$inferInsert & { id: string } {
  return { id: newId('mail'), ...mail, createdAt: ctx.now(), priority: priorityOf(mail.kind) }
}

function priorityOf(kind: MailKind): 'NOW' | 'LATER' {
  return LATER_MAILS.some((later) => later === kind) ? 'LATER' : 'NOW'
}

/**
 * What to select for mails of one kind that are inserted from the rows of a table, as {@link mailRow} makes one. `id`, `recipient` and `subjectId` are SQL: the
 * database compares the names of these columns, in this order, with those of `mails`.
 */
export function mailColumns<Kind extends MailKind>(
  ctx: Ctx,
  { kind, id, recipient, subjectId }: { kind: Kind; id: SQL; recipient: SQLWrapper; subjectId: SQLWrapper },
) {
  return {
    id: sql<string>`${id}`.as('id'),
    kind: sql<Kind>`${kind}`.as('kind'),
    recipient: sql<string>`${recipient}`.as('recipient'),
    subjectId: sql<string>`${subjectId}`.as('subject_id'),
    status: sql<'QUEUED'>`'QUEUED'`.as('status'),
    attempts: sql<number>`0`.as('attempts'),
    lastError: sql<null>`null`.as('last_error'),
    claimedUntil: sql<null>`null`.as('claimed_until'),
    sentAt: sql<null>`null`.as('sent_at'),
    createdAt: sql<number>`${ctx.now()}`.as('created_at'),
    priority: sql<'NOW' | 'LATER'>`${priorityOf(kind)}`.as('priority'),
  }
}

/** Like {@link mailRow}, but a statement that inserts the row only if `condition` holds when the batch runs. */
export function insertMailWhere(ctx: Ctx, mail: NewMail, condition: SQL) {
  const row = mailRow(ctx, mail)
  return { id: row.id, statement: insertWhere(ctx.db, mails, row, condition) }
}

/** Enqueues a mail for immediate delivery. If the queue is down, cron finds the row later. */
export async function enqueueMail(ctx: Ctx, mailId: string): Promise<void> {
  try {
    await ctx.enqueue({ type: 'send-mail', mailId })
  } catch (error) {
    ctx.log.warn('mail_not_enqueued', { mailId, cause: String(error) })
  }
}

/** Like {@link enqueueMail}, for several. */
export async function enqueueMails(ctx: Ctx, rows: readonly { id: string }[]): Promise<void> {
  if (rows.length === 0) return
  try {
    await ctx.enqueue(...rows.map(({ id }) => ({ type: 'send-mail', mailId: id }) as const))
  } catch (error) {
    ctx.log.warn('mails_not_enqueued', { cause: String(error) })
  }
}

/** A file of text. */
export type Attachment = { filename: string; type: string; content: string }

/** A rendered mail. `id` is the same at every attempt, so that recipients can recognise duplicates. */
export type OutgoingMail = {
  id: string
  to: string
  subject: string
  text: string
  html: string
  replyTo?: string
  /** More headers, which hold nothing that anybody typed. */
  headers?: Record<string, string>
  attachments?: Attachment[]
}

const MAIL_TIMEOUT_MS = 10_000

/**
 * Sends one mail through MailChannels, or throws an Error with the reason. User input reaches only the subject and the
 * bodies, never a header or the recipient. After a timeout the mail may have been sent: the caller retries with the same
 * `X-Nhaka-Mail-Id` (MailChannels sets `Message-ID` itself).
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
    headers: { ...mail.headers, 'X-Nhaka-Mail-Id': mail.id, 'Auto-Submitted': 'auto-generated' },
    ...(mail.attachments?.length && {
      attachments: mail.attachments.map(({ content, ...file }) => ({
        ...file,
        content: Buffer.from(content).toString('base64'),
      })),
    }),
    // Click tracking would rewrite links and reveal one-time tokens to a third party.
    tracking: { click: false, open: false },
  })
  // The client has no timeout of its own.
  const { data, error } = await withDeadline(sending, MAIL_TIMEOUT_MS, 'MailChannels')
  if (error)
    throw new Error(`MailChannels: ${error.statusCode ?? 'no answer'} ${withoutAddresses(error.message)}`)
  // A proxy's error page is not an answer from MailChannels.
  if (!data?.requestId && !data?.results?.length) throw new Error('MailChannels: unexpected response')
  const refused = data.results?.find((result) => result.status === 'failed')
  if (refused)
    throw new Error(`MailChannels refused: ${withoutAddresses(refused.reason ?? 'no reason given')}`)
}

/** Parses `Name <address>` or a bare address. */
export function parseMailbox(mailbox: string): { email: string; name?: string } {
  const match = /^\s*"?([^"<]*?)"?\s*<([^<>\s]+)>\s*$/u.exec(mailbox)
  if (!match) return { email: mailbox.trim() }
  const [, name = '', email = ''] = match
  return name === '' ? { email } : { email, name }
}

/** Removes addresses from a provider's message, which is logged. */
function withoutAddresses(text: string): string {
  return text.replace(/[^\s<>"']+@[^\s<>"']+/gu, '(address)')
}

/** Removes line breaks, so that header text can't inject another header (ASVS 1.3.11). */
function oneLine(text: string): string {
  // eslint-disable-next-line no-control-regex -- taking control characters out is the purpose
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, ' ').trim()
}
