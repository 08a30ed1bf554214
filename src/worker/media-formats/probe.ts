import { CustomSource, Input, MP4, OGG, QTFF, WAVE, type InputFormat } from 'mediabunny'
import type { StoredMimeType } from '#shared/media/uploads.ts'
import { readAvi } from '#worker/media-formats/avi.ts'
import { readMpegAudio } from '#worker/media-formats/mpeg-audio.ts'
import type { ProbeResult, Read } from '#worker/media-formats/range-reader.ts'
import { requirePlausibleTables, hideFragmentList } from '#worker/media-formats/sample-tables.ts'
import { readWebm } from '#worker/media-formats/webm.ts'

const CACHE_BYTES = 2 * 1024 * 1024

/**
 * Duration, size and kind of a video or recording, read in ranges. The duration is the longer of the header's and the end of
 * the last packet. Throws an Error for an unreadable file, and whatever `read` throws.
 *
 * mediabunny reads MP4, QuickTime, Ogg and WAV. It would list all frames of MP3 and ADTS, load whole WebM clusters, and
 * doesn't support AVI, so our own readers handle these four with constant memory (docs/decisions/0045).
 */
export async function probe(read: Read, size: number, mimeType: StoredMimeType): Promise<ProbeResult> {
  const found = await readFormat(read, size, mimeType)
  if (Number.isFinite(found.durationSec) && found.durationSec > 0) return found
  throw new Error('no duration')
}

async function readFormat(read: Read, size: number, mimeType: StoredMimeType): Promise<ProbeResult> {
  if (mimeType === 'video/x-msvideo') return readAvi(read, size)
  if (mimeType === 'video/webm') return readWebm(read, size)
  if (mimeType === 'audio/mpeg' || mimeType === 'audio/aac') return readMpegAudio(read, size)
  if (mimeType === 'audio/ogg') return readByTracks(read, size, [OGG])
  if (mimeType === 'audio/wav') return readByTracks(read, size, [WAVE])
  await requirePlausibleTables(read, size)
  return readByTracks(await hideFragmentList(read, size), size, [MP4, QTFF])
}

async function readByTracks(read: Read, size: number, formats: InputFormat[]): Promise<ProbeResult> {
  const source = new CustomSource({
    getSize: () => size,
    read,
    maxCacheSize: CACHE_BYTES,
    // Reads ahead when the parser does small sequential reads.
    prefetchProfile: 'network',
  })
  const input = new Input({ source, formats })
  try {
    const [video, audio] = await Promise.all([input.getPrimaryVideoTrack(), input.getPrimaryAudioTrack()])
    if (!video && !audio) throw new Error('no track')
    const [stated, computed] = [await input.getDurationFromMetadata(), await input.computeDuration()]
    return {
      durationSec: Math.max(stated ?? 0, computed),
      width: video ? await video.getDisplayWidth() : null,
      height: video ? await video.getDisplayHeight() : null,
      hasVideo: video !== null,
    }
  } finally {
    input.dispose()
  }
}
