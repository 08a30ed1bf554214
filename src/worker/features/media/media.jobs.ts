import { asc, eq, inArray, lte } from 'drizzle-orm'
import { HOUR_MS, MINUTE_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/ctx.ts'
import { media, objectDeletions } from '#worker/features/media/media.table.ts'
import { deletePrefix } from '#worker/platform/objects.ts'

const DRAIN_MAX = 100
const SWEEP_PAGE = 500
const SWEEP_PAGES_MAX = 10
/** An object without a row that is younger may belong to an upload under way. */
const ORPHAN_AFTER_MS = HOUR_MS
const SWEEP_CURSOR_KEY = 'sweep:objects'
/** D1 takes 100 bound values a statement. */
const IDS_A_QUERY = 90
/** Keys of media and their variants; anything else under `m/` is another feature's. */
const MEDIA_KEY = /^m\/mem_[a-z0-9]+\/(med_[a-z0-9]+)(?:\/|$)/u

/** Removes every object under a prefix that a removed row has left, then the note that it must go. Safe to repeat. */
export async function deleteObjects(ctx: Ctx, prefix: string): Promise<void> {
  await deletePrefix(ctx.env.MEDIA, prefix)
  await ctx.db.delete(objectDeletions).where(eq(objectDeletions.prefix, prefix))
}

/** Does what a lost queue message has left undone. Bounded a run. */
export async function drainObjectDeletions(ctx: Ctx): Promise<void> {
  const due = await ctx.db
    .select({ prefix: objectDeletions.prefix })
    .from(objectDeletions)
    .where(lte(objectDeletions.createdAt, ctx.now() - MINUTE_MS))
    .orderBy(asc(objectDeletions.createdAt))
    .limit(DRAIN_MAX)
  for (const { prefix } of due) await deleteObjects(ctx, prefix)
}

/**
 * Deletes objects older than an hour that no row knows: what a killed upload has left. Bounded a run; the next one
 * goes on where this one stopped. R2 itself aborts unfinished multipart uploads after 7 days.
 */
export async function sweepOrphanObjects(ctx: Ctx): Promise<void> {
  let cursor = (await ctx.env.KV.get(SWEEP_CURSOR_KEY)) ?? undefined
  for (let page = 0; page < SWEEP_PAGES_MAX; page++) {
    const listed = await ctx.env.MEDIA.list({
      prefix: 'm/',
      limit: SWEEP_PAGE,
      ...(cursor ? { cursor } : {}),
    })
    await deleteOrphans(ctx, listed.objects)
    cursor = listed.truncated ? listed.cursor : undefined
    if (cursor === undefined) break
  }
  if (cursor === undefined) await ctx.env.KV.delete(SWEEP_CURSOR_KEY)
  else await ctx.env.KV.put(SWEEP_CURSOR_KEY, cursor)
}

async function deleteOrphans(ctx: Ctx, objects: R2Object[]): Promise<void> {
  const keysById = new Map<string, string[]>()
  for (const { key, uploaded } of objects) {
    const id = MEDIA_KEY.exec(key)?.[1]
    if (!id || uploaded.getTime() > ctx.now() - ORPHAN_AFTER_MS) continue
    keysById.set(id, [...(keysById.get(id) ?? []), key])
  }
  const ids = [...keysById.keys()]
  for (let at = 0; at < ids.length; at += IDS_A_QUERY) {
    const asked = ids.slice(at, at + IDS_A_QUERY)
    const rows = await ctx.db.select({ id: media.id }).from(media).where(inArray(media.id, asked))
    const known = new Set(rows.map(({ id }) => id))
    const orphans = asked.filter((id) => !known.has(id)).flatMap((id) => keysById.get(id) ?? [])
    if (orphans.length > 0) await ctx.env.MEDIA.delete(orphans)
    if (orphans.length > 0) ctx.log.info('orphans_swept', { count: orphans.length })
  }
}
