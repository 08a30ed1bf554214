import { parseArgs } from 'node:util'
import { measureGrowth } from './growth.ts'
import { measureExport, measureMemory } from './memory.ts'
import { measureMail } from './mail.ts'
import { measurePages } from './pages.ts'
import { measurePhone, PHONE_PAGES } from './phone/phone.ts'
import { measureProof } from './proof.ts'
import { measureUploads } from './uploads.ts'
import { measureWords } from './words.ts'
import { build } from '../build/lib/build.ts'

const NAMES = ['pages', 'phone', 'uploads', 'memory', 'export', 'growth', 'words', 'proof', 'mail'] as const
const { values, positionals } = parseArgs({ allowPositionals: true, options: { runs: { type: 'string' } } })
const wanted = NAMES.filter((name) => positionals.includes(name))
const phonePages = wanted.includes('phone') ? PHONE_PAGES.filter((name) => positionals.includes(name)) : []
const runs = values.runs === undefined ? undefined : Number(values.runs)

/**
 * `npm run bench` runs all benchmarks in this order; `npm run bench -- pages` runs one, and `npm run bench -- phone invite login
 * --runs 2` visits only these pages, twice each.
 */
const MEASURES: Record<(typeof NAMES)[number], () => Promise<void>> = {
  pages: measurePages,
  phone: () => measurePhone(phonePages, runs),
  uploads: measureUploads,
  memory: measureMemory,
  export: measureExport,
  growth: measureGrowth,
  words: measureWords,
  proof: measureProof,
  mail: measureMail,
}

const known = new Set<string>([...wanted, ...phonePages])
const unknown = positionals.filter((name) => !known.has(name))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. Benchmarks: ${NAMES.join(', ')}`)
  console.error(`After "phone", you may name pages: ${PHONE_PAGES.join(', ')}`)
  process.exit(2)
}
build()
for (const name of wanted.length > 0 ? wanted : NAMES) {
  console.error(`\n${name} …`)
  await MEASURES[name]()
}
