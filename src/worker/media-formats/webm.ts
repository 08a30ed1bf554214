import { Buffer } from 'node:buffer'
import type { ProbeResult, Read } from '#worker/media-formats/range-reader.ts'
import { stripInPlace, type Step } from '#worker/media-formats/strip-in-place.ts'

const WINDOW_BYTES = 1024 * 1024
/** Far more than the largest video has: two hours with 60 video and 100 audio blocks per second. */
const ELEMENTS_MAX = 2_000_000
/** The longest element header (RFC 8794, 5 and 6) plus the content bytes that are read. */
const HEAD_BYTES = 12 + 16
/** RFC 9559. Elements whose children are visited, at any level; the content of all others is skipped. */
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

const READ: ReadonlySet<number> = new Set(Object.values(ID))

type Totals = {
  /** Nanoseconds per time unit. */
  scale: number
  stated: number
  cluster: number
  last: number
  tracks: number
  hasVideo: boolean
  width: number | null
  height: number | null
}

/** `length` null: unknown; the element ends where another one begins. */
type ElementHead = { id: number; headBytes: number; length: number | null }

/** The header of the element at `at`; null if invalid, `incomplete` if more bytes are needed. */
function readElementHead(bytes: Uint8Array, at: number): ElementHead | null | 'incomplete' {
  if (at >= bytes.byteLength) return 'incomplete'
  const idBytes = Math.clz32(bytes[at] ?? 0) - 23
  if (idBytes > 4) return null
  const sizeAt = at + idBytes
  if (sizeAt >= bytes.byteLength) return 'incomplete'
  const sizeBytes = Math.clz32(bytes[sizeAt] ?? 0) - 23
  if (sizeBytes > 8) return null
  const end = sizeAt + sizeBytes
  if (end > bytes.byteLength) return 'incomplete'
  let id = 0
  for (let offset = at; offset < sizeAt; offset++) id = id * 256 + (bytes[offset] ?? 0)
  // Without the length marker bit, because eight bytes with it don't fit into a number.
  let value = (bytes[sizeAt] ?? 0) & (0xff >> sizeBytes)
  for (let offset = sizeAt + 1; offset < end; offset++) value = value * 256 + (bytes[offset] ?? 0)
  const isUnknown = value >= 2 ** (7 * sizeBytes) - 1
  return { id, headBytes: end - at, length: isUnknown ? null : value }
}

/**
 * Duration, size and kind of a WebM. The duration is the longer of the header's and the start of the last block. Visits
 * every element once and stores none, so memory is constant. Throws for too many elements and for a file without a track.
 */
export async function readWebm(read: Read, size: number): Promise<ProbeResult> {
  const totals: Totals = {
    scale: 1_000_000,
    stated: 0,
    cluster: 0,
    last: 0,
    tracks: 0,
    hasVideo: false,
    width: null,
    height: null,
  }
  let elements = 0
  for (let at = 0; at + 2 <= size;) {
    const bytes = await read(at, Math.min(size, at + WINDOW_BYTES))
    const window = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const isLast = at + window.byteLength >= size
    let offset = 0
    // No await within one window: elements are too small for that.
    while (offset + (isLast ? 2 : HEAD_BYTES) <= window.byteLength) {
      if (++elements > ELEMENTS_MAX) throw new Error('too many elements')
      const head = readElementHead(window, offset)
      // Truncated or invalid: returns what was read so far.
      if (head === null || head === 'incomplete') return resultOf(totals)
      offset += head.headBytes
      if (OPENED.has(head.id)) continue
      if (head.length === null) throw new Error('an element without a length')
      if (READ.has(head.id))
        addElement(totals, head.id, window.subarray(offset, offset + Math.min(head.length, 16)))
      offset += head.length
    }
    if (offset === 0) break
    at += offset
  }
  return resultOf(totals)
}

function addElement(totals: Totals, id: number, content: Buffer): void {
  if (id === ID.simpleBlock || id === ID.block) {
    totals.last = Math.max(totals.last, totals.cluster + blockTime(content))
  }
  if (id === ID.clusterTimestamp) totals.cluster = unsigned(content)
  if (id === ID.timestampScale) totals.scale = unsigned(content)
  if (id === ID.duration) totals.stated = float(content)
  if (id === ID.pixelWidth) totals.width ??= unsigned(content)
  if (id === ID.pixelHeight) totals.height ??= unsigned(content)
  if (id !== ID.trackType) return
  totals.tracks += 1
  totals.hasVideo ||= unsigned(content) === 1
}

function resultOf(totals: Totals): ProbeResult {
  if (totals.tracks === 0) throw new Error('no track')
  const durationSec = (Math.max(totals.stated, totals.last) * totals.scale) / 1e9
  const { width, height, hasVideo } = totals
  return { durationSec, width, height, hasVideo }
}

function unsigned(content: Buffer): number {
  return content.subarray(0, 8).reduce((sum, byte) => sum * 256 + byte, 0)
}

function float(content: Buffer): number {
  const value =
    content.byteLength === 4 ? content.readFloatBE() : content.byteLength === 8 ? content.readDoubleBE() : 0
  return Number.isFinite(value) ? value : 0
}

