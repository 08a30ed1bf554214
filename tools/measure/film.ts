import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const SHORT_VIDEO = resolve(import.meta.dirname, '../../test/fixtures/video-2s.mp4')
const BOX_HEADER_BYTES = 8
/** Enough random bytes to be incompressible; the box repeats them. */
const NOISE_BYTES = 1024 * 1024

/** A video of exactly `bytes` bytes that passes all validation: two seconds, followed by a box of noise. */
export function makeVideo(bytes: number): Buffer<ArrayBuffer> {
  const short = readFileSync(SHORT_VIDEO)
  const video = Buffer.alloc(bytes)
  short.copy(video)
  const boxBytes = bytes - short.length
  video.writeUInt32BE(boxBytes, short.length)
  video.write('mdat', short.length + 4, 'latin1')
  video.fill(randomBytes(NOISE_BYTES), short.length + BOX_HEADER_BYTES)
  return video
}
