import type { Buffer } from 'node:buffer'
import { fileBoxes } from '#worker/media-formats/boxes.ts'
import { windowed, type Read } from '#worker/media-formats/range-reader.ts'

/** 2 hours and 45 minutes of video at 30 frames per second. The parser needs about 160 bytes per sample. */
const SAMPLES_MAX = 300_000
/** All tracks of a file together. */
const FILE_SAMPLES_MAX = 2 * SAMPLES_MAX
/** Uncompressed audio lists every sample; a chunk has about one second. */
const CHUNK_SAMPLES_MAX = 1_000_000
const FRAGMENT_SAMPLES_MAX = 100_000
export const FRAGMENTS_MAX = 5000
export const TABLES_MAX_BYTES = 16 * 1024 * 1024
const MFRA = 0x6d667261
const WINDOW_BYTES = 64 * 1024

/**
 * Throws for an MP4 or QuickTime file whose tables claim more samples than any real file: a few bytes can claim four
 * billion, and the parser would run out of memory. ISO/IEC 14496-12, 8.6 to 8.8.
 */
export async function requirePlausibleTables(read: Read, size: number): Promise<void> {
  const readAt = windowed(read, size, WINDOW_BYTES)
  let fragments = 0
  for await (const { type, start, end } of fileBoxes(readAt, size)) {
    if (type !== 'moov' && type !== 'moof') continue
    if (end - start > TABLES_MAX_BYTES) throw new Error('tables are too large')
    if (type === 'moof' && ++fragments > FRAGMENTS_MAX) throw new Error('too many fragments')
    const box = await readAt(start, Math.min(size, end))
    checkKeys(box)
    if (type === 'moov') checkMovie(box)
    else checkFragment(box)
  }
}

function checkMovie(box: Buffer): void {
  // The parser lists every sample only if there is a table of composition times.
  const isListed = box.includes('ctts')
  for (const type of ['stts', 'ctts']) {
    let together = 0
    for (const entries of tablesOf(box, type, 8)) {
      let samples = 0
      for (let at = 0; at < entries.byteLength; at += 8) samples += entries.readUInt32BE(at)
      together += samples
      if (isListed && (samples > SAMPLES_MAX || together > FILE_SAMPLES_MAX))
        throw new Error('too many samples')
    }
  }
  for (const entries of tablesOf(box, 'stsc', 12)) {
    for (let at = 0; at < entries.byteLength; at += 12) {
      const [firstChunk, samples] = [entries.readUInt32BE(at), entries.readUInt32BE(at + 4)]
      // Each chunk has an offset in the same box.
      if (firstChunk > box.byteLength || samples > CHUNK_SAMPLES_MAX) throw new Error('too many samples')
    }
  }
}

function checkFragment(box: Buffer): void {
  let samples = 0
  for (const at of offsetsOf(box, 'trun')) {
    if (at + 12 <= box.byteLength) samples += box.readUInt32BE(at + 8)
    if (samples > FRAGMENT_SAMPLES_MAX) throw new Error('too many samples')
  }
}

/** Checks the metadata keys: the parser would loop forever at a key of length zero. */
function checkKeys(box: Buffer): void {
  if (!box.includes('meta')) return
  for (const keysAt of offsetsOf(box, 'keys')) {
    for (let at = keysAt + 12; at + 8 <= box.byteLength;) {
      const length = box.readUInt32BE(at)
      if (length < 8) throw new Error('a metadata key of length zero')
      at += length
    }
  }
}

/** Hides the list of fragments (`mfra`), whose offsets may be false: ISO/IEC 14496-12, 8.8.9. */
export async function hideFragmentList(read: Read, size: number): Promise<Read> {
  const wordAt = size - 4
  const word = async (at: number) => {
    const bytes = await read(at, at + 4)
    return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0)
  }
  const listAt = size >= 8 ? size - (await word(wordAt)) : -1
  if (listAt < 0 || listAt > size - 8 || (await word(listAt + 4)) !== MFRA) return read
  return async (start, end) => {
    const bytes = await read(start, end)
    return end > wordAt ? new Uint8Array(bytes).fill(0, Math.max(0, wordAt - start)) : bytes
  }
}

/** The entries of all tables of this type, at any depth of the box. */
function* tablesOf(box: Buffer, type: string, entryBytes: number): Generator<Buffer> {
  for (const at of offsetsOf(box, type)) {
    const start = at + 12
    if (start > box.byteLength) return
    const count = Math.min(box.readUInt32BE(at + 8), Math.floor((box.byteLength - start) / entryBytes))
    yield box.subarray(start, start + count * entryBytes)
  }
}

function* offsetsOf(box: Buffer, type: string): Generator<number> {
  for (let at = box.indexOf(type); at !== -1; at = box.indexOf(type, at + 4)) yield at
}
