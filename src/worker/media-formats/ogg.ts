import { Buffer } from 'node:buffer'
import { keep, stripInPlace, type Step } from '#worker/media-formats/strip-in-place.ts'

/** RFC 3533, 6. */
const MARK = 'OggS'
const HEADER_BYTES = 27
const [FLAGS_AT, GRANULE_AT, SERIAL_AT, CHECKSUM_AT, SEGMENTS_AT] = [5, 6, 14, 22, 26]
const [CONTINUED, BEGINS_STREAM] = [1, 2]
/** The position of a page on which no packet ends. */
const NO_POSITION = 0xffff_ffff_ffff_ffffn

/** The Ogg file is not one unbroken stream of packets of an accepted size. */
export class OggError extends Error {}

/** A packet, and the position in samples at the end of its page; null if no packet ends there. */
export type OggPacket = { bytes: Buffer; position: bigint | null }

/**
 * The packets of an Ogg file with one stream, in order. Keeps one page and one packet of at most `maxBytes` in memory. Throws
 * {@link OggError} for several streams, a gap, or a longer packet; doesn't verify checksums.
 */
export async function* oggPackets(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<OggPacket> {
  let serial: number | null = null
  let segments: Buffer[] = []
  for await (const page of oggPages(bytes)) {
    const flags = page.readUInt8(FLAGS_AT)
    const pageSerial = page.readUInt32LE(SERIAL_AT)
    const isStart = (flags & BEGINS_STREAM) !== 0
    if (isStart !== (serial === null) || pageSerial !== (serial ?? pageSerial))
      throw new OggError('several streams')
    serial = pageSerial
    const isContinued = (flags & CONTINUED) !== 0
    if (isContinued !== segments.length > 0) throw new OggError('a gap between pages')
    const position = page.readBigUInt64LE(GRANULE_AT)
    let offset = HEADER_BYTES + page.readUInt8(SEGMENTS_AT)
    for (const length of page.subarray(HEADER_BYTES, offset)) {
      // A view: pages are never modified, and copying many small packets would dominate the cost.
      segments.push(page.subarray(offset, offset + length))
      offset += length
      if (length === 255) continue
      const [first] = segments
      const whole = segments.length === 1 && first ? first : Buffer.concat(segments)
      segments = []
      if (whole.byteLength > maxBytes) throw new OggError('a packet too long')
      yield { bytes: whole, position: position === NO_POSITION ? null : position }
    }
    if (segments.length * 255 > maxBytes) throw new OggError('a packet too long')
  }
}

/** Yields the pages, without bytes between them and without an incomplete last page. */
async function* oggPages(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let buffer = Buffer.alloc(0)
  for await (const chunk of bytes) {
    buffer = Buffer.concat([buffer, chunk])
    for (;;) {
      const at = buffer.indexOf(MARK, 0, 'latin1')
      if (at === -1) {
        buffer = buffer.subarray(Math.max(0, buffer.byteLength - MARK.length + 1))
        break
      }
      buffer = buffer.subarray(at)
      const size = pageSize(buffer)
      if (size === null || buffer.byteLength < size) break
      yield buffer.subarray(0, size)
      buffer = buffer.subarray(size)
    }
  }
}

/** The size of the page at the start of `bytes`; null while its header is incomplete. */
function pageSize(bytes: Buffer): number | null {
  if (bytes.byteLength < HEADER_BYTES) return null
  const bodyAt = HEADER_BYTES + bytes.readUInt8(SEGMENTS_AT)
  if (bytes.byteLength < bodyAt) return null
  const table: Uint8Array = bytes.subarray(HEADER_BYTES, bodyAt)
  return table.reduce((sum, length) => sum + length, bodyAt)
}

/** More streams than any real file has; comments of further streams stay. */
const STREAMS_MAX = 16

/** Empty comment packets, by codec: its name, no vendor, no comments (RFC 7845, 5.2; Vorbis I, 5.2.1). */
const EMPTY_PACKETS = [
  Buffer.from('OpusTags\0\0\0\0\0\0\0\0', 'latin1'),
  Buffer.from('\x03vorbis\0\0\0\0\0\0\0\0\x01', 'latin1'),
]
const NAME_BYTES = 7

/** Position in the first packets of a stream. `empty`: replacement of its comments, null while unknown or for other codecs. */
type Stream = { packet: number; offset: number; empty: Buffer | null }

/**
 * Replaces comment packets with empty ones and zeros, and updates checksums. Blanks bytes between and after pages, which players
 * skip. Keeps one page in memory.
 */
export function stripOggMetadata(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const streams = new Map<number, Stream>()
  const nextPage = (rest: Buffer): Step | null => {
    const mark = rest.indexOf(MARK, 0, 'latin1')
    // The mark may be split between chunks.
    const skipped = mark === -1 ? rest.byteLength - MARK.length + 1 : mark
    if (mark !== 0) return skipped > 0 ? { head: 0, body: skipped, isBlank: true } : null
    const size = pageSize(rest)
    if (size === null || size > rest.byteLength) return null
    emptyComments(rest.subarray(0, size), streams)
    return keep(size)
  }
  return stripInPlace(bytes, nextPage, (rest) => rest.fill(0))
}

function emptyComments(page: Buffer, streams: Map<number, Stream>): void {
  const serial = page.readUInt32LE(SERIAL_AT)
  if ((page.readUInt8(FLAGS_AT) & BEGINS_STREAM) !== 0 && streams.size < STREAMS_MAX) {
    streams.set(serial, { packet: 0, offset: 0, empty: null })
  }
  const stream = streams.get(serial)
  if (!stream || stream.packet > 1) return
  const segments = page.readUInt8(SEGMENTS_AT)
  let place = HEADER_BYTES + segments
  for (const length of page.subarray(HEADER_BYTES, place)) {
    if (stream.packet === 1) emptySegment(page.subarray(place, place + length), stream)
    place += length
    stream.offset += length
    if (length === 255) continue
    stream.packet++
    stream.offset = 0
  }
  page.writeUInt32LE(0, CHECKSUM_AT)
  page.writeUInt32LE(checksum(page), CHECKSUM_AT)
}

function emptySegment(segment: Buffer, stream: Stream): void {
  if (stream.offset === 0) {
    const isOf = (empty: Buffer) =>
      segment.byteLength >= empty.byteLength &&
      segment.subarray(0, NAME_BYTES).equals(empty.subarray(0, NAME_BYTES))
    stream.empty = EMPTY_PACKETS.find(isOf) ?? null
  }
  if (!stream.empty) return
  segment.fill(0)
  if (stream.offset === 0) stream.empty.copy(segment)
}

/** CRC-32 of polynomial 0x04c11db7, unreflected, from zero. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24
  for (let bit = 0; bit < 8; bit++) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1
  return value >>> 0
})

function checksum(page: Buffer): number {
  let value = 0
  for (const byte of page) value = ((value << 8) ^ (TABLE[(value >>> 24) ^ byte] ?? 0)) >>> 0
  return value
}
