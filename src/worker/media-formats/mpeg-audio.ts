import type { Buffer } from 'node:buffer'
import {
  windowed,
  type WindowedRead,
  type ProbeResult,
  type Read,
} from '#worker/media-formats/range-reader.ts'

const WINDOW_BYTES = 1024 * 1024
/** The first frame must begin within this many bytes. */
const SEARCH_BYTES = 64 * 1024
const ID3_HEADER_BYTES = 10
const ID3_TAGS_MAX = 100
/** Size of an ADTS header; the header of an MPEG frame is shorter. */
export const HEADER_BYTES = 7
const ADTS_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
]
const RATES = [44_100, 48_000, 32_000]
/** Layer III bit rates in kbit/s, by index. */
const KBITS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const KBITS_LOW = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const XING = /^(?:Xing|Info)$/u

/** One frame. `kind` encodes version, layer and sampling rate, which are the same for all frames of a recording. */
export type Frame = { kind: number; length: number; samples: number; rate: number }

/**
 * Duration of an MP3 or ADTS recording: the longer of its first frame's claim (`Xing`) and the sum of all frames. Every
 * frame has a length above zero, so the walk always advances. ISO/IEC 11172-3, 2.4; ISO/IEC 13818-7, 6.2. Throws if there
 * are no two consecutive frames.
 */
export async function readMpegAudio(read: Read, size: number): Promise<ProbeResult> {
  const readAt = windowed(read, size, WINDOW_BYTES)
  const start = await skipId3(readAt, size)
  const head = await readAt(start, Math.min(size, start + SEARCH_BYTES))
  const { at, frame } = findFirst(head)
  const statedSec = statedFrames(head, at, frame) * (frame.samples / frame.rate)
  const walkedSec = await walk(readAt, size, start + at, frame.kind)
  return { durationSec: Math.max(statedSec, walkedSec), width: null, height: null, hasVideo: false }
}

/** The offset of the audio, after all ID3v2 tags. Their length is stored as four times seven bits. */
async function skipId3(readAt: WindowedRead, size: number): Promise<number> {
  let at = 0
  for (let tags = 0; at + ID3_HEADER_BYTES <= size; tags++) {
    if (tags > ID3_TAGS_MAX) throw new Error('too many tags')
    const header = await readAt(at, at + ID3_HEADER_BYTES)
    if (header.toString('latin1', 0, 3) !== 'ID3') break
    at +=
      ID3_HEADER_BYTES + [6, 7, 8, 9].reduce((sum, offset) => sum * 128 + (header.readUInt8(offset) & 127), 0)
  }
  return Math.min(at, size)
}

function findFirst(head: Buffer): { at: number; frame: Frame } {
  for (let at = head.indexOf(0xff); at !== -1; at = head.indexOf(0xff, at + 1)) {
    const frame = frameAt(head, at)
    if (frame && frameAt(head, at + frame.length)?.kind === frame.kind) return { at, frame }
  }
  throw new Error('no frames')
}

async function walk(readAt: WindowedRead, size: number, from: number, kind: number): Promise<number> {
  let seconds = 0
  for (let at = from; at + HEADER_BYTES <= size;) {
    const window = await readAt(at, Math.min(size, at + WINDOW_BYTES))
    let offset = 0
    while (offset + HEADER_BYTES <= window.byteLength) {
      const frame = frameAt(window, offset)
      if (frame?.kind === kind && at + offset + frame.length <= size) {
        seconds += frame.samples / frame.rate
        offset += frame.length
        continue
      }
      do offset++
      while (offset < window.byteLength && window[offset] !== 0xff)
    }
    at += offset
  }
  return seconds
}

/** The number of frames that the first frame claims; 0 if it has none. */
function statedFrames(head: Buffer, at: number, frame: Frame): number {
  const isLow = frame.samples === 576
  const isMono = head.readUInt8(at + 3) >> 6 === 3
  const offset = at + 4 + (isLow ? (isMono ? 9 : 17) : isMono ? 17 : 32)
  if (offset + 12 > head.byteLength || !XING.test(head.toString('latin1', offset, offset + 4))) return 0
  return (head.readUInt32BE(offset + 4) & 1) === 1 ? head.readUInt32BE(offset + 8) : 0
}

/** The frame whose header is at `at`; null without one. It may be longer than `bytes`. */
export function frameAt(bytes: Buffer, at: number): Frame | null {
  if (at + HEADER_BYTES > bytes.byteLength) return null
  if (bytes[at] !== 0xff) return null
  const second = bytes[at + 1] ?? 0
  const third = bytes[at + 2] ?? 0
  if ((second & 0xf6) === 0xf0) return adtsFrame(bytes, at, third)
  const version = (second >> 3) & 3
  const rateIndex = (third >> 2) & 3
  if (second >> 5 !== 7 || version === 1 || ((second >> 1) & 3) !== 1) return null
  const isLow = version !== 3
  const kbits = (isLow ? KBITS_LOW : KBITS)[third >> 4] ?? 0
  const fullRate = RATES[rateIndex]
  if (kbits === 0 || fullRate === undefined) return null
  const rate = fullRate >> (version === 3 ? 0 : version === 2 ? 1 : 2)
  const samples = isLow ? 576 : 1152
  const length = Math.floor(((samples / 8) * kbits * 1000) / rate) + ((third >> 1) & 1)
  return { kind: 16 + version * 4 + rateIndex, length, samples, rate }
}

function adtsFrame(bytes: Buffer, at: number, third: number): Frame | null {
  const rateIndex = (third >> 2) & 15
  const rate = ADTS_RATES[rateIndex]
  const length = (bytes.readUIntBE(at + 3, 3) >> 5) & 0x1fff
  if (rate === undefined || length < HEADER_BYTES) return null
  return { kind: 64 + rateIndex, length, samples: 1024 * ((bytes.readUInt8(at + 6) & 3) + 1), rate }
}
