import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { environmentArgs, type Environment } from './environments.ts'
import { readJson, wranglerIn } from './wrangler.ts'
import { OperatorError } from '../local/command.ts'

const answers = z.array(z.object({ results: z.optional(z.array(z.record(z.string(), z.unknown()))) }))

/**
 * Runs SQL as one batch on the deployed database of an environment, with wrangler's sign-in. Returns the rows of each
 * statement. Throws {@link OperatorError}.
 */
export function remoteRows(statements: string[], env: Environment): Record<string, unknown>[][] {
  const args = executeArgs(env, '--json')
  return rowsOf(args, mustReach([...args, '--command', statements.join(';\n')]))
}

/** The wrangler arguments that execute SQL on the deployed database, without the SQL. */
export function executeArgs(env: Environment, ...options: '--json'[]): string[] {
  return ['d1', 'execute', 'DB', '--remote', '--yes', ...options, ...environmentArgs(env)]
}

function mustReach(args: string[]): string {
  const { isDone, stdout, said } = wranglerIn()(args)
  if (!isDone) throw new OperatorError(`wrangler could not reach the database:\n${said}`)
  return stdout
}

/** The rows of each statement in the output of `wrangler d1 execute --json`. Throws an OperatorError if it is not JSON. */
export function rowsOf(args: string[], stdout: string): Record<string, unknown>[][] {
  return z.parse(answers, readJson(args, stdout)).map(({ results }) => results ?? [])
}

/**
 * Runs SQL that contains secrets, in one transaction, and returns no rows. Every user of the machine can see a command line, so
 * the statements go into a temporary file that only this user can read. Throws {@link OperatorError}.
 */
export function runSecretly(statements: string[], env: Environment): void {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'nhaka-sql-'))
  const file = join(folder.path, 'statements.sql')
  writeFileSync(file, `${statements.join(';\n')};\n`, { mode: 0o600 })
  mustReach([...executeArgs(env), '--file', file])
}
