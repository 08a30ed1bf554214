import { fieldError } from '#shared/errors.ts'
import { CONTRIBUTOR_QUOTA } from '#shared/limits.ts'
import type { MediaType } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import { mediaTypeOf, typeFor, type StoredMimeType } from '#shared/sniff.ts'
import type { Ctx } from '#worker/ctx.ts'
import { readTimedFacts } from '#worker/features/media/duration.ts'
import { wrongType, type Draft, type Received } from '#worker/features/media/receive-file.ts'
import { makeFirstVariants } from '#worker/features/media/variants.ts'
import type { MemorialAccess } from '#worker/features/memorials/memorial-access.ts'

/** What the server found out about a stored file. */
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
 * Looks into a stored file: decodes a photo (its variants stay), reads length and tracks of anything else. Throws
 * `wrong_type` where it is not what it was declared as, `too_long`, and `bad_input` where it is damaged.
 */
export async function inspect(
  ctx: Ctx,
  draft: Draft,
  access: MemorialAccess,
  received: Exclude<Received, { kind: 'made-before' }>,
  declared: MediaType,
): Promise<MediaFacts> {
  if (received.kind === 'unknown' || typeFor(received.sniffed, declared) !== declared) {
    throw wrongType(access, declared)
  }
  const { mimeType } = received.sniffed
  if (declared === 'IMAGE') {
    const size = await makeFirstVariants(ctx, draft.objectKey)
    return { type: 'IMAGE', mimeType, ...size, durationSec: null }
  }
  const facts = await readTimedFacts(ctx, draft.objectKey, received.size, mimeType)
  if (facts.hasVideo !== (declared === 'VIDEO')) throw wrongType(access, declared)
  // A phone's five-minute film lasts a few frames longer; whole seconds count.
  if (access.access.role !== 'OWNER' && Math.floor(facts.durationSec) > MAX_DURATION_SEC[declared]) {
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
