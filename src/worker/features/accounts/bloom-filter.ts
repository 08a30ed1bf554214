import { sha256 } from '@noble/hashes/sha2.js'

/** Bits that each entry sets. With 20 bits of space per entry, 1 of 15,000 other texts is taken for one. */
const HASHES = 14

/** Adds a text to a Bloom filter. */
export function addToFilter(filter: Uint8Array, text: string): void {
  for (const bit of bitsOf(filter, text)) filter[bit >> 3]! |= 1 << (bit & 7)
}

/** True for every text that was added, and for few others. */
export function isInFilter(filter: Uint8Array, text: string): boolean {
  return bitsOf(filter, text).every((bit) => ((filter[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0)
}

/** Positions by double hashing: https://www.eecs.harvard.edu/~michaelm/postscripts/tr-02-05.pdf */
function bitsOf(filter: Uint8Array, text: string): number[] {
  const digest = new DataView(sha256(new TextEncoder().encode(text)).buffer)
  const [first, step] = [digest.getUint32(0), digest.getUint32(4)]
  return Array.from({ length: HASHES }, (_, i) => (first + i * step) % (filter.length * 8))
}
