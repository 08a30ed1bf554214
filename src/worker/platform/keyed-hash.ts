import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'

/** HMAC-SHA-256: 32 bytes that nobody can compute without the key. `purpose` separates its uses, JSON separates the parts. */
export function keyedHash(key: string, purpose: string, parts: readonly (string | number)[]): Buffer {
  return Buffer.from(hmac(sha256, utf8ToBytes(key), utf8ToBytes(JSON.stringify([purpose, ...parts]))))
}
