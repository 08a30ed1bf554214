import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { DELETED_RESTORABLE_MS, REMOVED_PAGE } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { MediaType } from '#shared/media/media-types.ts'
import type { BulkRemoval, Removal, RemovedPage } from '#shared/removal/removed.ts'
import { throwIfRefused } from '#worker/access/access.ts'
import { auditHiddenVisit } from '#worker/access/audit.ts'
import {
  credentialsIn,
  findMemorial,
  requireAccess,
  type MemorialAccess,
} from '#worker/access/memorial-access.ts'
import { isRestorableBy } from '#worker/access/removed.ts'
import type { Guard, GuardInput } from '#worker/access/route.ts'
import { toComment, visibleComment, type CommentAccess } from '#worker/features/comments/comments.ts'
import { removableMedia } from '#worker/features/media/edit-media.ts'
import { toMedia } from '#worker/features/media/media.ts'
import { serveMedia, type MediaAccess } from '#worker/features/media/serve-media.ts'
import { nameJudge } from '#worker/features/rules/word-rules.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { isAfterCursor, splitPage } from '#worker/platform/db.ts'
import { users } from '#worker/schema/accounts.table.ts'
import type { comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import type { media } from '#worker/schema/media.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'

export type Removed = typeof removedItems.$inferSelect
export type RemovedAccess = MemorialAccess & { removed: Removed }
type MediaRecord = typeof media.$inferSelect
type CommentRecord = typeof comments.$inferSelect
type Kind = 'media' | 'comment'

/** Route guard: the removed item `:id`, if this viewer may restore it. For others it doesn't exist. */
export function removedItem(kind: Kind): Guard<RemovedAccess> {
  return async (ctx, input) => {
    const found = await findRemoved(ctx, input, kind, 'refuseChange')
    if (!found) throw new AppError('not_found', messages.removed.notFound)
    return found
  }
}

/** Route guards of `DELETE`: the item, or with `?forever=1` also a removed one. */
export const deletableMedia: Guard<MediaAccess | RemovedAccess> = async (ctx, input) =>
  (await findToDelete(ctx, input, 'media')) ?? removableMedia(ctx, input)
export const deletableComment: Guard<CommentAccess | RemovedAccess> = async (ctx, input) =>
  (await findToDelete(ctx, input, 'comment')) ?? visibleComment(ctx, input)

async function findToDelete(ctx: RequestCtx, input: GuardInput, kind: Kind): Promise<RemovedAccess | null> {
  return input.query['forever'] === '1' ? findRemoved(ctx, input, kind, 'refuseForGood') : null
}

/** The removed item `:id`, or null if there is none that this viewer may restore. Throws the refusal of a contributor. */
async function findRemoved(
  ctx: RequestCtx,
  input: GuardInput,
  kind: Kind,
  refuse: 'refuseChange' | 'refuseForGood',
): Promise<RemovedAccess | null> {
  const id = input.params['id'] ?? ''
  const isKind = kind === 'media' ? isNotNull(removedItems.objectKey) : isNull(removedItems.objectKey)
  const [found] = await ctx.db
    .select({ memorialId: removedItems.memorialId })
    .from(removedItems)
    .where(and(eq(removedItems.id, id), isKind))
  if (!found) return null
  const memorial = await findMemorial(ctx, found.memorialId)
  const access = await requireAccess(ctx, memorial, 'view', credentialsIn(input))
  // What was removed isn't public, also in a public memorial.
  await auditHiddenVisit(ctx, input, access)
  const removed = await withRemoved(ctx, access, id)
  if (removed) throwIfRefused(access[refuse](removed.removed.contributorId))
  return removed
}

/** The removed item, or null if this viewer may not restore it. */
export async function withRemoved(
  ctx: Ctx,
  access: MemorialAccess,
  id: string,
): Promise<RemovedAccess | null> {
  const [removed] = await ctx.db
    .select()
    .from(removedItems)
    .where(and(eq(removedItems.id, id), isRestorableBy(ctx, access)))
  return removed ? { ...access, removed } : null
}

/** Route guard: the memorial `:id`, if this viewer may restore anything in it. */
export const restorer: Guard<MemorialAccess> = async (ctx, input) => {
  const memorial = await findMemorial(ctx, input.params['id'] ?? '')
  const access = await requireAccess(ctx, memorial, 'view', credentialsIn(input))
  throwIfRefused(access.refuseChange(access.contributor?.id ?? null))
  await auditHiddenVisit(ctx, input, access)
  return access
}

/** Returns one page of what this viewer may restore, last removed first; only of one bulk removal if `removal` names it. */
export async function listRemoved(
  ctx: RequestCtx,
  access: MemorialAccess,
  { cursor, removal }: { cursor: string | null; removal: string | null },
): Promise<RemovedPage> {
  const position = { createdAt: removedItems.removedAt, id: removedItems.id }
  const items = ctx.db
    .select({
      ...position,
      removed: removedItems,
      contributorName: contributors.displayName,
      userName: sql<string | null>`(select ${users.firstName} || ' ' || ${users.lastName} from ${users}
        where ${users.id} = ${removedItems.item} ->> 'authorUserId')`,
    })
    .from(removedItems)
    .leftJoin(contributors, eq(contributors.id, removedItems.contributorId))
    .where(
      and(
        eq(removedItems.memorialId, access.memorial.id),
        isRestorableBy(ctx, access),
        removal === null ? isNull(removedItems.removalId) : eq(removedItems.removalId, removal),
        isAfterCursor(position, ['media', 'comment'], cursor),
      ),
    )
    .orderBy(desc(removedItems.removedAt), desc(removedItems.id))
    .limit(REMOVED_PAGE + 1)
  const isFirst = access.canEdit && cursor === null && removal === null
  const [rows, removals] = await Promise.all([items, isFirst ? selectRemovals(ctx, access) : []])
  const { page, nextCursor } = splitPage(rows, REMOVED_PAGE)
  const mayHurt = removals.length === 0 ? () => false : await nameJudge(ctx)
  return {
    media: page
      .filter(({ removed }) => removed.objectKey !== null)
      .map(({ removed, contributorName }) => {
        const item = toMedia({ ...(removed.item as MediaRecord), contributorName }, access)
        const thumbnailPath = item.thumbnailPath && `/media/removed/${removed.id}`
        return Object.assign(item, { thumbnailPath }, removalOf(removed))
      }),
    comments: page
      .filter(({ removed }) => removed.objectKey === null)
      .map(({ removed, contributorName, userName }) => {
        const comment = removed.item as CommentRecord
        const row = { comment, likedByMe: false, contributorName, userName }
        return Object.assign(toComment(row, access), removalOf(removed))
      }),
    removals: removals.map((row) =>
      Object.assign(toBulkRemoval(row), mayHurt(row.contributorName ?? '') && { mayNameHurt: true as const }),
    ),
    nextCursor,
  }
}

function removalOf({ removedAt }: { removedAt: number }): Removal {
  return {
    removedAt: new Date(removedAt).toISOString(),
    restorableUntil: new Date(removedAt + DELETED_RESTORABLE_MS).toISOString(),
  }
}

/** Statement: bulk removals that this viewer may restore, newest first, or one of them. For {@link toBulkRemoval}. */
export function selectRemovals(ctx: Ctx, access: MemorialAccess, id: string | null = null) {
  const removedAt = sql<number>`max(${removedItems.removedAt})`.as('at')
  const countOf = (type: MediaType) =>
    // D1 names the columns of a batch, so each needs a name of its own.
    sql<number>`count(*) filter (where ${removedItems.item} ->> 'type' = ${type})`.as(type)
  return ctx.db
    .select({
      id: removedItems.removalId,
      removedAt,
      contributorName: sql<string | null>`case when count(distinct ${removedItems.contributorId}) = 1
          then min(${contributors.displayName}) end`.as('contributor_name'),
      IMAGE: countOf('IMAGE'),
      VIDEO: countOf('VIDEO'),
      AUDIO: countOf('AUDIO'),
      comments: sql<number>`count(*) filter (where ${removedItems.objectKey} is null)`.as('comments'),
    })
    .from(removedItems)
    .leftJoin(contributors, eq(contributors.id, removedItems.contributorId))
    .where(
      and(
        eq(removedItems.memorialId, access.memorial.id),
        isRestorableBy(ctx, access),
        id === null ? isNotNull(removedItems.removalId) : eq(removedItems.removalId, id),
      ),
    )
    .groupBy(removedItems.removalId)
    .orderBy(desc(removedAt), desc(removedItems.removalId))
    .limit(REMOVED_PAGE)
}

type RemovalRow = Awaited<ReturnType<typeof selectRemovals>>[number]

/** Converts a row of {@link selectRemovals}. */
export function toBulkRemoval({ id, removedAt, contributorName, ...removed }: RemovalRow): BulkRemoval {
  return { id: id ?? '', contributorName, removed, ...removalOf({ removedAt }) }
}

/** The thumbnail of a removed photo or video; never cached, also on a public memorial. */
export async function serveRemoved(ctx: RequestCtx, access: RemovedAccess): Promise<Response> {
  const { item, objectKey } = access.removed
  if (objectKey === null) throw new AppError('not_found', messages.media.notFound)
  const response = await serveMedia(ctx, { ...access, row: item as MediaRecord }, { thumbnail: '1' })
  // prove: removed-never-cached
  response.headers.set('Cache-Control', 'private, no-store')
  response.headers.delete('Cache-Tag')
  return response
}
