import { and, eq, inArray, lte, sql, type SQL } from 'drizzle-orm'
import { FUNERAL_DURATION_MS, REPLIES_KEPT_MS } from '#shared/limits.ts'
import { countOf, deleteMailsOf } from '#worker/features/replies/replies.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { funeralEvents, replies } from '#worker/schema/funeral.table.ts'

/** Gatherings of which one batch deletes the replies, and batches per run. */
const BATCH = 40
const BATCHES_MAX = 25

/**
 * Deletes the replies to gatherings that ended 90 days ago, with the mails about them, unless the owner keeps them. Bounded per run; the next run
 * continues. Safe to repeat or kill.
 */
export async function deleteOldReplies(ctx: Ctx): Promise<void> {
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    if ((await deleteBatch(ctx)) < BATCH) return
  }
}

async function deleteBatch(ctx: Ctx): Promise<number> {
  const { db } = ctx
  const { id, endsAt, dateTime, keepReplies } = funeralEvents
  const end = sql`coalesce(${endsAt}, ${dateTime} + ${FUNERAL_DURATION_MS})`
  const isOver = and(
    /* prove: kept-replies-stay */ eq(keepReplies, false),
    /* prove: replies-stay-90-days */ lte(end, ctx.now() - REPLIES_KEPT_MS),
  )
  const due = (which: SQL | undefined) => db.select({ id }).from(funeralEvents).where(and(which, isOver))
  const withReplies = db.select({ id: replies.eventId }).from(replies)
  const found = await due(inArray(id, withReplies)).limit(BATCH)
  if (found.length === 0) return 0
  const isFound = sql`${id} in (select value from json_each(${JSON.stringify(found.map((event) => event.id))}))`
  const isDue = inArray(replies.eventId, due(isFound))
  const [, { meta }] = await db.batch([
    deleteMailsOf(ctx, isDue),
    db.delete(replies).where(isDue),
    db
      .update(funeralEvents)
      .set({ peopleComing: countOf(id) })
      .where(isFound),
  ])
  ctx.log.info('old_replies_deleted', { count: meta.changes })
  return found.length
}
