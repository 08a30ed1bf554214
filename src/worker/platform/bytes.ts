import { withDeadline } from '#worker/platform/deadlines.ts'

/** Reused, because creating one takes longer than encoding. */
const encoder = new TextEncoder()

export function utf8(text: string): Uint8Array {
  return encoder.encode(text)
}

export function concatBytes(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.byteLength + second.byteLength)
  all.set(first)
  all.set(second, first.byteLength)
  return all
}

/** Vite inlines files as data URIs, the only form that works wherever the Worker runs. */
export function bytesOfDataUri(dataUri: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(dataUri.slice(dataUri.indexOf(',') + 1)), (char) => char.charCodeAt(0))
}

/** SHA-256 of a string in base64, as used in a Content-Security-Policy (https://www.w3.org/TR/CSP3/#grammardef-hash-source). */
export async function sha256Base64(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', utf8(text))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}

/** The first `headBytes` bytes of a stream (all if it is shorter), and the complete stream. */
export async function peek(
  source: AsyncIterable<Uint8Array>,
  headBytes: number,
): Promise<{ head: Uint8Array; bytes: AsyncIterable<Uint8Array> }> {
  const rest = source[Symbol.asyncIterator]()
  const taken: Uint8Array[] = []
  const head = new Uint8Array(headBytes)
  let size = 0
  while (size < headBytes) {
    const { done, value } = await rest.next()
    if (done) break
    taken.push(value)
    head.set(value.subarray(0, headBytes - size), size)
    size = Math.min(headBytes, size + value.byteLength)
  }
  async function* all() {
    yield* taken
    yield* { [Symbol.asyncIterator]: () => rest }
  }
  return { head: head.subarray(0, size), bytes: all() }
}

/** Passes bytes on. Throws `tooLarge` of the size so far when there are more than `max`. */
export async function* atMost(
  bytes: AsyncIterable<Uint8Array>,
  max: number,
  tooLarge: (size: number) => Error,
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.byteLength
    if (size > max) throw tooLarge(size)
    yield chunk
  }
}

/** Maximum bytes per read. Without its own buffer, a reader gets only 4 KiB at a time from the runtime. */
const READ_BYTES = 64 * 1024

/** Reads a request body as it arrives, and keeps at most one chunk in memory. */
export class ByteReader {
  readonly #reader: ReadableStreamBYOBReader
  readonly #silenceMaxMs: number

  /** `silenceMaxMs`: idle timeout in milliseconds. */
  constructor(body: ReadableStream<Uint8Array>, silenceMaxMs: number) {
    this.#reader = body.getReader({ mode: 'byob' })
    this.#silenceMaxMs = silenceMaxMs
  }

  /** The next bytes, or null at the end. Throws when the connection breaks or times out. */
  async read(): Promise<Uint8Array | null> {
    const next = withDeadline(this.#reader.read(new Uint8Array(READ_BYTES)), this.#silenceMaxMs, 'the sender')
    const { done, value } = await next
    if (done) return null
    // Copied, so that a few bytes don't keep the whole buffer in memory.
    return value.byteLength < READ_BYTES / 2 ? value.slice() : value
  }

  /** Stops reading. */
  cancel(): void {
    this.#reader.cancel().catch(() => null)
  }
}
