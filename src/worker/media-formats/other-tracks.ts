import { Buffer } from 'node:buffer'
import { boxesIn, fileBoxes, type Box } from '#worker/media-formats/boxes.ts'
import { windowed, type Read, type WindowedRead } from '#worker/media-formats/range-reader.ts'
import {
  boxWithin,
  chunkRanges,
  defaultsOf,
  onlyChild,
  trackRuns,
  UncertainFilmError,
  type Range,
  type TrackRun,
} from '#worker/media-formats/sample-ranges.ts'
import { TABLES_MAX_BYTES } from '#worker/media-formats/sample-tables.ts'

/** Bytes of a film to overwrite: with `text` if it has one, else with zeros. */
export type Patch = Range & { text?: string }

/** Pictures and sound. Every other track is data about them: positions, times, subtitles. */
const KEPT = new Set(['vide', 'soun'])
const WINDOW_BYTES = 64 * 1024
/** Cameras write one to ten chunks of positions a second. */
const RANGES_MAX = 300_000

type Track = { id: number; isKept: boolean; box: Box; stbl: Box | null }
/** The `moov` box, with its bytes and its place in the file. */
type Movie = { bytes: Buffer; box: Box; offset: number; tracks: Track[] }
type Layout = { moov: Box | null; laterMoovs: Box[]; moofs: Box[]; media: Range[] }

/**
 * What to overwrite in a stored MP4 or QuickTime file so that it keeps its video and audio tracks only: other tracks become
 * `free`, and their samples zeros. Nothing moves, so the film plays as before; a film without other tracks needs no patch.
 * Needs memory for one `moov`, whatever the film claims. Throws {@link UncertainFilmError} where other samples can't be found
 * for certain, or are the film's own bytes (docs/decisions/0055).
 */
export async function planPatches(read: Read, size: number): Promise<Patch[]> {
  const readAt = windowed(read, size, WINDOW_BYTES)
  const layout = await layoutOf(readAt, size)
  if (!layout.moov) return []
  const movie = await readMovie(readAt, layout.moov, size)
  const patches = layout.laterMoovs.flatMap((box) => freed(box, 0))
  const others = movie.tracks.filter((track) => !track.isKept)
  if (others.length === 0) return patches
  const kept = movie.tracks.filter((track) => track.isKept)
  if (kept.length === 0) throw new Error('no track')
  const samples = new Samples()
  for (const { box, stbl } of others) {
    patches.push(...freed(box, movie.offset))
    if (stbl) samples.addOther(chunkRanges(movie.bytes, stbl, true))
  }
  for (const { box } of kept) patches.push(...freedReferences(movie, box, others))
  for await (const { run, offset } of runsOf(readAt, layout.moofs, movie, size)) {
    if (kept.some(({ id }) => id === run.trackId)) samples.addKept(run.ranges)
    else {
      samples.addOther(run.ranges)
      patches.push(...freed(run.box, offset))
    }
  }
  samples.close(layout.media)
  for (const { stbl } of kept) if (stbl) samples.requireApart(chunkRanges(movie.bytes, stbl, false))
  return patches.concat(samples.others).sort((a, b) => a.start - b.start)
}

async function layoutOf(readAt: WindowedRead, size: number): Promise<Layout> {
  const layout: Layout = { moov: null, laterMoovs: [], moofs: [], media: [] }
  for await (const box of fileBoxes(readAt, size)) {
    if (box.type === 'mdat') layout.media.push({ start: box.bodyAt, end: box.end })
    if (box.type === 'moof') layout.moofs.push(box)
    if (box.type !== 'moov') continue
    // Players read the first one.
    if (layout.moov) layout.laterMoovs.push(box)
    else layout.moov = box
  }
  return layout
}

/** The bytes of a box of the file, and the same box with offsets in them. */
async function loaded(readAt: WindowedRead, box: Box, size: number): Promise<{ bytes: Buffer; box: Box }> {
  if (box.end - box.start > TABLES_MAX_BYTES) throw new Error('tables are too large')
  const bytes = await readAt(box.start, Math.min(size, box.end))
  const bodyAt = box.bodyAt - box.start
  return { bytes, box: { type: box.type, start: 0, bodyAt, end: bytes.byteLength } }
}

async function readMovie(readAt: WindowedRead, moov: Box, size: number): Promise<Movie> {
  const { bytes, box } = await loaded(readAt, moov, size)
  const traks = [...boxesIn(bytes, box.bodyAt, box.end)].filter(({ type }) => type === 'trak')
  return { bytes, box, offset: moov.start, tracks: traks.map((trak) => trackOf(bytes, trak)) }
}

