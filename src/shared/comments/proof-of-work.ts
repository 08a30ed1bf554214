/** Leading zero bits of a proof's hash: 1,024 hashes on average, so that a cheap phone works for less than 300 ms (`npm run bench -- proof`). At most 16. */
export const PROOF_BITS = 10

/** What is hashed by SHA-256 (as in Hashcash, http://www.hashcash.org/papers/hashcash.pdf). */
export function proofText(challenge: string, nonce: string): string {
  return `${challenge}:${nonce}`
}

/** True when this hash of a {@link proofText} is a proof. */
export function isProof([first = 255, second = 255]: Uint8Array): boolean {
  return (first * 256 + second) >> (16 - PROOF_BITS) === 0
}
