import { Buffer } from 'node:buffer'
import { readElementHead, type ElementHead } from '#worker/media-formats/webm.ts'

type Level = 'file' | 'segment' | 'info' | 'tracks' | 'track' | 'cluster'
type Fate = Level | 'keep' | 'blank'

/** RFC 9559, 5.1. */
const [SEGMENT, SEEK_HEAD, INFO, TRACKS, CUES, CLUSTER] = [
  0x18538067, 0x114d9b74, 0x1549a966, 0x1654ae6b, 0x1c53bb6b, 0x1f43b675,
]
const TOP = new Set([
  0x1a45dfa3,
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
/** A checksum of what has changed is blanked with it. */
const [CRC, VOID, TRACK_ENTRY, TRACK_NAME] = [0xbf, 0xec, 0xae, 0x536e]
/** What to do with an element, by its id; `other` is for the ids that a level does not name. */
const FATES: Record<Level, { other: 'keep' | 'blank'; [id: number]: Fate }> = {
  file: { other: 'keep', [SEGMENT]: 'segment', [VOID]: 'blank' },
  segment: {
    other: 'blank',
    [SEEK_HEAD]: 'keep',
    [INFO]: 'info',
    [TRACKS]: 'tracks',
    [CUES]: 'keep',
    [CLUSTER]: 'cluster',
  },
  // The scale of time, the length, and the program that wrote the file: not the day, the title, or other files' names.
  info: { other: 'blank', 0x2ad7b1: 'keep', 0x4489: 'keep', 0x4d80: 'keep', 0x5741: 'keep' },
  tracks: { other: 'blank', [TRACK_ENTRY]: 'track' },
  track: { other: 'keep', [TRACK_NAME]: 'blank', [CRC]: 'blank', [VOID]: 'blank' },
  cluster: { other: 'keep' },
}

/**
 * The same bytes of a WebM without tags, attachments, chapters, title, date and track names: such an element becomes
 * `Void` of the same length, so that every offset stays the same. Keeps one header in memory.
 */
export async function* stripWebmMetadata(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const open: { level: Level; end: number }[] = [{ level: 'file', end: Infinity }]
  const innermost = () => open.at(-1) ?? { level: 'file' as const, end: Infinity }
  let held = Buffer.alloc(0)
  let start = 0
  let contentEnd = 0
  let isBlank = false
  for await (const chunk of bytes) {
    held = Buffer.concat([held, chunk])
    let at = 0
    while (at < held.byteLength) {
      const run = Math.min(contentEnd - start - at, held.byteLength - at)
      if (run > 0) {
        if (isBlank) held.fill(0, at, at + run)
        at += run
        continue
      }
      while (start + at >= innermost().end) open.pop()
      const head = readElementHead(held, at)
      if (head === 'incomplete') break
      isBlank = false
      if (head === null) {
        // Nothing can stand here: the file breaks off, and its reader stops as well.
        contentEnd = Infinity
        continue
      }
      if (TOP.has(head.id)) while (innermost().level === 'cluster') open.pop()
      const { level, end } = innermost()
      const fate = FATES[level][head.id] ?? FATES[level].other
      const bodyAt = start + at + head.headBytes
      const bodyEnd = Math.min(end, head.length === null ? Infinity : bodyAt + head.length)
      if (fate === 'blank' && head.length !== null) writeVoid(held.subarray(at, at + head.headBytes), head)
      at += head.headBytes
      isBlank = fate === 'blank'
      if (fate === 'keep' || fate === 'blank') contentEnd = bodyEnd
      // A cluster of known length is stepped over.
      else if (fate === 'cluster' && head.length !== null) contentEnd = bodyEnd
      else open.push({ level: fate, end: bodyEnd })
    }
    if (at > 0) yield held.subarray(0, at)
    start += at
    held = held.subarray(at)
  }
  yield held
}

/** Makes a head that of `Void`, which has an id of one byte: the length takes what is left, and what is over is content. */
function writeVoid(bytes: Buffer, { headBytes, length }: ElementHead): void {
  const sizeBytes = Math.min(8, headBytes - 1)
  const over = headBytes - 1 - sizeBytes
  let value = BigInt((length ?? 0) + over) | (1n << BigInt(7 * sizeBytes))
  bytes.fill(0)
  bytes.writeUInt8(VOID, 0)
  for (let place = sizeBytes; place > 0; place--) {
    bytes.writeUInt8(Number(value & 255n), place)
    value >>= 8n
  }
}
