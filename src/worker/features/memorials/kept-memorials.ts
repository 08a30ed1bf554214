import { and, asc, eq } from 'drizzle-orm'
import type { User } from '#shared/accounts.ts'
import { DASHBOARD_MAX } from '#shared/limits.ts'
import type { KeptMemorial } from '#shared/memorials.ts'
import { keepersNewsColumns, toNews } from '#worker/features/memorials/news.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { keepers } from '#worker/schema/keepers.table.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'

/** The memorials that this person looks after, by name, each with what is new to them. */
export async function listKeptMemorials(ctx: Ctx, user: User): Promise<KeptMemorial[]> {
  const rows = await ctx.db
    .select({
      id: memorials.id,
      honoureeFullName: memorials.honoureeFullName,
      role: keepers.role,
      privacy: memorials.privacy,
      news: keepersNewsColumns(),
    })
    .from(keepers)
    .innerJoin(contributors, eq(contributors.id, keepers.contributorId))
    .innerJoin(memorials, eq(memorials.id, keepers.memorialId))
    .where(and(eq(keepers.userId, user.id), isNotDeleted()))
    .orderBy(asc(memorials.honoureeFullName), asc(memorials.id))
    .limit(DASHBOARD_MAX)
  return rows.map(({ news, ...memorial }) => Object.assign(memorial, { news: toNews(news) }))
}
