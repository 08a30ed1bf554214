import { AppError, fieldError } from '#shared/errors.ts'
import { CONTRIBUTOR_QUOTA } from '#shared/limits.ts'
import { isOfFamily } from '#shared/memorials/memorials.ts'
import type { MediaType } from '#shared/media/media-types.ts'
import { messages } from '#shared/messages.ts'
import { mediaTypeOf, typeFor, type StoredMimeType } from '#shared/media/uploads.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { readRange, removeOtherTracks, StorageFailure } from '#worker/features/media/other-tracks.ts'
import { wrongType, type StoredUpload } from '#worker/features/media/receive-file.ts'
import { makeFirstVariants } from '#worker/features/media/variants.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { probe } from '#worker/media-formats/probe.ts'
import type { ProbeResult } from '#worker/media-formats/range-reader.ts'

/** Properties of a stored file, as detected by the server. */
export type MediaFacts = {
  type: MediaType
  mimeType: StoredMimeType
  width: number | null
  height: number | null
  durationSec: number | null
  placeholder: string | null
}

const MAX_DURATION_SEC = {
  VIDEO: CONTRIBUTOR_QUOTA.video.maxDurationSec,
  AUDIO: CONTRIBUTOR_QUOTA.audio.maxDurationSec,
} as const

/**
 * Decodes a photo and creates its first variants; removes other tracks than video and audio from films, and probes them. Throws
 * `wrong_type`, `too_long`, `bad_input`.
 */
export async function inspect(
  ctx: Ctx,
  upload: StoredUpload,
  access: MemorialAccess,
  declared: MediaType,
): Promise<MediaFacts> {
  if (typeFor(upload.sniffed, declared) !== declared) throw wrongType(access, declared)
  const { mimeType } = upload.sniffed
  if (declared === 'IMAGE') {
    const size = await makeFirstVariants(ctx, upload.objectKey)
    return { type: 'IMAGE', mimeType, ...size, durationSec: null }
  }
  await removeOtherTracks(ctx, upload)
  const facts = await probeStored(ctx, upload.objectKey, upload.size, mimeType)
  if (facts.hasVideo !== (declared === 'VIDEO')) throw wrongType(access, declared)
  // A phone's five-minute video is a few frames longer, so only whole seconds count.
  if (!isOfFamily(access.role) && Math.floor(facts.durationSec) > MAX_DURATION_SEC[declared]) {
    const tooLong = declared === 'VIDEO' ? messages.media.videoTooLong : messages.media.audioTooLong
    throw fieldError('too_long', 'file', tooLong)
  }
  return {
    type: declared,
    mimeType: declared === mediaTypeOf(mimeType) ? mimeType : 'audio/mp4',
    width: facts.width,
    height: facts.height,
    durationSec: facts.durationSec,
    placeholder: null,
  }
}

/** Probes the object in R2. Throws `bad_input` for an unreadable file, and an Error if storage failed. */
async function probeStored(
  ctx: Ctx,
  objectKey: string,
  size: number,
  mimeType: StoredMimeType,
): Promise<ProbeResult> {
  try {
    return await probe((start, end) => readRange(ctx, objectKey, start, end), size, mimeType)
  } catch (error) {
    if (error instanceof StorageFailure) throw error
    ctx.log.info('media_not_read', { reason: error instanceof Error ? error.message : 'unknown' })
    throw new AppError('bad_input', messages.media.damaged)
  }
}
