import { and, eq, isNull, lt, or } from 'drizzle-orm'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { HOUR_MS, MEDIA_MAX_BYTES, UPLOAD_EXPIRES_MS, UPLOAD_FINISH_MS } from '#shared/limits.ts'
import type { UploadState } from '#shared/media.ts'
import { fileTooLarge, messages } from '#shared/messages.ts'
import type { Ctx, RequestCtx } from '#worker/ctx.ts'
import { abandonFile, keepFile } from '#worker/features/media/keep-file.ts'
import { FALLBACK_NAME, senderOf, wrongType, type Draft } from '#worker/features/media/receive-file.ts'
import { resumableUploads } from '#worker/features/media/resumable.table.ts'
import { actorOf } from '#worker/features/media/save-media.ts'
import { readCreation, readPiece } from '#worker/features/media/tus.ts'
import type { Assembled, UploadStore } from '#worker/features/media/upload-store.do.ts'
import { withoutTags } from '#worker/features/media/without-tags.ts'
import {
  accessOfSender,
  findMemorial,
  type MemorialAccess,
} from '#worker/features/memorials/memorial-access.ts'
import type { QuotaItem } from '#worker/features/quota/quota.do.ts'
import { releaseQuota, reserveQuota } from '#worker/features/quota/quota.ts'
import { idempotencyKeyOf } from '#worker/http/idempotency-key.ts'
import { isUniqueViolation } from '#worker/platform/db.ts'
import { cleanFileName } from '#worker/platform/file-names.ts'
import { putStream } from '#worker/platform/objects.ts'
import { newId } from '#worker/platform/random.ts'
import { requireThrottle } from '#worker/platform/throttle.ts'

export type UploadRow = typeof resumableUploads.$inferSelect

/**
 * Begins a resumable upload: looks at what the sender may send and holds room for the whole file. With the
 * `Idempotency-Key` of an earlier creation, that upload. Throws `bad_input`, `too_large`, `quota_exceeded`,
 * `too_many_requests`.
 */
export async function createUpload(ctx: RequestCtx, access: MemorialAccess): Promise<UploadRow> {
  const { length, type, fileName, metadata } = readCreation(ctx.request.headers)
  const idempotencyKey = idempotencyKeyOf(ctx)
  const before = await findByKey(ctx, access, idempotencyKey)
  if (before) {
    if (before.endedAt === null) await reserveQuota(ctx, before.memorialId, itemOf(before), 'resumable')
    return before
  }
  const max = MEDIA_MAX_BYTES[access.access.role === 'OWNER' ? 'owner' : 'contributor'][type]
  if (length > max) throw new AppError('too_large', fileTooLarge(length, max))
  if (access.contributor) await requireThrottle(ctx, 'uploads', access.contributor.id)
  const row: UploadRow = {
    id: newId('upload'),
    memorialId: access.memorial.id,
    mediaId: newId('media'),
    actorId: actorOf(access),
    contributorId: senderOf(access),
    idempotencyKey,
    type,
    fileName: cleanFileName(fileName, FALLBACK_NAME[type]),
    metadata,
    length,
    createdAt: ctx.now(),
    expiresAt: ctx.now() + UPLOAD_EXPIRES_MS,
    arrivedAt: null,
    finishingUntil: null,
    endedAt: null,
    refusalCode: null,
    refusalMessage: null,
  }
  try {
    // First, so that of many creations with one key the database lets one hold room.
    await ctx.db.insert(resumableUploads).values(row)
  } catch (error) {
    const first = isUniqueViolation(error) ? await findByKey(ctx, access, idempotencyKey) : null
    if (first) return first
    throw error
  }
  try {
    await reserveQuota(ctx, row.memorialId, itemOf(row), 'resumable')
  } catch (error) {
    // Without an answer room may be held. Whoever comes again with the key goes on with it; else nobody can.
    if (error instanceof AppError || idempotencyKey === null) await deleteUpload(ctx, row)
    throw error
  }
  return row
}

async function findByKey(ctx: Ctx, access: MemorialAccess, key: string | null): Promise<UploadRow | null> {
  if (key === null) return null
  const [row] = await ctx.db
    .select()
    .from(resumableUploads)
    .where(and(eq(resumableUploads.actorId, actorOf(access)), eq(resumableUploads.idempotencyKey, key)))
  return row?.memorialId === access.memorial.id ? row : null
}

/** The upload, if it is this sender's. Throws `not_found`, and `upload_expired` (410). */
export async function requireUpload(ctx: Ctx, access: MemorialAccess, id: string): Promise<UploadRow> {
  const [row] = await ctx.db.select().from(resumableUploads).where(eq(resumableUploads.id, id))
  if (row?.memorialId !== access.memorial.id || row.actorId !== actorOf(access)) {
    throw new AppError('not_found', messages.media.uploadNotFound)
  }
  if (row.expiresAt <= ctx.now()) throw new AppError('upload_expired', messages.media.uploadExpired)
  return row
}

