import { and, eq, isNull } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { HOUR_MS, MEDIA_MAX_BYTES, UPLOAD_EXPIRES_MS } from '#shared/limits.ts'
import { isOfFamily } from '#shared/memorials/memorials.ts'
import type { UploadState } from '#shared/media/media.ts'
import { fileTooLarge } from '#shared/messages.ts'
import { afterAnswer, type Ctx, type RequestCtx } from '#worker/platform/ctx.ts'
import {
  deleteUpload,
  endRefused,
  finishUpload,
  isComplete,
  appendChunk,
  itemOf,
  planOf,
  stateOf,
  storeOf,
  type Progress,
  type UploadRow,
} from '#worker/features/media/finish-resumable.ts'
import { findMediaRow, toMedia } from '#worker/features/media/media.ts'
import { FALLBACK_NAME, requireMoreFiles, senderOf, wrongType } from '#worker/features/media/receive-file.ts'
import { resumableUploads } from '#worker/schema/media.table.ts'
import { actorOf } from '#worker/features/media/finalize-upload.ts'
import { readCreation, readChunk } from '#worker/features/media/tus.ts'
import type { Chunk } from '#worker/features/media/upload-store.do.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import type { Lease } from '#worker/features/quota/quota.do.ts'
import { reserveQuota, settleQuota } from '#worker/features/quota/quota.ts'
import { idempotencyKeyOf } from '#worker/http/idempotency-key.ts'
import { isUniqueViolation, openDb } from '#worker/platform/db.ts'
import { cleanFileName } from '#worker/platform/file-names.ts'
import { newId } from '#worker/platform/random.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/**
 * Creates a resumable upload: checks the sender's limits and reserves quota for the whole file. With the `Idempotency-Key` of
 * an earlier creation, returns that upload unless it was refused. Throws `bad_input`, `too_large`, `quota_exceeded`,
 * `too_many_requests`.
 */
export async function createUpload(ctx: RequestCtx, access: MemorialAccess): Promise<UploadRow> {
  const { length, type, fileName, metadata } = readCreation(ctx.request.headers)
  const idempotencyKey = idempotencyKeyOf(ctx)
  const before = await findByKey(ctx, access, idempotencyKey)
  if (before && before.refusalCode !== null) {
    // The reason for the refusal may no longer apply, so the sender may try again.
    await deleteUpload(ctx, before)
  } else if (before) {
    if (before.expiresAt <= ctx.now()) {
      if (before.endedAt === null) await reserveFor(ctx, access, before)
      return renew(ctx, before)
    }
    if (before.endedAt === null) await reserveFor(ctx, access, before)
    return before
  }
  const max = MEDIA_MAX_BYTES[isOfFamily(access.role) ? 'owner' : 'contributor'][type]
  if (length > max) throw new AppError('too_large', fileTooLarge(length, max))
  await requireMoreFiles(ctx, access, idempotencyKey)
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
    // First, so that of many creations with one key only one reserves room.
    await ctx.db.insert(resumableUploads).values(row)
  } catch (error) {
    const first = isUniqueViolation(error) ? await findByKey(ctx, access, idempotencyKey) : null
    if (first) return first
    throw error
  }
  try {
    await reserveFor(ctx, access, row)
  } catch (error) {
    // Without an answer, quota may be reserved. Only a retry with the same key can use it; without a key, release it.
    if (error instanceof AppError || idempotencyKey === null) await deleteUpload(ctx, row)
    throw error
  }
  return row
}

/** Reserves quota for the whole file; again if its reservation has expired meanwhile. Throws `quota_exceeded`. */
async function reserveFor(
  ctx: Ctx,
  access: MemorialAccess,
  upload: UploadRow,
  lease: Lease = 'announced',
): Promise<void> {
  const inviteToken = access.contributor?.inviteToken
  await reserveQuota(ctx, upload.memorialId, itemOf(upload, access), { lease, inviteToken })
}

async function findByKey(ctx: Ctx, access: MemorialAccess, key: string | null): Promise<UploadRow | null> {
  if (key === null) return null
  const [row] = await ctx.db
    .select()
    .from(resumableUploads)
    .where(and(eq(resumableUploads.actorId, actorOf(access)), eq(resumableUploads.idempotencyKey, key)))
  return row?.memorialId === access.memorial.id ? row : null
}

/** The upload with this id, if this sender created it. Throws `not_found`, and `upload_expired` (410). */
export async function requireUpload(ctx: Ctx, access: MemorialAccess, id: string): Promise<UploadRow> {
  const [row] = await ctx.db.select().from(resumableUploads).where(eq(resumableUploads.id, id))
  if (
    row?.memorialId !== access.memorial.id ||
    /* prove: upload-own-only */ row.actorId !== actorOf(access)
  ) {
    throw new AppError('not_found', serverMessages.media.uploadNotFound)
  }
  if (row.expiresAt <= ctx.now()) throw new AppError('upload_expired', serverMessages.media.uploadExpired)
  return row
}

