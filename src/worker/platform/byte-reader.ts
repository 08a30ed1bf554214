import { withDeadline } from '#worker/platform/deadlines.ts'

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
  giveUp(): void {
    this.#reader.cancel().catch(() => null)
  }
}
