import { Buffer } from 'node:buffer'

const ID3_HEADER_BYTES = 10
/** At the end of a file: http://id3.org/ID3v1. */
const ID3V1_BYTES = 128
/** https://wiki.hydrogenaud.io/index.php?title=Ape_Tags_Header */
const APE_MARK = 'APETAGEX'
const APE_HEADER_BYTES = 32

/** The same bytes of an MP3 or AAC recording without its tags, at the beginning and at the end. */
export function stripMpegMetadata(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  return withoutEndTags(withoutId3(bytes))
}

/**
 * The same bytes with the content of leading ID3v2 tags made zeros, which readers take as padding: a cover picture
 * carries the location where it was taken, and comments name people. Length and offsets stay the same.
 * https://id3.org/id3v2.4.0-structure, 3.1.
 */
async function* withoutId3(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = Buffer.alloc(0)
  let blank = 0
  let isPast = false
  for await (const chunk of bytes) {
    if (isPast) {
      yield chunk
      continue
    }
    held = Buffer.concat([held, chunk])
    let at = 0
    for (;;) {
      const run = Math.min(blank, held.byteLength - at)
      held.fill(0, at, at + run)
      at += run
      blank -= run
      if (blank > 0 || held.byteLength - at < ID3_HEADER_BYTES) break
      if (held.toString('latin1', at, at + 3) !== 'ID3') {
        isPast = true
        at = held.byteLength
        break
      }
      const hasFooter = (held.readUInt8(at + 5) & 0x10) !== 0
      blank = [6, 7, 8, 9].reduce((size, place) => size * 128 + (held.readUInt8(at + place) & 127), 0)
      if (hasFooter) blank += ID3_HEADER_BYTES
      // No flag may speak of a header, a checksum or a footer that is gone.
      held.writeUInt8(0, at + 5)
      at += ID3_HEADER_BYTES
    }
    if (at > 0) yield held.subarray(0, at)
    held = held.subarray(at)
  }
  yield held
}

/** As {@link withoutId3}, for APE tags, which come anywhere after the sound, and ID3v1, which is the last of all. */
async function* withoutEndTags(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = Buffer.alloc(0)
  let blank = 0
  for await (const chunk of bytes) {
    held = Buffer.concat([held, chunk])
    let at = 0
    for (;;) {
      const run = Math.min(blank, held.byteLength - at)
      held.fill(0, at, at + run)
      at += run
      blank -= run
      if (blank > 0) break
      const mark = held.indexOf(APE_MARK, at, 'latin1')
      if (mark === -1 || held.byteLength - mark < APE_HEADER_BYTES) {
        // The mark may be cut, and the last bytes may be a tag.
        const isCut = mark !== -1
        at = Math.max(at, Math.min(isCut ? mark : Infinity, held.byteLength - ID3V1_BYTES))
        break
      }
      at = mark
      // What the header counts is all but itself.
      blank = APE_HEADER_BYTES + held.readUInt32LE(mark + 12)
    }
    if (at > 0) yield held.subarray(0, at)
    held = held.subarray(at)
  }
  const last = held.byteLength - ID3V1_BYTES
  if (last >= 0 && held.toString('latin1', last, last + 3) === 'TAG') held.fill(0, last)
  yield held
}
