import { Buffer } from 'node:buffer'

/** RFC 3533, 6. */
const MARK = 'OggS'
const HEADER_BYTES = 27
const [FLAGS_AT, GRANULE_AT, SERIAL_AT, SEGMENTS_AT] = [5, 6, 14, 26]
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
      if (buffer.byteLength < HEADER_BYTES) break
      const bodyAt = HEADER_BYTES + buffer.readUInt8(SEGMENTS_AT)
      if (buffer.byteLength < bodyAt) break
      const table: Uint8Array = buffer.subarray(HEADER_BYTES, bodyAt)
      const size = table.reduce((sum, length) => sum + length, bodyAt)
      if (buffer.byteLength < size) break
      yield buffer.subarray(0, size)
      buffer = buffer.subarray(size)
    }
  }
}
