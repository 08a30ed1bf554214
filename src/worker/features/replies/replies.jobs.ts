import { and, eq, lte, sql } from 'drizzle-orm'
import { FUNERAL_DURATION_MS, REPLIES_KEPT_MS } from '#shared/limits.ts'
import { countOf, deleteMailsOf } from '#worker/features/replies/replies.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { funeralEvents, replies } from '#worker/schema/funeral.table.ts'

const BATCH = 2000
const BATCHES_MAX = 25

/**
 * Deletes replies 90 days after their gathering, with the mails about them, unless the owner keeps them. Bounded per run; the next run continues. Safe
 * to repeat or kill.
 */
export async function deleteOldReplies(ctx: Ctx): Promise<void> {
  let deleted = 0
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    const count = await deleteBatch(ctx)
    deleted += count
    if (count < BATCH) break
  }
  if (deleted > 0) ctx.log.info('old_replies_deleted', { count: deleted })
}

async function deleteBatch(ctx: Ctx): Promise<number> {
  const { db } = ctx
  const { endsAt, dateTime, keepReplies, id, peopleComing } = funeralEvents
  const end = sql`coalesce(${endsAt}, ${dateTime} + ${FUNERAL_DURATION_MS})`
  const isOver = and(
    /* prove: kept-replies-stay */ eq(keepReplies, false),
    /* prove: replies-stay-90-days */ lte(end, ctx.now() - REPLIES_KEPT_MS),
  )
  const due = await db
    .select({ id: replies.id })
    .from(replies)
    .innerJoin(funeralEvents, eq(id, replies.eventId))
    .where(isOver)
    .limit(BATCH)
  if (due.length === 0) return 0
  const ids = JSON.stringify(due.map((row) => row.id))
  const isDue = sql`${replies.id} in (select value from json_each(${ids}))`
  await db.batch([
    deleteMailsOf(ctx, isDue),
    db.delete(replies).where(isDue),
    db
      .update(funeralEvents)
      .set({ peopleComing: countOf(id) })
      .where(and(isOver, sql`${peopleComing} > 0`)),
  ])
  return due.length
}
