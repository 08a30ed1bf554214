import { and, asc, count, isNull, lte, sql } from 'drizzle-orm'
import { SWEEPS, type Leftovers, type Sweep } from '#shared/admin.ts'
import { HOUR_MS, MINUTE_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { objectDeletions } from '#worker/schema/media.table.ts'
import { resumableUploads } from '#worker/schema/resumable.table.ts'
import { abortAbandonedParts } from '#worker/platform/objects.ts'

type Job = Sweep['job']
export type Swept = { removed: number; failed: number }

/** Slightly more than two missed runs. */
const LATE_AFTER_MS: Record<Job, number> = {
  uploads: 2 * HOUR_MS + 10 * MINUTE_MS,
  parts: 2 * HOUR_MS + 10 * MINUTE_MS,
  objects: 2 * HOUR_MS + 10 * MINUTE_MS,
  deletions: 40 * MINUTE_MS,
}

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
      ctx.db
        .select({ amount: count() })
        .from(resumableUploads)
        .where(and(isOpen, lte(expiresAt, ctx.now()))),
      ctx.db.select({ amount: count() }).from(objectDeletions).where(isDue),
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
