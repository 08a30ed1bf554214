import { and, desc, eq, getTableColumns, gt, inArray, isNotNull, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { DELETED_RESTORABLE_MS, REMOVED_PER_CONTRIBUTOR_MAX } from '#shared/limits.ts'
import type { ItemTable } from '#worker/access/held.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { commentLikes, comments } from '#worker/schema/comments.table.ts'
import { media, objectDeletions } from '#worker/schema/media.table.ts'
import { canBeTakenBack, memorials } from '#worker/schema/memorials.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'

/** The contributor who removes only what they added; null for editors, who remove as the user they are. */
function removerOfOwn({ role, contributor }: MemorialAccess): string | null {
  return role === 'CONTRIBUTOR' || role === 'HELPER' ? (contributor?.id ?? '') : null
}

/**
 * Statement: copies the rows of `table` that match `where` to `removed_items`. Put it before the statement that deletes them
 * from `table` under the same condition.
 */
export function keepRemoved(
  ctx: RequestCtx,
  access: MemorialAccess,
  table: ItemTable,
  where: SQL | undefined,
  removalId: string | null = null,
) {
  const isUsedAs = (column: SQLiteColumn) =>
    sql`exists (select 1 from ${memorials} where ${column} = ${table.id} and ${memorials.id} = ${table.memorialId})`
  const likes = sql`(select json_group_array(json_array(${commentLikes.likedBy}, ${commentLikes.createdAt}))
    from ${commentLikes} where ${commentLikes.commentId} = ${table.id})`
  const values: Record<keyof typeof removedItems.$inferSelect, unknown> = {
    id: table.id,
    memorialId: table.memorialId,
    contributorId: table === media ? media.contributorId : comments.authorContributorId,
    removedBy: removerOfOwn(access) ?? ctx.user?.id ?? '',
    isByAdmin: Number(access.role === 'ADMIN'),
    objectKey: table === media ? media.objectKey : null,
    bytes: table === media ? media.size : 0,
    wasCover: isUsedAs(memorials.coverMediaId),
    wasPortrait: isUsedAs(memorials.profileMediaId),
    removalId,
    item: rowAsJson(table),
    likes,
    removedAt: ctx.now(),
  }
  const selected = Object.keys(getTableColumns(removedItems)).map(
    (name) => sql`${values[name as keyof typeof values]}`,
  )
  return ctx.db
    .insert(removedItems)
    .select(sql`select ${sql.join(selected, sql`, `)} from ${table} where ${where}`)
}

/** D1 allows 32 arguments of a function: https://developers.cloudflare.com/d1/platform/limits/ */
const COLUMNS_PER_OBJECT = 16

/** SQL: the row as a JSON object, by the names of its columns in TypeScript. */
function rowAsJson(table: ItemTable): SQL {
  const pairs = Object.entries(getTableColumns(table)).map(
    ([name, column]) => sql`${sql.raw(`'${name}'`)}, ${column}`,
  )
  const objects: SQL[] = []
  for (let at = 0; at < pairs.length; at += COLUMNS_PER_OBJECT) {
    objects.push(sql`json_object(${sql.join(pairs.slice(at, at + COLUMNS_PER_OBJECT), sql`, `)})`)
  }
  return objects.reduce((whole, more) => sql`json_patch(${whole}, ${more})`)
}

/**
 * SQL condition on `removed_items`: this viewer may see, restore and delete the item for 30 days. Owner and keepers everything but
 * what an admin removed, a contributor what they removed themselves.
 */
export function isRestorableBy(ctx: Ctx, { role, contributor }: MemorialAccess): SQL | undefined {
  const isInTime = gt(removedItems.removedAt, ctx.now() - DELETED_RESTORABLE_MS)
  if (role === 'ADMIN') return isInTime
  if (role === 'OWNER' || role === 'KEEPER')
    return and(isInTime, /* prove: removed-by-admin-stays */ eq(removedItems.isByAdmin, false))
  const id = contributor?.id ?? ''
  return and(
    isInTime,
    eq(removedItems.contributorId, id),
    /* prove: removed-own-only */ eq(removedItems.removedBy, id),
  )
}

/**
 * SQL condition: the former owner of the memorial with this id can still take it back. What others removed or declined there isn't deleted for good
 * meanwhile.
 */
export function isKeptForFormerOwner(memorialId: SQLiteColumn): SQL {
  return existsIn(memorials, and(eq(memorials.id, memorialId), canBeTakenBack()))
}

/**
 * SQL condition: beyond the newest items that we keep of those that this contributor removed themselves, who could fill the
 * storage by sending and removing. What editors remove doesn't count, and never goes this way.
 */
export function isBeyondKept({ db }: Ctx, access: MemorialAccess): SQL {
  const id = removerOfOwn(access) ?? ''
  const beyond = db
    .select({ id: removedItems.id })
    .from(removedItems)
    .where(and(eq(removedItems.contributorId, id), eq(removedItems.removedBy, id)))
    .orderBy(desc(removedItems.removedAt), desc(removedItems.id))
    .limit(REMOVED_PER_CONTRIBUTOR_MAX)
    .offset(REMOVED_PER_CONTRIBUTOR_MAX)
  return inArray(removedItems.id, beyond)
}

/** Statements that delete removed items for good and queue their objects. Pass the rows of the second to `deleteFilesOf`. */
export function deleteForGood({ db, now }: Ctx, which: SQL | undefined) {
  return [
    db
      .insert(objectDeletions)
      .select(
        db
          .select({
            prefix: sql<string>`${removedItems.objectKey}`.as('prefix'),
            createdAt: sql<number>`${now()}`.as('created_at'),
          })
          .from(removedItems)
          .where(and(which, isNotNull(removedItems.objectKey))),
      )
      .onConflictDoNothing(),
    db.delete(removedItems).where(which).returning({
      id: removedItems.id,
      memorialId: removedItems.memorialId,
      objectKey: removedItems.objectKey,
      contributorId: removedItems.contributorId,
    }),
  ] as const
}
