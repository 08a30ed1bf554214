import { and, eq, sql, type SQL } from 'drizzle-orm'
import type { Ctx } from '#worker/platform/ctx.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { cachePurges } from '#worker/schema/cache-purges.table.ts'

/**
 * How long the edge caches public, tagged responses, and serves them stale while it revalidates. See
 * docs/decisions/0003 and 0022.
 */
export const EDGE_CACHE = 'public, max-age=60, stale-while-revalidate=600'

/** The `Cache-Tag` of all public pages of one memorial. */
export function memorialTag(memorialId: string): string {
  return `memorial-${memorialId}`
}

/**
 * Returns an insert that queues a cache purge for the memorials matched by `which`. Only LOCKED ones have cached pages,
 * so put it before the write that changes privacy. `urgent`: people may no longer see what is cached. The insert
 * returns the tags.
 */
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
