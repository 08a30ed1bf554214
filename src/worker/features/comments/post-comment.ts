import { and, eq, sql, type SQL } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { AppError } from '#shared/errors.ts'
import type { Comment } from '#shared/comments/comments.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { selectComments, toComment } from '#worker/features/comments/comments.ts'
import { comments } from '#worker/schema/comments.table.ts'
import type { LiveContributor } from '#worker/access/contributor-sessions.ts'
import { throwIfRefused } from '#worker/access/access.ts'
import { holdNew } from '#worker/access/held.ts'
import { acceptsFrom, refusalAtWrite, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { judgeInvited } from '#worker/features/rules/word-rules.ts'
import { findCreatedId, insertKey, isKeyUsed } from '#worker/http/idempotency-key.ts'
import { tellOwnerOf } from '#worker/features/memorials/tell-owner.ts'
import { count } from '#worker/platform/metrics.ts'
import { recordAdded } from '#worker/access/family-actions.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { hashToken, newId } from '#worker/platform/random.ts'
import { requireRateLimitOnce } from '#worker/platform/rate-limiter.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

type Author = { id: string; authorUserId: string | null; authorContributorId: string | null }

/**
 * Posts a comment. The same author and `key` get the same comment back, whatever `body` says; `not_found` if the key created
 * something else or that comment was deleted. The write checks that the memorial still accepts comments: {@link refusalAtWrite}.
 * `writtenBy` is the author's id at the time of writing: `conflict` if the caller is somebody else by now.
 */
export async function postComment(
  ctx: RequestCtx,
  access: MemorialAccess,
  body: string,
  { key, writtenBy }: { key: string | null; writtenBy: string | null },
): Promise<Comment> {
  const author = findAuthor(ctx, access)
  if (author && writtenBy !== null && author.id !== writtenBy)
    throw new AppError('conflict', serverMessages.comment.otherAuthor)
  // A client that lost the first response gets it now, even if the memorial no longer accepts comments.
  const previous = author && (await findCreated(ctx, access, author, key))
  if (previous) return previous
  throwIfRefused(access.refuse('contribute'))
  if (!author) throw new AppError('name_required', serverMessages.contributor.nameFirst)
  await limitComments(ctx, access.contributor, key)

  const { id: actorId, ...columns } = author
  const reason = await judgeInvited(ctx, access, body)
  const created = await storeComment(
    ctx,
    access,
    { body, ...columns },
    {
      actorIds: [actorId],
      key,
      isAccepted: acceptsFrom(access),
      hold: holdNew(access.memorial.id, author.authorContributorId, { reason }),
    },
  )
  if (created) return created
  const concurrent = await findCreated(ctx, access, author, key)
  if (concurrent) return concurrent
  throw await refusalAtWrite(ctx, access)
}

/** Statement: queues the purge of the public page if everybody sees this comment. */
function purgeIfShown(ctx: RequestCtx, memorialId: string, commentId: string) {
  const isShown = existsIn(comments, and(eq(comments.id, commentId), eq(comments.isHeld, false)))
  return queueCachePurge(ctx, and(eq(memorials.id, memorialId), isShown), { urgent: false })
}

type NewComment = Omit<typeof comments.$inferInsert, 'id' | 'memorialId' | 'createdAt'>

/**
 * Stores a comment if `isAccepted` still holds, and the first of `actorIds` hasn't used `key`; then all have. Null if it isn't stored.
 */
export async function storeComment(
  ctx: RequestCtx,
  access: MemorialAccess,
  columns: NewComment,
  {
    actorIds: [actorId, ...others],
    key,
    isAccepted,
    hold,
    also = () => [],
  }: {
    actorIds: [string, ...string[]]
    key: string | null
    isAccepted: SQL
    hold: ReturnType<typeof holdNew>
    /** More statements for the same batch. */
    also?: (isStored: SQL) => BatchItem<'sqlite'>[]
  },
): Promise<Comment | null> {
  const { memorial } = access
  const row = { ...columns, memorialId: memorial.id, id: newId('comment'), createdAt: ctx.now() }
  const isStored = existsIn(comments, eq(comments.id, row.id))
  const [, , [created]] = await ctx.db.batch([
    insertWhere(ctx.db, comments, row, sql`${isAccepted} and not ${isKeyUsed(actorId, key)}`, hold),
    insertKey(ctx, actorId, key, row, isStored),
    selectComments(ctx, row.authorContributorId ?? row.authorUserId ?? '').where(eq(comments.id, row.id)),
    ...others.map((other) => insertKey(ctx, other, key, row, isStored)),
    ...recordAdded(ctx, access, 'add_message', isStored),
    tellOwnerOf(ctx, comments, row),
    ...(memorial.privacy === 'LOCKED' ? [purgeIfShown(ctx, memorial.id, row.id)] : []),
    ...also(isStored),
  ])
  if (!created) return null
  count(ctx, 'message_posted')
  return toComment(created, access)
}

/** Only contributors have limits: nothing closes a guestbook to its owner. */
export async function limitComments(
  ctx: RequestCtx,
  contributor: Pick<LiveContributor, 'id' | 'inviteToken'> | null,
  key: string | null,
): Promise<void> {
  if (!contributor) return
  const { id, inviteToken } = contributor
  await requireRateLimitOnce(ctx, 'comments', id, key)
  await requireRateLimitOnce(ctx, 'commentsADay', id, key, messages.comment.dayFull)
  // Other people of this link may send the same key.
  const ownKey = key && `${id}:${key}`
  await requireRateLimitOnce(
    ctx,
    'guestbookADay',
    hashToken(inviteToken),
    ownKey,
    messages.comment.guestbookFull,
  )
}

function findAuthor(ctx: RequestCtx, { role, contributor }: MemorialAccess): Author | null {
  if (role === 'OWNER' && ctx.user) {
    return { id: ctx.user.id, authorUserId: ctx.user.id, authorContributorId: null }
  }
  return contributor && { id: contributor.id, authorUserId: null, authorContributorId: contributor.id }
}

/** Returns the comment that this author created with `key`, or null. Throws `not_found` when the key created something else. */
async function findCreated(
  ctx: RequestCtx,
  access: MemorialAccess,
  author: Author,
  key: string | null,
): Promise<Comment | null> {
  const id = await findCreatedId(ctx, author.id, key)
  if (id === null) return null
  const [row] = await selectComments(ctx, author.id).where(
    and(eq(comments.id, id), eq(comments.memorialId, access.memorial.id)),
  )
  if (!row) throw new AppError('not_found', messages.comment.notFound)
  return toComment(row, access)
}
