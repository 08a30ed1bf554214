import { and, eq, or, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { nextUpdatedAt } from '#worker/features/memorials/memorials.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/**
 * Statement: a photo of which `isGone` holds is no longer cover or portrait of this memorial. Without the chosen main photo, the portrait
 * is the main photo again.
 */
export function clearImages(ctx: Ctx, memorialId: string, isGone: (used: SQLiteColumn) => SQL | undefined) {
  const unlessGone = (used: SQLiteColumn) => sql`case when ${isGone(used)} then null else ${used} end`
  const { coverMediaId: cover, profileMediaId: portrait } = memorials
  return ctx.db
    .update(memorials)
    .set({
      coverMediaId: sql`coalesce(${unlessGone(cover)}, ${unlessGone(portrait)})`,
      profileMediaId: unlessGone(portrait),
      updatedAt: nextUpdatedAt(ctx),
    })
    .where(and(eq(memorials.id, memorialId), or(isGone(cover), isGone(portrait))))
}
