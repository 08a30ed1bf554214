import { mediaTypeOf, sniff, SNIFF_BYTES, type Sniffed, type StoredMimeType } from '#shared/sniff.ts'
import { BoxWalker, isBoxed, type BoxState } from '#worker/media-formats/strip-location.ts'
import { joined } from '#worker/platform/bytes.ts'

/** How far a file has been taken in: plain data, kept between the requests that bring its pieces. */
export type IntakeState = {
  /** Leading bytes that are too few to say what the file is. */
  head: number[]
  sniffed: Sniffed | null
  boxes: BoxState | null
}

export const NOTHING_TAKEN_IN: IntakeState = { head: [], sniffed: null, boxes: null }

/**
 * Photographs are stored as they come (nobody but the owner gets the original); films and recordings of boxes lose their
 * tags on the way. The others are walked through by readers that do not stop between two requests: once they are whole.
 */
export function isCleanedOnTheWay(mimeType: StoredMimeType): boolean {
  return mediaTypeOf(mimeType) === 'IMAGE' || isBoxed(mimeType)
}

/** The leading bytes are of no type that we take. */
export class ForeignFileError extends Error {
  override name = 'ForeignFileError'
}

/**
 * What happens to the bytes of a file between its sender and storage, piece by piece: its leading bytes decide what it
 * is, and what a phone wrote beside picture and sound goes (of files of boxes). As many bytes come out as went in, some of them later.
 */
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

  /** Bytes that went in and have not come out: fewer than {@link SNIFF_BYTES}. */
  get pendingBytes(): number {
    return this.#head.byteLength + (this.#boxes?.rest.byteLength ?? 0)
  }

  /** The next bytes; with the last ones everything comes out. Throws {@link ForeignFileError}. */
  pass(chunk: Uint8Array, isEnd: boolean): Uint8Array {
    let bytes = chunk
    if (!this.#sniffed) {
      bytes = joined(this.#head, chunk)
      if (bytes.byteLength < SNIFF_BYTES && !isEnd) {
        this.#head = bytes
        return new Uint8Array(0)
      }
      this.#head = new Uint8Array(0)
      this.#sniffed = sniff(bytes.subarray(0, SNIFF_BYTES))
      if (!this.#sniffed) throw new ForeignFileError('no type that we take')
      if (isBoxed(this.#sniffed.mimeType)) this.#boxes = new BoxWalker()
    }
    if (!this.#boxes) return bytes
    const decided = this.#boxes.pass(bytes)
    if (!isEnd) return decided
    const { rest } = this.#boxes
    this.#boxes = null
    return joined(decided, rest)
  }

  get sniffed(): Sniffed | null {
    return this.#sniffed
  }
}
