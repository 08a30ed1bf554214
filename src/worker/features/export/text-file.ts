/** In bytes. Texts up to this size stay in memory between measuring and sending. */
const KEPT_MAX_BYTES = 1024 * 1024

/** A text with its size in bytes, known before it is sent. Call `chunks` once. */
export type TextFile = { size: number; pieces: () => AsyncIterable<Uint8Array> }

/**
 * Generates a text once to measure it. A short text is buffered; a long one is generated again when it is sent, because
 * a guestbook may not fit into memory. Each call of `write` must start from the beginning.
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
