import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { isProof, proofText } from '#shared/comments/proof-of-work.ts'

/** A nonce that is a proof of work for this challenge, or isn't. */
export function nonceFor(challenge: string, isRight = true): string {
  for (let nonce = 0; ; nonce++)
    if (isProof(sha256(utf8ToBytes(proofText(challenge, `${nonce}`)))) === isRight) return `${nonce}`
}
