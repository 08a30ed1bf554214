import { and, asc, eq, lte, or, sql } from 'drizzle-orm'
import { CACHE_PURGE_REPEAT_MS, CACHE_TAGS_PER_CALL } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { cachePurges } from '#worker/schema/cache-purges.table.ts'
import { count } from '#worker/platform/metrics.ts'
import { countRateLimit } from '#worker/platform/rate-limiter.ts'

/** Asks for an urgent purge at once. A queue that is down only delays it: cron finds the row. */
export async function schedulePurge(ctx: Ctx, asked: { tag: string }[]): Promise<void> {
  if (asked.length === 0) return
  try {
    await ctx.enqueue({ type: 'purge-cache' })
  } catch (error) {
    ctx.log.warn('purge_not_enqueued', { cause: String(error) })
  }
}

/**
 * Makes the edge forget what was asked for, the urgent first, 100 tags a call and a few calls a minute, worldwide: more is
 * refused there (https://developers.cloudflare.com/workers/cache/purge/). A row goes once the edge has said yes and nobody
 * has asked again meanwhile; an urgent one is said a second time before it goes, because the page may have been made anew
 * from a replica that did not know yet. What is left over is for the next minute's cron. Throws what the edge says against it.
 */
export async function drainCachePurges(ctx: Ctx): Promise<void> {
  for (;;) {
    const found = await ctx.db.batch([selectDue(ctx, true), selectDue(ctx, false)])
    const due = found.flat().slice(0, CACHE_TAGS_PER_CALL)
    if (due.length === 0 || (await countRateLimit(ctx, 'cachePurges', 'all')) > 0) return
    await purge(ctx, due)
    await settle(ctx, due)
    if (due.length < CACHE_TAGS_PER_CALL) return
  }
}

async function purge(ctx: Ctx, due: Due[]): Promise<void> {
  try {
    await ctx.purgeEdge(due.map(({ tag }) => tag))
  } catch (error) {
    count(ctx, 'purge_retried', { amount: due.length })
    throw error
  }
}

type Due = Pick<typeof cachePurges.$inferSelect, 'tag' | 'askedAt' | 'dueAt'>

function selectDue(ctx: Ctx, isUrgent: boolean) {
  return ctx.db
    .select({ tag: cachePurges.tag, askedAt: cachePurges.askedAt, dueAt: cachePurges.dueAt })
    .from(cachePurges)
    .where(and(eq(cachePurges.isUrgent, isUrgent), lte(cachePurges.dueAt, ctx.now())))
    .orderBy(asc(cachePurges.dueAt), asc(cachePurges.tag))
    .limit(CACHE_TAGS_PER_CALL)
}

/** What the edge has forgotten goes, or waits to be said again. Not what somebody asked for, or said, meanwhile. */
async function settle(ctx: Ctx, due: Due[]): Promise<void> {
  const said = JSON.stringify(due.map(({ tag, askedAt, dueAt }) => [tag, askedAt, dueAt]))
  const isSaid = sql`(${cachePurges.tag}, ${cachePurges.askedAt}, ${cachePurges.dueAt}) in (
    select value ->> 0, value ->> 1, value ->> 2 from json_each(${said}))`
  const isOver = or(eq(cachePurges.isUrgent, false), eq(cachePurges.isSecond, true))
  await ctx.db.batch([
    ctx.db.delete(cachePurges).where(and(isSaid, isOver)),
    ctx.db
      .update(cachePurges)
      .set({ isSecond: true, dueAt: ctx.now() + CACHE_PURGE_REPEAT_MS })
      .where(isSaid),
  ])
}
