import { and, desc, eq } from 'drizzle-orm'
import type { FamilyActionPage } from '#shared/admin/family-actions.ts'
import { FAMILY_ACTIONS_PAGE } from '#shared/limits.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { fullName } from '#worker/features/keepers/keeper-invites.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { isAfterCursor, splitPage } from '#worker/platform/db.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { familyActions } from '#worker/schema/family-actions.table.ts'

/** What each of those did who look after the memorial, newest first. */
export async function listFamilyActions(
  ctx: Ctx,
  { memorial }: MemorialAccess,
  cursor: string | null,
): Promise<FamilyActionPage> {
  const rows = await ctx.db
    .select({
      id: familyActions.id,
      name: fullName(),
      action: familyActions.action,
      times: familyActions.times,
      createdAt: familyActions.createdAt,
    })
    .from(familyActions)
    .leftJoin(users, eq(users.id, familyActions.userId))
    .where(
      and(eq(familyActions.memorialId, memorial.id), isAfterCursor(familyActions, 'familyAction', cursor)),
    )
    .orderBy(desc(familyActions.createdAt), desc(familyActions.id))
    .limit(FAMILY_ACTIONS_PAGE + 1)
  const { page, nextCursor } = splitPage(rows, FAMILY_ACTIONS_PAGE)
  return {
    entries: page.map(({ id, name, action, times, createdAt }) => ({
      id,
      name: name || null,
      action,
      times,
      at: new Date(createdAt).toISOString(),
    })),
    nextCursor,
  }
}
