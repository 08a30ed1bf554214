import { mediaTypeOf, sniff, SNIFF_BYTES, type Sniffed, type StoredMimeType } from '#shared/media/uploads.ts'
import { BoxWalker, isBoxed, type BoxState } from '#worker/media-formats/strip-location.ts'
import { concatBytes } from '#worker/platform/bytes.ts'

/** How far a file has been processed: plain data, stored between the requests that bring its chunks. */
export type IntakeState = {
  /** Leading bytes, until there are enough to detect the type. */
  head: number[]
  sniffed: Sniffed | null
  boxes: BoxState | null
}

export const EMPTY_INTAKE: IntakeState = { head: [], sniffed: null, boxes: null }

/**
 * Photos are stored unchanged (only whoever may export gets the original); MP4, QuickTime and M4A are stripped while streaming. The
 * strippers of other formats can't pause between requests, so they run after the upload is complete.
 */
export function isStrippedWhileStreaming(mimeType: StoredMimeType): boolean {
  return mediaTypeOf(mimeType) === 'IMAGE' || isBoxed(mimeType)
}

/** The leading bytes match no accepted type. */
export class UnrecognizedFileError extends Error {
  override name = 'UnrecognizedFileError'
}

/** Detects the type and strips box formats on the way to storage. Some bytes come out later than they go in. */
export class FileIntake {
  #head: Uint8Array
  #sniffed: Sniffed | null
  #boxes: BoxWalker | null

  constructor(state: IntakeState) {
    this.#head = new Uint8Array(state.head)
    this.#sniffed = state.sniffed
    this.#boxes = state.boxes && new BoxWalker(state.boxes)
  }

  get state(): IntakeState {
    return { head: [...this.#head], sniffed: this.#sniffed, boxes: this.#boxes?.state ?? null }
  }

  /** Number of buffered bytes, fewer than {@link SNIFF_BYTES}. */
  get pendingBytes(): number {
    return this.#head.byteLength + (this.#boxes?.rest.byteLength ?? 0)
  }

  /** Processes the next bytes; `isEnd` flushes the buffer. Throws {@link UnrecognizedFileError}. */
  pass(chunk: Uint8Array, isEnd: boolean): Uint8Array {
    let bytes = chunk
    if (!this.#sniffed) {
      bytes = concatBytes(this.#head, chunk)
      if (bytes.byteLength < SNIFF_BYTES && !isEnd) {
        this.#head = bytes
        return new Uint8Array(0)
      }
      this.#head = new Uint8Array(0)
      this.#sniffed = sniff(bytes.subarray(0, SNIFF_BYTES))
      if (!this.#sniffed) throw new UnrecognizedFileError('no accepted type')
      if (isBoxed(this.#sniffed.mimeType)) this.#boxes = new BoxWalker()
    }
    if (!this.#boxes) return bytes
    const decided = this.#boxes.pass(bytes)
    if (!isEnd) return decided
    const rest = this.#boxes.end()
    this.#boxes = null
    return concatBytes(decided, rest)
  }

  get sniffed(): Sniffed | null {
    return this.#sniffed
  }
}
