import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const SHORT = resolve(import.meta.dirname, '../../test/fixtures/video-2s.mp4')
const BOX_HEADER_BYTES = 8
/** Enough that nothing on the way makes it smaller; the box repeats it. */
const NOISE_BYTES = 1024 * 1024

/** A film of exactly `bytes` bytes that passes every look into it: two seconds, and a box of noise after them. */
export function film(bytes: number): Buffer<ArrayBuffer> {
  const short = readFileSync(SHORT)
  const made = Buffer.alloc(bytes)
  short.copy(made)
  const boxBytes = bytes - short.length
  made.writeUInt32BE(boxBytes, short.length)
  made.write('mdat', short.length + 4, 'latin1')
  made.fill(randomBytes(NOISE_BYTES), short.length + BOX_HEADER_BYTES)
  return made
}