/** The time of a block relative to its cluster, stored after the track number. */
function blockTime(content: Buffer): number {
  const trackBytes = Math.clz32(content[0] ?? 0) - 23
  return content.byteLength >= trackBytes + 2 ? content.readInt16BE(trackBytes) : 0
}

type Level = 'file' | 'segment' | 'info' | 'tracks' | 'track' | 'cluster'
type Action = Level | 'keep' | 'blank'

/** RFC 9559, 5.1. */
const [EBML, SEGMENT, SEEK_HEAD, INFO, TRACKS, CUES, CLUSTER] = [
  0x1a45dfa3, 0x18538067, 0x114d9b74, 0x1549a966, 0x1654ae6b, 0x1c53bb6b, 0x1f43b675,
]
const TOP = new Set([
  EBML,
  SEGMENT,
  SEEK_HEAD,
  INFO,
  TRACKS,
  CUES,
  CLUSTER,
  0x1254c367,
  0x1941a469,
  0x1043a770,
])
const CLUSTER_MARK = Buffer.from([0x1f, 0x43, 0xb6, 0x75])
/** Checksums of modified elements are blanked, too. */
const [CRC, VOID, TRACK_ENTRY, TRACK_NAME] = [0xbf, 0xec, 0xae, 0x536e]
/** What to do with an element, by its id; `other` is for ids that the level doesn't list. */
const ACTIONS: Record<Level, { other: 'keep' | 'blank'; [id: number]: Action }> = {
  // Players read on after a segment whose length is too small.
  file: { other: 'blank', [EBML]: 'keep', [SEGMENT]: 'segment', [CUES]: 'keep', [CLUSTER]: 'cluster' },
  segment: {
    other: 'blank',
    [SEEK_HEAD]: 'keep',
    [INFO]: 'info',
    [TRACKS]: 'tracks',
    [CUES]: 'keep',
    [CLUSTER]: 'cluster',
  },
  // Timestamp scale, duration and encoder stay; date, title and names of other files don't.
  info: { other: 'blank', 0x2ad7b1: 'keep', 0x4489: 'keep', 0x4d80: 'keep', 0x5741: 'keep' },
  tracks: { other: 'blank', [TRACK_ENTRY]: 'track' },
  track: { other: 'keep', [TRACK_NAME]: 'blank', [CRC]: 'blank', [VOID]: 'blank' },
  // Of unknown length: time, blocks, position, and the size of the cluster before.
  cluster: {
    other: 'blank',
    0xe7: 'keep',
    0xa3: 'keep',
    0xa0: 'keep',
    0xa7: 'keep',
    0xab: 'keep',
    0xaf: 'keep',
    0x5854: 'keep',
  },
}

/**
 * Turns tags, attachments, chapters, title, date, track names and whatever follows the segment into `Void`. Where no element is,
 * blanks the bytes up to the next cluster, as players search for it. Keeps one header in memory.
 */
export function stripWebmMetadata(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const open: { level: Level; end: number }[] = []
  const innermost = () => open.at(-1) ?? { level: 'file' as const, end: Infinity }
  let isLost = false
  const next = (rest: Buffer, position: number): Step | null => {
    while (position >= innermost().end) {
      open.pop()
      isLost = false
    }
    const head = readElementHead(rest, 0)
    isLost ||= head === null
    if (isLost) {
      const found = rest.indexOf(CLUSTER_MARK)
      // The mark may be split between chunks.
      const skipped = found === -1 ? rest.byteLength - CLUSTER_MARK.byteLength + 1 : found
      const room = Math.min(skipped, innermost().end - position)
      if (room > 0) return { head: 0, body: room, isBlank: true }
      if (found === -1) return null
      isLost = false
    }
    if (head === 'incomplete' || head === null) return null
    if (TOP.has(head.id)) while (innermost().level === 'cluster') open.pop()
    const { level, end } = innermost()
    const action = ACTIONS[level][head.id] ?? ACTIONS[level].other
    const bodyAt = position + head.headBytes
    const bodyEnd = Math.min(end, head.length === null ? Infinity : bodyAt + head.length)
    const isBlank = action === 'blank'
    if (isBlank && head.length !== null) writeVoid(rest.subarray(0, head.headBytes), head)
    // A cluster of known length is skipped.
    const isSkipped = action === 'keep' || isBlank || (action === 'cluster' && head.length !== null)
    if (!isSkipped) open.push({ level: action, end: bodyEnd })
    return { head: head.headBytes, body: isSkipped ? bodyEnd - bodyAt : 0, isBlank }
  }
  return stripInPlace(bytes, next, (rest) => rest.fill(0))
}

/** Replaces a header with one of `Void`, whose id has one byte; spare bytes beyond the length field become content. */
function writeVoid(bytes: Buffer, { headBytes, length }: ElementHead): void {
  const sizeBytes = Math.min(8, headBytes - 1)
  const over = headBytes - 1 - sizeBytes
  let value = BigInt((length ?? 0) + over) | (1n << BigInt(7 * sizeBytes))
  bytes.fill(0)
  bytes.writeUInt8(VOID, 0)
  for (let offset = sizeBytes; offset > 0; offset--) {
    bytes.writeUInt8(Number(value & 255n), offset)
    value >>= 8n
  }
}
