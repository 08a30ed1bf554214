import { and, eq, sql } from 'drizzle-orm'
import type { Comment } from '#shared/comments/comments.ts'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import { throwIfRefused } from '#worker/access/access.ts'
import { recordAction } from '#worker/access/audit.ts'
import { isShown } from '#worker/access/held.ts'
import {
  actorIdOf,
  selectComments,
  toComment,
  type CommentAccess,
} from '#worker/features/comments/comments.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/**
 * Marks a message with the family's thanks, or takes them back. Idempotent. Throws `conflict` for the owner's own messages, `not_found` if it
 * was removed meanwhile.
 */
export async function setThanked(
  ctx: RequestCtx,
  access: CommentAccess,
  isThanked: boolean,
): Promise<Comment> {
  const { db } = ctx
  const { comment, memorial } = access
  // prove: thanks-by-editors
  throwIfRefused(access.refuse('edit'))
  if (comment.authorContributorId === null) throw new AppError('conflict', messages.thanks.own)
  const isThis = eq(comments.id, comment.id)
  const isChange = and(isThis, sql`(${comments.thankedAt} is not null) <> ${Number(isThanked)}`)
  const audit = {
    action: 'thank_message',
    targetKind: 'comment',
    targetId: comment.id,
    detail: { after: isThanked },
  } as const
  const isSeen = existsIn(comments, and(isThis, isShown(comments)))
  const [, , , [row]] = await db.batch([
    queueCachePurge(ctx, and(eq(memorials.id, memorial.id), isSeen), { urgent: false }),
    recordAction(ctx, access, audit, existsIn(comments, isChange)),
    db
      .update(comments)
      .set({ thankedAt: isThanked ? ctx.now() : null })
      .where(isChange),
    selectComments(ctx, actorIdOf(ctx, access)).where(isThis),
  ])
  if (!row) throw new AppError('not_found', messages.comment.notFound)
  return toComment(row, access)
}
