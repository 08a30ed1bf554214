import type { Buffer } from 'node:buffer'
import type { StoredMimeType } from '#shared/uploads.ts'
import { stripOggMetadata } from '#worker/media-formats/ogg.ts'
import { keep, stripInPlace, type Step } from '#worker/media-formats/strip-in-place.ts'
import { stripLocation } from '#worker/media-formats/strip-location.ts'
import { stripWebmMetadata } from '#worker/media-formats/webm.ts'

/** In place, so that length and offsets stay the same. Photos pass unchanged: only the owner gets the original. */
export function stripMetadata(
  bytes: AsyncIterable<Uint8Array>,
  mimeType: StoredMimeType,
): AsyncIterable<Uint8Array> {
  if (mimeType === 'video/webm') return stripWebmMetadata(bytes)
  if (mimeType === 'audio/ogg') return stripOggMetadata(bytes)
  if (mimeType === 'audio/mpeg' || mimeType === 'audio/aac') {
    return stripInPlace(stripInPlace(bytes, nextId3), nextApe, blankId3v1)
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

const ID3_HEADER_BYTES = 10

/** Blanks leading ID3v2 tags, which players treat as padding. https://id3.org/id3v2.4.0-structure, 3.1. */
function nextId3(rest: Buffer): Step | null {
  if (rest.byteLength < ID3_HEADER_BYTES) return null
  if (rest.toString('latin1', 0, 3) !== 'ID3') return keep(0, Infinity)
  const hasFooter = (rest.readUInt8(5) & 0x10) !== 0
  const size = [6, 7, 8, 9].reduce((sum, offset) => sum * 128 + (rest.readUInt8(offset) & 127), 0)
  // Clears the flags, because the extended header, checksum and footer are blanked.
  rest.writeUInt8(0, 5)
  return { head: ID3_HEADER_BYTES, body: size + (hasFooter ? ID3_HEADER_BYTES : 0), isBlank: true }
}

/** https://wiki.hydrogenaud.io/index.php?title=Ape_Tags_Header */
const APE_MARK = 'APETAGEX'
const APE_HEADER_BYTES = 32
/** At the end of a file: http://id3.org/ID3v1. */
const ID3V1_BYTES = 128

/** Blanks APE tags anywhere. Holds back the last bytes, which may be an ID3v1 tag, and a mark split between chunks. */
function nextApe(rest: Buffer): Step | null {
  const mark = rest.indexOf(APE_MARK, 0, 'latin1')
  const isWhole = mark !== -1 && rest.byteLength - mark >= APE_HEADER_BYTES
  // The size in the header excludes the header.
  if (isWhole && mark === 0) return { head: 0, body: APE_HEADER_BYTES + rest.readUInt32LE(12), isBlank: true }
  if (isWhole) return keep(mark)
  const safe = Math.min(mark === -1 ? Infinity : mark, rest.byteLength - ID3V1_BYTES)
  return safe > 0 ? keep(safe) : null
}

function blankId3v1(rest: Buffer): void {
  const last = rest.byteLength - ID3V1_BYTES
  if (last >= 0 && rest.toString('latin1', last, last + 3) === 'TAG') rest.fill(0, last)
}
