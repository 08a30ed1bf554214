import type { SQL } from 'drizzle-orm'
import type { Ctx } from '#worker/platform/ctx.ts'
import { mails, type MAIL_KINDS } from '#worker/schema/mail.table.ts'
import { insertWhere } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'

export type MailKind = (typeof MAIL_KINDS)[number]
type NewMail = { kind: MailKind; recipient: string; subjectId: string }

/**
 * A mail as an outbox row; insert it in the same batch as its cause. After the batch, pass `row.id` to
 * {@link enqueueMail}; cron sends it even if that message is lost. `subjectId` is the id of the user (verify,
 * already-registered, reset, password-changed), payment, contact message or memorial.
 */
export function mailRow(ctx: Ctx, mail: NewMail): typeof mails.$inferInsert & { id: string } {
  return { id: newId('mail'), ...mail, createdAt: ctx.now() }
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
