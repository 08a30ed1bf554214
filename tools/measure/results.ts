import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { resolve } from 'node:path'

/** The median; the upper of the two middle numbers if their count is even. 0 for an empty list. */
export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5)
}

/** The number below which `share` (0 to 1) of the numbers are. 0 for an empty list. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Half the range, in percent of the median: 4 for "± 4 %". 0 for an empty list. */
export function spreadPercent(numbers: readonly number[]): number {
  const middle = median(numbers)
  if (middle === 0) return 0
  return Math.round(((Math.max(...numbers) - Math.min(...numbers)) / 2 / middle) * 100)
}

/** The median of the ratios of pairs from the same round, so that other load affects both numbers. 0 for an empty list. */
export function medianRatio(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.flatMap((our, at) => (theirs[at] ? [our / theirs[at]] : [])))
}

/** Rounds to two decimals. */
export function rounded(number: number): number {
  return Math.round(number * 100) / 100
}

const FILE = resolve(import.meta.dirname, 'results.json')

/** Prints the rows of one benchmark and writes them into `results.json`, without changing the rows of other benchmarks. */
export function report(name: string, rows: readonly object[]): void {
  console.table(rows)
  const others = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as object) : {}
  const measured = { measuredAt: new Date().toISOString(), cpus: cpus().length, node: process.version, rows }
  writeFileSync(FILE, `${JSON.stringify({ ...others, [name]: measured }, null, 2)}\n`)
}
