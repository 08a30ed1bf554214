import { and, eq, isNull, lt, or } from 'drizzle-orm'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { UPLOAD_FINISH_MS } from '#shared/limits.ts'
import type { UploadState } from '#shared/media/media.ts'
import { isBeingSent } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import type { UploadPlan } from '#worker/features/media/chunk-receiver.ts'
import { finalizeUpload } from '#worker/features/media/finalize-upload.ts'
import {
  discardUpload,
  type CommittedUpload,
  type ReservedUpload,
  type UncertainUpload,
  quotaUserOf,
} from '#worker/features/media/receive-file.ts'
import { resumableUploads } from '#worker/schema/media.table.ts'
import {
  CHUNK_HEADER,
  type Appended,
  type Assembled,
  type Chunk,
  type UploadStore,
} from '#worker/features/media/upload-store.do.ts'
import { throwIfRefused } from '#worker/access/access.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import { findKeeper } from '#worker/access/keepers.ts'
import { accessForSender, findMemorial, type MemorialAccess } from '#worker/access/memorial-access.ts'
import type { QuotaItem } from '#worker/features/quota/quota-limits.ts'
import { releaseQuota, reserveQuota, settleQuota } from '#worker/features/quota/quota.ts'
import { putStream } from '#worker/platform/objects.ts'
import { stripMetadata } from '#worker/media-formats/strip-metadata.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

export type UploadRow = typeof resumableUploads.$inferSelect

export type Progress = Omit<UploadState, 'media'>

/** The progress that the sender sees; throws the refusal of a refused upload. */
export function stateOf(upload: UploadRow, offset: number): Progress {
  if (upload.refusalCode !== null) {
    throw new AppError(upload.refusalCode as ErrorCode, upload.refusalMessage ?? '')
  }
  return {
    offset,
    length: upload.length,
    expiresAt: new Date(upload.expiresAt).toISOString(),
    mediaId: upload.endedAt === null ? null : upload.mediaId,
  }
}

export function storeOf(ctx: Ctx, { id }: UploadRow): DurableObjectStub<UploadStore> {
  return (ctx.env.UPLOADS as DurableObjectNamespace<UploadStore>).getByName(id)
}

/** Sends one chunk to the Durable Object. `announced`: its length in bytes, null if unknown. */
export async function appendChunk(
  ctx: Ctx,
  upload: UploadRow,
  { offset, announced }: Omit<Chunk, 'plan'>,
  body: ReadableStream<Uint8Array> | null,
): Promise<Appended> {
  const chunk: Chunk = { plan: planOf(upload), offset, announced }
  const headers = { [CHUNK_HEADER]: JSON.stringify(chunk) }
  const answer = await storeOf(ctx, upload).fetch('https://upload/', { method: 'POST', body, headers })
  return answer.json<Appended>()
}

function objectKeyOf({ memorialId, mediaId }: UploadRow): string {
  return `m/${memorialId}/${mediaId}`
}

export function planOf(upload: UploadRow): UploadPlan {
  return { objectKey: objectKeyOf(upload), length: upload.length }
}

/** The quota reservation; the duration is not known yet. */
export function itemOf({ mediaId, type, length }: UploadRow, access: MemorialAccess): QuotaItem {
  return { mediaId, type, contributorId: quotaUserOf(access), bytes: length, durationSec: 0 }
}

export async function isComplete(ctx: Ctx, upload: UploadRow): Promise<boolean> {
  return (await storeOf(ctx, upload).offset()) === upload.length
}

/** Deletes an upload and its bytes, not its media item. Throws `conflict` while another request finishes it. */
export async function deleteUpload(ctx: Ctx, upload: UploadRow): Promise<void> {
  const isHere = eq(resumableUploads.id, upload.id)
  const mine = upload.endedAt === null ? await acquireLock(ctx, upload) : null
  if (mine) {
    try {
      await storeOf(ctx, upload).discard(planOf(upload))
      await releaseQuota(ctx, upload.memorialId, upload.mediaId)
    } catch (error) {
      await releaseLock(ctx, upload)
      throw error
    }
  } else if (upload.endedAt === null) {
    const [now] = await ctx.db.select().from(resumableUploads).where(isHere)
    if (now?.endedAt === null) throw new AppError('conflict', serverMessages.media.uploadBecomesMedium)
  }
  await ctx.db.delete(resumableUploads).where(isHere)
  // A chunk may have reserved again. One that does so from here on finds no row, and releases it itself.
  if (mine) await settleQuota(ctx, upload.memorialId, upload.mediaId)
}

