import { scrypt } from 'node:crypto'

/** Cost of one hash (RFC 7914): 128 × r × 2^ln bytes of memory, p passes. */
export type ScryptCost = { ln: number; r: number; p: number }

const KEY_BYTES = 32
const MEMORY_MAX_BYTES = 64 * 1024 * 1024

/** Derives a 32-byte key from a password and salt with scrypt. */
export function deriveScryptKey(password: string, salt: Buffer, { ln, r, p }: ScryptCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, KEY_BYTES, { N: 2 ** ln, r, p, maxmem: MEMORY_MAX_BYTES }, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })
}
