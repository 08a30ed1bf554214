import { Buffer } from 'node:buffer'
import { readElementHead, type ElementHead } from '#worker/media-formats/webm.ts'

type Level = 'file' | 'segment' | 'info' | 'tracks' | 'track' | 'cluster'
type Action = Level | 'keep' | 'blank'

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
/** Checksums of modified elements are blanked, too. */
const [CRC, VOID, TRACK_ENTRY, TRACK_NAME] = [0xbf, 0xec, 0xae, 0x536e]
/** What to do with an element, by its id; `other` is for ids that the level doesn't list. */
const ACTIONS: Record<Level, { other: 'keep' | 'blank'; [id: number]: Action }> = {
  file: { other: 'keep', [SEGMENT]: 'segment', [VOID]: 'blank' },
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
  cluster: { other: 'keep' },
}

/**
 * Strips tags, attachments, chapters, title, date and track names from a WebM. Such an element becomes `Void` of the same
 * length, so that offsets stay the same. Keeps one header in memory.
 */
export async function* stripWebmMetadata(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const open: { level: Level; end: number }[] = [{ level: 'file', end: Infinity }]
  const innermost = () => open.at(-1) ?? { level: 'file' as const, end: Infinity }
  let buffer = Buffer.alloc(0)
  let start = 0
  let contentEnd = 0
  let isBlank = false
  for await (const chunk of bytes) {
    buffer = Buffer.concat([buffer, chunk])
    let at = 0
    while (at < buffer.byteLength) {
      const run = Math.min(contentEnd - start - at, buffer.byteLength - at)
      if (run > 0) {
        if (isBlank) buffer.fill(0, at, at + run)
        at += run
        continue
      }
      while (start + at >= innermost().end) open.pop()
      const head = readElementHead(buffer, at)
      if (head === 'incomplete') break
      isBlank = false
      if (head === null) {
        // No valid element here: the file is damaged, and players stop here, too.
        contentEnd = Infinity
        continue
      }
      if (TOP.has(head.id)) while (innermost().level === 'cluster') open.pop()
      const { level, end } = innermost()
      const action = ACTIONS[level][head.id] ?? ACTIONS[level].other
      const bodyAt = start + at + head.headBytes
      const bodyEnd = Math.min(end, head.length === null ? Infinity : bodyAt + head.length)
      if (action === 'blank' && head.length !== null)
        writeVoid(buffer.subarray(at, at + head.headBytes), head)
      at += head.headBytes
      isBlank = action === 'blank'
      if (action === 'keep' || action === 'blank') contentEnd = bodyEnd
      // A cluster of known length is skipped.
      else if (action === 'cluster' && head.length !== null) contentEnd = bodyEnd
      else open.push({ level: action, end: bodyEnd })
    }
    if (at > 0) yield buffer.subarray(0, at)
    start += at
    buffer = buffer.subarray(at)
  }
  yield buffer
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
