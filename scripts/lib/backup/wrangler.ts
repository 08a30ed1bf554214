import { wordsFor, type Environment } from '../environments.ts'
import { StateProblem } from '../local-state.ts'
import { rowsOf } from '../remote-database.ts'
import { wranglerIn } from '../wrangler.ts'

/** wrangler, with its sign-in. Both throw a StateProblem with what it said when it fails. */
export type Wrangler = {
  run: (words: string[]) => string
  /** Runs SQL on the deployed database as one batch. Returns the rows of each statement. */
  rows: (statements: string[]) => Record<string, unknown>[][]
}

/** wrangler for one environment of wrangler.toml. */
export function openWrangler(env: Environment): Wrangler {
  const run = (words: string[]) => {
    const { isDone, stdout, said } = wranglerIn()([...words, ...wordsFor(env)])
    if (!isDone) throw new StateProblem(`wrangler ${words.slice(0, 3).join(' ')} did not work:\n${said}`)
    return stdout
  }
  return { run, rows: rowsBy(run) }
}

/** Rows by `wrangler d1 execute --json`. */
export function rowsBy(run: Wrangler['run']): Wrangler['rows'] {
  return (statements) => {
    const words = ['d1', 'execute', 'DB', '--remote', '--yes', '--json', '--command', statements.join(';\n')]
    return rowsOf(words, run(words))
  }
}
