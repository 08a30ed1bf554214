import { Buffer } from 'node:buffer'

/** Passes on `head` bytes, then `body` bytes, which `isBlank` fills with zeros. */
export type Step = { head: number; body: number; isBlank: boolean }

/** A step that keeps everything. */
export function keep(head: number, body = 0): Step {
  return { head, body, isBlank: false }
}

/**
 * Passes on a file and blanks parts of it, so that its length and all offsets stay the same. Calls `next` after each step with
 * the bytes that have arrived, which it may change, and their position in the file. It returns the next step, or null to wait
 * for more bytes. `atEnd` may change the bytes that are left at the end.
 */
export async function* stripInPlace(
  bytes: AsyncIterable<Uint8Array>,
  next: (rest: Buffer, position: number) => Step | null,
  atEnd: (rest: Buffer) => void = () => {},
): AsyncGenerator<Uint8Array> {
  let buffer = Buffer.alloc(0)
  let position = 0
  let step = keep(0)
  for await (const chunk of bytes) {
    if (buffer.byteLength === 0 && !step.isBlank && step.body >= chunk.byteLength) {
      yield chunk
      step.body -= chunk.byteLength
      position += chunk.byteLength
      continue
    }
    buffer = Buffer.concat([buffer, chunk])
    let at = 0
    while (at < buffer.byteLength) {
      const run = Math.min(step.body, buffer.byteLength - at)
      if (run > 0) {
        if (step.isBlank) buffer.fill(0, at, at + run)
        step.body -= run
        at += run
        continue
      }
      const following = next(buffer.subarray(at), position + at)
      if (!following) break
      step = following
      at += step.head
    }
    if (at > 0) yield buffer.subarray(0, at)
    position += at
    buffer = buffer.subarray(at)
  }
  atEnd(buffer)
  yield buffer
}
