import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { api } from '../src/shared/api.ts'
import { messages } from '../src/shared/messages.ts'
import { paths } from '../src/shared/pages.ts'
import { NOT_BUILT, SPEC_NUMBERS, SPEC_WORDS } from './lib/product-spec.ts'
import { checkCoverage } from './lib/spec-coverage.ts'

/** Checks docs/spec-coverage.md against the code and the tests, and counts its rows. */
const DOCUMENT = 'docs/spec-coverage.md'
const root = resolve(import.meta.dirname, '..')
const files = new Map<string, string | null>()

function readFile(path: string): string | null {
  const known = files.get(path)
  if (known !== undefined) return known
  let text: string | null = null
  try {
    text = readFileSync(resolve(root, path), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  files.set(path, text)
  return text
}

const { problems, counts } = checkCoverage(
  readFile(DOCUMENT) ?? '',
  {
    calls: Object.values(api)
      .map(({ method, path }) => `${method} ${path}`)
      .filter((call) => !NOT_BUILT.includes(call)),
    paths: Object.values(paths),
    numbers: Object.keys(SPEC_NUMBERS),
    words: SPEC_WORDS,
    messages: Object.values(messages).flatMap((group) => Object.values(group)),
  },
  readFile,
)
for (const problem of problems) console.log(`${DOCUMENT}:${problem}`)
const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
console.log(`${total} rows: ${[...counts].map(([kind, count]) => `${count} ${kind}`).join(', ')}`)
process.exit(problems.length === 0 ? 0 : 1)
