import { PART_BYTES } from './limits.ts'
import { SNIFF_BYTES } from './sniff.ts'

const KB = 1024

/** What is lost when a line breaks is one piece at the most: small ones until the line has shown what it can. */
export const FIRST_CHUNK_BYTES = 512 * KB
export const LARGEST_CHUNK_BYTES = 10 * 1024 * KB
/** A piece that went quicker is followed by one twice as large. */
const QUICK_MS = 4000
/** One that took longer, by one half as large. */
const SLOW_MS = 15_000

/**
 * About how many bytes the next piece has, after one of `sent` bytes took `ms` that was to have `asked`. The last piece of a
 * file is smaller and says nothing.
 */
export function nextChunkBytes(
  sent: number,
  ms: number,
  before: number = FIRST_CHUNK_BYTES,
  asked: number = before,
): number {
  if (ms > SLOW_MS) return Math.max(FIRST_CHUNK_BYTES, before / 2)
  return ms < QUICK_MS && sent >= asked ? Math.min(LARGEST_CHUNK_BYTES, before * 2) : before
}

/**
 * Bytes of a piece from `offset` on that should have about `wanted`: it ends where a part of the storage is full, as far as it
 * may without shrinking to less than half. What is between two parts the server has to put by. The few bytes more are those
 * that the server keeps back to see what comes behind them.
 */
export function chunkBytes(offset: number, wanted: number): number {
  const parts = Math.floor((offset + wanted - SNIFF_BYTES) / PART_BYTES)
  const size = parts * PART_BYTES + SNIFF_BYTES - offset
  return size >= wanted / 2 ? size : wanted
}
