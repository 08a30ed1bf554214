import { and, eq, inArray, isNull, ne, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { recordAction } from '#worker/access/audit.ts'
import { addedByOf, isHeldPhoto, unblocked, type ItemTable } from '#worker/access/held.ts'
import { keepersLink } from '#worker/access/keepers.ts'
import { isStillEditor, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { clearImages } from '#worker/features/memorials/clear-images.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { queueCachePurge, schedulePurge } from '#worker/platform/edge-cache.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/**
 * Hides everything that this person added, and holds what they add from now on (`holdNew`). They see their own as before. Idempotent.
 * Throws `not_found`.
 */
export async function blockContributor(
  ctx: RequestCtx,
  access: MemorialAccess,
  contributorId: string,
): Promise<void> {
  const isFree = and(isPerson(access, contributorId), isNull(contributors.blockedAt))
  const hide = (table: ItemTable) => ({
    isHeld: true,
    heldAs: sql`case when ${table.isHeld} = 0 then 'BLOCKED' when ${table.heldAs} = 'DECLINED' then 'DECLINED'
      else 'BLOCKED_UNREAD' end`,
  })
  await change(ctx, access, contributorId, {
    action: 'block_contributor',
    which: isFree,
    blockedAt: ctx.now(),
    mediaChange: hide(media),
    commentChange: hide(comments),
  })
}

/**
 * Takes a block back: what was shown before it is shown again, everything else waits. It ends for each visitor that it went over to in the same
 * browser, under another address. Idempotent. Throws `not_found`.
 */
export async function unblockContributor(
  ctx: RequestCtx,
  access: MemorialAccess,
  contributorId: string,
): Promise<void> {
  const blockedAt = ctx.db
    .select({ blockedAt: contributors.blockedAt })
    .from(contributors)
    .where(isPerson(access, contributorId))
  const isBlocked = and(
    eq(contributors.memorialId, access.memorial.id),
    eq(contributors.blockedAt, sql`(${blockedAt})`),
  )
  await change(ctx, access, contributorId, {
    action: 'unblock_contributor',
    which: isBlocked,
    blockedAt: null,
    mediaChange: unblocked(media, sql`(${blockedAt})`),
    commentChange: unblocked(comments, sql`(${blockedAt})`),
  })
}

/**
 * SQL condition: this is a contributor of this memorial, which the caller may still edit. People who look after the memorial, or once did, can't be
 * blocked: no list shows them, so nobody could end the block.
 */
function isPerson(access: MemorialAccess, contributorId: string): SQL | undefined {
  return and(
    eq(contributors.id, contributorId),
    /* prove: block-own-memorial */ eq(contributors.memorialId, access.memorial.id),
    /* prove: keepers-are-not-blocked */ ne(contributors.inviteToken, keepersLink(access.memorial.id)),
    isStillEditor(access),
  )
}

type Held = { isHeld: boolean | SQL; heldAs: SQL }
type Change = {
  action: 'block_contributor' | 'unblock_contributor'
  /** The rows of this person, in the state before. */
  which: SQL | undefined
  blockedAt: number | null
  mediaChange: Held
  commentChange: Held
}

async function change(
  ctx: RequestCtx,
  access: MemorialAccess,
  contributorId: string,
  { action, which, blockedAt, mediaChange, commentChange }: Change,
): Promise<void> {
  const { db } = ctx
  const { id } = access.memorial
  const isDue = existsIn(contributors, which)
  const theirs = (table: ItemTable) =>
    and(
      eq(table.memorialId, id),
      inArray(addedByOf(table), db.select({ id: contributors.id }).from(contributors).where(which)),
    )
  const [purges, , , , , [person]] = await db.batch([
    queueCachePurge(ctx, and(eq(memorials.id, id), isDue), { urgent: blockedAt !== null }),
    recordAction(ctx, access, { action }, isDue),
    db.update(media).set(mediaChange).where(theirs(media)),
    db.update(comments).set(commentChange).where(theirs(comments)),
    db.update(contributors).set({ blockedAt }).where(which),
    db.select({ id: contributors.id }).from(contributors).where(isPerson(access, contributorId)),
    /* prove: blocked-is-no-cover */ clearImages(ctx, id, isHeldPhoto),
  ])
  if (!person) throw new AppError('not_found', serverMessages.removed.personUnknown)
  await schedulePurge(ctx, purges)
}
