import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { writeCssTypes } from './lib/css-types.ts'

/** All checks that need neither the running product nor the network. They run in parallel and take seconds. */
const STEPS: [name: string, tool: string, ...args: string[]][] = [
  ['format', 'oxfmt', '--check'],
  ['lint', 'oxlint'],
  ['types', 'tsc', '-b'],
  ['unused', 'knip', '--no-progress'],
  ['imports', 'node', '--disable-warning=ExperimentalWarning', 'tools/build/imports.ts'],
]

const root = resolve(import.meta.dirname, '../..')
writeCssTypes()

async function run([name, tool, ...args]: (typeof STEPS)[number]): Promise<boolean> {
  const started = Date.now()
  const child = spawn(resolve(root, 'node_modules/.bin', tool), args, { cwd: root })
  const status = new Promise<number | null>((done, failed) => child.on('close', done).on('error', failed))
  const [code, stdout, stderr] = await Promise.all([status, text(child.stdout), text(child.stderr)])
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
  if (code !== 0) console.log(`${stdout}${stderr}`)
  return code === 0
}

const passed = await Promise.all(STEPS.map(run))
process.exitCode = passed.every(Boolean) ? 0 : 1
