import { inArray } from 'drizzle-orm'
import { DAY_MS, MINUTE_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { objectDeletions } from '#worker/schema/media.table.ts'

/** Outside the prefix that the sweep lists. */
const MARK_PREFIX = 'marks/'
/** Longer than a complete sweep takes. */
const MARK_EXPIRES_MS = 2 * DAY_MS
/** By then the row of a new object has been inserted; also covers clock skew. */
const SETTLED_AFTER_MS = 10 * MINUTE_MS
/** D1 allows 100 bound parameters per statement. */
const KEYS_PER_QUERY = 90

/** A restore marker in R2, and whether the database has it, too. */
export type Mark = { at: number; isRemembered: boolean }

/**
 * Writes a restore marker to D1 and R2. A restored database lacks markers that R2 still has, see docs/decisions/0011. Its
 * row in `object_deletions` deletes a marker after two days.
 */
export async function writeRestoreMarker(ctx: Ctx): Promise<void> {
  const at = ctx.now()
  const prefix = `${MARK_PREFIX}${at}`
  await ctx.db
    .insert(objectDeletions)
    .values({ prefix, createdAt: at + MARK_EXPIRES_MS })
    .onConflictDoNothing()
  await ctx.env.MEDIA.put(prefix, '')
}

/** The restore markers in R2, oldest first. */
export async function readMarks(ctx: Ctx): Promise<Mark[]> {
  const { objects } = await ctx.env.MEDIA.list({ prefix: MARK_PREFIX })
  const keys = objects.map(({ key }) => key)
  const remembered = new Set<string>()
  for (let at = 0; at < keys.length; at += KEYS_PER_QUERY) {
    const rows = await ctx.db
      .select({ prefix: objectDeletions.prefix })
      .from(objectDeletions)
      .where(inArray(objectDeletions.prefix, keys.slice(at, at + KEYS_PER_QUERY)))
    for (const { prefix } of rows) remembered.add(prefix)
  }
  return keys
    .map((key) => ({ at: Number(key.slice(MARK_PREFIX.length)), isRemembered: remembered.has(key) }))
    .toSorted((a, b) => a.at - b.at)
}

/**
 * Whether the database is reliable for objects of this time. `known`: it has the next marker; `unknown`: there is no later
 * marker; `forgotten`: it lacks that marker, so it was restored to an earlier time and may have lost the row.
 */
export function restoreStatusAt(marks: Mark[], uploadedAt: number): 'known' | 'unknown' | 'forgotten' {
  const next = marks.find(({ at }) => at >= uploadedAt + SETTLED_AFTER_MS)
  if (!next) return 'unknown'
  return next.isRemembered ? 'known' : 'forgotten'
}
