import { and, asc, eq, isNotNull, isNull, lt, lte, or } from 'drizzle-orm'
import { MINUTE_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/ctx.ts'
import { deleteUpload, finishLeftUpload, isWhole } from '#worker/features/media/finish-upload.ts'
import type { UploadRow } from '#worker/features/media/upload-row.ts'
import { resumableUploads } from '#worker/features/media/resumable.table.ts'

const BATCH = 50

/** Makes media of files that arrived whole and were left. Bounded a run. */
export async function finishLeftUploads(ctx: Ctx): Promise<void> {
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
  await each(ctx, left, (upload) => finishLeftUpload(ctx, upload))
}

/** Removes uploads that got no piece for a day, with all that they stored. One that is whole is finished instead. */
export async function sweepUploads(ctx: Ctx): Promise<void> {
  const expired = await ctx.db
    .select()
    .from(resumableUploads)
    .where(lte(resumableUploads.expiresAt, ctx.now()))
    .orderBy(asc(resumableUploads.expiresAt))
    .limit(BATCH)
  await each(ctx, expired, async (upload) => {
    if (upload.endedAt === null && (await isWhole(ctx, upload))) await finishLeftUpload(ctx, upload)
    else await deleteUpload(ctx, upload)
  })
  if (expired.length > 0) ctx.log.info('uploads_swept', { count: expired.length })
}

/** Ends every upload into a memorial that is purged. Throws when one cannot be ended now. */
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

/** One that fails holds up none of the others. */
async function each(
  ctx: Ctx,
  uploads: UploadRow[],
  work: (upload: UploadRow) => Promise<void>,
): Promise<void> {
  for (const upload of uploads) {
    try {
      await work(upload)
    } catch (error) {
      ctx.log.error('upload_not_settled', error, { uploadId: upload.id })
    }
  }
}
