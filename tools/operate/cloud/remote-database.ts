import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { wordsFor, type Environment } from './environments.ts'
import { StateError } from '../local/local-state.ts'
import { readJson, wranglerIn } from './wrangler.ts'

const answers = z.array(z.object({ results: z.optional(z.array(z.record(z.string(), z.unknown()))) }))

/**
 * Runs SQL on the deployed database of this environment, through wrangler and its sign-in, as one batch. Returns the rows of
 * each statement. Throws {@link StateError}.
 */
export function remoteRows(statements: string[], env: Environment): Record<string, unknown>[][] {
  const words = ['d1', 'execute', 'DB', '--remote', '--yes', '--json', ...wordsFor(env)]
  const { isDone, stdout, said } = wranglerIn()([...words, '--command', statements.join(';\n')])
  if (!isDone) throw new StateError(`wrangler could not reach the database:\n${said}`)
  return rowsOf(words, stdout)
}

/** The rows of each statement in what `wrangler d1 execute --json` wrote. Throws an AccountProblem where that is no JSON. */
export function rowsOf(words: string[], stdout: string): Record<string, unknown>[][] {
  return z.parse(answers, readJson(words, stdout)).map(({ results }) => results ?? [])
}

/**
 * Runs SQL that holds what nobody else may read, and gives no rows. A command line is seen by everybody on the machine, so that
 * the statements lie in a file of this user's alone while wrangler reads them. All of them or none. Throws {@link StateError}.
 */
export function runSecretly(statements: string[], env: Environment): void {
  const folder = mkdtempSync(join(tmpdir(), 'nhaka-sql-'))
  try {
    const file = join(folder, 'statements.sql')
    writeFileSync(file, `${statements.join(';\n')};\n`, { mode: 0o600 })
    const words = ['d1', 'execute', 'DB', '--remote', '--yes', ...wordsFor(env), '--file', file]
    const { isDone, said } = wranglerIn()(words)
    if (!isDone) throw new StateError(`wrangler could not reach the database:\n${said}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
