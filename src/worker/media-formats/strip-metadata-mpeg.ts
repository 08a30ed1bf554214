import { Buffer } from 'node:buffer'

const ID3_HEADER_BYTES = 10
/** At the end of a file: http://id3.org/ID3v1. */
const ID3V1_BYTES = 128
/** https://wiki.hydrogenaud.io/index.php?title=Ape_Tags_Header */
const APE_MARK = 'APETAGEX'
const APE_HEADER_BYTES = 32

/** Strips the tags at the beginning and end of an MP3 or AAC recording. */
export function stripMpegMetadata(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  return withoutEndTags(withoutId3(bytes))
}

/**
 * Fills leading ID3v2 tags with zeros, which players treat as padding: cover images can contain a location, and comments name
 * people. Length and offsets stay the same. https://id3.org/id3v2.4.0-structure, 3.1.
 */
async function* withoutId3(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let buffer = Buffer.alloc(0)
  let blank = 0
  let isPast = false
  for await (const chunk of bytes) {
    if (isPast) {
      yield chunk
      continue
    }
    buffer = Buffer.concat([buffer, chunk])
    let at = 0
    for (;;) {
      const run = Math.min(blank, buffer.byteLength - at)
      buffer.fill(0, at, at + run)
      at += run
      blank -= run
      if (blank > 0 || buffer.byteLength - at < ID3_HEADER_BYTES) break
      if (buffer.toString('latin1', at, at + 3) !== 'ID3') {
        isPast = true
        at = buffer.byteLength
        break
      }
      const hasFooter = (buffer.readUInt8(at + 5) & 0x10) !== 0
      blank = [6, 7, 8, 9].reduce((size, offset) => size * 128 + (buffer.readUInt8(at + offset) & 127), 0)
      if (hasFooter) blank += ID3_HEADER_BYTES
      // Clears the flags, because the extended header, checksum and footer are blanked.
      buffer.writeUInt8(0, at + 5)
      at += ID3_HEADER_BYTES
    }
    if (at > 0) yield buffer.subarray(0, at)
    buffer = buffer.subarray(at)
  }
  yield buffer
}

/** Like {@link withoutId3}, for APE tags (anywhere after the audio) and ID3v1 (at the very end). */
async function* withoutEndTags(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let buffer = Buffer.alloc(0)
  let blank = 0
  for await (const chunk of bytes) {
    buffer = Buffer.concat([buffer, chunk])
    let at = 0
    for (;;) {
      const run = Math.min(blank, buffer.byteLength - at)
      buffer.fill(0, at, at + run)
      at += run
      blank -= run
      if (blank > 0) break
      const mark = buffer.indexOf(APE_MARK, at, 'latin1')
      if (mark === -1 || buffer.byteLength - mark < APE_HEADER_BYTES) {
        // The mark may be split between chunks, and the last bytes may be an ID3v1 tag.
        const isCut = mark !== -1
        at = Math.max(at, Math.min(isCut ? mark : Infinity, buffer.byteLength - ID3V1_BYTES))
        break
      }
      at = mark
      // The size in the header excludes the header.
      blank = APE_HEADER_BYTES + buffer.readUInt32LE(mark + 12)
    }
    if (at > 0) yield buffer.subarray(0, at)
    buffer = buffer.subarray(at)
  }
  const last = buffer.byteLength - ID3V1_BYTES
  if (last >= 0 && buffer.toString('latin1', last, last + 3) === 'TAG') buffer.fill(0, last)
  yield buffer
}
