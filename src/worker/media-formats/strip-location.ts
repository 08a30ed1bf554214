import type { StoredMimeType } from '#shared/media/uploads.ts'
import { concatBytes } from '#worker/platform/bytes.ts'

/** The kind of the enclosing box. Each level leads only to later ones, so nesting is at most eight deep. */
type Level =
  | 'file'
  | 'index'
  | 'movie'
  | 'extends'
  | 'fragment'
  | 'run'
  | 'track'
  | 'edits'
  | 'media'
  | 'media-info'
  | 'references'
  | 'samples'
  | 'user-data'
  | 'meta'
  | 'items'
/** `exact`: an index, kept if it has no byte more than its entries need. */
type Action = Level | 'keep' | 'exact'
type Open = { level: Level; start: number; end: number }
/** How far a file has been processed: plain data, so that a file may arrive in several requests. */
export type BoxState = { rest: number[]; at: number; open: Open[]; contentEnd: number; isBlank: boolean }

const allKept = (types: string) => Object.fromEntries(types.split(' ').map((type) => [type, 'keep'] as const))
const SAMPLE_GROUPS = 'sbgp sgpd csgp subs saiz saio sdtp'
/**
 * What players need, by level; everything else is blanked, because phones and cameras add boxes of their own. ISO/IEC 14496-12,
 * 8, and Apple's QuickTime File Format.
 */
const ACTIONS: Record<Level, Record<string, Action>> = {
  file: {
    ...allKept('ftyp styp mdat'),
    sidx: 'exact',
    moov: 'movie',
    moof: 'fragment',
    mfra: 'index',
    udta: 'user-data',
  },
  index: { tfra: 'exact', mfro: 'exact' },
  movie: { ...allKept('mvhd iods'), mvex: 'extends', trak: 'track', udta: 'user-data' },
  extends: allKept('mehd trex leva'),
  fragment: { mfhd: 'keep', traf: 'run', udta: 'user-data' },
  run: allKept(`tfhd tfdt trun ${SAMPLE_GROUPS}`),
  track: { ...allKept('tkhd tref trgr tapt load'), edts: 'edits', mdia: 'media', udta: 'user-data' },
  edits: allKept('elst'),
  media: { ...allKept('mdhd hdlr elng'), minf: 'media-info' },
  'media-info': { ...allKept('vmhd smhd hdlr'), dinf: 'references', stbl: 'samples' },
  references: allKept('dref'),
  samples: allKept(`stsd stts ctts cslg stss stsh stps stsc stsz stz2 stco co64 padb stdp ${SAMPLE_GROUPS}`),
  // The name of the encoder may stay.
  'user-data': { meta: 'meta', ...allKept('©too ©swr') },
  meta: { hdlr: 'keep', ilst: 'items' },
  items: allKept('©too'),
}
/** Room that nobody reads: its content is blanked, and its type stays. */
const ROOM = new Set(['free', 'skip', 'wide'])
/** The longest header, and as much content as `isExact` reads. */
const PEEK_BYTES = 16 + 32

/** How far to advance, and whether the type of the box becomes `free`. */
type Step = { length: number; becomesFree: boolean }

const BOXED: ReadonlySet<StoredMimeType> = new Set(['video/mp4', 'video/quicktime', 'audio/mp4'])
const FREE = [...'free'].map((char) => char.charCodeAt(0))

/** Whether a file of this type is made of boxes. */
export function isBoxed(mimeType: StoredMimeType): boolean {
  return BOXED.has(mimeType)
}

/**
 * Turns boxes with location, device, author and title into zeroed `free`. Tracks are removed from the stored file, when their list
 * is known (other-tracks.ts).
 */
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
  yield boxes.end()
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
      const header = this.#readHeader(data.subarray(index, index + PEEK_BYTES))
      if (!header) break
      if (header.becomesFree) writable().set(FREE, index + 4)
      index += header.length
      this.#at += header.length
    }
    this.rest = new Uint8Array(data.subarray(index))
    return data.subarray(0, index)
  }

  /** What is left at the end of the file: blanked, because no box is that short. */
  end(): Uint8Array {
    return new Uint8Array(this.rest.byteLength)
  }

  /** Decides what to do with the box at the current offset. Returns how far to advance, or null until more arrives. */
  #readHeader(bytes: Uint8Array): Step | null {
    while (this.#at >= this.#innermost.end) this.#open.pop()
    const { level, start, end } = this.#innermost
    const room = end - this.#at
    if (room < 8) return this.#skipLevel()
    if (bytes.byteLength < 8) return null
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let size = view.getUint32(0)
    // ISO puts a version before the boxes of `meta`, QuickTime does not.
    if (size === 0 && level === 'meta' && this.#at === start) return this.#step(4)
    const length = size === 1 ? 16 : 8
    if (length > room) return this.#skipLevel()
    if (bytes.byteLength < length) return null
    if (size === 0) size = room
    if (size === 1) size = view.getUint32(8) * 2 ** 32 + view.getUint32(12)
    if (size < length) return this.#skipLevel()
    const boxEnd = Math.min(this.#at + size, end)
    const type = String.fromCharCode(...bytes.subarray(4, 8))
    const action = ACTIONS[level][type]
    if (action === 'exact' && bytes.byteLength < Math.min(PEEK_BYTES, boxEnd - this.#at)) return null
    const isKept =
      action === 'keep' ||
      (action === 'exact' && isExact(type, bytes.subarray(length), boxEnd - this.#at - length))
    if (action !== undefined && action !== 'keep' && action !== 'exact') {
      this.#open.push({ level: action, start: this.#at + length, end: boxEnd })
      return this.#step(length)
    }
    this.#contentEnd = boxEnd
    return this.#step(length, !isKept, !isKept && !ROOM.has(type))
  }

  /** No valid box here: blanks the rest of the level. */
  #skipLevel(): Step {
    this.#contentEnd = this.#innermost.end
    return this.#step(0, true)
  }

  #step(length: number, isBlank = false, becomesFree = false): Step {
    this.#isBlank = isBlank
    return { length, becomesFree }
  }

  get #innermost(): Open {
    const open = this.#open.at(-1)
    if (!open) throw new Error('the file itself is never closed')
    return open
  }
}

/** Whether an index box is as long as its entries: ISO/IEC 14496-12, 8.8.10, 8.8.11, 8.16.3. `length`: of its content in bytes. */
function isExact(type: string, content: Uint8Array, length: number): boolean {
  if (type === 'mfro') return length === 8
  const isLong = content[0] !== 0
  const countAt = type === 'tfra' ? 12 : isLong ? 30 : 22
  if (content.byteLength < countAt + (type === 'tfra' ? 4 : 2)) return false
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  if (type === 'sidx') return length === countAt + 2 + view.getUint16(countAt) * 12
  const bits = view.getUint8(11)
  const numbers = ((bits >> 4) & 3) + ((bits >> 2) & 3) + (bits & 3) + 3
  return length === 16 + view.getUint32(countAt) * ((isLong ? 16 : 8) + numbers)
}
