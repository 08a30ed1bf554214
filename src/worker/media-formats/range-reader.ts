import { Buffer } from 'node:buffer'

/** Reads the bytes of a stored file from `start` up to `end`. */
export type Read = (start: number, end: number) => Promise<Uint8Array>
/** As {@link Read}, as a view of a buffer that the next read may replace. */
export type Look = (start: number, end: number) => Promise<Buffer>

/** What a video or a recording says of itself: seconds, and pixels of the picture, null where there is none. */
export type ProbeResult = {
  durationSec: number
  width: number | null
  height: number | null
  hasVideo: boolean
}

/** Reads `windowBytes` ahead, so that small reads in a row cost one request to storage. Keeps one window in memory. */
export function windowed(read: Read, size: number, windowBytes: number): Look {
  let from = 0
  let held = Buffer.alloc(0)
  return async (start, end) => {
    if (start < from || end > from + held.byteLength) {
      const bytes = await read(start, Math.min(size, Math.max(end, start + windowBytes)))
      held = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      from = start
    }
    return held.subarray(start - from, end - from)
  }
}
