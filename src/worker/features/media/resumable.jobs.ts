import { and, asc, eq, gt, isNotNull, isNull, lt, lte, or } from 'drizzle-orm'
import { DAY_MS, MINUTE_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import {
  deleteUpload,
  finishAbandonedUpload,
  isComplete,
  type UploadRow,
} from '#worker/features/media/finish-resumable.ts'
import { resumableUploads } from '#worker/schema/media.table.ts'
import { recordSweep, type Swept } from '#worker/features/media/media.jobs.ts'

const BATCH = 50
/** A complete file that can't be finished is deleted after this time, because each attempt may be billed. */
const DISCARD_AFTER_MS = 2 * DAY_MS
/** A thousand uploads an hour. */
const SWEEP_BATCHES = 20

/** Creates the media items of complete uploads that their request didn't finish. Bounded per run. */
export async function finishAbandonedUploads(ctx: Ctx): Promise<void> {
  const { arrivedAt, endedAt, finishingUntil } = resumableUploads
  const left = await ctx.db
    .select()
    .from(resumableUploads)
    .where(
      and(
        isNotNull(arrivedAt),
        lte(arrivedAt, ctx.now() - MINUTE_MS),
        isNull(endedAt),
        or(isNull(finishingUntil), lt(finishingUntil, ctx.now())),
      ),
    )
    .orderBy(asc(arrivedAt))
    .limit(BATCH)
  await each(ctx, left, (upload) => finishAbandonedUpload(ctx, upload))
}

/** Deletes uploads without a chunk for a day. Retries complete ones for two more days instead. Bounded per run. */
export async function sweepUploads(ctx: Ctx): Promise<void> {
  const { id, expiresAt } = resumableUploads
  const swept: Swept = { removed: 0, failed: 0 }
  let last: UploadRow | undefined
  for (let batch = 0; batch < SWEEP_BATCHES; batch++) {
    // By cursor, so that uploads that can't be deleted don't delay the others.
    const isNext = last
      ? or(gt(expiresAt, last.expiresAt), and(eq(expiresAt, last.expiresAt), gt(id, last.id)))
      : undefined
    const expired: UploadRow[] = await ctx.db
      .select()
      .from(resumableUploads)
      .where(and(lte(expiresAt, ctx.now()), isNext))
      .orderBy(asc(expiresAt), asc(id))
      .limit(BATCH)
    const failed = await each(ctx, expired, async (upload) => {
      const isOver = upload.endedAt !== null || upload.expiresAt <= ctx.now() - DISCARD_AFTER_MS
      if (!isOver && (await isComplete(ctx, upload))) await finishAbandonedUpload(ctx, upload)
      else await deleteUpload(ctx, upload)
    })
    swept.removed += expired.length - failed
    swept.failed += failed
    last = expired.at(-1)
    if (expired.length < BATCH) break
  }
  await recordSweep(ctx, 'uploads', swept)
  if (swept.removed > 0) ctx.log.info('uploads_swept', { count: swept.removed })
}

/** Deletes all uploads of a memorial before its purge. Throws if one can't be deleted. */
export async function discardUploadsOf(ctx: Ctx, memorialId: string): Promise<void> {
  for (;;) {
    const found = await ctx.db
      .select()
      .from(resumableUploads)
      .where(eq(resumableUploads.memorialId, memorialId))
      .limit(BATCH)
    if (found.length === 0) return
    for (const upload of found) await deleteUpload(ctx, upload)
  }
}

/** Runs `work` for every upload, also after failures. Returns how many failed. */
async function each(
  ctx: Ctx,
  uploads: UploadRow[],
  work: (upload: UploadRow) => Promise<void>,
): Promise<number> {
  let failed = 0
  for (const upload of uploads) {
    try {
      await work(upload)
    } catch (error) {
      ctx.log.error('upload_not_settled', error, { uploadId: upload.id })
      failed++
    }
  }
  return failed
}
