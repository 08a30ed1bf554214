import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { wordsFor, type Environment } from '../environments.ts'
import { StateProblem } from '../local-state.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** wrangler, with its sign-in. Both throw a StateProblem with what it said when it fails. */
export type Wrangler = {
  run: (words: string[]) => string
  /** Runs SQL on the deployed database as one batch. Returns the rows of each statement. */
  rows: (statements: string[]) => Record<string, unknown>[][]
}

/** wrangler for one environment of wrangler.toml. */
export function openWrangler(env: Environment): Wrangler {
  const run = (words: string[]) => {
    const tool = resolve(ROOT, 'node_modules/.bin/wrangler')
    const { status, stdout, stderr } = spawnSync(tool, [...words, ...wordsFor(env)], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (status !== 0) {
      throw new StateProblem(`wrangler ${words.slice(0, 3).join(' ')} did not work:\n${stderr || stdout}`)
    }
    return stdout
  }
  return { run, rows: rowsBy(run) }
}

/** Rows by `wrangler d1 execute --json`. */
export function rowsBy(run: Wrangler['run']): Wrangler['rows'] {
  return (statements) => {
    const command = statements.join(';\n')
    const answer = run(['d1', 'execute', 'DB', '--remote', '--yes', '--json', '--command', command])
    return (JSON.parse(answer) as { results?: Record<string, unknown>[] }[]).map(
      ({ results }) => results ?? [],
    )
  }
}
