import type { Buffer } from 'node:buffer'
import { boxesIn, type Box } from '#worker/media-formats/boxes.ts'
import { UncertainFilmError, type Range } from '#worker/media-formats/ranges.ts'

/** The only child of this type; null without one. Throws {@link UncertainFilmError} for two: players differ in which they read. */
export function onlyChild(bytes: Buffer, parent: Box | null, type: string): Box | null {
  let found: Box | null = null
  for (const box of parent ? boxesIn(bytes, parent.bodyAt, parent.end) : []) {
    if (box.type !== type) continue
    if (found) throw new UncertainFilmError(`two boxes ${type}`)
    found = box
  }
  return found
}

/** A box within boxes; see {@link onlyChild}. */
export function boxWithin(bytes: Buffer, parent: Box, ...types: string[]): Box | null {
  return types.reduce<Box | null>((box, type) => onlyChild(bytes, box, type), parent)
}

/** Entries of a full box: their place, how many the box claims, and how many fit into it. */
type Table = { at: number; claimed: number; fitting: number }

function tableOf(bytes: Buffer, box: Box | null | undefined, countAt: number, entryBytes: number): Table {
  if (!box) return { at: 0, claimed: 0, fitting: 0 }
  const at = box.bodyAt + countAt + 4
  if (at > box.end) return { at, claimed: 0, fitting: 0 }
  const claimed = bytes.readUInt32BE(at - 4)
  return { at, claimed, fitting: Math.min(claimed, Math.floor((box.end - at) / entryBytes)) }
}

/** `sum`: `total` bytes of `count` samples from `first` on; ends where the table does. `isOne`: one size for all. */
type Sizes = {
  claimed: number
  isOne: boolean
  sum: (first: number, count: number) => { count: number; total: number }
}

function sizesIn(bytes: Buffer, stbl: Box): Sizes {
  const [stsz, stz2] = [onlyChild(bytes, stbl, 'stsz'), onlyChild(bytes, stbl, 'stz2')]
  if (stsz && stz2) throw new UncertainFilmError('two tables of sizes')
  const box = stsz ?? stz2
  if (!box || box.end - box.bodyAt < 12)
    return { claimed: 0, isOne: false, sum: () => ({ count: 0, total: 0 }) }
  const field = bytes.readUInt32BE(box.bodyAt + 4)
  if (stsz && field > 0) {
    const { claimed } = tableOf(bytes, box, 8, 1)
    const fits = (first: number, count: number) => Math.min(count, claimed - first)
    return {
      claimed,
      isOne: true,
      sum: (first, count) => ({ count: fits(first, count), total: fits(first, count) * field }),
    }
  }
  const bits = stsz ? 32 : field & 255
  if (![4, 8, 16, 32].includes(bits)) throw new UncertainFilmError('an unknown size of sizes')
  const { at, claimed, fitting } = tableOf(bytes, box, 8, bits / 8)
  const sizeOf = (sample: number) =>
    bits === 4
      ? (bytes.readUInt8(at + (sample >> 1)) >> (sample % 2 === 0 ? 4 : 0)) & 15
      : bytes.readUIntBE(at + (sample * bits) / 8, bits / 8)
  return {
    claimed,
    isOne: false,
    sum(first, count) {
      const end = Math.min(first + count, fitting)
      let total = 0
      for (let sample = first; sample < end; sample++) total += sizeOf(sample)
      return { count: Math.max(0, end - first), total }
    },
  }
}

/**
 * What the tables of a track must state, else {@link UncertainFilmError}. `whole`: every sample is in a chunk. `sized`: and has a
 * size of its own; one size for all may be untrue, because old QuickTime sound states 1 for frames of several bytes.
 */
type Required = 'nothing' | 'whole' | 'sized'

/**
 * Where the samples of a track are, chunk by chunk; ISO/IEC 14496-12, 8.7. Time grows with the length of the tables only, whatever
 * they claim.
 */
export function* chunkRanges(bytes: Buffer, stbl: Box, required: Required): Generator<Range> {
  const sizes = sizesIn(bytes, stbl)
  if (required === 'sized' && sizes.isOne) throw new UncertainFilmError('one size for all samples')
  const [stco, co64, stsc] = ['stco', 'co64', 'stsc'].map((type) => onlyChild(bytes, stbl, type))
  if (stco && co64) throw new UncertainFilmError('two tables of chunks')
  const offsets = tableOf(bytes, stco ?? co64, 4, stco ? 4 : 8)
  const runs = tableOf(bytes, stsc, 4, 12)
  let sample = 0
  const runAt = (index: number) => runs.at + index * 12
  let run = -1
  for (let chunk = 0; chunk < offsets.fitting; chunk++) {
    // A run begins at its first chunk, counted from 1.
    while (run + 1 < runs.fitting && bytes.readUInt32BE(runAt(run + 1)) <= chunk + 1) run++
    if (run < 0) continue
    const { count, total } = sizes.sum(sample, bytes.readUInt32BE(runAt(run) + 4))
    sample += count
    const start = stco
      ? bytes.readUInt32BE(offsets.at + chunk * 4)
      : Number(bytes.readBigUInt64BE(offsets.at + chunk * 8))
    if (total > 0) yield { start, end: start + total }
  }
  if (required !== 'nothing' && sample < sizes.claimed)
    throw new UncertainFilmError('samples without a chunk')
}