/** How far an upload is. One whose bytes are all here and that nobody has made a medium of is finished now. */
export async function readUpload(ctx: Ctx, access: MemorialAccess, upload: UploadRow): Promise<UploadState> {
  if (upload.endedAt !== null) return stateOf(upload, upload.length)
  const offset = await storeOf(ctx, upload).offset()
  if (offset < upload.length) return stateOf(upload, offset)
  return stateOf(await finishUpload(ctx, access, upload), upload.length)
}

/**
 * Takes one piece; the last one makes the medium. Throws `wrong_offset` where it does not follow what is here,
 * `wrong_type` once the leading bytes are of no type that we take or of another than was said, and what keeping a file throws: then
 * nothing of it stays.
 */
export async function appendUpload(
  ctx: RequestCtx,
  access: MemorialAccess,
  upload: UploadRow,
): Promise<UploadState> {
  const { offset, announced } = readPiece(ctx.request.headers)
  if (upload.endedAt !== null) return stateOf(upload, upload.length)
  const body = ctx.request.body ?? new Response('').body
  if (!body) throw new Error('an empty body is a stream as well')
  const appended = await storeOf(ctx, upload).append(planOf(upload), offset, announced, body)
  if (appended.kind === 'misplaced') throw new AppError('wrong_offset', messages.media.uploadMisplaced)
  if (appended.kind === 'too_much') {
    throw new AppError('too_large', fileTooLarge(offset + (announced ?? 0), upload.length))
  }
  if (appended.kind === 'foreign') return endRefused(ctx, upload, wrongType(access, upload.type))
  if (appended.offset < upload.length) {
    const renewed = await renew(ctx, upload)
    return stateOf(renewed, appended.offset)
  }
  await ctx.db
    .update(resumableUploads)
    .set({ arrivedAt: ctx.now() })
    .where(and(eq(resumableUploads.id, upload.id), isNull(resumableUploads.arrivedAt)))
  return stateOf(await finishUpload(ctx, access, upload), upload.length)
}

/** Whether all bytes of an upload are here. */
export async function isWhole(ctx: Ctx, upload: UploadRow): Promise<boolean> {
  return (await storeOf(ctx, upload).offset()) === upload.length
}

/** Ends an upload and removes what it has stored; nothing happens to a medium that it became. */
export async function deleteUpload(ctx: Ctx, upload: UploadRow): Promise<void> {
  if (upload.endedAt === null) {
    await storeOf(ctx, upload).discard(planOf(upload))
    await releaseQuota(ctx, upload.memorialId, upload.mediaId)
  }
  await ctx.db.delete(resumableUploads).where(eq(resumableUploads.id, upload.id))
}

/**
 * Makes a medium of a file whose bytes are all here. One at a time: while somebody else is at it, returns the upload as it
 * is. A refusal ends it for good and is thrown; any other failure leaves it to be tried again.
 */
export async function finishUpload(ctx: Ctx, access: MemorialAccess, upload: UploadRow): Promise<UploadRow> {
  const now = ctx.now()
  const [mine] = await ctx.db
    .update(resumableUploads)
    .set({ finishingUntil: now + UPLOAD_FINISH_MS, arrivedAt: upload.arrivedAt ?? now })
    .where(
      and(
        eq(resumableUploads.id, upload.id),
        isNull(resumableUploads.endedAt),
        or(isNull(resumableUploads.finishingUntil), lt(resumableUploads.finishingUntil, now)),
      ),
    )
    .returning()
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
    await ctx.db
      .update(resumableUploads)
      .set({ finishingUntil: null })
      .where(eq(resumableUploads.id, mine.id))
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
    await putStream(ctx.env.MEDIA, plan.objectKey, withoutTags(raw.body, mimeType), mimeType)
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
async function endRefused(ctx: Ctx, upload: UploadRow, refusal: AppError): Promise<never> {
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

/** Gives an upload that goes on its full time again; written once an hour at the most. */
async function renew(ctx: Ctx, upload: UploadRow): Promise<UploadRow> {
  const expiresAt = ctx.now() + UPLOAD_EXPIRES_MS
  if (upload.expiresAt > expiresAt - HOUR_MS) return upload
  await reserveQuota(ctx, upload.memorialId, itemOf(upload), 'resumable')
  await ctx.db.update(resumableUploads).set({ expiresAt }).where(eq(resumableUploads.id, upload.id))
  return { ...upload, expiresAt }
}

function stateOf(upload: UploadRow, offset: number): UploadState {
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

function storeOf(ctx: Ctx, { id }: UploadRow): DurableObjectStub<UploadStore> {
  return ctx.env.UPLOADS.getByName(id)
}

function objectKeyOf({ memorialId, mediaId }: UploadRow): string {
  return `m/${memorialId}/${mediaId}`
}

function planOf(upload: UploadRow) {
  return { objectKey: objectKeyOf(upload), length: upload.length }
}

function itemOf({ mediaId, type, contributorId, length }: UploadRow): QuotaItem {
  return { mediaId, type, contributorId, bytes: length, durationSec: 0 }
}
