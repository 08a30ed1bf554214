/** Text up to this size is kept from the first writing to the second, in bytes. */
const KEPT_MAX_BYTES = 1024 * 1024

/** A text whose size is known before it is sent. `pieces` gives it once. */
export type TextFile = { size: number; pieces: () => AsyncIterable<Uint8Array> }

/**
 * Writes a text once to know its size in bytes. A short one is kept; of a long one nothing is, and it is written again when its
 * turn comes: a guestbook has no end, and memory has one. `write` begins anew each time it is called.
 */
export async function textFile(write: () => AsyncIterable<string>): Promise<TextFile> {
  const kept: Uint8Array[] = []
  let size = 0
  for await (const piece of encoded(write())) {
    size += piece.byteLength
    if (size <= KEPT_MAX_BYTES) kept.push(piece)
    else kept.length = 0
  }
  if (size > KEPT_MAX_BYTES) return { size, pieces: () => encoded(write()) }
  return {
    size,
    async *pieces() {
      yield* kept
    },
  }
}

async function* encoded(text: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const piece of text) yield encoder.encode(piece)
}
