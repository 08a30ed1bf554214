import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { resolve } from 'node:path'

const FILE = resolve(import.meta.dirname, 'results.json')

/** Prints the rows of one benchmark and writes them into `results.json`, without changing the rows of other benchmarks. */
export function report(name: string, rows: readonly object[]): void {
  console.table(rows)
  const others = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as object) : {}
  const measured = { measuredAt: new Date().toISOString(), cpus: cpus().length, node: process.version, rows }
  writeFileSync(FILE, `${JSON.stringify({ ...others, [name]: measured }, null, 2)}\n`)
}
