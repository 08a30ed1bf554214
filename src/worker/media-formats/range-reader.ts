import { Buffer } from 'node:buffer'

/** Reads the bytes of a stored file from `start` up to `end`. */
export type Read = (start: number, end: number) => Promise<Uint8Array>
/** Like {@link Read}, but returns a view of a buffer that the next read may replace. */
export type WindowedRead = (start: number, end: number) => Promise<Buffer>

/** Duration in seconds, and the frame size in pixels, null without video. */
export type ProbeResult = {
  durationSec: number
  width: number | null
  height: number | null
  hasVideo: boolean
}

/** Reads `windowBytes` ahead, so that sequential small reads cost one storage request. Keeps one window in memory. */
export function windowed(read: Read, size: number, windowBytes: number): WindowedRead {
  let from = 0
  let window = Buffer.alloc(0)
  return async (start, end) => {
    if (start < from || end > from + window.byteLength) {
      const bytes = await read(start, Math.min(size, Math.max(end, start + windowBytes)))
      window = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      from = start
    }
    return window.subarray(start - from, end - from)
  }
}
