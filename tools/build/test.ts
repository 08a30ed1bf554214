import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempDisposableSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { JsonTestResults } from 'vitest/node'
import { build } from './lib/build.ts'
import { requireBrowser } from './lib/browser.ts'

/**
 * `npm test` runs all checks and tests, from unit to browser. `npm run test:exhaustive` runs what takes too long for every commit.
 * Arguments select parts by name. Both print the totals as their last line.
 */
const root = resolve(import.meta.dirname, '../..')
const reports = mkdtempSync(join(tmpdir(), 'nhaka-test-'))
const [first, ...rest] = process.argv.slice(2)
let passed = 0
let failed = 0
/** What failed in each part, printed last: CI keeps the end of a long output. */
const failures: string[] = []

function run(tool: string, args: string[], env: NodeJS.ProcessEnv = {}): boolean {
  const { status } = spawnSync(resolve(root, 'node_modules/.bin', tool), args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  return status === 0
}

type Counts = {
  passed: number
  failed: number
  /** Of the failures, if the report has them. */
  messages?: string[]
}

/** Adds the counts of a report. A part that failed without a reported failure (a crash, no report) counts as one failure. */
function count(name: string, ok: boolean, read: () => Counts): void {
  let counts: Counts = { passed: 0, failed: 0 }
  try {
    counts = read()
  } catch (error) {
    console.error(`${name} wrote no report:`, error)
  }
  if (counts.failed === 0 && (!ok || counts.passed === 0)) counts.failed = 1
  passed += counts.passed
  failed += counts.failed
  if (counts.failed > 0) failures.push(`${name}: ${counts.failed} failed`, ...(counts.messages ?? []))
}

const MEMORY = '/dev/shm'
const MEMORY_MIN_BYTES = 4 * 1024 ** 3

/** A new folder, in memory where there's enough: the runtime's storage waits for the disk at each write, a quarter of some tests' time. */
function scratchFolder() {
  const { bavail, bsize } = existsSync(MEMORY) ? statfsSync(MEMORY) : { bavail: 0, bsize: 0 }
  const parent = bavail * bsize >= MEMORY_MIN_BYTES ? MEMORY : tmpdir()
  return mkdtempDisposableSync(join(parent, 'nhaka-test-'))
}

/** Runs vitest's `projects`, named as in vitest.config.ts. */
function vitest(projects: string[]): void {
  using scratch = scratchFolder()
  const file = join(reports, `vitest-${projects[0]}.json`)
  const names = projects.map((name) => `--project=${name}`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const ok = run('vitest', ['run', ...names, ...reporters], { TMPDIR: scratch.path })
  count('vitest', ok, () => {
    const report = JSON.parse(readFileSync(file, 'utf8')) as JsonTestResults
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests || report.numFailedTestSuites,
      messages: report.testResults
        .filter(({ status }) => status === 'failed')
        .map(({ name: path, message, assertionResults }) => {
          const tests = assertionResults.filter(({ status }) => status === 'failed')
          const texts = tests.map(({ fullName, failureMessages }) => [fullName, failureMessages ?? []])
          return [path, message, texts].flat(3).filter(Boolean).join('\n')
        }),
    }
  })
}

/** Runs a command of tools/ (`build/verify`), which counts as one test. */
function script(name: string, args: string[] = []): void {
  const file = resolve(root, `tools/${name}.ts`)
  const ok = run('node', ['--disable-warning=ExperimentalWarning', file, ...args])
  count(name, ok, () => ({ passed: ok ? 1 : 0, failed: ok ? 0 : 1 }))
}

/** Builds and runs Playwright's tests whose path contains one of `files`; all if there are none. */
function browser(files: string[] = [], env: NodeJS.ProcessEnv = {}): void {
  const CHROMIUM_PATH = requireBrowser()
  build()
  const file = join(reports, 'playwright.json')
  const ok = run('playwright', ['test', '--reporter=list,json', ...files], {
    ...env,
    CHROMIUM_PATH,
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
  })
  count('playwright', ok, () => {
    const { stats } = JSON.parse(readFileSync(file, 'utf8')) as {
      stats: { expected: number; unexpected: number; flaky: number }
    }
    return { passed: stats.expected, failed: stats.unexpected + stats.flaky }
  })
}

type Parts = Record<string, () => void>

const everyCommit: Parts = {
  verify: () => script('build/verify'),
  vitest: () => vitest(['worker', 'sandbox', 'unit']),
  browser: () => browser(),
}

/** Add slow parts here; a nightly workflow runs them all. */
const exhaustive: Parts = {
  sweeps: () => vitest(['exhaustive']),
  browser: () => browser(['exhaustive', 'hostile.spec', 'export.spec', 'invited.spec'], { EXHAUSTIVE: '1' }),
  soak: () => script('measure/soak'),
  orders: () => script('measure/soak', ['orders', '--orders=200']),
  uploads: () => script('measure/soak', ['uploads']),
  prove: () => script('build/prove'),
  // Its numbers aren't judged, but each of its calls must get its answer.
  pages: () => script('measure/bench', ['pages']),
}

const parts = first === 'exhaustive' ? exhaustive : everyCommit
const wanted = first === 'exhaustive' || first === undefined ? rest : [first, ...rest]
for (const [name, part] of Object.entries(parts)) {
  if (wanted.length === 0 || wanted.includes(name)) part()
}
for (const line of failures) console.log(line)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
