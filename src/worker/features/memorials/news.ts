import { and, eq, gt, sql } from 'drizzle-orm'
import type { News } from '#shared/memorials.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import type { Reader } from '#worker/platform/db.ts'
import { isListed, type ItemTable } from '#worker/access/held.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { keepers } from '#worker/schema/keepers.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/**
 * SQL: how many items contributors added to the memorial of the enclosing statement since its owner last opened it, and by
 * how many people. Names count and not sessions, because one person may use two devices.
 */
export function newsColumn() {
  const isNew = (table: ItemTable) =>
    and(
      eq(table.memorialId, memorials.id),
      gt(table.createdAt, memorials.seenAt),
      /* prove: held-is-no-news */ isListed(table),
    )
  const added = sql`select ${contributors.displayName} as person from ${media}
      inner join ${contributors} on ${contributors.id} = ${media.contributorId} where ${isNew(media)}
    union all select ${contributors.displayName} from ${comments}
      inner join ${contributors} on ${contributors.id} = ${comments.authorContributorId} where ${isNew(comments)}`
  const counted = sql`select json_array(count(*), count(distinct person)) from (${added})`
  return sql<[number, number]>`(${counted})`.mapWith((pair: string) => JSON.parse(pair) as [number, number])
}

/** Statement: the {@link newsColumn} of one memorial. */
export function selectNews(ctx: Reader, memorialId: string) {
  return ctx.db.select({ added: newsColumn() }).from(memorials).where(eq(memorials.id, memorialId))
}

/** Null if the owner has never opened the memorial. `seenAt`: when they last did (ms). */
export function toNews(seenAt: number | null, [items, people]: [number, number] = [0, 0]): News | null {
  return seenAt === null ? null : { items, people, since: new Date(seenAt).toISOString() }
}

/** Notes that the owner, or somebody who looks after the memorial with them, has opened it. */
export async function markSeen(ctx: Ctx, { memorial, role, contributor }: MemorialAccess): Promise<void> {
  if (role !== 'OWNER') {
    await ctx.db
      .update(keepers)
      .set({ seenAt: ctx.now() })
      .where(eq(keepers.contributorId, contributor?.id ?? ''))
    return
  }
  await ctx.db.update(memorials).set({ seenAt: ctx.now() }).where(eq(memorials.id, memorial.id))
}
