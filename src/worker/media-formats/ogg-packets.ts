import { Buffer } from 'node:buffer'

/** RFC 3533, 6. */
const MARK = 'OggS'
const HEADER_BYTES = 27
const [FLAGS_AT, GRANULE_AT, SERIAL_AT, SEGMENTS_AT] = [5, 6, 14, 26]
const [CONTINUED, BEGINS_STREAM] = [1, 2]
/** A page that ends no packet has no position. */
const NO_POSITION = 0xffff_ffff_ffff_ffffn

/** The Ogg file is not one unbroken stream of packets of an accepted size. */
export class OggError extends Error {}

/** A packet, and the position in samples at the end of its page: null where the page ends none. */
export type OggPacket = { bytes: Buffer; position: bigint | null }

/**
 * The packets of an Ogg file that holds one stream, in order. Holds one page and one packet of at most `maxBytes`. Throws
 * {@link OggError} for several streams, a gap, or a longer packet; checksums are not looked at.
 */
export async function* oggPackets(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<OggPacket> {
  let serial: number | null = null
  let begun: Buffer[] = []
  for await (const page of oggPages(bytes)) {
    const flags = page.readUInt8(FLAGS_AT)
    const own = page.readUInt32LE(SERIAL_AT)
    const isStart = (flags & BEGINS_STREAM) !== 0
    if (isStart !== (serial === null) || own !== (serial ?? own)) throw new OggError('several streams')
    serial = own
    const isContinued = (flags & CONTINUED) !== 0
    if (isContinued !== begun.length > 0) throw new OggError('a gap between pages')
    const position = page.readBigUInt64LE(GRANULE_AT)
    let place = HEADER_BYTES + page.readUInt8(SEGMENTS_AT)
    for (const length of page.subarray(HEADER_BYTES, place)) {
      // A view: pages are never written to, and copying each of many small packets costs more than all the rest.
      begun.push(page.subarray(place, place + length))
      place += length
      if (length === 255) continue
      const [first] = begun
      const whole = begun.length === 1 && first ? first : Buffer.concat(begun)
      begun = []
      if (whole.byteLength > maxBytes) throw new OggError('a packet too long')
      yield { bytes: whole, position: position === NO_POSITION ? null : position }
    }
    if (begun.length * 255 > maxBytes) throw new OggError('a packet too long')
  }
}

/** Page by page, without the bytes between them and without an incomplete last page. */
async function* oggPages(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0)
  for await (const chunk of bytes) {
    held = Buffer.concat([held, chunk])
    for (;;) {
      const at = held.indexOf(MARK, 0, 'latin1')
      if (at === -1) {
        held = held.subarray(Math.max(0, held.byteLength - MARK.length + 1))
        break
      }
      held = held.subarray(at)
      if (held.byteLength < HEADER_BYTES) break
      const segments = held.readUInt8(SEGMENTS_AT)
      const bodyAt = HEADER_BYTES + segments
      if (held.byteLength < bodyAt) break
      const table: Uint8Array = held.subarray(HEADER_BYTES, bodyAt)
      const size = table.reduce((sum, length) => sum + length, bodyAt)
      if (held.byteLength < size) break
      yield held.subarray(0, size)
      held = held.subarray(size)
    }
  }
}
