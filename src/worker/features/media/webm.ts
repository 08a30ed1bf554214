import type { Buffer } from 'node:buffer'
import type { TimedFacts } from '#worker/features/media/duration.ts'
import { windowed, type Read } from '#worker/features/media/windowed.ts'

const WINDOW_BYTES = 1024 * 1024
/** Far more than the largest film has: two hours at 60 pictures and 100 pieces of sound a second. */
const ELEMENTS_MAX = 2_000_000
/** The longest header of an element (RFC 8794, 5 and 6), and as much of its content as is looked at. */
const HEAD_BYTES = 12 + 16
/** RFC 9559. Those that hold others are walked into, wherever they stand; of all else the content is stepped over. */
const OPENED = new Set([0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0xe0, 0x1f43b675, 0xa0])
const ID = {
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  trackType: 0x83,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  clusterTimestamp: 0xe7,
  simpleBlock: 0xa3,
  block: 0xa1,
} as const

/** `length` null: unknown, until something else begins. */
export type ElementHead = { id: number; headBytes: number; length: number | null }

/** The head of the element that begins with these bytes, null where none can, `incomplete` where more must come. */
export function readElementHead(bytes: Uint8Array): ElementHead | null | 'incomplete' {
  const idBytes = Math.clz32(bytes[0] ?? 0) - 23
  if (bytes.byteLength === 0) return 'incomplete'
  if (idBytes > 4) return null
  const sizeBytes = Math.clz32(bytes[idBytes] ?? 0xff) - 23
  if (sizeBytes > 8) return null
  const headBytes = idBytes + sizeBytes
  if (bytes.byteLength <= idBytes || bytes.byteLength < headBytes) return 'incomplete'
  const sum = (values: Uint8Array, first: number) => values.reduce((total, byte) => total * 256 + byte, first)
  // The bit that tells how many bytes there are goes first: with it eight bytes are more than a number can hold.
  const value = sum(bytes.subarray(idBytes + 1, headBytes), (bytes[idBytes] ?? 0) & (0xff >> sizeBytes))
  const isUnknown = value >= 2 ** (7 * sizeBytes) - 1
  return { id: sum(bytes.subarray(0, idBytes), 0), headBytes, length: isUnknown ? null : value }
}

/**
 * Length, size and kind of a WebM: the longer of what its header says and when its last block begins. Every element is
 * looked at once and none is kept, so one cluster of a million blocks costs no more than a film. Throws for too many
 * elements, or none that is a track.
 */
export async function readWebm(read: Read, size: number): Promise<TimedFacts> {
  const look = windowed(read, size, WINDOW_BYTES)
  const film = { scale: 1_000_000, stated: 0, cluster: 0, last: 0, tracks: 0, hasVideo: false }
  let width: number | null = null
  let height: number | null = null
  let elements = 0
  for (let at = 0; at + 2 <= size;) {
    if (++elements > ELEMENTS_MAX) throw new Error('too many elements')
    const bytes = await look(at, Math.min(size, at + HEAD_BYTES))
    const head = readElementHead(bytes)
    // Broken off, or no element: what was seen until here counts.
    if (head === null || head === 'incomplete') break
    const { id, headBytes, length } = head
    at += headBytes
    if (OPENED.has(id)) continue
    if (length === null) throw new Error('an element without a length')
    const content = bytes.subarray(headBytes, headBytes + Math.min(length, 16))
    if (id === ID.timestampScale) film.scale = unsigned(content)
    if (id === ID.duration) film.stated = float(content)
    if (id === ID.trackType) {
      film.tracks += 1
      film.hasVideo ||= unsigned(content) === 1
    }
    if (id === ID.pixelWidth) width ??= unsigned(content)
    if (id === ID.pixelHeight) height ??= unsigned(content)
    if (id === ID.clusterTimestamp) film.cluster = unsigned(content)
    if (id === ID.simpleBlock || id === ID.block)
      film.last = Math.max(film.last, film.cluster + blockTime(content))
    at += length
  }
  if (film.tracks === 0) throw new Error('no track')
  const durationSec = (Math.max(film.stated, film.last) * film.scale) / 1e9
  return { durationSec, width, height, hasVideo: film.hasVideo }
}

function unsigned(content: Buffer): number {
  return content.subarray(0, 8).reduce((sum, byte) => sum * 256 + byte, 0)
}

function float(content: Buffer): number {
  const value =
    content.byteLength === 4 ? content.readFloatBE() : content.byteLength === 8 ? content.readDoubleBE() : 0
  return Number.isFinite(value) ? value : 0
}

/** Of a block: the time after its cluster's, behind the number of its track. */
function blockTime(content: Buffer): number {
  const trackBytes = Math.clz32(content[0] ?? 0) - 23
  return content.byteLength >= trackBytes + 2 ? content.readInt16BE(trackBytes) : 0
}
