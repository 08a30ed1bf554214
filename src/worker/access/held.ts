import { eq, or, sql, type Placeholder, type SQL } from 'drizzle-orm'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** Whoever reads media and comments, as far as held ones are concerned. */
export type Reading = Pick<MemorialAccess, 'canEdit'> & { contributor: { id: string | Placeholder } | null }

/** Anonymous visitors. */
export const ANYONE: Reading = { canEdit: false, contributor: null }

/** SQL condition: this viewer may see the row: it is shown to all, or theirs, or they may edit the memorial. */
export function isVisibleTo(
  table: typeof media | typeof comments,
  { canEdit, contributor }: Reading,
): SQL | undefined {
  if (canEdit) return undefined
  const addedBy = table === media ? media.contributorId : comments.authorContributorId
  // prove: held-hidden
  return or(eq(table.isHeld, false), contributor ? eq(addedBy, contributor.id) : undefined)
}

/** The same rule for a row that was read by its id. `addedBy`: its contributor, null for the owner. */
export function maySee(
  { isHeld }: { isHeld: boolean },
  addedBy: string | null,
  { canEdit, contributor }: Pick<MemorialAccess, 'canEdit' | 'contributor'>,
): boolean {
  return !isHeld || canEdit || (addedBy !== null && addedBy === contributor?.id)
}

/** SQL: whether a message that a visitor leaves now waits for an editor. */
export function isHeldFromVisitors(memorialId: string): SQL {
  return sql`(select ${memorials.visitorMessages} <> 'AT_ONCE' from ${memorials} where ${eq(memorials.id, memorialId)})`
}

/** SQL: whether what this contributor (null: the owner) adds now is held. */
export function isHeldNow(memorialId: string, addedBy: string | null): SQL {
  if (addedBy === null) return sql`0`
  return sql`(select ${memorials.holdNew} from ${memorials} where ${eq(memorials.id, memorialId)})`
}
