import { Buffer } from 'node:buffer'
import { boxesIn, fileBoxes, type Box } from '#worker/media-formats/boxes.ts'
import { windowed, type Read, type WindowedRead } from '#worker/media-formats/range-reader.ts'
import {
  gapsBetween,
  RangeList,
  requireApart,
  UncertainFilmError,
  within,
  type Range,
} from '#worker/media-formats/ranges.ts'
import {
  boxWithin,
  chunkRanges,
  defaultsOf,
  onlyChild,
  trackRuns,
  type TrackRun,
} from '#worker/media-formats/sample-ranges.ts'
import { FRAGMENTS_MAX, TABLES_MAX_BYTES } from '#worker/media-formats/sample-tables.ts'

/** Bytes of a film to overwrite: with `text` if it has one, else with zeros. */
export type Patch = Range & { text?: string }

/** Pictures and sound. Every other track is data about them: positions, times, subtitles. */
const KEPT = new Set(['vide', 'soun'])
const WINDOW_BYTES = 64 * 1024
/** Phones write up to ten tracks, and as many references between them. */
const TRACKS_MAX = 100
const PATCHES_MAX = 300_000

type Track = { id: number; isKept: boolean; box: Box }
/** The `moov` box, with its bytes and its place in the file. */
type Movie = { bytes: Buffer; box: Box; offset: number; kept: Track[]; others: Track[] }
/** `media`: the content of the `mdat` boxes. Nothing else holds samples. */
type Layout = { moov: Box | null; laterMoovs: Box[]; moofs: Box[]; media: Range[] }
/** Samples in fragments. */
type Runs = { kept: Range[]; others: Range[]; patches: Patch[] }

/**
 * What to overwrite in a stored MP4 or QuickTime file so that it keeps its video and audio tracks only: other tracks become
 * `free`, and their samples zeros. Nothing moves, so the film plays as before; a film without other tracks needs no patch.
 * Needs memory for one `moov`, whatever the film claims. Throws {@link UncertainFilmError} where neither the samples of other
 * tracks nor those of video and audio can be found for certain (docs/decisions/0055).
 */
export async function planPatches(read: Read, size: number): Promise<Patch[]> {
  const readAt = windowed(read, size, WINDOW_BYTES)
  const layout = await layoutOf(readAt, size)
  if (!layout.moov) return []
  const movie = await readMovie(readAt, layout.moov, size)
  const later = layout.laterMoovs.flatMap((box) => freed(box, 0))
  if (movie.others.length === 0) return later
  if (movie.kept.length === 0) throw new Error('no track')
  const runs = await runsOf(readAt, layout.moofs, movie, size)
  const patches = [
    ...later,
    ...movie.others.flatMap(({ box }) => freed(box, movie.offset)),
    ...movie.kept.flatMap(({ box }) => freedReferences(movie, box)),
    ...runs.patches,
  ]
  return patches.concat(samplesToZero(movie, runs, layout.media)).sort((a, b) => a.start - b.start)
}

/** Samples of other tracks; where their tables are false, all that video and audio don't use. */
function samplesToZero(movie: Movie, runs: Runs, media: readonly Range[]): Range[] {
  const ofTracks = function* (tracks: readonly Track[], required: Parameters<typeof chunkRanges>[2]) {
    for (const { box } of tracks) {
      const stbl = boxWithin(movie.bytes, box, 'mdia', 'minf', 'stbl')
      if (stbl) yield* chunkRanges(movie.bytes, stbl, required)
    }
  }
  const merged = (...lists: Iterable<Range>[]) => {
    const all = new RangeList()
    for (const list of lists) all.add(list)
    return all.merged()
  }
  try {
    const others = within(merged(runs.others, ofTracks(movie.others, 'whole')), media)
    // To zero what the film uses would destroy it.
    requireApart(others, runs.kept)
    requireApart(others, ofTracks(movie.kept, 'nothing'))
    return others
  } catch (error) {
    if (!(error instanceof UncertainFilmError)) throw error
    return within(gapsBetween(merged(runs.kept, ofTracks(movie.kept, 'sized'))), media)
  }
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
  const tracks = childrenOf(bytes, box, (child) => child.type === 'trak').map((trak) => trackOf(bytes, trak))
  const kept = tracks.filter((track) => track.isKept)
  return { bytes, box, offset: moov.start, kept, others: tracks.filter((track) => !track.isKept) }
}

/** The boxes within a box that pass a test. Throws {@link UncertainFilmError} for more than a film has. */
function childrenOf(bytes: Buffer, parent: Box, isWanted: (child: Box) => boolean): Box[] {
  const wanted: Box[] = []
  for (const child of boxesIn(bytes, parent.bodyAt, parent.end)) {
    if (isWanted(child) && wanted.push(child) > TRACKS_MAX) throw new UncertainFilmError('too many tracks')
  }
  return wanted
}

function trackOf(bytes: Buffer, box: Box): Track {
  const [tkhd, hdlr] = [onlyChild(bytes, box, 'tkhd'), boxWithin(bytes, box, 'mdia', 'hdlr')]
  const idAt = tkhd && tkhd.bodyAt + (bytes[tkhd.bodyAt] === 1 ? 20 : 12)
  const id = tkhd && idAt !== null && idAt + 4 <= tkhd.end ? bytes.readUInt32BE(idAt) : 0
  const handler = hdlr && bytes.toString('latin1', hdlr.bodyAt + 8, Math.min(hdlr.bodyAt + 12, hdlr.end))
  return { id, isKept: handler !== null && KEPT.has(handler), box }
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
function freedReferences({ bytes, offset, others }: Movie, trak: Box): Patch[] {
  const tref = onlyChild(bytes, trak, 'tref')
  if (!tref) return []
  const removed = new Set(others.map(({ id }) => id))
  const refersToRemoved = (reference: Box) => {
    for (let at = reference.bodyAt; at + 4 <= reference.end; at += 4)
      if (removed.has(bytes.readUInt32BE(at))) return true
    return false
  }
  return childrenOf(bytes, tref, refersToRemoved).flatMap((box) => freed(box, offset))
}

/** The samples in the fragments of a film, and the patches that remove other tracks from them. */
async function runsOf(
  readAt: WindowedRead,
  moofs: readonly Box[],
  movie: Movie,
  size: number,
): Promise<Runs> {
  const [kept, others, patches] = [new RangeList(), new RangeList(), [] as Patch[]]
  const defaults = defaultsOf(movie.bytes, movie.box)
  const isKept = (run: TrackRun) => movie.kept.some(({ id }) => id === run.trackId)
  if (moofs.length > FRAGMENTS_MAX) throw new UncertainFilmError('too many fragments')
  for (const moof of moofs) {
    const { bytes, box } = await loaded(readAt, moof, size)
    let hasOther = false
    for (const run of trackRuns(bytes, box, moof.start, defaults)) {
      if (isKept(run) && run.follows && hasOther)
        throw new UncertainFilmError('samples that follow those of a removed track')
      if (isKept(run)) kept.add(run.ranges)
      else {
        hasOther = true
        others.add(run.ranges)
        if (patches.push(...freed(run.box, moof.start)) > PATCHES_MAX)
          throw new UncertainFilmError('too many fragments')
      }
    }
  }
  return { kept: kept.merged(), others: others.merged(), patches }
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
