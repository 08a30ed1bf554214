import type { Buffer } from 'node:buffer'
import type { WindowedRead } from '#worker/media-formats/range-reader.ts'

/** Far more than a film has: 5,000 fragments have two boxes each. */
const FILE_BOXES_MAX = 100_000

/** A box of MP4 or QuickTime, by its offsets in bytes; ISO/IEC 14496-12, 4.2. `end` may be beyond the end of its file. */
export type Box = { type: string; start: number; bodyAt: number; end: number }

/** The box whose header is at `at`; null without one. `offset` and `end`: where `bytes` and the enclosing box are in the file. */
function boxAt(bytes: Buffer, at: number, offset: number, end: number): Box | null {
  const start = offset + at
  if (at + 8 > bytes.byteLength || start + 8 > end) return null
  const short = bytes.readUInt32BE(at)
  const isLong = short === 1
  if (isLong && at + 16 > bytes.byteLength) return null
  const length = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? end - start : short
  const headBytes = isLong ? 16 : 8
  if (length < headBytes) return null
  const type = bytes.toString('latin1', at + 4, at + 8)
  return { type, start, bodyAt: start + headBytes, end: start + length }
}

/** The boxes at the top of a file, until one without a valid length. Throws for more than any film has. */
export async function* fileBoxes(readAt: WindowedRead, size: number): AsyncGenerator<Box> {
  let count = 0
  for (let at = 0; at + 8 <= size;) {
    const box = boxAt(await readAt(at, Math.min(size, at + 16)), 0, at, size)
    if (!box) return
    if (++count > FILE_BOXES_MAX) throw new Error('too many boxes')
    yield box
    at = box.end
  }
}

/** The boxes of `bytes` from `from` up to `to`, with offsets in `bytes`. One that is too long ends at `to`. */
export function* boxesIn(bytes: Buffer, from: number, to: number): Generator<Box> {
  const end = Math.min(to, bytes.byteLength)
  for (let at = from; at < end;) {
    const box = boxAt(bytes, at, 0, end)
    if (!box) return
    box.end = Math.min(box.end, end)
    yield box
    at = box.end
  }
}
