import { inArray } from 'drizzle-orm'
import { DAY_MS, MINUTE_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { objectDeletions } from '#worker/schema/media.table.ts'

/** Outside of what the sweep goes through. */
const MARK_PREFIX = 'marks/'
/** Longer than the sweep takes to go through everything. */
const MARK_KEPT_MS = 2 * DAY_MS
/** By then the row of an object that was just written is there, and clocks may differ by less. */
const SETTLED_AFTER_MS = 10 * MINUTE_MS
/** D1 takes 100 bound values a statement. */
const KEYS_A_QUERY = 90

/** A moment that R2 remembers, and whether this database does. */
export type Mark = { at: number; isRemembered: boolean }

/**
 * Notes this moment in the database and in R2, so that a database that was taken back to an earlier time can be told: it
 * has forgotten marks that R2 still has. See docs/decisions/0011. A mark goes by its own note after two days.
 */
export async function writeRestoreMarker(ctx: Ctx): Promise<void> {
  const at = ctx.now()
  const prefix = `${MARK_PREFIX}${at}`
  await ctx.db
    .insert(objectDeletions)
    .values({ prefix, createdAt: at + MARK_KEPT_MS })
    .onConflictDoNothing()
  await ctx.env.MEDIA.put(prefix, '')
}

/** The marks in R2, oldest first. */
export async function readMarks(ctx: Ctx): Promise<Mark[]> {
  const { objects } = await ctx.env.MEDIA.list({ prefix: MARK_PREFIX })
  const keys = objects.map(({ key }) => key)
  const remembered = new Set<string>()
  for (let at = 0; at < keys.length; at += KEYS_A_QUERY) {
    const rows = await ctx.db
      .select({ prefix: objectDeletions.prefix })
      .from(objectDeletions)
      .where(inArray(objectDeletions.prefix, keys.slice(at, at + KEYS_A_QUERY)))
    for (const { prefix } of rows) remembered.add(prefix)
  }
  return keys
    .map((key) => ({ at: Number(key.slice(MARK_PREFIX.length)), isRemembered: remembered.has(key) }))
    .toSorted((a, b) => a.at - b.at)
}

/**
 * Whether the database can speak of an object of this time: `known`: it remembers a moment after it; `unknown`: none was
 * marked since; `forgotten`: it was taken back to a time before, and the row may have been lost with what it forgot.
 */
export function memoryOf(marks: Mark[], uploadedAt: number): 'known' | 'unknown' | 'forgotten' {
  const next = marks.find(({ at }) => at >= uploadedAt + SETTLED_AFTER_MS)
  if (!next) return 'unknown'
  return next.isRemembered ? 'known' : 'forgotten'
}
