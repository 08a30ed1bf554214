import { Buffer } from 'node:buffer'

/** Bytes of numbers of 32 bits, of text in Latin-1, and of bytes. */
export function bytesOf(...parts: (number | string | Uint8Array)[]): Buffer {
  return Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(part, 'latin1')
      if (typeof part !== 'number') return part
      const word = Buffer.alloc(4)
      word.writeUInt32BE(part >>> 0)
      return word
    }),
  )
}

/** A box of MP4; ISO/IEC 14496-12, 4.2. */
export function box(type: string, ...content: (number | string | Uint8Array)[]): Buffer {
  const body = bytesOf(...content)
  return bytesOf(8 + body.byteLength, type, body)
}

/** The `free` box that is left of a removed one. */
export function freed(removed: Buffer): Buffer {
  return box('free', Buffer.alloc(removed.byteLength - 8))
}

/** The boxes of a file or of a box's content. All have lengths of 32 bits. */
export function boxesOf(bytes: Buffer): { type: string; whole: Buffer; body: Buffer }[] {
  const found = []
  for (let at = 0; at < bytes.byteLength;) {
    const end = at + bytes.readUInt32BE(at)
    const whole = bytes.subarray(at, end)
    found.push({ type: whole.toString('latin1', 4, 8), whole, body: whole.subarray(8) })
    at = end
  }
  return found
}

/** The content of the first box at this path. */
export function bodyOf(bytes: Buffer, ...path: string[]): Buffer {
  return path.reduce((body, type) => {
    const found = boxesOf(body).find((one) => one.type === type)
    if (!found) throw new Error(`no box ${type}`)
    return found.body
  }, bytes)
}

/** The 32-bit numbers of a table after its first `skip` bytes. */
export function wordsOf(body: Buffer, skip: number): number[] {
  return Array.from({ length: Math.floor((body.byteLength - skip) / 4) }, (_, index) =>
    body.readUInt32BE(skip + index * 4),
  )
}
