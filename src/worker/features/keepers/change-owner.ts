import { and, eq, isNull, sql, type SQL } from 'drizzle-orm'
import { addedByOf, isHeldByBlock, unblocked, type ItemTable } from '#worker/access/held.ts'
import { keepersLink } from '#worker/access/keepers.ts'
import { fullName } from '#worker/features/keepers/keeper-invites.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'
import { newId } from '#worker/platform/random.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { keepers } from '#worker/schema/keepers.table.ts'
import { media, resumableUploads } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import { successions, successors } from '#worker/schema/successors.table.ts'

/** `from` and `to`: user ids. */
export type OwnerChange = {
  memorialId: string
  from: string
  to: string
  /** Whether the former owner may download everything as a keeper. */
  mayExport: boolean
  /** Until when they can take it back (ms); null if they can't. */
  takeBackUntil: number | null
}

/**
 * Statements, for one batch, that give a memorial another owner if it is still `from`'s, `to`'s account isn't deleted, and `condition` holds. The former owner becomes a keeper;
 * what they added stands under their name. The new owner is no keeper any more, if they were one; what they added is the owner's now. So a
 * second change in the other direction restores what the first has changed. Payments stay their payer's: record the change in `handovers`, by
 * which checks of the data know whose they were. Tells nobody.
 *
 * The second statement returns a row if the owner changes. `isChanged`: a condition for more statements, behind these.
 */
export function changeOwner(ctx: Ctx, change: OwnerChange, condition: SQL) {
  const { db } = ctx
  const { memorialId, from, to, takeBackUntil } = change
  const createdAt = ctx.now()
  const keeperId = newId('contributor')
  const link = keepersLink(memorialId)
  const isMemorial = eq(memorials.id, memorialId)
  const isFroms = existsIn(memorials, and(isMemorial, /* prove: one-owner */ eq(memorials.ownerId, from)))
  const isThere = and(eq(users.id, to), /* prove: deleted-account-owns-nothing */ isNull(users.deletedAt))
  const mayChange = sql`(${condition} and ${isFroms} and ${existsIn(users, isThere)})`
  const isChanged = existsIn(contributors, eq(contributors.id, keeperId))
  const isFormerKeeper = and(eq(keepers.memorialId, memorialId), eq(keepers.userId, to))
  const newOwners = (column: typeof keepers.contributorId | typeof keepers.seenAt) =>
    sql`(select ${column} from ${keepers} where ${isFormerKeeper})`
  const seenAt = sql`(select ${memorials.seenAt} from ${memorials} where ${isMemorial})`
  const stored = { token: link, status: 'KEEPERS', memorialId, assignedAt: createdAt, createdAt } as const
  const contributor = {
    id: keeperId,
    memorialId,
    inviteToken: link,
    displayName: '',
    isGuest: false,
    expiresAt: createdAt,
    createdAt,
  }
  const keeper = {
    contributorId: keeperId,
    memorialId,
    userId: from,
    role: 'KEEPER',
    mayExport: change.mayExport,
    createdAt,
  } as const
  const statements = [
    insertWhere(db, inviteTokens, stored, mayChange).onConflictDoNothing(),
    insertWhere(db, contributors, contributor, mayChange, {
      displayName: sql`(select ${fullName()} from ${users} where ${users.id} = ${from})`,
    }).returning({ id: contributors.id }),
    queueCachePurge(ctx, and(isMemorial, isChanged), { urgent: false }),
    ...moveToKeeper(ctx, change, keeperId),
    ...moveToOwner(ctx, change, newOwners(keepers.contributorId), isChanged),
    insertWhere(db, keepers, keeper, isChanged, { seenAt }),
    db
      .update(memorials)
      .set({ ownerId: to, takeBackUntil, seenAt: newOwners(keepers.seenAt) })
      .where(and(isMemorial, isChanged)),
    db.delete(keepers).where(and(isFormerKeeper, isChanged)),
    // Whom the former owner named counts no more.
    db.delete(successors).where(and(eq(successors.memorialId, memorialId), isChanged)),
    db.delete(successions).where(and(eq(successions.memorialId, memorialId), isChanged)),
  ] as const
  return { statements, isChanged }
}

/** Statements: what the owner added, and is sending, is this keeper's. Only a contributor who exists has any. */
function moveToKeeper({ db }: Ctx, { memorialId, from }: OwnerChange, keeperId: string) {
  const isMoved = existsIn(contributors, eq(contributors.id, keeperId))
  const { item, objectKey } = removedItems
  return [
    db
      .update(media)
      .set({ contributorId: keeperId })
      .where(and(eq(media.memorialId, memorialId), isNull(media.contributorId), isMoved)),
    db
      .update(comments)
      .set({ authorUserId: null, authorContributorId: keeperId })
      .where(and(eq(comments.memorialId, memorialId), eq(comments.authorUserId, from), isMoved)),
    db
      .update(removedItems)
      .set({
        contributorId: keeperId,
        item: sql`iif(${objectKey} is null,
          json_set(json_remove(${item}, '$.authorUserId'), '$.authorContributorId', ${keeperId}),
          json_set(${item}, '$.contributorId', ${keeperId}))`,
      })
      .where(and(eq(removedItems.memorialId, memorialId), isNull(removedItems.contributorId), isMoved)),
    db
      .update(resumableUploads)
      .set({ contributorId: keeperId, actorId: keeperId, idempotencyKey: null })
      .where(
        and(eq(resumableUploads.memorialId, memorialId), isNull(resumableUploads.contributorId), isMoved),
      ),
  ] as const
}

/** Statements: the reverse, for the keeper who becomes the owner. A block of theirs ends: nobody could take it back any more. */
function moveToOwner({ db }: Ctx, { memorialId, to }: OwnerChange, keeperId: SQL, isMoved: SQL) {
  const { item, objectKey } = removedItems
  const blockedAt = sql`(select ${contributors.blockedAt} from ${contributors} where ${contributors.id} = ${keeperId})`
  const isBlocked = (table: ItemTable) =>
    and(
      eq(addedByOf(table), keeperId),
      eq(table.isHeld, true),
      isHeldByBlock(table),
      sql`${blockedAt} is not null`,
      isMoved,
    )
  return [
    // prove: owner-sees-own-media
    db.update(media).set(unblocked(media, blockedAt)).where(isBlocked(media)),
    // prove: owner-sees-own-words
    db.update(comments).set(unblocked(comments, blockedAt)).where(isBlocked(comments)),
    db
      .update(media)
      .set({ contributorId: null })
      .where(and(eq(media.contributorId, keeperId), isMoved)),
    db
      .update(comments)
      .set({ authorUserId: to, authorContributorId: null })
      .where(and(eq(comments.authorContributorId, keeperId), isMoved)),
    db
      .update(removedItems)
      .set({
        contributorId: null,
        item: sql`iif(${objectKey} is null,
          json_set(json_remove(${item}, '$.authorContributorId'), '$.authorUserId', ${to}),
          json_remove(${item}, '$.contributorId'))`,
      })
      .where(and(eq(removedItems.contributorId, keeperId), isMoved)),
    db
      .update(resumableUploads)
      .set({ contributorId: null, actorId: to, idempotencyKey: null })
      .where(
        and(
          eq(resumableUploads.memorialId, memorialId),
          eq(resumableUploads.contributorId, keeperId),
          isMoved,
        ),
      ),
  ] as const
}
