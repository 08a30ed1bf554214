import { PART_BYTES } from './limits.ts'
import { SNIFF_BYTES } from './sniff.ts'

const KB = 1024

/** A broken connection loses at most one chunk, so chunks start small until the connection proves fast. */
export const FIRST_CHUNK_BYTES = 512 * KB
export const LARGEST_CHUNK_BYTES = 10 * 1024 * KB
/** A chunk faster than this doubles the next one. */
const QUICK_MS = 4000
/** A chunk slower than this halves the next one. */
const SLOW_MS = 15_000

/**
 * Approximate bytes of the next chunk, after one of `sent` bytes took `ms` milliseconds. `asked` is the size that
 * chunk was meant to have: the last chunk of a file is smaller and says nothing about the connection.
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
 * Bytes of a chunk at `offset` that should have about `wanted`. It ends at a part boundary if that leaves at least
 * half of `wanted`, because the server must store an unfinished part separately. `SNIFF_BYTES` are added because the
 * server holds back that many bytes to inspect what follows.
 */
export function chunkBytes(offset: number, wanted: number): number {
  const parts = Math.floor((offset + wanted - SNIFF_BYTES) / PART_BYTES)
  const size = parts * PART_BYTES + SNIFF_BYTES - offset
  return size >= wanted / 2 ? size : wanted
}
