import { and, asc, eq, inArray, isNull, lte, count, sql, type SQL } from 'drizzle-orm'
import { HOUR_MS, MINUTE_MS, DAY_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { media, objectDeletions, resumableUploads } from '#worker/schema/media.table.ts'
import { releaseQuota } from '#worker/features/quota/quota.ts'
import { countRows, insertWhere } from '#worker/platform/db.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import { deletePrefix, abortAbandonedParts } from '#worker/platform/objects.ts'
import { SWEEPS, type Leftovers, type Sweep } from '#shared/admin/admin.ts'

const DRAIN_MAX = 400
/** A million objects a day. */
const SWEEP_PAGE = 1000
const SWEEP_PAGES_MAX = 50
/** A younger object without a row may belong to a running upload. */
const ORPHAN_AFTER_MS = HOUR_MS
const SWEEP_CURSOR_KEY = 'sweep:objects'
/** D1 allows 100 bound parameters per statement. */
const IDS_PER_QUERY = 90
/** Keys of media and their variants; other features own the other keys under `m/`. */
const MEDIA_KEY = /^m\/mem_[a-z0-9]+\/(med_[a-z0-9]+)(?:\/|$)/u

/** Deletes all objects under the prefix of a deleted row, then its row in `object_deletions`. Safe to repeat. */
export async function deleteObjects(ctx: Ctx, prefix: string): Promise<void> {
  await deletePrefix(ctx.env.MEDIA, prefix)
  await ctx.db.delete(objectDeletions).where(eq(objectDeletions.prefix, prefix))
}

/** Deletes what is left of items that were deleted for good: their quota, and their objects, which are queued already. */
export async function deleteFilesOf(
  ctx: Ctx,
  deleted: { id: string; memorialId: string; objectKey: string | null }[],
): Promise<void> {
  for (const { id, memorialId, objectKey } of deleted) {
    if (objectKey === null) continue
    await releaseQuota(ctx, memorialId, id)
    await ctx.enqueue({ type: 'delete-objects', prefix: objectKey })
  }
}

/** Returns an insert that queues the deletion of `prefix` (a text or a subselect) if `condition` holds. */
export function queueObjectDeletion(ctx: Ctx, prefix: string | SQL, condition: SQL) {
  const row = { prefix: '', createdAt: ctx.now() }
  return insertWhere(ctx.db, objectDeletions, row, condition, {
    prefix: sql`${prefix}`,
  }).onConflictDoNothing()
}

/** Runs deletions whose queue message was lost. Bounded per run. */
export async function drainObjectDeletions(ctx: Ctx): Promise<void> {
  const due = await ctx.db
    .select({ prefix: objectDeletions.prefix })
    .from(objectDeletions)
    .where(lte(objectDeletions.createdAt, ctx.now() - MINUTE_MS))
    .orderBy(asc(objectDeletions.createdAt))
    .limit(DRAIN_MAX)
  const swept: Swept = { removed: 0, failed: 0 }
  for (const { prefix } of due) {
    try {
      await deleteObjects(ctx, prefix)
      swept.removed++
    } catch (error) {
      // Its row stays for the next run; the others continue.
      ctx.log.error('objects_not_deleted', error, { prefix })
      swept.failed++
    }
  }
  await recordSweep(ctx, 'deletions', swept)
}

/**
 * Deletes objects without a row that are older than an hour, which aborted uploads leave behind. Keeps objects whose rows a
 * database restore may have lost (docs/decisions/0011). Bounded per run; the next run continues.
 */
export async function sweepOrphanObjects(ctx: Ctx): Promise<void> {
  const markers = await readRestoreMarkers(ctx)
  let skipped = 0
  let removed = 0
  let cursor = (await ctx.env.KV.get(SWEEP_CURSOR_KEY)) ?? undefined
  for (let page = 0; page < SWEEP_PAGES_MAX; page++) {
    const listed = await listFrom(ctx, cursor)
    const orphans = await deleteOrphans(ctx, markers, listed.objects)
    skipped += orphans.skipped
    removed += orphans.removed
    cursor = listed.truncated ? listed.cursor : undefined
    if (cursor === undefined) break
  }
  if (cursor === undefined) await ctx.env.KV.delete(SWEEP_CURSOR_KEY)
  else await ctx.env.KV.put(SWEEP_CURSOR_KEY, cursor)
  await recordSweep(ctx, 'objects', { removed, failed: skipped })
  if (skipped > 0) {
    ctx.log.error(
      'database_older_than_objects',
      'objects without a row were not deleted: restore the rows or decide',
      {
        count: skipped,
      },
    )
  }
}

/** A page of the stored objects. If R2 rejects the cursor of the last run, the next run starts over. */
async function listFrom(ctx: Ctx, cursor: string | undefined): Promise<R2Objects> {
  try {
    return await ctx.env.MEDIA.list({ prefix: 'm/', limit: SWEEP_PAGE, ...(cursor ? { cursor } : {}) })
  } catch (error) {
    await ctx.env.KV.delete(SWEEP_CURSOR_KEY)
    throw error
  }
}

/** Returns how many objects it deleted, and how many it kept because a restore may have lost their rows. */
async function deleteOrphans(
  ctx: Ctx,
  markers: RestoreMarker[],
  objects: R2Object[],
): Promise<{ removed: number; skipped: number }> {
  let [removed, skipped] = [0, 0]
  const uploadedAt = new Map(objects.map(({ key, uploaded }) => [key, uploaded.getTime()]))
  const keysById = new Map<string, string[]>()
  for (const { key, uploaded } of objects) {
    const id = MEDIA_KEY.exec(key)?.[1]
    if (!id || uploaded.getTime() > ctx.now() - ORPHAN_AFTER_MS) continue
    keysById.set(id, [...(keysById.get(id) ?? []), key])
  }
  const ids = [...keysById.keys()]
  for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
    const batch = ids.slice(at, at + IDS_PER_QUERY)
    // A complete file waits for its row until its upload ends.
    const { mediaId, endedAt } = resumableUploads
    const [rows, removedRows, uploads] = await ctx.db.batch([
      ctx.db.select({ id: media.id }).from(media).where(inArray(media.id, batch)),
      ctx.db.select({ id: removedItems.id }).from(removedItems).where(inArray(removedItems.id, batch)),
      ctx.db
        .select({ id: mediaId })
        .from(resumableUploads)
        .where(and(inArray(mediaId, batch), isNull(endedAt))),
    ])
    const known = new Set([...rows, ...removedRows, ...uploads].map(({ id }) => id))
    const rowless = batch.filter((id) => !known.has(id)).flatMap((id) => keysById.get(id) ?? [])
    const checked = rowless.map((key) => ({
      key,
      status: restoreStatusAt(markers, uploadedAt.get(key) ?? 0),
    }))
    const orphans = checked.filter(({ status }) => status === 'reliable').map(({ key }) => key)
    skipped += checked.filter(({ status }) => status === 'restored').length
    if (orphans.length > 0) await ctx.env.MEDIA.delete(orphans)
    removed += orphans.length
    if (orphans.length > 0) ctx.log.info('orphans_swept', { count: orphans.length })
  }
  return { removed, skipped }
}

