import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

/** Everything that can be known without running the product: seconds, no network. */
const STEPS: [string, string, string[]][] = [
  ['format', 'oxfmt', ['--check']],
  ['lint', 'oxlint', []],
  ['types', 'tsc', ['-b']],
  ['unused', 'knip', ['--no-progress']],
  ['packages', process.execPath, ['scripts/dependencies.ts']],
  ['documents', process.execPath, ['scripts/documents.ts']],
]

/** Steps that count what they looked at. */
const TELLS = new Set(['packages', 'documents'])

const root = resolve(import.meta.dirname, '..')
let failed = 0
for (const [name, tool, args] of STEPS) {
  const started = Date.now()
  const { status, stdout, stderr } = spawnSync(resolve(root, 'node_modules/.bin', tool), args, {
    cwd: root,
    encoding: 'utf8',
  })
  const took = ((Date.now() - started) / 1000).toFixed(1)
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${took} s)`)
  if (status !== 0) {
    failed++
    console.log(`${stdout}${stderr}`)
  } else if (TELLS.has(name)) {
    console.log(stdout.trim())
  }
}
process.exit(failed === 0 ? 0 : 1)
