import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { resolve } from 'node:path'

const FILE = resolve(import.meta.dirname, 'results.json')

/** Shows the rows of one bench, and writes them into `results.json` beside what other benches have left there. */
export function report(name: string, rows: readonly object[]): void {
  console.table(rows)
  const before = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as object) : {}
  const measured = { measuredAt: new Date().toISOString(), cpus: cpus().length, node: process.version, rows }
  writeFileSync(FILE, `${JSON.stringify({ ...before, [name]: measured }, null, 2)}\n`)
}
