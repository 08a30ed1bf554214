import { AppError, fieldError } from '#shared/errors.ts'
import { MEDIA_MAX_BYTES, PROFILE_IMAGE_MAX_BYTES } from '#shared/limits.ts'
import type { MediaType } from '#shared/media.ts'
import { fileTooLarge, messages } from '#shared/messages.ts'
import { sniff, SNIFF_BYTES, typeFor, type Sniffed } from '#shared/sniff.ts'
import type { RequestCtx } from '#worker/ctx.ts'
import type { MediaRow } from '#worker/features/media/media.ts'
import { stripMetadata } from '#worker/media-formats/strip-metadata.ts'
import type { MemorialAccess } from '#worker/features/memorials/memorial-access.ts'
import type { QuotaItem } from '#worker/features/quota/quota.do.ts'
import { reserveQuota } from '#worker/features/quota/quota.ts'
import { cleanFileName } from '#worker/platform/file-names.ts'
import type { MultipartFile } from '#worker/platform/multipart.ts'
import { putStream } from '#worker/platform/objects.ts'
import { requireThrottle } from '#worker/platform/throttle.ts'

/** One upload under way. */
export type Draft = {
  mediaId: string
  memorialId: string
  objectKey: string
  purpose: 'medium' | 'profile-image'
  idempotencyKey: string | null
  /** What the quota holds, or may hold, for it. Set: there is something to undo. */
  reserved: QuotaItem | null
  /** The database gave no answer: the row may stand, or still come, so its object must stay until the sweep knows. */
  isUncertain: boolean
}
/** A file whole in R2, visible to nobody yet. */
export type StoredFile = { kind: 'stored'; size: number; fileName: string; sniffed: Sniffed }
/** `unknown`: of no type that we take, to be refused in the words of the type it was declared as. */
export type Received = StoredFile | { kind: 'unknown' } | { kind: 'made-before'; row: MediaRow }

export const FALLBACK_NAME = { IMAGE: 'photo', VIDEO: 'video', AUDIO: 'recording' } as const

/**
 * Streams the file part to R2 after looking at its leading bytes, with room reserved before the first byte is written
 * and without the place that a phone wrote into a film.
 * Throws `wrong_type`, `too_large`, `quota_exceeded`, and `bad_input` for an empty or broken-off file.
 */
export async function receiveFile(
  ctx: RequestCtx,
  draft: Draft,
  access: MemorialAccess,
  file: MultipartFile,
  declared: MediaType | null,
): Promise<Received> {
  const { head, bytes } = await peek(file.bytes)
  if (head.byteLength === 0) throw fieldError('bad_input', 'file', messages.media.empty)
  const sniffed = sniff(head)
  if (!sniffed) return { kind: 'unknown' }
  const type = typeFor(sniffed, declared)
  if (declared && type !== declared) throw wrongType(access, declared)

  const max = maxBytes(draft, access, type)
  const announced = file.announcedBytes ?? 0
  if (announced > max + 64 * 1024) throw new AppError('too_large', fileTooLarge(announced, max))
  const item: QuotaItem = {
    mediaId: draft.mediaId,
    type,
    contributorId: senderOf(access),
    bytes: Math.min(announced || max, max),
    durationSec: 0,
  }
  // Set first: where the answer is lost, the room is held all the same.
  draft.reserved = item
  await reserveQuota(ctx, draft.memorialId, item)
  const wanted = stripMetadata(atMost(bytes, max), sniffed.mimeType)
  const { size } = await putStream(ctx.env, draft.objectKey, wanted, sniffed.mimeType)
  return { kind: 'stored', size, fileName: cleanFileName(file.fileName, FALLBACK_NAME[type]), sniffed }
}

/** The contributor an upload counts for, or null: the owner's. */
export function senderOf(access: MemorialAccess): string | null {
  return access.access.role === 'OWNER' ? null : (access.contributor?.id ?? null)
}

/** Counts a file among those that its sender may send. Throws `too_many_requests`. */
export async function requireMoreFiles(ctx: RequestCtx, access: MemorialAccess): Promise<void> {
  const contributorId = senderOf(access)
  if (contributorId === null) await requireThrottle(ctx, 'ownerUploads', access.memorial.ownerId)
  else await requireThrottle(ctx, 'uploads', contributorId)
}

/** 415 in the words of the screen that the sender is on. */
export function wrongType(access: MemorialAccess, declared: MediaType): AppError {
  const isOwner = access.access.role === 'OWNER'
  const { media } = messages
  const words = {
    IMAGE: isOwner ? media.imageType : media.contributorImageType,
    VIDEO: isOwner ? media.videoType : media.contributorVideoType,
    AUDIO: isOwner ? media.audioType : media.contributorAudioType,
  }
  return fieldError('wrong_type', 'file', words[declared])
}

function maxBytes(draft: Draft, access: MemorialAccess, type: MediaType): number {
  if (draft.purpose === 'profile-image') return PROFILE_IMAGE_MAX_BYTES
  return MEDIA_MAX_BYTES[access.access.role === 'OWNER' ? 'owner' : 'contributor'][type]
}

/** The first bytes of a stream, and the stream with them still in it. */
async function peek(
  source: AsyncIterable<Uint8Array>,
): Promise<{ head: Uint8Array; bytes: AsyncIterable<Uint8Array> }> {
  const rest = source[Symbol.asyncIterator]()
  const taken: Uint8Array[] = []
  const head = new Uint8Array(SNIFF_BYTES)
  let size = 0
  while (size < SNIFF_BYTES) {
    const { done, value } = await rest.next()
    if (done) break
    taken.push(value)
    head.set(value.subarray(0, SNIFF_BYTES - size), size)
    size = Math.min(SNIFF_BYTES, size + value.byteLength)
  }
  async function* all() {
    yield* taken
    yield* { [Symbol.asyncIterator]: () => rest }
  }
  return { head: head.subarray(0, size), bytes: all() }
}

/** Counts what really comes and refuses the byte after `max`. */
async function* atMost(bytes: AsyncIterable<Uint8Array>, max: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.byteLength
    if (size > max) throw new AppError('too_large', fileTooLarge(size, max))
    yield chunk
  }
}
