import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { MultipartFile } from '#worker/platform/multipart.ts'

/** How much of one file is held while the credential that may follow it is awaited. */
const FILE_MAX_BYTES = 16 * 1024 * 1024
/** How much may be held for all such senders together: an isolate has 128 MB for everything. */
const TOGETHER_MAX_BYTES = 32 * 1024 * 1024
const TRY_AGAIN_SEC = 10

let heldBytes = 0

/** What one request holds; give it back with {@link release} whatever becomes of the request. */
export class HeldFile {
  #size = 0

  /**
   * Keeps a small file in memory until its sender is known. A larger one is refused as its sender is (`refuse` throws);
   * throws `too_many_requests` while others fill the room there is.
   */
  async take(file: MultipartFile, refuse: () => Promise<unknown>): Promise<MultipartFile> {
    const chunks: Uint8Array[] = []
    for await (const chunk of file.bytes) {
      if (this.#size + chunk.byteLength > FILE_MAX_BYTES) await refuse()
      if (heldBytes + chunk.byteLength > TOGETHER_MAX_BYTES) {
        throw new AppError('too_many_requests', messages.system.tooManyRequests, {
          retryAfterSec: TRY_AGAIN_SEC,
        })
      }
      heldBytes += chunk.byteLength
      this.#size += chunk.byteLength
      chunks.push(chunk)
    }
    async function* again() {
      yield* chunks
    }
    return { ...file, bytes: again() }
  }

  release(): void {
    heldBytes -= this.#size
    this.#size = 0
  }
}
