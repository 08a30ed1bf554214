import { and, desc, eq, sql, type Placeholder, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Comment, CommentLikes, CommentPage } from '#shared/comments/comments.ts'
import { COMMENTS_PAGE } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { recordAction } from '#worker/access/audit.ts'
import { heldFields, isVisibleTo, maySee, type Reading } from '#worker/access/held.ts'
import { deleteForGood, isBeyondKept, keepRemoved } from '#worker/access/removed.ts'
import { settleWithRemoval } from '#worker/access/reported.ts'
import { deleteFilesOf } from '#worker/features/media/media.jobs.ts'
import { commentLikes, comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { throwIfRefused } from '#worker/access/access.ts'
import {
  credentialsIn,
  findMemorial,
  isStillRemovable,
  requireAccess,
  visibleUserId,
  type MemorialAccess,
} from '#worker/access/memorial-access.ts'
import type { Guard } from '#worker/access/route.ts'
import { existsIn, insertWhere, cursorAfter, isAfterCursor, type Reader } from '#worker/platform/db.ts'
import { pseudonymousId } from '#worker/platform/random.ts'
import { queueCachePurge, schedulePurge } from '#worker/platform/edge-cache.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

type CommentRow = {
  comment: typeof comments.$inferSelect
  userName: string | null
  contributorName: string | null
  likedByMe: boolean
}

export type CommentAccess = MemorialAccess & { comment: typeof comments.$inferSelect }

/** Route guard: the comment `:id`, if the viewer may see its memorial. */
export const visibleComment: Guard<CommentAccess> = async (ctx, input) => {
  const [comment] = await ctx.db
    .select()
    .from(comments)
    .where(eq(comments.id, input.params['id'] ?? ''))
  if (!comment) throw new AppError('not_found', messages.comment.notFound)
  const memorial = await findMemorial(ctx, comment.memorialId)
  const access = await requireAccess(ctx, memorial, 'view', credentialsIn(input))
  // prove: held-comment-hidden
  if (!maySee(comment, comment.authorContributorId, access))
    throw new AppError('not_found', messages.comment.notFound)
  return { ...access, comment }
}

/** Returns the id under which the caller likes and comments: the contributor session, else the account, else null. */
export function actorIdOf(ctx: RequestCtx, { contributor }: MemorialAccess): string | null {
  return contributor?.id ?? ctx.user?.id ?? null
}

/** Selects comments with authors and the actor's likes (null: no identity). Add `where`, order and limit. */
export function selectComments(ctx: Reader, actorId: string | Placeholder | null) {
  return ctx.db
    .select({
      comment: comments,
      userName: sql<string | null>`${users.firstName} || ' ' || ${users.lastName}`,
      contributorName: contributors.displayName,
      likedByMe: sql<boolean>`exists (select 1 from ${commentLikes}
        where ${commentLikes.commentId} = ${comments.id}
          and ${commentLikes.likedBy} = ${actorId ?? ''})`.mapWith(Boolean),
    })
    .from(comments)
    .leftJoin(users, eq(users.id, comments.authorUserId))
    .leftJoin(contributors, eq(contributors.id, comments.authorContributorId))
}

/** Returns one page of the guestbook, newest first. `cursor` comes from the previous page; an invalid one means page 1. */
export async function listComments(
  ctx: RequestCtx,
  access: MemorialAccess,
  cursor: string | null,
): Promise<CommentPage> {
  const rows = await selectGuestbook(ctx, access.memorial.id, {
    actorId: actorIdOf(ctx, access),
    cursor,
    reading: access,
  })
  return toCommentPage(rows, access)
}

/** Selects one page of a guestbook, newest first, and one row more. For {@link toCommentPage}. */
export function selectGuestbook(
  ctx: Reader,
  memorialId: string | SQL,
  {
    actorId,
    cursor,
    reading,
  }: { actorId: string | Placeholder | null; cursor: string | null; reading: Reading },
) {
  return selectComments(ctx, actorId)
    .where(
      and(
        /* prove: cursor-own-memorial */ eq(comments.memorialId, memorialId),
        /* prove: held-not-in-guestbook */ isVisibleTo(comments, reading),
        isAfterCursor(comments, 'comment', cursor),
      ),
    )
    .orderBy(desc(comments.createdAt), desc(comments.id))
    .limit(COMMENTS_PAGE + 1)
}

/** Converts the rows of {@link selectGuestbook} to a page as the caller may see it. */
export function toCommentPage(rows: CommentRow[], access: MemorialAccess): CommentPage {
  const page = rows.slice(0, COMMENTS_PAGE)
  const last = page.at(-1)?.comment
  return {
    comments: page.map((row) => toComment(row, access)),
    nextCursor: rows.length > COMMENTS_PAGE && last ? cursorAfter(last) : null,
  }
}

/**
 * Hides a comment at once; it can be restored for 30 days. Owner, keepers and admins may remove any, a helper their own, a
 * contributor their own while INVITE or LOCKED, if the write still allows it.
 */
export async function removeComment(
  ctx: RequestCtx,
  comment: typeof comments.$inferSelect,
  access: MemorialAccess,
): Promise<void> {
  const refusal = access.refuseRemoval(comment.authorContributorId)
  if (refusal && access.contributor && comment.authorContributorId !== access.contributor.id)
    throw new AppError('forbidden', messages.comment.notYours)
  throwIfRefused(refusal)
  const isThisComment = eq(comments.id, comment.id)
  const audit = { action: 'delete_comment', targetKind: 'comment', targetId: comment.id } as const
  const isRemovable = and(isThisComment, isStillRemovable(access))
  const [purges, , , , , , beyondKept] = await ctx.db.batch([
    queueCachePurge(ctx, eq(memorials.id, comment.memorialId), { urgent: true }),
    recordAction(ctx, access, audit, existsIn(comments, isThisComment)),
    keepRemoved(ctx, access, comments, isRemovable),
    ctx.db.delete(comments).where(isRemovable),
    settleWithRemoval(ctx, comment.memorialId, sql`${comment.id}`),
    ...deleteForGood(ctx, isBeyondKept(ctx, access)),
  ])
  await schedulePurge(ctx, purges)
  await deleteFilesOf(ctx, beyondKept)
  const [remaining] = await ctx.db.select({ id: comments.id }).from(comments).where(isThisComment)
  if (remaining) throw new AppError('memorial_locked', messages.memorial.locked)
}

/** Adds or removes a like. Each person counts once, however often the request repeats. Throws `not_found`. */
export async function setLike(
  ctx: Ctx,
  commentId: string,
  actorId: string,
  isLiked: boolean,
): Promise<CommentLikes> {
  const writeLike = isLiked
    ? insertWhere(
        ctx.db,
        commentLikes,
        { commentId, likedBy: actorId, createdAt: ctx.now() },
        sql`exists (select 1 from ${comments} where ${comments.id} = ${commentId})`,
      ).onConflictDoNothing()
    : ctx.db
        .delete(commentLikes)
        .where(and(eq(commentLikes.commentId, commentId), eq(commentLikes.likedBy, actorId)))
  const isCommentedMemorial = sql`${memorials.id} = (
    select ${comments.memorialId} from ${comments} where ${comments.id} = ${commentId})`
  const [, , [row]] = await ctx.db.batch([
    queueCachePurge(ctx, isCommentedMemorial, { urgent: false }),
    writeLike,
    ctx.db
      .update(comments)
      .set({
        likeCount: sql`(select count(*) from ${commentLikes} where ${commentLikes.commentId} = ${commentId})`,
      })
      .where(eq(comments.id, commentId))
      .returning({ likeCount: comments.likeCount }),
  ])
  if (!row) throw new AppError('not_found', messages.comment.notFound)
  return { likeCount: row.likeCount, likedByMe: isLiked }
}

/** Only the contributor and those who may edit see the real id; others get a pseudonymous id that links a person's comments. */
function visibleContributorId(
  { authorContributorId: id, memorialId }: typeof comments.$inferSelect,
  { canEdit, contributor }: MemorialAccess,
): string | null {
  if (id === null || canEdit || id === contributor?.id) return id
  return pseudonymousId('contributor', id, memorialId)
}

/** The name under which a comment was written. */
export function authorNameOf({
  comment,
  userName,
  contributorName,
}: Pick<CommentRow, 'userName' | 'contributorName'> & { comment: { visitorName: string | null } }): string {
  return comment.visitorName ?? contributorName ?? userName ?? ''
}

/** Converts a row to the API shape as the caller may see it. */
export function toComment(
  { comment, userName, contributorName, likedByMe }: CommentRow,
  access: MemorialAccess,
): Comment {
  return {
    id: comment.id,
    body: comment.body,
    createdAt: new Date(comment.createdAt).toISOString(),
    authorUserId: comment.authorUserId && visibleUserId(comment.authorUserId, access),
    authorContributorId: visibleContributorId(comment, access),
    authorName: authorNameOf({ comment, userName, contributorName }),
    isOwner: comment.authorUserId === access.memorial.ownerId,
    likeCount: comment.likeCount,
    likedByMe,
    canDelete: access.refuseRemoval(comment.authorContributorId) === null,
    ...(comment.visitorRelation !== null && { visitorRelation: comment.visitorRelation }),
    ...(access.canEdit && comment.visitorName !== null && { isFromVisitor: true as const }),
    ...heldFields(comment, access),
    ...(comment.thankedAt !== null && { isThanked: true as const }),
  }
}
