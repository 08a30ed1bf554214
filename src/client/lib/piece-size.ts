const KB = 1024

/** What is lost when a line breaks is one piece at the most: small ones until the line has shown what it can. */
export const FIRST_PIECE_BYTES = 512 * KB
const LARGEST_PIECE_BYTES = 8 * 1024 * KB
/** A piece that went quicker is followed by one twice as large. */
const QUICK_MS = 4000
/** One that took longer, by one half as large. */
const SLOW_MS = 15_000

/** Bytes of the next piece, after one of `sent` bytes took `ms`. The last piece of a file is smaller and says nothing. */
export function nextPieceBytes(sent: number, ms: number, before: number = FIRST_PIECE_BYTES): number {
  if (ms > SLOW_MS) return Math.max(FIRST_PIECE_BYTES, before / 2)
  return ms < QUICK_MS && sent >= before ? Math.min(LARGEST_PIECE_BYTES, before * 2) : before
}