/** Outside the prefix that the sweep lists. */
const MARK_PREFIX = 'marks/'
/** Longer than a complete sweep takes. */
const MARK_EXPIRES_MS = 2 * DAY_MS
/** By then the row of a new object has been inserted; also covers clock skew. */
const SETTLED_AFTER_MS = 10 * MINUTE_MS

/** A restore marker in R2, and whether the database has it, too. */
export type RestoreMarker = { at: number; isInDatabase: boolean }

/** A restored database lacks markers that R2 still has: docs/decisions/0011. Each is deleted after two days. */
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
export async function readRestoreMarkers(ctx: Ctx): Promise<RestoreMarker[]> {
  const { objects } = await ctx.env.MEDIA.list({ prefix: MARK_PREFIX })
  const keys = objects.map(({ key }) => key)
  const inDatabase = new Set<string>()
  for (let at = 0; at < keys.length; at += IDS_PER_QUERY) {
    const rows = await ctx.db
      .select({ prefix: objectDeletions.prefix })
      .from(objectDeletions)
      .where(inArray(objectDeletions.prefix, keys.slice(at, at + IDS_PER_QUERY)))
    for (const { prefix } of rows) inDatabase.add(prefix)
  }
  return keys
    .map((key) => ({ at: Number(key.slice(MARK_PREFIX.length)), isInDatabase: inDatabase.has(key) }))
    .toSorted((a, b) => a.at - b.at)
}