/** The default size of samples, by track: `trex` of `moov`. */
export type Defaults = ReadonlyMap<number, number>

export function defaultsOf(bytes: Buffer, moov: Box): Defaults {
  const defaults = new Map<number, number>()
  const mvex = onlyChild(bytes, moov, 'mvex')
  if (!mvex) return defaults
  for (const { type, bodyAt, end } of boxesIn(bytes, mvex.bodyAt, mvex.end)) {
    if (type === 'trex' && end - bodyAt >= 24)
      defaults.set(bytes.readUInt32BE(bodyAt + 4), bytes.readUInt32BE(bodyAt + 16))
  }
  return defaults
}

/** Samples of one track in a fragment. `follows`: where they begin depends on the track before. */
export type TrackRun = { box: Box; trackId: number; follows: boolean; ranges: Range[] }

/** Of one track in one fragment. */
const RUNS_MAX = 10_000
const [HAS_BASE, HAS_DESCRIPTION, HAS_DURATION, HAS_SIZE, FROM_FRAGMENT] = [0x1, 0x2, 0x8, 0x10, 0x2_0000]
const RUN = { offset: 0x1, firstFlags: 0x4, duration: 0x100, size: 0x200, flags: 0x400, time: 0x800 } as const

/** The samples of each track of a fragment, which begins at `offset` of its file; ISO/IEC 14496-12, 8.8. */
export function* trackRuns(
  bytes: Buffer,
  moof: Box,
  offset: number,
  defaults: Defaults,
): Generator<TrackRun> {
  let next = offset
  let isFirst = true
  for (const box of boxesIn(bytes, moof.bodyAt, moof.end)) {
    if (box.type !== 'traf') continue
    const tfhd = onlyChild(bytes, box, 'tfhd')
    if (!tfhd || tfhd.end - tfhd.bodyAt < 8) throw new UncertainFilmError('a fragment of no track')
    const word = wordsIn(bytes, tfhd)
    const [flags, trackId] = [word() & 0xff_ffff, word()]
    const base = (flags & HAS_BASE) !== 0 ? word() * 2 ** 32 + word() : null
    if ((flags & HAS_DESCRIPTION) !== 0) word()
    if ((flags & HAS_DURATION) !== 0) word()
    const size = (flags & HAS_SIZE) !== 0 ? word() : (defaults.get(trackId) ?? 0)
    const follows = base === null && (flags & FROM_FRAGMENT) === 0 && !isFirst
    const ranges: Range[] = []
    const from = base ?? (follows ? next : offset)
    next = from
    for (const run of boxesIn(bytes, box.bodyAt, box.end)) {
      if (run.type !== 'trun') continue
      const range = runRange(bytes, run, { from, next, size })
      if (range.end > range.start && ranges.push(range) > RUNS_MAX)
        throw new UncertainFilmError('too many runs')
      next = range.end
    }
    yield { box, trackId, follows, ranges }
    isFirst = false
  }
}

function runRange(bytes: Buffer, run: Box, at: { from: number; next: number; size: number }): Range {
  const word = wordsIn(bytes, run)
  const flags = word() & 0xff_ffff
  const count = word()
  const start = (flags & RUN.offset) === 0 ? at.next : at.from + (word() | 0)
  if ((flags & RUN.size) === 0) return { start, end: start + count * at.size }
  if ((flags & RUN.firstFlags) !== 0) word()
  const others = [RUN.flags, RUN.time].filter((flag) => (flags & flag) !== 0).length
  let total = 0
  for (let sample = 0; sample < count; sample++) {
    if ((flags & RUN.duration) !== 0) word()
    total += word()
    for (let other = 0; other < others; other++) word()
  }
  return { start, end: start + total }
}

/** Reads the words of 32 bits of a box, one by one. Throws {@link UncertainFilmError} at its end. */
function wordsIn(bytes: Buffer, box: Box): () => number {
  let at = box.bodyAt
  return () => {
    if (at + 4 > box.end) throw new UncertainFilmError(`${box.type} is too short`)
    at += 4
    return bytes.readUInt32BE(at - 4)
  }
}
