import { measureExport, measureMemory } from './memory.ts'
import { measurePages } from './pages.ts'
import { measurePhone } from './phone.ts'
import { measureUploads } from './uploads.ts'
import { build } from '../build/lib/build.ts'

/** `npm run bench` runs all benchmarks in this order; `npm run bench -- pages` runs one. */
const MEASURES = new Map([
  ['pages', measurePages],
  ['phone', measurePhone],
  ['uploads', measureUploads],
  ['memory', measureMemory],
  ['export', measureExport],
])

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !MEASURES.has(name))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. Benchmarks: ${[...MEASURES.keys()].join(', ')}`)
  process.exit(2)
}
build()
for (const [name, measure] of MEASURES) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.error(`\n${name} …`)
  await measure()
}
