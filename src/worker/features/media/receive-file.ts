import { AppError, fieldError } from '#shared/errors.ts'
import { MEDIA_MAX_BYTES, PROFILE_IMAGE_MAX_BYTES } from '#shared/limits.ts'
import { isOfFamily } from '#shared/memorials/memorials.ts'
import type { MediaType } from '#shared/media/media-types.ts'
import { fileTooLarge, messages } from '#shared/messages.ts'
import { sniff, SNIFF_BYTES, typeFor, type Sniffed } from '#shared/media/uploads.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import type { MediaRow } from '#worker/features/media/media.ts'
import { stripMetadata } from '#worker/media-formats/strip-metadata.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import type { QuotaItem } from '#worker/features/quota/quota-limits.ts'
import { releaseQuota, reserveQuota } from '#worker/features/quota/quota.ts'
import { atMost, peek } from '#worker/platform/bytes.ts'
import { cleanFileName } from '#worker/platform/file-names.ts'
import type { MultipartFile } from '#worker/platform/multipart.ts'
import { deletePrefix, putStream } from '#worker/platform/objects.ts'
import { requireRateLimitOnce } from '#worker/platform/rate-limiter.ts'

/** An upload with its ids; nothing is reserved or stored yet. Immutable. */
export type PendingUpload = {
  mediaId: string
  memorialId: string
  /** R2 key of the original; variants are stored below it. */
  objectKey: string
  purpose: 'media-item' | 'profile-image'
  idempotencyKey: string | null
}
/** Quota is (or may be) reserved, and bytes may be in R2. */
export type ReservedUpload = PendingUpload & { state: 'reserved'; item: QuotaItem }
/** The whole file is in R2, but not visible yet. */
export type StoredUpload = PendingUpload & {
  state: 'stored'
  item: QuotaItem
  size: number
  fileName: string
  sniffed: Sniffed
}
/** The row exists: this upload's own, or that of an earlier request with the same key. */
export type CommittedUpload = { state: 'committed'; row: MediaRow }
/**
 * The database did not answer. The row may exist or still be written, so the object must stay until the sweep decides.
 * `isRoomKept`: a second query failed, too, so the quota stays reserved.
 */
export type UncertainUpload = PendingUpload & { state: 'uncertain'; isRoomKept: boolean; error: unknown }

/** `unrecognized`: no accepted type, nothing is stored. `made-before`: by an earlier request with the same key. */
export type Received = StoredUpload | { state: 'unrecognized' } | { state: 'made-before'; row: MediaRow }

export const FALLBACK_NAME = { IMAGE: 'photo', VIDEO: 'video', AUDIO: 'recording' } as const

/**
 * Checks the leading bytes of the file part, reserves quota, and streams the file to R2, videos and recordings without the
 * metadata of phones and cameras. Discards what it stored when it fails. Throws `wrong_type`, `too_large`, `quota_exceeded`,
 * and `bad_input` for an empty or interrupted file.
 */
export async function receiveFile(
  ctx: RequestCtx,
  upload: PendingUpload,
  access: MemorialAccess,
  file: MultipartFile,
  declared: MediaType | null,
): Promise<StoredUpload | { state: 'unrecognized' }> {
  const { head, bytes } = await peek(file.bytes, SNIFF_BYTES)
  if (head.byteLength === 0) throw fieldError('bad_input', 'file', messages.media.empty)
  const sniffed = sniff(head)
  if (!sniffed) return { state: 'unrecognized' }
  const type = typeFor(sniffed, declared)
  if (declared && type !== declared) throw wrongType(access, declared)

  const max = maxBytes(upload, access, type)
  const announced = file.announcedBytes ?? 0
  if (announced > max + 64 * 1024) throw new AppError('too_large', fileTooLarge(announced, max))
  const item: QuotaItem = {
    mediaId: upload.mediaId,
    type,
    contributorId: quotaUserOf(access),
    bytes: Math.min(announced || max, max),
    durationSec: 0,
  }
  // From here on, quota may be reserved even if the response gets lost.
  const reserved: ReservedUpload = { ...upload, state: 'reserved', item }
  try {
    await reserveQuota(ctx, upload.memorialId, item, { inviteToken: access.contributor?.inviteToken })
    const tooLarge = (size: number) => new AppError('too_large', fileTooLarge(size, max))
    const stripped = stripMetadata(atMost(bytes, max, tooLarge), sniffed.mimeType)
    const { size } = await putStream(ctx.env, upload.objectKey, stripped, sniffed.mimeType)
    return {
      ...reserved,
      state: 'stored',
      size,
      fileName: cleanFileName(file.fileName, FALLBACK_NAME[type]),
      sniffed,
    }
  } catch (error) {
    await discardUpload(ctx, reserved)
    throw error
  }
}

/** Deletes its objects and releases its quota, as far as its state allows. The hourly sweep does what fails here. */
export async function discardUpload(
  ctx: Ctx,
  upload: ReservedUpload | StoredUpload | UncertainUpload,
): Promise<void> {
  try {
    if (upload.state !== 'uncertain') await deletePrefix(ctx.env.MEDIA, upload.objectKey)
    else if (upload.isRoomKept) return
    await releaseQuota(ctx, upload.memorialId, upload.mediaId)
  } catch (error) {
    ctx.log.warn('upload_not_cleared', { mediaId: upload.mediaId, reason: String(error) })
  }
}

/** The contributor under whose name a file stands; null for the owner. */
export function senderOf(access: MemorialAccess): string | null {
  return access.role === 'OWNER' ? null : (access.contributor?.id ?? null)
}

/** The contributor whose quota an upload uses; null for the owner and those who look after the memorial with them. */
export function quotaUserOf(access: MemorialAccess): string | null {
  return isOfFamily(access.role) ? null : senderOf(access)
}

/** Counts a file toward the sender's upload rate limit, once per idempotency key. Throws `too_many_requests`. */
export async function requireMoreFiles(
  ctx: RequestCtx,
  access: MemorialAccess,
  idempotencyKey: string | null,
): Promise<void> {
  const contributorId = quotaUserOf(access)
  const [name, sender] =
    contributorId === null
      ? (['ownerUploads', access.memorial.ownerId] as const)
      : (['uploads', contributorId] as const)
  await requireRateLimitOnce(ctx, name, sender, idempotencyKey)
}

/** 415 with the message for the sender's screen. */
export function wrongType(access: MemorialAccess, declared: MediaType): AppError {
  const isOwner = isOfFamily(access.role)
  const { media } = messages
  const message = {
    IMAGE: isOwner ? media.imageType : media.contributorImageType,
    VIDEO: isOwner ? media.videoType : media.contributorVideoType,
    AUDIO: isOwner ? media.audioType : media.contributorAudioType,
  }
  return fieldError('wrong_type', 'file', message[declared])
}

function maxBytes(upload: PendingUpload, access: MemorialAccess, type: MediaType): number {
  if (upload.purpose === 'profile-image') return PROFILE_IMAGE_MAX_BYTES
  return MEDIA_MAX_BYTES[isOfFamily(access.role) ? 'owner' : 'contributor'][type]
}
