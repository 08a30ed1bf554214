import { Buffer } from 'node:buffer'

/** The bytes of a stored file from `start` up to `end`. */
export type Read = (start: number, end: number) => Promise<Uint8Array>
/** As {@link Read}, from what is held where it is held. */
export type Look = (start: number, end: number) => Promise<Buffer>

/** Reads a window ahead, so that small pieces in a row are one trip to storage. Holds one window. */
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
