import { and, lte, not, sql, type SQL } from 'drizzle-orm'
import { PURGE_BATCH } from '#shared/limits.ts'
import type { ItemTable } from '#worker/access/held.ts'
import { isKeptForFormerOwner } from '#worker/access/removed.ts'
import { deleteFilesOf } from '#worker/features/media/media.jobs.ts'
import { forgetVisitorsOf } from '#worker/features/visitors/forget-visitors.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { media, objectDeletions } from '#worker/schema/media.table.ts'

/**
 * Deletes for good what was declined before `until`, unless a former owner may take the memorial back and show it, and forgets older decisions about everything else, which may be held again by now. Returns true if more may be due.
 * Bounded per run.
 */
export async function purgeDeclined(ctx: Ctx, until: number): Promise<boolean> {
  const { db, now } = ctx
  const isDeclined = (table: ItemTable) =>
    isOld(
      table,
      until,
      and(
        sql`${table.isHeld} = 1 and ${table.heldAs} = 'DECLINED'`,
        /* prove: declined-kept-for-former-owner */ not(isKeptForFormerOwner(table.memorialId)),
      ),
    )
  const isShownLong = (table: ItemTable) =>
    isOld(table, until, sql`not (${table.isHeld} = 1 and ${table.heldAs} = 'DECLINED')`)
  const [, files, messages, shownFiles, shownMessages] = await db.batch([
    db
      .insert(objectDeletions)
      .select(
        db
          .select({ prefix: media.objectKey, createdAt: sql<number>`${now()}`.as('created_at') })
          .from(media)
          .where(isDeclined(media)),
      )
      .onConflictDoNothing(),
    db
      .delete(media)
      .where(isDeclined(media))
      .returning({ id: media.id, memorialId: media.memorialId, objectKey: media.objectKey }),
    db
      .delete(comments)
      .where(isDeclined(comments))
      .returning({ id: comments.id, contributorId: comments.authorContributorId }),
    db.update(media).set({ decidedAt: null }).where(isShownLong(media)).returning({ id: media.id }),
    db.update(comments).set({ decidedAt: null }).where(isShownLong(comments)).returning({ id: comments.id }),
  ])
  await deleteFilesOf(ctx, files)
  await forgetVisitorsOf(ctx, messages)
  return [files, messages, shownFiles, shownMessages].some(({ length }) => length === PURGE_BATCH)
}

/** SQL condition: one of the rows that were decided before `until`, of those that match `which`. */
function isOld(table: ItemTable, until: number, which: SQL | undefined): SQL {
  return sql`${table.id} in (select ${table.id} from ${table} where ${and(
    sql`${table.decidedAt} is not null`,
    /* prove: declined-kept-30-days */ lte(table.decidedAt, until),
    which,
  )}
    order by ${table.decidedAt} limit ${PURGE_BATCH})`
}