/**
 * Whether the database is reliable for objects of this time. `reliable`: it has the next marker; `unknown`: there is no later
 * marker; `restored`: it lacks that marker, so it was restored to an earlier time and may have lost the row.
 */
export function restoreStatusAt(
  markers: RestoreMarker[],
  uploadedAt: number,
): 'reliable' | 'unknown' | 'restored' {
  const next = markers.find(({ at }) => at >= uploadedAt + SETTLED_AFTER_MS)
  if (!next) return 'unknown'
  return next.isInDatabase ? 'reliable' : 'restored'
}

type Job = Sweep['job']
export type Swept = { removed: number; failed: number }

/** Slightly more than two missed runs. */
const LATE_AFTER_MS: Record<Job, number> = {
  uploads: 2 * HOUR_MS + 10 * MINUTE_MS,
  parts: 2 * HOUR_MS + 10 * MINUTE_MS,
  objects: 2 * HOUR_MS + 10 * MINUTE_MS,
  deletions: 40 * MINUTE_MS,
}

/** Records the last run of a sweep, replacing the previous one. */
export async function recordSweep(ctx: Ctx, job: Job, { removed, failed }: Swept): Promise<void> {
  await ctx.env.KV.put(`sweep:last:${job}`, JSON.stringify({ at: ctx.now(), removed, failed }))
}

/** Aborts the multipart uploads of crashed requests. */
export async function sweepParts(ctx: Ctx): Promise<void> {
  await recordSweep(ctx, 'parts', await abortAbandonedParts(ctx.env, ctx.now()))
}

/** Leftovers of uploads for the admin console: the last run of each sweep, and pending work. */
export async function readLeftovers(ctx: Ctx): Promise<Leftovers> {
  const { expiresAt, endedAt, length } = resumableUploads
  const isOpen = isNull(endedAt)
  const isDue = lte(objectDeletions.createdAt, ctx.now())
  const [sweeps, [[open], [expired], [pending], [oldest]]] = await Promise.all([
    Promise.all(SWEEPS.map((job) => lastSweep(ctx, job))),
    ctx.db.batch([
      ctx.db
        .select({ amount: count(), bytes: sql<number>`coalesce(sum(${length}), 0)` })
        .from(resumableUploads)
        .where(isOpen),
      countRows(ctx.db, resumableUploads, and(isOpen, lte(expiresAt, ctx.now()))),
      countRows(ctx.db, objectDeletions, isDue),
      ctx.db
        .select({ createdAt: objectDeletions.createdAt })
        .from(objectDeletions)
        .where(isDue)
        .orderBy(asc(objectDeletions.createdAt))
        .limit(1),
    ]),
  ])
  return {
    sweeps,
    uploads: open?.amount ?? 0,
    reservedBytes: open?.bytes ?? 0,
    expiredUploads: expired?.amount ?? 0,
    deletions: pending?.amount ?? 0,
    oldestDeletionAt: oldest ? new Date(oldest.createdAt).toISOString() : null,
  }
}

async function lastSweep(ctx: Ctx, job: Job): Promise<Sweep> {
  const last = await ctx.env.KV.get<Swept & { at: number }>(`sweep:last:${job}`, 'json')
  if (!last) return { job, status: 'never', lastRunAt: null, removed: 0, failed: 0 }
  const { at, removed, failed } = last
  const status = ctx.now() - at > LATE_AFTER_MS[job] ? 'late' : 'ok'
  return { job, status, lastRunAt: new Date(at).toISOString(), removed, failed }
}
