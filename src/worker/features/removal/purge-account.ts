import { and, eq, inArray, isNull, notExists, or, sql } from 'drizzle-orm'
import type { Ctx } from '#worker/platform/ctx.ts'
import { accountTokens, users } from '#worker/schema/accounts.table.ts'
import { insertAudit } from '#worker/access/audit.ts'
import { commentLikes, comments } from '#worker/schema/comments.table.ts'
import { contactMessages } from '#worker/schema/contact.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { existsIn } from '#worker/platform/db.ts'
import { idempotencyKeys } from '#worker/schema/idempotency.table.ts'
import { queueCachePurge } from '#worker/features/memorials/public-cache.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/**
 * Deletes one account permanently, in one batch; its memorials must be purged first. Deletes all personal data: name,
 * address, password, links, mails, contact messages, likes and comments. An account with payments keeps a row with only
 * id and dates, because they refer to it. Its sessions have expired from KV by then. Idempotent.
 */
export async function purgeAccount(ctx: Ctx, id: string): Promise<void> {
  const { db } = ctx
  const isTarget = and(eq(users.id, id), isNull(users.purgedAt))
  const address = db.select({ email: users.email }).from(users).where(isTarget)
  const liked = db
    .select({ id: commentLikes.commentId })
    .from(commentLikes)
    .where(eq(commentLikes.likedBy, id))
  const written = db
    .select({ id: contactMessages.id })
    .from(contactMessages)
    .where(inArray(contactMessages.email, address))
  const hasPaid = db.select({ id: payments.id }).from(payments).where(eq(payments.userId, id))
  const audit = { action: 'purge', targetKind: 'user', targetId: id } as const
  const thanked = db.select({ id: comments.memorialId }).from(comments).where(inArray(comments.id, liked))
  await db.batch([
    queueCachePurge(ctx, inArray(memorials.id, thanked), { urgent: false }),
    db
      .update(comments)
      .set({ likeCount: sql`${comments.likeCount} - 1` })
      .where(inArray(comments.id, liked)),
    db.delete(commentLikes).where(eq(commentLikes.likedBy, id)),
    db.delete(comments).where(eq(comments.authorUserId, id)),
    db.delete(idempotencyKeys).where(eq(idempotencyKeys.actorId, id)),
    db
      .delete(mails)
      .where(
        or(inArray(mails.recipient, address), eq(mails.subjectId, id), inArray(mails.subjectId, written)),
      ),
    db.delete(contactMessages).where(inArray(contactMessages.email, address)),
    db.delete(accountTokens).where(eq(accountTokens.userId, id)),
    insertAudit(ctx, audit, existsIn(users, isTarget)),
    db.delete(users).where(and(isTarget, notExists(hasPaid))),
    db
      .update(users)
      .set({
        email: id,
        firstName: '',
        lastName: '',
        passwordHash: '',
        role: 'USER',
        purgedAt: ctx.now(),
        updatedAt: ctx.now(),
      })
      .where(isTarget),
  ])
}