function trackOf(bytes: Buffer, box: Box): Track {
  const [tkhd, hdlr] = [onlyChild(bytes, box, 'tkhd'), boxWithin(bytes, box, 'mdia', 'hdlr')]
  const idAt = tkhd && tkhd.bodyAt + (bytes[tkhd.bodyAt] === 1 ? 20 : 12)
  const id = tkhd && idAt !== null && idAt + 4 <= tkhd.end ? bytes.readUInt32BE(idAt) : 0
  const handler = hdlr && bytes.toString('latin1', hdlr.bodyAt + 8, Math.min(hdlr.bodyAt + 12, hdlr.end))
  return {
    id,
    isKept: handler !== null && KEPT.has(handler),
    box,
    stbl: boxWithin(bytes, box, 'mdia', 'minf', 'stbl'),
  }
}

/** Turns a box into a zeroed `free` of the same size. `offset`: of its bytes in the file. */
function freed(box: Box, offset: number): Patch[] {
  // The type is before the length of a long box.
  const typeAt = offset + box.start + 4
  return [
    { start: typeAt, end: typeAt + 4, text: 'free' },
    { start: offset + box.bodyAt, end: offset + box.end },
  ]
}

/** References of a kept track to one that is removed. */
function freedReferences({ bytes, offset }: Movie, trak: Box, others: readonly Track[]): Patch[] {
  const tref = onlyChild(bytes, trak, 'tref')
  if (!tref) return []
  const removed = new Set(others.map(({ id }) => id))
  return [...boxesIn(bytes, tref.bodyAt, tref.end)]
    .filter((box) => {
      for (let at = box.bodyAt; at + 4 <= box.end; at += 4)
        if (removed.has(bytes.readUInt32BE(at))) return true
      return false
    })
    .flatMap((box) => freed(box, offset))
}

/** The samples in the fragments of a film, track by track. */
async function* runsOf(
  readAt: WindowedRead,
  moofs: readonly Box[],
  movie: Movie,
  size: number,
): AsyncGenerator<{ run: TrackRun; offset: number }> {
  const defaults = defaultsOf(movie.bytes, movie.box)
  const isKept = (id: number) => movie.tracks.some((track) => track.isKept && track.id === id)
  for (const moof of moofs) {
    const { bytes, box } = await loaded(readAt, moof, size)
    let hasOther = false
    for (const run of trackRuns(bytes, box, moof.start, defaults)) {
      if (isKept(run.trackId) && run.follows && hasOther)
        throw new UncertainFilmError('samples that follow those of a removed track')
      hasOther ||= !isKept(run.trackId)
      yield { run, offset: moof.start }
    }
  }
}

/** Where the samples of other tracks are, and of fragments of kept ones. */
class Samples {
  others: Range[] = []
  readonly #kept: Range[] = []

  addOther(ranges: Iterable<Range>): void {
    this.#add(this.others, ranges)
  }

  addKept(ranges: Iterable<Range>): void {
    this.#add(this.#kept, ranges)
  }

  #add(list: Range[], ranges: Iterable<Range>): void {
    for (const range of ranges) {
      const last = list.at(-1)
      if (last?.end === range.start) last.end = range.end
      else if (list.push(range) > RANGES_MAX) throw new UncertainFilmError('too many chunks')
    }
  }

  /** Sorts what is known of other tracks, and cuts it to the media data of the film: nothing else holds samples. */
  close(media: readonly Range[]): void {
    const merged: Range[] = []
    for (const range of this.others.sort((a, b) => a.start - b.start)) {
      const last = merged.at(-1)
      if (last && range.start <= last.end) last.end = Math.max(last.end, range.end)
      else merged.push(range)
    }
    this.others = []
    let first = 0
    for (const { start, end } of media) {
      while ((merged[first]?.end ?? Infinity) <= start) first++
      for (let at = first; (merged[at]?.start ?? Infinity) < end; at++) {
        const range = merged[at]
        if (range) this.others.push({ start: Math.max(start, range.start), end: Math.min(end, range.end) })
      }
    }
    this.requireApart(this.#kept)
  }

  /** Throws for samples of a kept track that another track claims, too: to zero them would destroy the film. */
  requireApart(kept: Iterable<Range>): void {
    for (const { start, end } of kept) {
      let [low, high] = [0, this.others.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((this.others[middle]?.end ?? Infinity) <= start) low = middle + 1
        else high = middle
      }
      if ((this.others[low]?.start ?? Infinity) < end) throw new UncertainFilmError('shared samples')
    }
  }
}

/** Overwrites these ranges, which are in order and don't overlap, while a file passes. Never changes its input. */
export async function* patched(
  bytes: AsyncIterable<Uint8Array>,
  patches: readonly Patch[],
): AsyncGenerator<Uint8Array> {
  let at = 0
  let next = 0
  for await (const chunk of bytes) {
    const end = at + chunk.byteLength
    let out: Uint8Array | null = null
    for (let patch = patches[next]; patch && patch.start < end; patch = patches[next]) {
      out ??= new Uint8Array(chunk)
      const [from, to] = [Math.max(patch.start, at), Math.min(patch.end, end)]
      if (patch.text === undefined) out.fill(0, from - at, to - at)
      else
        out.set(Buffer.from(patch.text, 'latin1').subarray(from - patch.start, to - patch.start), from - at)
      if (patch.end > end) break
      next++
    }
    yield out ?? chunk
    at = end
  }
}
