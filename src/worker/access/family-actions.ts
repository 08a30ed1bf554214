import { and, eq, sql, SQL } from 'drizzle-orm'
import { FAMILY_ACTIONS, type FamilyAction } from '#shared/admin/family-actions.ts'
import { DAY_MS } from '#shared/limits.ts'
import { isOfFamily } from '#shared/memorials/memorials.ts'
import { isKeeper } from '#worker/access/keepers.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { insertWhere } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'
import { familyActions } from '#worker/schema/family-actions.table.ts'
import { keepers } from '#worker/schema/keepers.table.ts'

const NAMES: ReadonlySet<string> = new Set(FAMILY_ACTIONS)

type Doing = {
  memorialId: string
  /** Null for what the service does by itself, and for admins. */
  userId: string | SQL | null
  action: FamilyAction
}

/** Statement: notes what somebody did who looks after the memorial, if `condition` holds. Put it before a change that makes the condition false. */
export function insertFamilyAction(ctx: Ctx, { memorialId, userId, action }: Doing, condition: SQL) {
  const now = ctx.now()
  const row = {
    id: newId('familyAction'),
    memorialId,
    action,
    day: Math.floor(now / DAY_MS),
    times: 1,
    createdAt: now,
  }
  const { memorialId: memorial, userId: user, action: what, day, times } = familyActions
  return insertWhere(ctx.db, familyActions, row, condition, {
    userId: userId instanceof SQL ? userId : sql`${userId}`,
  }).onConflictDoUpdate({
    target: [memorial, user, what, day],
    set: { times: sql`${times} + 1`, createdAt: now },
  })
}

/**
 * Statement: the same for the viewer. Notes nothing of anybody else, nor an action that the family doesn't read about, nor of a keeper who was
 * removed since access was checked. An upload can end without a request of its sender, so that the user is found by the contributor.
 */
export function recordFamilyAction(
  ctx: Ctx,
  { memorial, role, contributor }: Pick<MemorialAccess, 'memorial' | 'role' | 'contributor'>,
  action: string,
  condition: SQL = sql`true`,
) {
  const keeperId = role === 'KEEPER' || role === 'HELPER' ? (contributor?.id ?? '') : null
  const isNoted = NAMES.has(action) && (role === 'OWNER' || keeperId !== null)
  const userId =
    keeperId === null
      ? memorial.ownerId
      : sql`(select ${keepers.userId} from ${keepers} where ${eq(keepers.contributorId, keeperId)})`
  return insertFamilyAction(
    ctx,
    { memorialId: memorial.id, userId, action: action as FamilyAction },
    isNoted ? and(condition, keeperId === null ? undefined : isKeeper(keeperId))! : sql`false`,
  )
}

/** Statements: the same for something that was added. None for relatives, who add far more often. */
export function recordAdded(
  ctx: Ctx,
  access: MemorialAccess,
  action: 'add_media' | 'add_message',
  isAdded: SQL,
) {
  return isOfFamily(access.role) ? [recordFamilyAction(ctx, access, action, isAdded)] : []
}
