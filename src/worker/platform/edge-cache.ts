import { and, asc, eq, lte, or, sql, type SQL } from 'drizzle-orm'
import { CACHE_PURGE_REPEAT_MS, CACHE_TAGS_PER_CALL } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { cachePurges } from '#worker/schema/jobs.table.ts'
import { count } from '#worker/platform/metrics.ts'
import { countRateLimit } from '#worker/platform/rate-limiter.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** For public, tagged responses, also served stale while the edge revalidates: docs/decisions/0003 and 0022. */
export const EDGE_CACHE = 'public, max-age=60, stale-while-revalidate=600'

/** The `Cache-Tag` of all public pages of one memorial. */
export function memorialTag(memorialId: string): string {
  return `memorial-${memorialId}`
}

/** Only LOCKED memorials have cached pages: put it before a change of privacy. `urgent`: not for all any more. */
export function queueCachePurge(ctx: Ctx, which: SQL | undefined, { urgent }: { urgent: boolean }) {
  return ctx.db
    .insert(cachePurges)
    .select(
      ctx.db
        .select({
          tag: sql<string>`${memorialTag('')} || ${memorials.id}`.as('tag'),
          isUrgent: sql<boolean>`${Number(urgent)}`.as('is_urgent'),
          askedAt: sql<number>`${ctx.now()}`.as('asked_at'),
          dueAt: sql<number>`${ctx.now()}`.as('due_at'),
          isSecond: sql<boolean>`0`.as('is_second'),
        })
        .from(memorials)
        .where(and(which, eq(memorials.privacy, 'LOCKED'))),
    )
    .onConflictDoUpdate({
      target: cachePurges.tag,
      set: {
        isUrgent: sql`max(${cachePurges.isUrgent}, excluded.is_urgent)`,
        askedAt: sql`max(${cachePurges.askedAt} + 1, excluded.asked_at)`,
        dueAt: sql`iif(excluded.is_urgent, excluded.due_at, ${cachePurges.dueAt})`,
        isSecond: sql`${cachePurges.isSecond} and not excluded.is_urgent`,
      },
    })
    .returning({ tag: cachePurges.tag })
}

/** Enqueues an urgent purge. If the queue is down, cron finds the row later. */
export async function schedulePurge(ctx: Ctx, queued: { tag: string }[]): Promise<void> {
  if (queued.length === 0) return
  try {
    await ctx.enqueue({ type: 'purge-cache' })
  } catch (error) {
    ctx.log.warn('purge_not_enqueued', { cause: String(error) })
  }
}

/**
 * Runs queued cache purges, urgent ones first: 100 tags per call and a few calls a minute worldwide, Cloudflare's limit
 * (https://developers.cloudflare.com/workers/cache/purge/). Deletes a row after its purge, unless a new request came in
 * meanwhile. Purges urgent tags twice, because a lagging replica may have served the page that filled the cache again.
 * The next cron run does the rest. Throws the error of a failed purge.
 */
export async function drainCachePurges(ctx: Ctx): Promise<void> {
  for (;;) {
    const found = await ctx.db.batch([selectDue(ctx, true), selectDue(ctx, false)])
    const due = found.flat().slice(0, CACHE_TAGS_PER_CALL)
    if (due.length === 0 || (await countRateLimit(ctx, 'cachePurges', 'all')) > 0) return
    await purge(ctx, due)
    await markPurged(ctx, due)
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

/** Deletes rows whose purge is done or schedules their second purge. Ignores rows that have changed meanwhile. */
async function markPurged(ctx: Ctx, due: Due[]): Promise<void> {
  const purged = JSON.stringify(due.map(({ tag, askedAt, dueAt }) => [tag, askedAt, dueAt]))
  const isPurged = sql`(${cachePurges.tag}, ${cachePurges.askedAt}, ${cachePurges.dueAt}) in (
    select value ->> 0, value ->> 1, value ->> 2 from json_each(${purged}))`
  const isDone = or(eq(cachePurges.isUrgent, false), eq(cachePurges.isSecond, true))
  await ctx.db.batch([
    ctx.db.delete(cachePurges).where(and(isPurged, isDone)),
    ctx.db
      .update(cachePurges)
      .set({ isSecond: true, dueAt: ctx.now() + CACHE_PURGE_REPEAT_MS })
      .where(isPurged),
  ])
}
