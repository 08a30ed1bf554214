import { CustomSource, Input, MP4, OGG, QTFF, WAVE, type InputFormat } from 'mediabunny'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { StoredMimeType } from '#shared/sniff.ts'
import type { Ctx } from '#worker/ctx.ts'
import { readAvi } from '#worker/features/media/avi.ts'
import { readMpegAudio } from '#worker/features/media/mpeg-audio.ts'
import { requireModestTables, withoutFragmentList } from '#worker/features/media/sample-tables.ts'
import { readWebm } from '#worker/features/media/webm.ts'
import type { Read } from '#worker/features/media/windowed.ts'

const CACHE_BYTES = 2 * 1024 * 1024

export type TimedFacts = {
  durationSec: number
  width: number | null
  height: number | null
  hasVideo: boolean
}

/**
 * Length, size and kind of a film or recording that lies in R2, read from the file itself in ranges: the larger of what
 * its header says and what its last packet shows. Throws `bad_input` for a file that cannot be read.
 */
export async function readTimedFacts(
  ctx: Ctx,
  objectKey: string,
  size: number,
  mimeType: StoredMimeType,
): Promise<TimedFacts> {
  const read = (start: number, end: number) => readRange(ctx, objectKey, start, end)
  try {
    const facts = await readFacts(read, size, mimeType)
    if (Number.isFinite(facts.durationSec) && facts.durationSec > 0) return facts
  } catch (error) {
    if (error instanceof StorageFailure) throw error
    ctx.log.info('media_not_read', { reason: error instanceof Error ? error.message : 'unknown' })
  }
  throw new AppError('bad_input', messages.media.damaged)
}

/**
 * Types whose pieces can be so small, or of no length at all, that a reader which lists them never ends or takes the
 * isolate's memory are walked by us, piece by piece, and only counted.
 */
async function readFacts(read: Read, size: number, mimeType: StoredMimeType): Promise<TimedFacts> {
  if (mimeType === 'video/x-msvideo') return readAvi(read, size)
  if (mimeType === 'video/webm') return readWebm(read, size)
  if (mimeType === 'audio/mpeg' || mimeType === 'audio/aac') return readMpegAudio(read, size)
  if (mimeType === 'audio/ogg') return readByTracks(read, size, [OGG])
  if (mimeType === 'audio/wav') return readByTracks(read, size, [WAVE])
  await requireModestTables(read, size)
  return readByTracks(await withoutFragmentList(read, size), size, [MP4, QTFF])
}

async function readByTracks(read: Read, size: number, formats: InputFormat[]): Promise<TimedFacts> {
  const source = new CustomSource({
    getSize: () => size,
    read,
    maxCacheSize: CACHE_BYTES,
    // Reads ahead where the parser walks piece by piece.
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

/** Storage failed, not the file. */
class StorageFailure extends Error {}

async function readRange(ctx: Ctx, objectKey: string, start: number, end: number): Promise<Uint8Array> {
  try {
    const object = await ctx.env.MEDIA.get(objectKey, { range: { offset: start, length: end - start } })
    if (!object) throw new Error('object is gone')
    return new Uint8Array(await object.arrayBuffer())
  } catch (cause) {
    throw new StorageFailure('could not read back what was stored', { cause })
  }
}
