import { and, eq, ne, not, or, sql, type Placeholder, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { HoldReason } from '#shared/removal/held.ts'
import { isKeeper } from '#worker/access/keepers.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** What the family decides about. */
export type ItemTable = typeof media | typeof comments
/** The columns of either table that say whether and why it is held. */
export type HeldColumns = Pick<typeof comments.$inferSelect, 'isHeld' | 'heldAs' | 'heldReason'>
/** Whoever reads media and comments, as far as held ones are concerned. */
export type Reading = Pick<MemorialAccess, 'canApprove'> & {
  contributor: { id: string | Placeholder } | null
}

/** Anonymous visitors. */
export const ANYONE: Reading = { canApprove: false, contributor: null }

/** The contributor's id of a row of this table; null for the owner. */
export function addedByOf(table: ItemTable) {
  return table === media ? media.contributorId : comments.authorContributorId
}

/** SQL: when its contributor last changed it; 0 for never. Messages can't be changed. */
export function changedAtOf(table: ItemTable): SQL {
  return table === media ? sql`coalesce(${media.changedAt}, 0)` : sql`0`
}

/** SQL condition: everybody who may see the memorial sees the row. Literals, so that an index of the shown rows is used. */
export function isShown(table: ItemTable): SQL {
  return sql`(${isListed(table)} and ${table.isHeld} = 0)`
}

/** SQL condition: shown, or waiting in its place for the family. What may hurt, was declined or is blocked is only in the queue. */
export function isListed(table: ItemTable): SQL {
  return sql`(${table.isHeld} = 0 or ${table.heldAs} = 'WAITING')`
}

/** SQL condition: this viewer may see the row in its place: it is shown to all, or theirs, or waits and they decide about it. */
export function isVisibleTo(table: ItemTable, { canApprove, contributor }: Reading): SQL | undefined {
  if (canApprove) return isListed(table)
  // prove: held-hidden
  return contributor ? or(sql`${table.isHeld} = 0`, eq(addedByOf(table), contributor.id)) : isShown(table)
}

/** The same rule for a row that was read by its id; approvers see all, because the queue shows it. `addedBy`: null for the owner. */
export function maySee(
  { isHeld }: { isHeld: boolean },
  addedBy: string | null,
  { canApprove, contributor }: Pick<MemorialAccess, 'canApprove' | 'contributor'>,
): boolean {
  return !isHeld || canApprove || (addedBy !== null && addedBy === contributor?.id)
}

/** What the API says of a held row. Whoever was blocked or reported sees their own as before. */
export function heldFields(
  { isHeld, heldAs, heldReason }: HeldColumns,
  { canApprove }: Pick<MemorialAccess, 'canApprove'>,
): { isHeld?: true; heldReason?: HoldReason } {
  const isUnnoticed =
    /* prove: block-unnoticed */ heldAs === 'BLOCKED' ||
    /* prove: reports-unnoticed */ heldReason === 'REPORTS'
  if (!isHeld || (!canApprove && isUnnoticed)) return {}
  const isWhyTold = /* prove: reason-for-editors */ canApprove && heldReason !== null
  return { isHeld: true, ...(isWhyTold && { heldReason }) }
}

type Hold = { isHeld: SQL; heldAs: SQL; heldReason: SQL }

/**
 * The columns of what this contributor (null: the owner) adds now. `reason`: what a rule found. `waits`: SQL, whether the family reads
 * what visitors leave first. Without it the person is invited: a reason only sorts what they add while the family reads that first.
 */
export function holdNew(
  memorialId: string,
  addedBy: string | null,
  { reason = null, waits: fromVisitor }: { reason?: HoldReason | null; waits?: SQL } = {},
): Hold {
  if (addedBy === null) return { isHeld: sql`0`, heldAs: sql`'WAITING'`, heldReason: sql`null` }
  const mayHold = not(isKeeper(addedBy))
  const sender = sql`select 1 from ${contributors} where ${contributors.id} = ${addedBy}`
  const isBlocked = sql`exists (${sender} and ${contributors.blockedAt} is not null)`
  const waits = fromVisitor ?? isHeldFromInvited(memorialId)
  const known = fromVisitor ? sql`${reason}` : sql`case when ${waits} then ${reason} end`
  const device = sql`case when not ${isBlocked} and ${hasBlockedDevice(memorialId, addedBy)} then 'DEVICE' end`
  // A proof of work sets a burst free, but not a blocked phone.
  const found = reason === 'BURST' ? sql`coalesce(${device}, 'BURST')` : sql`coalesce(${known}, ${device})`
  const heldReason = reason === null ? device : found
  return {
    isHeld: sql`(${and(mayHold, or(/* prove: new-things-wait */ waits, /* prove: blocked-person-held */ isBlocked, /* prove: found-things-wait */ sql`${heldReason} is not null`))})`,
    heldAs: sql`case when ${isBlocked} then case when ${waits} or ${heldReason} is not null then 'BLOCKED_UNREAD' else 'BLOCKED' end
      when ${heldReason} is not null then 'MAY_HURT' else 'WAITING' end`,
    heldReason,
  }
}

/** SQL: whether a message that a visitor leaves now waits for an approver. */
export function isHeldFromVisitors(memorialId: string): SQL {
  return sql`(select ${memorials.visitorMessages} <> 'AT_ONCE' from ${memorials} where ${eq(memorials.id, memorialId)})`
}

function isHeldFromInvited(memorialId: string): SQL {
  return sql`(select ${memorials.holdNew} from ${memorials} where ${eq(memorials.id, memorialId)})`
}

/** SQL: whether this person first wrote from the same network and browser as somebody else whom the family blocked. */
function hasBlockedDevice(memorialId: string, addedBy: string): SQL {
  const blocked = sql`select ${contributors.deviceHash} from ${contributors}
    where ${and(
      eq(contributors.memorialId, memorialId),
      sql`${contributors.blockedAt} is not null`,
      ne(contributors.id, addedBy),
    )}`
  return sql`exists (select 1 from ${contributors} as "sender"
    where "sender"."id" = ${addedBy} and "sender"."device_hash" in (${blocked}))`
}

/** SQL condition: the photo with this id is held. For `clearImages`: a held photo is neither cover nor portrait. */
export function isHeldPhoto(id: SQLiteColumn): SQL {
  return sql`exists (select 1 from ${media} where ${media.id} = ${id} and ${media.isHeld} = 1)`
}

/** SQL condition: the row is hidden because whoever added it is blocked. */
export function isHeldByBlock({ heldAs }: ItemTable): SQL {
  return sql`${heldAs} in ('BLOCKED', 'BLOCKED_UNREAD')`
}

/** The columns of a row of whoever was blocked at this time (SQL), once they aren't any more: what was shown before is shown again, everything else waits. */
export function unblocked(table: ItemTable, blockedAt: SQL): { isHeld: SQL; heldAs: SQL } {
  // What came or changed after the block was never read, even where everything shows at once.
  const isOld = and(
    sql`${table.createdAt} < ${blockedAt}`,
    /* prove: changed-while-blocked-waits */ sql`${changedAtOf(table)} < ${blockedAt}`,
  )
  const wasShown = sql`(${table.heldAs} = 'BLOCKED' and ${isOld})`
  const waits = sql`(${wasShown} or coalesce(${table.heldReason}, 'BURST') = 'BURST'
    or ${table.heldAs} = 'BLOCKED' and ${table.heldReason} = 'REPORTS')`
  return {
    isHeld: sql`case when ${isHeldByBlock(table)} then not ${wasShown} else ${table.isHeld} end`,
    heldAs: sql`case when ${table.heldAs} = 'DECLINED' then 'DECLINED'
      when ${waits} then 'WAITING' else 'MAY_HURT' end`,
  }
}
