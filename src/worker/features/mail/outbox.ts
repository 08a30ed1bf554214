import type { Ctx } from '#worker/ctx.ts'
import { mails, type MAIL_KINDS } from '#worker/features/mail/mail.table.ts'
import { newId } from '#worker/platform/random.ts'

export type MailKind = (typeof MAIL_KINDS)[number]

/**
 * A mail as an outbox row, to stand in the same batch as what causes it. After the batch, hand `row.id` to
 * `ctx.enqueue({type: 'send-mail', mailId})`; cron sends it even if that is lost. `subjectId` is what the mail is about:
 * the user (verify, already-registered, reset, password-changed), payment, contact message or memorial.
 */
export function mailRow(
  ctx: Ctx,
  mail: { kind: MailKind; recipient: string; subjectId: string },
): typeof mails.$inferInsert & { id: string } {
  return { id: newId('mail'), ...mail, createdAt: ctx.now() }
}
