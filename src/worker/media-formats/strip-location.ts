import type { StoredMimeType } from '#shared/uploads.ts'
import { concatBytes } from '#worker/platform/bytes.ts'

/** The kind of the enclosing box. Each level leads only to later ones, so nesting is at most six deep. */
type Level = 'file' | 'movie' | 'track' | 'user-data' | 'meta' | 'items'
type Action = Level | 'keep' | 'blank'
type Open = { level: Level; start: number; end: number }
/** How far a file has been processed: plain data, so that a file may arrive in several requests. */
export type BoxState = { rest: number[]; at: number; open: Open[]; contentEnd: number; isBlank: boolean }

const BLANK = { meta: 'blank', uuid: 'blank', free: 'blank', skip: 'blank' } as const
/** What to do with a box, by its type; `other` is for types that the level doesn't list. */
const ACTIONS: Record<Level, { other: 'keep' | 'blank'; [type: string]: Action }> = {
  // Manufacturers of phones and cameras add boxes that players don't know.
  file: {
    other: 'blank',
    moov: 'movie',
    moof: 'movie',
    udta: 'user-data',
    ftyp: 'keep',
    styp: 'keep',
    mdat: 'keep',
    wide: 'keep',
    sidx: 'keep',
    mfra: 'keep',
  },
  movie: { other: 'keep', trak: 'track', traf: 'track', udta: 'user-data', ...BLANK, 'gps ': 'blank' },
  track: { other: 'keep', udta: 'user-data', ...BLANK },
  // The name of the encoder may stay.
  'user-data': { other: 'blank', meta: 'meta', '©too': 'keep', '©swr': 'keep' },
  meta: { other: 'blank', hdlr: 'keep', ilst: 'items' },
  items: { other: 'blank', '©too': 'keep' },
}

const BOXED: ReadonlySet<StoredMimeType> = new Set(['video/mp4', 'video/quicktime', 'audio/mp4'])
const FREE = [...'free'].map((char) => char.charCodeAt(0))

/** Whether a file of this type is made of boxes. */
export function isBoxed(mimeType: StoredMimeType): boolean {
  return BOXED.has(mimeType)
}

/** Turns boxes with location, device, author and title into zeroed `free`. Doesn't strip position tracks. */
export async function* stripLocation(
  bytes: AsyncIterable<Uint8Array>,
  mimeType: StoredMimeType,
): AsyncGenerator<Uint8Array> {
  if (!isBoxed(mimeType)) {
    yield* bytes
    return
  }
  const boxes = new BoxWalker()
  for await (const chunk of bytes) yield boxes.pass(chunk)
  yield boxes.rest
}

/** Walks through boxes (ISO/IEC 14496-12, 4.2) of a file that arrives in chunks cut anywhere; see {@link stripLocation}. */
export class BoxWalker {
  /** The start of an incomplete header. */
  rest: Uint8Array = new Uint8Array(0)
  /** Offset in the file. */
  #at = 0
  readonly #open: Open[] = [{ level: 'file', start: 0, end: Number.MAX_SAFE_INTEGER }]
  /** End of the current box's content, which isn't parsed. */
  #contentEnd = 0
  #isBlank = false

  /** Continues where another walker of the same file stopped. */
  constructor(state?: BoxState) {
    if (!state) return
    this.rest = new Uint8Array(state.rest)
    this.#at = state.at
    this.#open = state.open.map((open) => ({ ...open }))
    this.#contentEnd = state.contentEnd
    this.#isBlank = state.isBlank
  }

  get state(): BoxState {
    return {
      rest: [...this.rest],
      at: this.#at,
      open: this.#open.map((open) => ({ ...open })),
      contentEnd: this.#contentEnd,
      isBlank: this.#isBlank,
    }
  }

  /** Returns the processed bytes, without an incomplete header at the end. Never modifies `chunk`. */
  pass(chunk: Uint8Array): Uint8Array {
    let data = this.rest.byteLength > 0 ? concatBytes(this.rest, chunk) : chunk
    const writable = () => (data === chunk ? (data = new Uint8Array(chunk)) : data)
    let index = 0
    while (index < data.byteLength) {
      if (this.#at < this.#contentEnd) {
        const run = Math.min(data.byteLength - index, this.#contentEnd - this.#at)
        if (this.#isBlank) writable().fill(0, index, index + run)
        index += run
        this.#at += run
        continue
      }
      const header = this.#readHeader(data.subarray(index, index + 16))
      if (!header) break
      if (this.#isBlank && header.isBox) writable().set(FREE, index + 4)
      index += header.length
      this.#at += header.length
    }
    this.rest = new Uint8Array(data.subarray(index))
    return data.subarray(0, index)
  }

  /** Decides what to do with the box at the current offset. Returns how far to advance, or null until more arrives. */
  #readHeader(bytes: Uint8Array): { length: number; isBox: boolean } | null {
    while (this.#at >= this.#innermost.end) this.#open.pop()
    const { level, start, end } = this.#innermost
    const room = end - this.#at
    if (room < 8) return this.#skipLevel()
    if (bytes.byteLength < 8) return null
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let size = view.getUint32(0)
    // ISO puts a version before the boxes of `meta`, QuickTime does not.
    if (size === 0 && level === 'meta' && this.#at === start) return this.#step(4, false)
    const length = size === 1 ? 16 : 8
    if (length > room) return this.#skipLevel()
    if (bytes.byteLength < length) return null
    if (size === 0) size = room
    if (size === 1) size = view.getUint32(8) * 2 ** 32 + view.getUint32(12)
    if (size < length) return this.#skipLevel()
    const boxEnd = Math.min(this.#at + size, end)
    const action = ACTIONS[level][String.fromCharCode(...bytes.subarray(4, 8))] ?? ACTIONS[level].other
    if (action !== 'keep' && action !== 'blank') {
      this.#open.push({ level: action, start: this.#at + length, end: boxEnd })
      return this.#step(length, true)
    }
    this.#contentEnd = boxEnd
    return this.#step(length, true, action === 'blank')
  }

  /** No valid box here: treats the rest of the level like an unknown box. */
  #skipLevel() {
    this.#contentEnd = this.#innermost.end
    return this.#step(0, false, ACTIONS[this.#innermost.level].other === 'blank')
  }

  #step(length: number, isBox: boolean, isBlank = false) {
    this.#isBlank = isBlank
    return { length, isBox }
  }

  get #innermost(): Open {
    const open = this.#open.at(-1)
    if (!open) throw new Error('the file itself is never closed')
    return open
  }
}
