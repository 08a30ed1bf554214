import { and, desc, eq } from 'drizzle-orm'
import type { ContactMessage, ContactMessagePage } from '#shared/admin/admin.ts'
import { AppError } from '#shared/errors.ts'
import { ADMIN_PAGE } from '#shared/limits.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { insertAudit } from '#worker/access/audit.ts'
import { contactMessages } from '#worker/schema/mail.table.ts'
import { existsIn, splitPage, isAfterCursor } from '#worker/platform/db.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** One page of the messages from the contact form, newest first: all, or only those in this state. */
export async function listMessages(
  ctx: Ctx,
  {
    cursor = null,
    state,
  }: { cursor?: string | null | undefined; state?: 'waiting' | 'answered' | undefined },
): Promise<ContactMessagePage> {
  const rows = await ctx.db
    .select()
    .from(contactMessages)
    .where(
      and(
        state && eq(contactMessages.isAnswered, state === 'answered'),
        isAfterCursor(contactMessages, 'contactMessage', cursor),
      ),
    )
    .orderBy(desc(contactMessages.createdAt), desc(contactMessages.id))
    .limit(ADMIN_PAGE + 1)
  const { page, nextCursor } = splitPage(rows, ADMIN_PAGE)
  return { messages: page.map(toContactMessage), nextCursor }
}

/** Notes that a message has been answered, or that it has not. Idempotent. Throws `not_found`. */
export async function setAnswered(ctx: RequestCtx, id: string, isAnswered: boolean): Promise<ContactMessage> {
  const isTarget = eq(contactMessages.id, id)
  const isChange = and(isTarget, eq(contactMessages.isAnswered, !isAnswered))
  const audit = {
    action: 'answer_message',
    targetKind: 'message',
    targetId: id,
    detail: { before: !isAnswered, after: isAnswered },
  } as const
  const [, [row]] = await ctx.db.batch([
    insertAudit(ctx, audit, existsIn(contactMessages, isChange)),
    ctx.db.update(contactMessages).set({ isAnswered }).where(isTarget).returning(),
  ])
  if (!row) throw new AppError('not_found', serverMessages.admin.messageNotFound)
  return toContactMessage(row)
}

function toContactMessage(row: typeof contactMessages.$inferSelect): ContactMessage {
  return {
    id: row.id,
    email: row.email,
    subject: row.subject,
    message: row.message,
    isAnswered: row.isAnswered,
    createdAt: new Date(row.createdAt).toISOString(),
  }
}
