import { Buffer } from 'node:buffer'

/** RFC 3533, 6. */
const MARK = 'OggS'
const HEADER_BYTES = 27
const [FLAGS_AT, SERIAL_AT, CHECKSUM_AT, SEGMENTS_AT] = [5, 14, 22, 26]
const BEGINS_STREAM = 2
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
 * Replaces the comment packet of every stream in an Ogg file with an empty one and zeros: comments contain speaker, date,
 * location and cover image. Updates the checksums of those pages. Keeps one page (64 KiB) in memory.
 */
export async function* stripOggMetadata(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const streams = new Map<number, Stream>()
  let buffer = Buffer.alloc(0)
  for await (const chunk of bytes) {
    buffer = Buffer.concat([buffer, chunk])
    let at = 0
    for (;;) {
      const mark = buffer.indexOf(MARK, at, 'latin1')
      if (mark === -1) {
        at = Math.max(at, buffer.byteLength - MARK.length + 1)
        break
      }
      at = mark
      const size = pageSize(buffer, at)
      if (size === null || at + size > buffer.byteLength) break
      emptyComments(buffer.subarray(at, at + size), streams)
      at += size
    }
    if (at > 0) yield buffer.subarray(0, at)
    buffer = buffer.subarray(at)
  }
  yield buffer
}

function pageSize(bytes: Buffer, at: number): number | null {
  if (at + HEADER_BYTES > bytes.byteLength) return null
  const segments = bytes.readUInt8(at + SEGMENTS_AT)
  if (at + HEADER_BYTES + segments > bytes.byteLength) return null
  const table = bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + segments)
  return HEADER_BYTES + segments + table.reduce((sum, length) => sum + length, 0)
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
