import * as z from 'zod/mini'
import { wordsFor, type Environment } from './environments.ts'
import { StateProblem } from './local-state.ts'
import { readJson, wranglerIn } from './wrangler.ts'

const answers = z.array(z.object({ results: z.optional(z.array(z.record(z.string(), z.unknown()))) }))

/**
 * Runs SQL on the deployed database of this environment, through wrangler and its sign-in, as one batch. Returns the rows of
 * each statement. Throws {@link StateProblem}.
 */
export function remoteRows(statements: string[], env: Environment): Record<string, unknown>[][] {
  const words = ['d1', 'execute', 'DB', '--remote', '--yes', '--json', ...wordsFor(env)]
  const { isDone, stdout, said } = wranglerIn()([...words, '--command', statements.join(';\n')])
  if (!isDone) throw new StateProblem(`wrangler could not reach the database:\n${said}`)
  const found = z.parse(answers, readJson(words, stdout))
  return found.map(({ results }) => results ?? [])
}
