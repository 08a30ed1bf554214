import type { StoredMimeType } from '#shared/sniff.ts'
import { withoutMpegTags } from '#worker/features/media/without-mpeg-tags.ts'
import { withoutOggTags } from '#worker/features/media/without-ogg-tags.ts'
import { withoutPlace } from '#worker/features/media/without-place.ts'
import { withoutRiffTags } from '#worker/features/media/without-riff-tags.ts'
import { withoutWebmTags } from '#worker/features/media/without-webm-tags.ts'

/**
 * The same bytes of a film or recording without what stands in it beside pictures and sound: where, when, with what and by
 * whom it was made, its title, its cover. In place: length and offsets hold. Photos pass as they are, because nobody but
 * the owner is given their bytes.
 */
export function withoutTags(
  bytes: AsyncIterable<Uint8Array>,
  mimeType: StoredMimeType,
): AsyncIterable<Uint8Array> {
  if (mimeType === 'video/webm') return withoutWebmTags(bytes)
  if (mimeType === 'audio/ogg') return withoutOggTags(bytes)
  if (mimeType === 'audio/mpeg' || mimeType === 'audio/aac') return withoutMpegTags(bytes)
  if (mimeType === 'audio/wav' || mimeType === 'video/x-msvideo') return withoutRiffTags(bytes)
  return withoutPlace(bytes, mimeType)
}
