/** The middle one; of an even count the upper of the two. 0 of none. */
export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5)
}

/** What `share` (0 to 1) of the numbers are below. 0 of none. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Half the way from the lowest to the highest, in percent of the middle one: "± 4". 0 of none. */
export function spreadPercent(numbers: readonly number[]): number {
  const middle = median(numbers)
  if (middle === 0) return 0
  return Math.round(((Math.max(...numbers) - Math.min(...numbers)) / 2 / middle) * 100)
}

/** The middle of the ratios of each pair: what two did in one round, so that a busy moment is in both. 0 of none. */
export function medianRatio(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.flatMap((our, at) => (theirs[at] ? [our / theirs[at]] : [])))
}

/** With two decimals. */
export function rounded(number: number): number {
  return Math.round(number * 100) / 100
}
