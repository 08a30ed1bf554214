import { and, desc, eq } from 'drizzle-orm'
import type { AdminMail, AdminMailPage } from '#shared/admin/admin.ts'
import { AppError } from '#shared/errors.ts'
import { ADMIN_PAGE } from '#shared/limits.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { insertAudit } from '#worker/access/audit.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { enqueueMail } from '#worker/platform/providers/mail.ts'
import { existsIn, splitPage, isAfterCursor } from '#worker/platform/db.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

type MailRow = typeof mails.$inferSelect

/** One page of the dead and queued mails, newest first. Each status is read from its own index range. */
export async function listMails(ctx: Ctx, cursor: string | null): Promise<AdminMailPage> {
  const [dead, queued] = await ctx.db.batch([mailsOf(ctx, 'DEAD', cursor), mailsOf(ctx, 'QUEUED', cursor)])
  const rows = [...dead, ...queued].sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
  const { page, nextCursor } = splitPage(rows, ADMIN_PAGE)
  return { mails: page.map(toAdminMail), nextCursor }
}

function mailsOf(ctx: Ctx, status: MailRow['status'], cursor: string | null) {
  return ctx.db
    .select()
    .from(mails)
    .where(and(eq(mails.status, status), isAfterCursor(mails, 'mail', cursor)))
    .orderBy(desc(mails.createdAt), desc(mails.id))
    .limit(ADMIN_PAGE + 1)
}

/** Puts a dead mail back into the queue once. Throws `not_found`, and `conflict` for a mail that isn't DEAD. */
export async function resendMail(ctx: RequestCtx, id: string): Promise<AdminMail> {
  const isApplicable = and(eq(mails.id, id), eq(mails.status, 'DEAD'))
  const audit = { action: 'resend_mail', targetKind: 'mail', targetId: id } as const
  const [, [mail]] = await ctx.db.batch([
    insertAudit(ctx, audit, existsIn(mails, isApplicable)),
    ctx.db
      .update(mails)
      // The claim starts now, so cron gives this queue message a minute before it treats the mail as lost.
      .set({ status: 'QUEUED', attempts: 0, claimedUntil: ctx.now() })
      .where(isApplicable)
      .returning(),
  ])
  if (mail) {
    await enqueueMail(ctx, id)
    return toAdminMail(mail)
  }
  const [known] = await ctx.db.select({ id: mails.id }).from(mails).where(eq(mails.id, id))
  if (!known) throw new AppError('not_found', serverMessages.admin.mailNotFound)
  throw new AppError('conflict', serverMessages.admin.mailNotDead)
}

function toAdminMail(row: MailRow): AdminMail {
  return {
    id: row.id,
    kind: row.kind,
    recipient: row.recipient,
    status: row.status,
    attempts: row.attempts,
    lastError: row.lastError,
    createdAt: new Date(row.createdAt).toISOString(),
  }
}
