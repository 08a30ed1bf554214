import { and, eq, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Comment } from '#shared/comments.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx } from '#worker/ctx.ts'
import { selectComments, toComment } from '#worker/features/comments/comments.ts'
import { comments } from '#worker/features/comments/comments.table.ts'
import { isOpenFor, type MemorialAccess } from '#worker/features/memorials/memorial-access.ts'
import { insertWhere } from '#worker/platform/db.ts'
import { idempotencyKeys } from '#worker/platform/idempotency.table.ts'
import { newId } from '#worker/platform/random.ts'
import { requireThrottle } from '#worker/platform/throttle.ts'

type Author = { id: string; authorUserId: string | null; authorContributorId: string | null }

/**
 * Writes a message for someone who may contribute. The same `key` of the same person gives the same message. Whether the
 * memorial still takes messages is decided in the write, so a lock that comes first wins: `memorial_locked`.
 */
export async function postComment(
  ctx: RequestCtx,
  access: MemorialAccess,
  body: string,
  key: string | null,
): Promise<Comment> {
  const author = authorOf(ctx, access)
  const before = key === null ? null : await findByKey(ctx, access, author, key)
  if (before) return before
  await requireThrottle(ctx, 'comments', author.id)

  const row = { id: newId('comment'), memorialId: access.memorial.id, body, createdAt: ctx.now() }
  const { id: actorId, ...columns } = author
  const byKey = sql`select 1 from ${idempotencyKeys}
    where ${idempotencyKeys.actorId} = ${actorId} and ${idempotencyKeys.key} = ${key}`
  const [, , [made]] = await ctx.db.batch([
    insertWhere(
      ctx.db,
      comments,
      { ...row, ...columns },
      sql`${isOpenFor(ctx.db, access)} and not exists (${byKey})`,
    ),
    insertWhere(
      ctx.db,
      idempotencyKeys,
      { actorId, key: key ?? '', resultId: row.id, createdAt: row.createdAt },
      sql`${key} is not null and exists (select 1 from ${comments} where ${comments.id} = ${row.id})`,
    ),
    selectComments(ctx, access).where(eq(comments.id, row.id)),
  ])
  if (made) return toComment(made, access)
  const other = key === null ? null : await findByKey(ctx, access, author, key)
  if (other) return other
  throw new AppError('memorial_locked', messages.memorial.locked)
}

function authorOf(ctx: RequestCtx, { access, contributor }: MemorialAccess): Author {
  if (access.role === 'OWNER' && ctx.user) {
    return { id: ctx.user.id, authorUserId: ctx.user.id, authorContributorId: null }
  }
  if (!contributor) throw new AppError('name_required', messages.contributor.nameFirst)
  return { id: contributor.id, authorUserId: null, authorContributorId: contributor.id }
}

async function findByKey(
  ctx: RequestCtx,
  access: MemorialAccess,
  author: Author,
  key: string,
): Promise<Comment | null> {
  const [row] = await selectComments(ctx, access)
    .innerJoin(idempotencyKeys, eq(idempotencyKeys.resultId, comments.id))
    .where(
      and(
        eq(idempotencyKeys.actorId, author.id),
        eq(idempotencyKeys.key, key),
        eq(comments.memorialId, access.memorial.id),
      ),
    )
  return row ? toComment(row, access) : null
}
