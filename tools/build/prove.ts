import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { findMarkedGuards } from './lib/marked-guards.ts'

/**
 * `npm run prove [-- ID …]` removes each marked guard (`prove: ID` in a comment of src/worker) from a copy of the repository, runs
 * the tests tagged with its id, and fails if they still pass. docs/security.md has the rules.
 */
const root = resolve(import.meta.dirname, '../..')
const wanted = process.argv.slice(2)

function trackedFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate']
  const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return stdout.split('\n').filter(Boolean)
}

/** Copies the tracked files into a temporary folder, so that the working tree is never edited. Deleted at exit. */
function copyProduct(files: string[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'nhaka-prove-'))
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
  process.once('SIGINT', () => process.exit(130))
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(resolve(root, file), join(copy, file))
  }
  symlinkSync(resolve(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

type Report = {
  testResults: {
    message: string
    assertionResults: { status: string; failureMessages: string[] }[]
  }[]
}

/** Runs the tests with this tag. Returns the first failure, or null when all passed. Throws when none ran. */
function runTagged(copy: string, id: string, tests: string[]): string | null {
  const report = join(copy, 'prove-report.json')
  rmSync(report, { force: true })
  const args = ['run', ...tests, `--tags-filter=${id}`, '--reporter=json', `--outputFile=${report}`]
  const { stdout, stderr } = spawnSync(resolve(copy, 'node_modules/.bin/vitest'), args, {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  const ran = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed' || status === 'failed')
  if (ran.length === 0) throw new Error(`no tagged test ran: ${stdout.slice(-2000)}${stderr.slice(-2000)}`)
  return ran.find(({ status }) => status === 'failed')?.failureMessages[0]?.split('\n')[0] ?? null
}

const files = trackedFiles()
const guards = files
  .filter((file) => /^src\/worker\/.*(?<!\.test)\.tsx?$/u.test(file))
  .flatMap((file) => {
    const source = readFileSync(resolve(root, file), 'utf8')
    return findMarkedGuards(file, source).map(({ id, without }) => ({ id, without, file, source }))
  })
  .filter(({ id }) => wanted.length === 0 || wanted.includes(id))
const testFiles = files.filter((file) => file.endsWith('.test.ts'))
const copy = copyProduct(files)
let unproven = guards.length === 0 ? 1 : 0
for (const { id, file, source, without } of guards) {
  const tests = testFiles.filter((test) => readFileSync(resolve(root, test), 'utf8').includes(`'${id}'`))
  writeFileSync(join(copy, file), without)
  const failure = tests.length === 0 ? null : runTagged(copy, id, tests)
  writeFileSync(join(copy, file), source)
  if (failure === null) unproven++
  console.log(
    `${failure === null ? 'UNPROVEN' : 'proven  '} ${id} (${file})\n         ${failure ?? 'its tests pass without it'}`,
  )
}
console.log(`${guards.length} guards, ${unproven} unproven`)
process.exit(unproven === 0 ? 0 : 1)