/** Locks an upload that has not ended, for the maximum time of finishing it. Null while another request has the lock. */
async function acquireLock(
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

/** Unlocks an upload that could not be finished, so that the next request needn't wait. */
async function releaseLock(ctx: Ctx, { id }: UploadRow): Promise<void> {
  await ctx.db.update(resumableUploads).set({ finishingUntil: null }).where(eq(resumableUploads.id, id))
}

/** One request at a time; others return the upload unchanged. A refusal ends it; other failures can be retried. */
export async function finishUpload(ctx: Ctx, access: MemorialAccess, upload: UploadRow): Promise<UploadRow> {
  const mine = await acquireLock(ctx, upload, { arrivedAt: upload.arrivedAt ?? ctx.now() })
  if (!mine) return upload
  if (await wasRemoved(ctx, mine)) return endUpload(ctx, mine)
  const reserved: ReservedUpload = {
    state: 'reserved',
    mediaId: mine.mediaId,
    memorialId: mine.memorialId,
    objectKey: objectKeyOf(mine),
    purpose: 'media-item',
    idempotencyKey: mine.idempotencyKey,
    item: itemOf(mine, access),
  }
  let result: CommittedUpload | UncertainUpload
  try {
    throwIfRefused(access.refuse('contribute'))
    // Its reservation may have expired. Without an invitation: a file that has arrived isn't held to the link's share.
    await reserveQuota(ctx, mine.memorialId, itemOf(mine, access), { lease: 'resumable' })
    const { size, sniffed } = await assembleClean(ctx, mine)
    const stored = { ...reserved, state: 'stored', size, fileName: mine.fileName, sniffed } as const
    result = await finalizeUpload(ctx, stored, access, mine.type)
  } catch (error) {
    // A file that has arrived waits for room that others may yet free.
    if (error instanceof AppError && !isBeingSent(error.message)) {
      if (await wasRemoved(ctx, mine)) return endUpload(ctx, mine)
      await discardUpload(ctx, reserved)
      return endRefused(ctx, mine, error)
    }
    await releaseLock(ctx, mine)
    throw error
  }
  if (result.state === 'uncertain') {
    await releaseLock(ctx, mine)
    throw result.error
  }
  return endUpload(ctx, mine)
}

async function endUpload(ctx: Ctx, upload: UploadRow): Promise<UploadRow> {
  const ended = { endedAt: ctx.now(), finishingUntil: null }
  await ctx.db.update(resumableUploads).set(ended).where(eq(resumableUploads.id, upload.id))
  await storeOf(ctx, upload).forget()
  return { ...upload, ...ended }
}

/** An earlier attempt made the media item, without recording it, and somebody has removed it: its file must stay. */
async function wasRemoved(ctx: Ctx, { mediaId }: UploadRow): Promise<boolean> {
  const [removed] = await ctx.db
    .select({ id: removedItems.id })
    .from(removedItems)
    .where(eq(removedItems.id, mediaId))
  return removed !== undefined
}

/** Assembles the object and strips its metadata. Safe to repeat. */
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

/** Finishes a complete upload without its sender, who disconnected, or after a crash before the row was inserted. */
export async function finishAbandonedUpload(ctx: Ctx, upload: UploadRow): Promise<void> {
  const memorial = await findMemorial(ctx, upload.memorialId)
  if (!memorial) return deleteUpload(ctx, upload)
  try {
    await finishUpload(
      ctx,
      accessForSender(memorial, upload.contributorId, await findKeeper(ctx, upload.contributorId)),
      upload,
    )
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    ctx.log.info('left_upload_refused', { uploadId: upload.id, code: error.code })
  }
}

/** Deletes what a refused upload stored, saves the refusal, and throws it. */
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
