import { and, eq, gt, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { News } from '#shared/memorials/memorials.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import type { Reader } from '#worker/platform/db.ts'
import { addedByOf, isListed, type ItemTable } from '#worker/access/held.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { keepers } from '#worker/schema/keepers.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** Whose visits count, by columns of the enclosing statement. `own`: the contributor who isn't news to them, null for the owner. */
type Reading = { memorialId: SQLiteColumn; seenAt: SQLiteColumn; own: SQLiteColumn | SQL }
const OWNERS: Reading = { memorialId: memorials.id, seenAt: memorials.seenAt, own: sql`null` }
const KEEPERS: Reading = {
  memorialId: keepers.memorialId,
  seenAt: keepers.seenAt,
  own: keepers.contributorId,
}

/**
 * SQL: how many items others added to the memorial of the enclosing statement since its reader last opened it, and how many
 * people added them. Names count and not sessions, because one person may use two devices.
 */
function addedColumn({ memorialId, seenAt, own }: Reading) {
  const isNew = (table: ItemTable) =>
    and(
      eq(table.memorialId, memorialId),
      gt(table.createdAt, seenAt),
      /* prove: own-is-no-news */ sql`${addedByOf(table)} is not ${own}`,
      /* prove: held-is-no-news */ isListed(table),
    )
  const added = (
    table: ItemTable,
  ) => sql`select coalesce(${contributors.displayName}, '') as person from ${table}
    left join ${contributors} on ${contributors.id} = ${addedByOf(table)} where ${isNew(table)}`
  const counted = sql`select json_array(count(*), count(distinct person)) from (${added(media)} union all ${added(comments)})`
  return sql<[number, number]>`(${counted})`.mapWith((pair: string) => JSON.parse(pair) as [number, number])
}

/** Columns of a memorial's own row, for {@link toNews}: what is new to its owner. */
export function newsColumns() {
  return { seenAt: memorials.seenAt, added: addedColumn(OWNERS), you: sql<null>`null` }
}

/** Columns of a keeper's row, for {@link toNews}: what is new to them. Join their contributor. */
export function keepersNewsColumns() {
  return { seenAt: keepers.seenAt, added: addedColumn(KEEPERS), you: contributors.displayName }
}

/** Statement: what is new in a memorial to this viewer, for {@link toNews}. No row for whoever doesn't look after it. */
export function selectNews(ctx: Reader, { memorial, role, contributor }: MemorialAccess) {
  return role === 'OWNER'
    ? ctx.db.select(newsColumns()).from(memorials).where(eq(memorials.id, memorial.id))
    : ctx.db
        .select(keepersNewsColumns())
        .from(keepers)
        .innerJoin(contributors, eq(contributors.id, keepers.contributorId))
        .where(eq(keepers.contributorId, contributor?.id ?? ''))
}

type NewsRow = { seenAt: number | null; added: [number, number]; you: string | null }

/** Null before the first visit, and for whoever doesn't look after the memorial. */
export function toNews(row: NewsRow | undefined): News | null {
  if (!row || row.seenAt === null) return null
  const [items, people] = row.added
  return { items, people, since: new Date(row.seenAt).toISOString(), you: row.you }
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
