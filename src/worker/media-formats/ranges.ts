/** Bytes of a film from `start` up to `end`, offsets in the file. */
export type Range = { start: number; end: number }

/** A film that doesn't say with certainty where the samples of a track are. */
export class UncertainFilmError extends Error {
  override name = 'UncertainFilmError'
}

/** Cameras write one to ten chunks of positions a second, and films up to sixty of pictures. */
const RANGES_MAX = 300_000

/** Collects ranges in any order. Throws {@link UncertainFilmError} for more than any film has. */
export class RangeList {
  readonly #ranges: Range[] = []

  add(ranges: Iterable<Range>): void {
    for (const { start, end } of ranges) {
      const last = this.#ranges.at(-1)
      if (last?.end === start) last.end = end
      else if (this.#ranges.push({ start, end }) > RANGES_MAX) throw new UncertainFilmError('too many chunks')
    }
  }

  /** In order and without overlaps. */
  merged(): Range[] {
    const merged: Range[] = []
    for (const range of this.#ranges.sort((a, b) => a.start - b.start)) {
      const last = merged.at(-1)
      if (last && range.start <= last.end) last.end = Math.max(last.end, range.end)
      else merged.push({ ...range })
    }
    return merged
  }
}

/** The parts of `ranges` inside of `outer`. Both are in order and without overlaps, and so is the result. */
export function within(ranges: readonly Range[], outer: readonly Range[]): Range[] {
  const inside: Range[] = []
  let first = 0
  for (const { start, end } of outer) {
    while ((ranges[first]?.end ?? Infinity) <= start) first++
    for (let at = first; at < ranges.length; at++) {
      const range = ranges[at]
      if (!range || range.start >= end) break
      inside.push({ start: Math.max(start, range.start), end: Math.min(end, range.end) })
    }
  }
  return inside
}

/** Everything that is not in `ranges`, which are in order and without overlaps. */
export function gapsBetween(ranges: readonly Range[]): Range[] {
  const starts = [0, ...ranges.map(({ end }) => end)]
  return starts.map((start, index) => ({ start, end: ranges[index]?.start ?? Infinity }))
}

/** Throws {@link UncertainFilmError} if one of `others` overlaps one of `ranges`, which are in order and without overlaps. */
export function requireApart(ranges: readonly Range[], others: Iterable<Range>): void {
  for (const { start, end } of others) {
    let [low, high] = [0, ranges.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ranges[middle]?.end ?? Infinity) <= start) low = middle + 1
      else high = middle
    }
    if ((ranges[low]?.start ?? Infinity) < end) throw new UncertainFilmError('shared samples')
  }
}
