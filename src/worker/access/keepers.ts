import { and, eq, sql, type Placeholder, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { KeeperRole } from '#shared/keepers/keepers.ts'
import type { LiveContributor } from '#worker/access/contributor-sessions.ts'
import { existsIn, type Reader } from '#worker/platform/db.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { keepers } from '#worker/schema/keepers.table.ts'

/** Somebody who looks after a memorial with its owner, and the contributor under whose name stands what they add. */
export type LiveKeeper = { role: KeeperRole; mayExport: boolean; contributor: LiveContributor }

/** The stand-in for an invitation of those who look after this memorial. It opens nothing. */
export function keepersLink(memorialId: string): string {
  return `keepers-${memorialId}`
}

/** Statement: how this user looks after this memorial. For {@link toLiveKeeper}. */
export function selectKeeper(ctx: Reader, memorialId: string | SQL | Placeholder, userId: string) {
  return keeperRows(ctx).where(
    and(
      /* prove: keeper-of-this-memorial */ eq(keepers.memorialId, memorialId),
      /* prove: keeper-is-user */ eq(keepers.userId, userId),
    ),
  )
}

/** Who looks after a memorial as this contributor, or null. */
export async function findKeeper(ctx: Reader, contributorId: string | null): Promise<LiveKeeper | null> {
  if (contributorId === null) return null
  const [row] = await keeperRows(ctx).where(eq(keepers.contributorId, contributorId))
  return toLiveKeeper(row)
}

function keeperRows({ db }: Reader) {
  return db
    .select({
      role: keepers.role,
      mayExport: keepers.mayExport,
      id: contributors.id,
      memorialId: contributors.memorialId,
      inviteToken: contributors.inviteToken,
      displayName: contributors.displayName,
    })
    .from(keepers)
    .innerJoin(contributors, eq(contributors.id, keepers.contributorId))
}

export function toLiveKeeper(
  row: Awaited<ReturnType<typeof selectKeeper>>[number] | undefined,
): LiveKeeper | null {
  if (!row) return null
  const { role, mayExport, ...contributor } = row
  return { role, mayExport, contributor: { ...contributor, isGuest: false, isVisitor: false } }
}

/** SQL condition: this contributor is of somebody who looks after the memorial now, in one of these roles. */
export function isKeeper(
  contributorId: string | SQLiteColumn,
  roles: readonly KeeperRole[] = ['KEEPER', 'HELPER'],
): SQL {
  const isRole = sql`${keepers.role} in (select value from json_each(${JSON.stringify(roles)}))`
  return existsIn(keepers, and(eq(keepers.contributorId, contributorId), isRole))
}
