import { and, asc, eq, sql } from 'drizzle-orm'
import type { User } from '#shared/accounts/accounts.ts'
import { DASHBOARD_MAX } from '#shared/limits.ts'
import type { KeptMemorial } from '#shared/memorials/memorials.ts'
import { canTakeBack } from '#worker/features/keepers/handover.ts'
import { fullName } from '#worker/features/keepers/keeper-invites.ts'
import { keepersNewsColumns, toNews } from '#worker/features/memorials/news.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { handovers, keepers } from '#worker/schema/keepers.table.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'

/** The memorials that this person looks after, by name, each with what is new to them. */
export async function listKeptMemorials(ctx: Ctx, user: User): Promise<KeptMemorial[]> {
  const takeBackUntil = ctx.db
    .select({ until: handovers.takeBackUntil })
    .from(handovers)
    .where(and(eq(handovers.memorialId, memorials.id), canTakeBack(ctx, user.id)))
  const rows = await ctx.db
    .select({
      id: memorials.id,
      honoureeFullName: memorials.honoureeFullName,
      role: keepers.role,
      privacy: memorials.privacy,
      news: keepersNewsColumns(),
      owner: fullName(),
      takeBackUntil: sql<number | null>`(${takeBackUntil})`,
    })
    .from(keepers)
    .innerJoin(contributors, eq(contributors.id, keepers.contributorId))
    .innerJoin(memorials, eq(memorials.id, keepers.memorialId))
    .innerJoin(users, eq(users.id, memorials.ownerId))
    .where(and(eq(keepers.userId, user.id), isNotDeleted()))
    .orderBy(asc(memorials.honoureeFullName), asc(memorials.id))
    .limit(DASHBOARD_MAX)
  return rows.map(({ news, owner, takeBackUntil: until, ...memorial }) =>
    Object.assign(
      memorial,
      { news: toNews(news) },
      until !== null && { takeBack: { owner, until: new Date(until).toISOString() } },
    ),
  )
}
