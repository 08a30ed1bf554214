import { withDeadline } from '#worker/platform/deadline.ts'

/** Most bytes of one read. Without a buffer of ours the runtime gives 4 KiB at a time, whatever lies ready. */
const READ_BYTES = 64 * 1024

/** Reads the body of a request as it comes: as much at a time as lies ready, and never more than one chunk. */
export class ByteReader {
  readonly #reader: ReadableStreamBYOBReader
  readonly #silenceMaxMs: number

  /** `silenceMaxMs`: milliseconds without a byte after which the sender is given up. */
  constructor(body: ReadableStream<Uint8Array>, silenceMaxMs: number) {
    this.#reader = body.getReader({ mode: 'byob' })
    this.#silenceMaxMs = silenceMaxMs
  }

  /** The next bytes, or null at the end. Throws when the line breaks or falls silent. */
  async read(): Promise<Uint8Array | null> {
    const next = withDeadline(this.#reader.read(new Uint8Array(READ_BYTES)), this.#silenceMaxMs, 'the sender')
    const { done, value } = await next
    if (done) return null
    // Few bytes must not keep a large buffer where they are held.
    return value.byteLength < READ_BYTES / 2 ? value.slice() : value
  }

  /** Takes no more. */
  giveUp(): void {
    this.#reader.cancel().catch(() => null)
  }
}
