import type { StoredMimeType } from '#shared/sniff.ts'
import { stripMpegMetadata } from '#worker/media-formats/strip-metadata-mpeg.ts'
import { stripOggMetadata } from '#worker/media-formats/strip-metadata-ogg.ts'
import { stripLocation } from '#worker/media-formats/strip-location.ts'
import { stripRiffMetadata } from '#worker/media-formats/strip-metadata-riff.ts'
import { stripWebmMetadata } from '#worker/media-formats/strip-metadata-webm.ts'

/**
 * Strips the metadata of a video or recording in place (location, date, device, author, title, cover), so that length and
 * offsets stay the same. Photos pass unchanged, because only the owner gets the original.
 */
export function stripMetadata(
  bytes: AsyncIterable<Uint8Array>,
  mimeType: StoredMimeType,
): AsyncIterable<Uint8Array> {
  if (mimeType === 'video/webm') return stripWebmMetadata(bytes)
  if (mimeType === 'audio/ogg') return stripOggMetadata(bytes)
  if (mimeType === 'audio/mpeg' || mimeType === 'audio/aac') return stripMpegMetadata(bytes)
  if (mimeType === 'audio/wav' || mimeType === 'video/x-msvideo') return stripRiffMetadata(bytes)
  return stripLocation(bytes, mimeType)
}
