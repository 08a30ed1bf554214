import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Proof } from '../test/rules/rule.ts'
import { requireBrowser } from './lib/browser.ts'
import { allRules, applied, partsOfTest, problemsOf, ROOT } from './lib/rules.ts'
import { seenColumn, writeRulesTable } from './lib/rules-table.ts'

/**
 * `npm run prove [-- A7 M4 …]`: takes each rule of the threat model out of a copy of the product and demands that its
 * test then fails. Writes what was seen to docs/security-rules.md.
 */
const wanted = process.argv.slice(2)
const rules = (await allRules()).filter(({ id }) => wanted.length === 0 || wanted.includes(id))
const problems = problemsOf(rules)
if (problems.length > 0 || rules.length === 0) {
  console.error(problems.join('\n') || 'No such rule.')
  process.exit(1)
}

const copy = mkdtempSync(join(tmpdir(), 'nhaka-prove-'))
const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
})
for (const file of new Set(listed.stdout.split('\n').filter(Boolean))) {
  mkdirSync(dirname(join(copy, file)), { recursive: true })
  cpSync(resolve(ROOT, file), join(copy, file))
}
symlinkSync(resolve(ROOT, 'node_modules'), join(copy, 'node_modules'))
process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
process.once('SIGINT', () => process.exit(130))

type Outcome = { failed: boolean; seen: string }

function runTool(tool: string, args: string[], env: NodeJS.ProcessEnv = {}): string {
  const { stdout, stderr } = spawnSync(resolve(copy, 'node_modules/.bin', tool), args, {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  })
  return `${stdout}${stderr}`
}

type VitestReport = {
  testResults: { assertionResults: { status: string; title: string; failureMessages: string[] }[] }[]
}

/** A pattern for the names that a title has when its test runs for a list of values (`%s`, `$name`). */
function patternOf(title: string): string {
  const escaped = title.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)
  return escaped.replaceAll(/%[sdifjo#]|\\\$\w+/gu, '.*')
}

function runVitest(file: string, title: string): Outcome {
  const report = join(copy, 'prove-report.json')
  rmSync(report, { force: true })
  const pattern = patternOf(title)
  const output = runTool('vitest', ['run', file, '-t', pattern, '--reporter=json', `--outputFile=${report}`])
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as VitestReport
    const ran = testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === 'failed' || status === 'passed'),
    )
    if (ran.length === 0) return { failed: false, seen: `the test did not run: ${lastLines(output)}` }
    const red = ran.find(({ status }) => status === 'failed')
    return red
      ? { failed: true, seen: firstLine(red.failureMessages[0] ?? '') }
      : { failed: false, seen: 'green' }
  } catch {
    return { failed: false, seen: `no report: ${lastLines(output)}` }
  }
}

type PlaywrightSuite = {
  suites?: PlaywrightSuite[]
  specs?: { ok: boolean; tests: { results: { error?: { message?: string } }[] }[] }[]
}

function runPlaywright(file: string, title: string): Outcome {
  const report = join(copy, 'prove-report.json')
  rmSync(report, { force: true })
  rmSync(join(copy, 'dist'), { recursive: true, force: true })
  const built = runTool('vite', ['build', '--logLevel', 'warn'])
  const pattern = patternOf(title)
  const output = runTool('playwright', ['test', file, '-g', pattern, '--reporter=json'], {
    CHROMIUM_PATH: requireBrowser(),
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
  })
  try {
    const specsOf = (suite: PlaywrightSuite): NonNullable<PlaywrightSuite['specs']> => [
      ...(suite.specs ?? []),
      ...(suite.suites ?? []).flatMap(specsOf),
    ]
    const specs = specsOf(JSON.parse(readFileSync(report, 'utf8')) as PlaywrightSuite)
    if (specs.length === 0)
      return { failed: false, seen: `the test did not run: ${lastLines(built + output)}` }
    const red = specs.find(({ ok }) => !ok)
    if (!red) return { failed: false, seen: 'green' }
    const errors = red.tests.flatMap(({ results }) => results.flatMap(({ error }) => error?.message ?? []))
    return { failed: true, seen: firstLine(errors[0] ?? '') }
  } catch {
    return { failed: false, seen: `no report: ${lastLines(built + output)}` }
  }
}

function firstLine(message: string): string {
  // oxlint-disable-next-line no-control-regex -- colours of the terminal
  const plain = message.replaceAll(/\u001B\[[0-9;]*m/gu, '')
  const lines = plain.split('\n').map((line) => line.trim())
  return lines.find((line) => line !== '') ?? 'failed without a word'
}

function lastLines(output: string): string {
  return output.trim().split('\n').slice(-15).join('\n')
}

/** True for what says that the copy is broken and not that the rule is missing. */
function isNoAssertion(seen: string): boolean {
  return /SyntaxError|Transform failed|is not defined|Cannot find module|PARSE_ERROR/u.test(seen)
}

function prove({ test, takenOut }: Proof): Outcome {
  const touched = new Map<string, string>()
  try {
    for (const edit of takenOut) {
      const path = join(copy, edit.file)
      const source = readFileSync(path, 'utf8')
      if (!touched.has(path)) touched.set(path, source)
      writeFileSync(path, applied(source, edit))
    }
    const { file, title } = partsOfTest(test)
    const outcome = file.startsWith('e2e/') ? runPlaywright(file, title) : runVitest(file, title)
    return isNoAssertion(outcome.seen) ? { ...outcome, failed: false } : outcome
  } finally {
    for (const [path, source] of touched) writeFileSync(path, source)
  }
}

const seen = new Map<string, string>()
let unproven = 0
for (const rule of rules) {
  for (const proof of rule.proofs ?? []) {
    const outcome = prove(proof)
    if (!outcome.failed) unproven++
    else seen.set(`${rule.id} ${proof.test}`, seenColumn(outcome.seen))
    console.log(
      `${outcome.failed ? 'red   ' : 'UNPROVEN'} ${rule.id} ${proof.test}\n         ${outcome.seen}`,
    )
  }
}
await writeRulesTable(seen)
console.log(`${seen.size} taken out and seen red, ${unproven} unproven`)
process.exit(unproven === 0 ? 0 : 1)
