import { asc, desc, sql } from 'drizzle-orm'
import { CACHE_TAGS_A_CALL } from '#shared/limits.ts'
import type { Ctx } from '#worker/ctx.ts'
import { cachePurges } from '#worker/platform/cache-purges.table.ts'
import { countThrottle } from '#worker/platform/throttle.ts'

/** Asks for an urgent purge at once. A queue that is down only delays it: cron finds the row. */
export async function purgeSoon(ctx: Ctx, asked: { tag: string }[]): Promise<void> {
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
 * has asked again meanwhile; what is left over is for the next minute's cron. Throws what the edge says against it.
 */
export async function drainCachePurges(ctx: Ctx): Promise<void> {
  for (;;) {
    const due = await ctx.db
      .select({ tag: cachePurges.tag, askedAt: cachePurges.askedAt })
      .from(cachePurges)
      .orderBy(desc(cachePurges.isUrgent), asc(cachePurges.askedAt), asc(cachePurges.tag))
      .limit(CACHE_TAGS_A_CALL)
    if (due.length === 0 || (await countThrottle(ctx, 'cachePurges', 'all')) > 0) return
    await ctx.purgeEdge(due.map(({ tag }) => tag))
    const done = JSON.stringify(due.map(({ tag, askedAt }) => [tag, askedAt]))
    await ctx.db.delete(cachePurges).where(sql`(${cachePurges.tag}, ${cachePurges.askedAt}) in (
      select value ->> 0, value ->> 1 from json_each(${done}))`)
    if (due.length < CACHE_TAGS_A_CALL) return
  }
}
