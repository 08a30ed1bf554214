import type { SQL } from 'drizzle-orm'
import type { Ctx } from '#worker/platform/ctx.ts'
import { mails, type MAIL_KINDS } from '#worker/schema/mail.table.ts'
import { insertWhere } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'

export type MailKind = (typeof MAIL_KINDS)[number]
type NewMail = { kind: MailKind; recipient: string; subjectId: string }

/**
 * A mail as an outbox row, to stand in the same batch as what causes it. After the batch, hand `row.id` to
 * `ctx.enqueue({type: 'send-mail', mailId})`; cron sends it even if that is lost. `subjectId` is what the mail is about:
 * the user (verify, already-registered, reset, password-changed), payment, contact message or memorial.
 */
export function mailRow(ctx: Ctx, mail: NewMail): typeof mails.$inferInsert & { id: string } {
  return { id: newId('mail'), ...mail, createdAt: ctx.now() }
}

/** As {@link mailRow}, as a statement that writes the row only where `condition` holds when the batch runs. */
export function insertMailWhere(ctx: Ctx, mail: NewMail, condition: SQL) {
  const row = mailRow(ctx, mail)
  return { id: row.id, statement: insertWhere(ctx.db, mails, row, condition) }
}

/** Asks for the mail to be sent at once. A queue that is down only delays it: cron finds the row. */
export async function enqueueMail(ctx: Ctx, mailId: string): Promise<void> {
  try {
    await ctx.enqueue({ type: 'send-mail', mailId })
  } catch (error) {
    ctx.log.warn('mail_not_enqueued', { mailId, cause: String(error) })
  }
}