/** The progress of an upload and its media item. Finishes a complete upload that has no media item yet. */
export async function readUpload(ctx: Ctx, access: MemorialAccess, upload: UploadRow): Promise<UploadState> {
  const progress = await progressOf(ctx, access, upload)
  const row = progress.mediaId === null ? null : await findMediaRow(ctx, progress.mediaId)
  return { ...progress, media: row && toMedia(row, access) }
}

async function progressOf(ctx: Ctx, access: MemorialAccess, upload: UploadRow): Promise<Progress> {
  if (upload.endedAt !== null) return stateOf(upload, upload.length)
  const offset = await storeOf(ctx, upload).offset()
  if (offset < upload.length) return stateOf(upload, offset)
  return stateOf(await finishUpload(ctx, access, upload), upload.length)
}

/**
 * The last chunk creates the media item. Throws `wrong_offset`, `too_large`, `wrong_type`, `not_found` if the upload has been
 * deleted, and the errors of finalizing; and `quota_exceeded`, without ending the upload, if its reservation has expired and
 * cannot be made again.
 */
export async function appendUpload(
  ctx: RequestCtx,
  access: MemorialAccess,
  upload: UploadRow,
): Promise<Progress> {
  const chunk = readChunk(ctx.request.headers)
  if (upload.endedAt !== null) {
    const ended = stateOf(upload, upload.length)
    if (chunk.offset !== ended.offset)
      throw new AppError('wrong_offset', serverMessages.media.uploadMisplaced)
    return ended
  }
  const received = receiveChunk(ctx, access, upload, chunk)
  // From the start: a request whose line breaks goes on only for what it has registered.
  afterAnswer(ctx, 'clear_deleted', async () => {
    await received.catch(() => null)
    await clearIfDeleted(ctx, upload)
  })
  return received
}

async function receiveChunk(
  ctx: RequestCtx,
  access: MemorialAccess,
  upload: UploadRow,
  chunk: Omit<Chunk, 'plan'>,
): Promise<Progress> {
  // Before the chunk: if the reservation has expired and there is no room now, its sender needn't pay for the bytes.
  await reserveFor(ctx, access, upload)
  const appended = await appendChunk(ctx, upload, chunk, ctx.request.body)
  if (appended.kind === 'misplaced') throw new AppError('wrong_offset', serverMessages.media.uploadMisplaced)
  if (appended.kind === 'too_much') {
    throw new AppError('too_large', fileTooLarge(chunk.offset + (chunk.announced ?? 0), upload.length))
  }
  if (chunk.offset === 0) await requireNotEnded(ctx, upload)
  if (appended.kind === 'foreign') return endRefused(ctx, upload, wrongType(access, upload.type))
  if (appended.offset < upload.length) {
    // Only bytes that arrived keep the reservation longer.
    if (appended.offset > chunk.offset) await reserveFor(ctx, access, upload, 'resumable')
    const renewed = await renew(ctx, upload)
    return stateOf(renewed, appended.offset)
  }
  await ctx.db
    .update(resumableUploads)
    .set({ arrivedAt: ctx.now() })
    .where(and(eq(resumableUploads.id, upload.id), isNull(resumableUploads.arrivedAt)))
  return stateOf(await finishUpload(ctx, access, upload), upload.length)
}

/**
 * Releases what a chunk has reserved for an upload that was deleted meanwhile: {@link deleteUpload} may have released before.
 * Reads the row from the primary, because a replica may not have the deletion yet.
 */
async function clearIfDeleted(ctx: Ctx, upload: UploadRow): Promise<void> {
  const [row] = await openDb(ctx.env.DB)
    .select({ id: resumableUploads.id })
    .from(resumableUploads)
    .where(eq(resumableUploads.id, upload.id))
  if (row) return
  // Not `releaseQuota`: the media item of an upload that has ended keeps its place.
  await settleQuota(ctx, upload.memorialId, upload.mediaId)
  await storeOf(ctx, upload).forget()
}

/**
 * A request that deletes an upload can't see a first chunk that is still arriving, so its bytes would stay forever. Deletes
 * them and throws `not_found` if the upload has ended meanwhile.
 */
async function requireNotEnded(ctx: Ctx, upload: UploadRow): Promise<void> {
  const [row] = await ctx.db.select().from(resumableUploads).where(eq(resumableUploads.id, upload.id))
  if (row && row.finishingUntil === null) return
  // Another request has the lock: it finishes a complete upload, or deletes an incomplete one.
  if (row && (await isComplete(ctx, row))) return
  await storeOf(ctx, upload).discard(planOf(upload))
  throw new AppError('not_found', serverMessages.media.uploadNotFound)
}

/** Extends the expiry of an upload that nobody has ended meanwhile; writes at most once an hour. */
async function renew(ctx: Ctx, upload: UploadRow): Promise<UploadRow> {
  const expiresAt = ctx.now() + UPLOAD_EXPIRES_MS
  if (upload.expiresAt > expiresAt - HOUR_MS) return upload
  const isAsRead = and(eq(resumableUploads.id, upload.id), eq(resumableUploads.expiresAt, upload.expiresAt))
  await ctx.db.update(resumableUploads).set({ expiresAt }).where(isAsRead)
  return { ...upload, expiresAt }
}
