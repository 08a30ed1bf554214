import { and, eq, isNull, lt, or } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { UPLOAD_FINISH_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/ctx.ts'
import { abandonFile, keepFile } from '#worker/features/media/keep-file.ts'
import type { Draft } from '#worker/features/media/receive-file.ts'
import { resumableUploads } from '#worker/features/media/resumable.table.ts'
import { itemOf, objectKeyOf, planOf, storeOf, type UploadRow } from '#worker/features/media/upload-row.ts'
import type { Assembled } from '#worker/features/media/upload-store.do.ts'
import { stripMetadata } from '#worker/media-formats/strip-metadata.ts'
import {
  accessOfSender,
  findMemorial,
  type MemorialAccess,
} from '#worker/features/memorials/memorial-access.ts'
import { releaseQuota } from '#worker/features/quota/quota.ts'
import { putStream } from '#worker/platform/objects.ts'

/** Whether all bytes of an upload are here. */
export async function isWhole(ctx: Ctx, upload: UploadRow): Promise<boolean> {
  return (await storeOf(ctx, upload).offset()) === upload.length
}

/**
 * Ends an upload and removes what it has stored; nothing happens to a medium that it became. Throws `conflict` while
 * somebody is making one of it: its file must stay.
 */
export async function deleteUpload(ctx: Ctx, upload: UploadRow): Promise<void> {
  const isHere = eq(resumableUploads.id, upload.id)
  if (upload.endedAt === null) {
    if (await claim(ctx, upload)) {
      try {
        await storeOf(ctx, upload).discard(planOf(upload))
        await releaseQuota(ctx, upload.memorialId, upload.mediaId)
      } catch (error) {
        await giveBack(ctx, upload)
        throw error
      }
    } else {
      const [now] = await ctx.db.select().from(resumableUploads).where(isHere)
      if (now?.endedAt === null) throw new AppError('conflict', messages.media.uploadBecomesMedium)
    }
  }
  await ctx.db.delete(resumableUploads).where(isHere)
}

/** Takes an upload that has not ended, for as long as its end may take. Null where somebody else has it. */
async function claim(
  ctx: Ctx,
  { id }: UploadRow,
  changes: { arrivedAt?: number } = {},
): Promise<UploadRow | null> {
  const now = ctx.now()
  const { endedAt, finishingUntil } = resumableUploads
  const isFree = or(isNull(finishingUntil), lt(finishingUntil, now))
  const [mine] = await ctx.db
    .update(resumableUploads)
    .set({ ...changes, finishingUntil: now + UPLOAD_FINISH_MS })
    .where(and(eq(resumableUploads.id, id), isNull(endedAt), isFree))
    .returning()
  return mine ?? null
}

/** It was not ended after all: the next one need not wait. */
async function giveBack(ctx: Ctx, { id }: UploadRow): Promise<void> {
  await ctx.db.update(resumableUploads).set({ finishingUntil: null }).where(eq(resumableUploads.id, id))
}

/**
 * Makes a medium of a file whose bytes are all here. One at a time: while somebody else is at it, returns the upload as it
 * is. A refusal ends it for good and is thrown; any other failure leaves it to be tried again.
 */
export async function finishUpload(ctx: Ctx, access: MemorialAccess, upload: UploadRow): Promise<UploadRow> {
  const mine = await claim(ctx, upload, { arrivedAt: upload.arrivedAt ?? ctx.now() })
  if (!mine) return upload
  const draft: Draft = {
    mediaId: mine.mediaId,
    memorialId: mine.memorialId,
    objectKey: objectKeyOf(mine),
    purpose: 'medium',
    idempotencyKey: mine.idempotencyKey,
    reserved: itemOf(mine),
    isUncertain: false,
  }
  try {
    const refusal = access.access.refuse('contribute')
    if (refusal) throw new AppError(refusal.code, refusal.message)
    const { size, sniffed } = await assembleClean(ctx, mine)
    const received = { kind: 'stored', size, fileName: mine.fileName, sniffed } as const
    await keepFile(ctx, draft, access, received, mine.type)
  } catch (error) {
    if (error instanceof AppError && !draft.isUncertain) {
      await abandonFile(ctx, draft)
      return endRefused(ctx, mine, error)
    }
    await giveBack(ctx, mine)
    throw error
  }
  const ended = { endedAt: ctx.now(), finishingUntil: null }
  await ctx.db.update(resumableUploads).set(ended).where(eq(resumableUploads.id, mine.id))
  await storeOf(ctx, mine).forget()
  return { ...mine, ...ended }
}

/** Makes the object, without the tags of its sender's device. Safe to repeat: begun again, it ends the same. */
async function assembleClean(ctx: Ctx, upload: UploadRow): Promise<Assembled> {
  const plan = planOf(upload)
  const assembled = await storeOf(ctx, upload).assemble(plan)
  if (assembled.key === plan.objectKey) return assembled
  const raw = await ctx.env.MEDIA.get(assembled.key)
  if (raw) {
    const { mimeType } = assembled.sniffed
    await putStream(ctx.env, plan.objectKey, stripMetadata(raw.body, mimeType), mimeType)
    await ctx.env.MEDIA.delete(assembled.key)
  }
  return assembled
}

/** Finishes what arrived whole and was left: its sender went away, or the server died between the last piece and the row. */
export async function finishLeftUpload(ctx: Ctx, upload: UploadRow): Promise<void> {
  const memorial = await findMemorial(ctx, upload.memorialId)
  if (!memorial) return deleteUpload(ctx, upload)
  try {
    await finishUpload(ctx, accessOfSender(memorial, upload.contributorId), upload)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    ctx.log.info('left_upload_refused', { uploadId: upload.id, code: error.code })
  }
}

/** Removes all that a refused upload has stored, remembers why, and throws it. */
export async function endRefused(ctx: Ctx, upload: UploadRow, refusal: AppError): Promise<never> {
  await storeOf(ctx, upload).discard(planOf(upload))
  await releaseQuota(ctx, upload.memorialId, upload.mediaId)
  await ctx.db
    .update(resumableUploads)
    .set({
      endedAt: ctx.now(),
      finishingUntil: null,
      refusalCode: refusal.code,
      refusalMessage: refusal.message,
    })
    .where(eq(resumableUploads.id, upload.id))
  throw refusal
}
