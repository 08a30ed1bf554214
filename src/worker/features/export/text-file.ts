/** In bytes. Texts up to this size stay in memory between measuring and sending. */
const BUFFERED_MAX_BYTES = 1024 * 1024

/** A text with its size in bytes, known before it is sent. Call `chunks` once. */
export type TextFile = { size: number; chunks: () => AsyncIterable<Uint8Array> }

/**
 * Generates a text once to measure it. A short text is buffered; a long one is generated again when it is sent, because
 * a guestbook may not fit into memory. Each call of `write` must start from the beginning.
 */
export async function textFile(write: () => AsyncIterable<string>): Promise<TextFile> {
  const buffered: Uint8Array[] = []
  let size = 0
  for await (const chunk of encoded(write())) {
    size += chunk.byteLength
    if (size <= BUFFERED_MAX_BYTES) buffered.push(chunk)
    else buffered.length = 0
  }
  if (size > BUFFERED_MAX_BYTES) return { size, chunks: () => encoded(write()) }
  return {
    size,
    async *chunks() {
      yield* buffered
    },
  }
}

async function* encoded(text: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const chunk of text) yield encoder.encode(chunk)
}
