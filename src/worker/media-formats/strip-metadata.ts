import type { StoredMimeType } from '#shared/media/uploads.ts'
import { stripOggMetadata } from '#worker/media-formats/ogg.ts'
import { keep, stripInPlace } from '#worker/media-formats/strip-in-place.ts'
import { stripLocation } from '#worker/media-formats/strip-location.ts'
import { stripMpegAudioMetadata } from '#worker/media-formats/strip-mpeg-audio.ts'
import { stripWebmMetadata } from '#worker/media-formats/webm.ts'

/** In place, so that length and offsets stay the same. Photos pass unchanged: only whoever may export gets the original. */
export function stripMetadata(
  bytes: AsyncIterable<Uint8Array>,
  mimeType: StoredMimeType,
): AsyncIterable<Uint8Array> {
  if (mimeType === 'video/webm') return stripWebmMetadata(bytes)
  if (mimeType === 'audio/ogg') return stripOggMetadata(bytes)
  if (mimeType === 'audio/mpeg' || mimeType === 'audio/aac') {
    return stripMpegAudioMetadata(bytes)
  }
  if (mimeType === 'audio/wav' || mimeType === 'video/x-msvideo') return stripRiffMetadata(bytes)
  return stripLocation(bytes, mimeType)
}

type Level = 'file' | 'headers' | 'stream'
/** Chunks that players need, by level; every other chunk is blanked. */
const REQUIRED: Record<Level, ReadonlySet<string>> = {
  file: new Set(['fmt ', 'fact', 'data', 'idx1', 'LIST movi', 'RIFF AVIX']),
  headers: new Set(['avih', 'LIST odml']),
  stream: new Set(['strh', 'strf', 'indx', 'vprp']),
}
const OPENED: Record<string, Level | undefined> = { 'LIST hdrl': 'headers', 'LIST strl': 'stream' }
const LEVELS: Level[] = ['file', 'headers', 'stream']
const RIFF_HEADER_BYTES = 12

/** Turns chunks without audio or video into zeroed `JUNK`: they hold serial numbers, locations and names. */
function stripRiffMetadata(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const open: { level: Level; end: number }[] = []
  return stripInPlace(bytes, (rest, position) => {
    if (position === 0) return keep(0, RIFF_HEADER_BYTES)
    if (rest.byteLength < RIFF_HEADER_BYTES) return null
    while (position >= (open.at(-1)?.end ?? Infinity)) open.pop()
    const { level, end: outerEnd } = open.at(-1) ?? { level: 'file', end: Infinity }
    const id = rest.toString('latin1', 0, 4)
    const length = rest.readUInt32LE(4)
    const isList = id === 'LIST' || id === 'RIFF'
    const name = isList ? `${id} ${rest.toString('latin1', 8, 12)}` : id
    const end = Math.min(position + 8 + length + (length % 2), outerEnd)
    const inner = OPENED[name]
    if (inner && LEVELS.indexOf(inner) === LEVELS.indexOf(level) + 1) {
      open.push({ level: inner, end })
      return keep(RIFF_HEADER_BYTES)
    }
    const isBlank = !REQUIRED[level].has(name)
    if (isBlank) rest.write('JUNK', 'latin1')
    // A recording that was interrupted has length 0: everything that follows is audio or video.
    const isOpenEnded = length === 0 && /^(?:data|LIST movi)$/u.test(name)
    return { head: 8, body: isOpenEnded ? Infinity : end - position - 8, isBlank }
  })
}
