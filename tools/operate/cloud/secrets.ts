import * as z from 'zod/mini'
import { wordsFor, type Environment } from './environments.ts'
import { AccountProblem, mustRun, readJson, type Wrangler } from './wrangler.ts'

const listed = z.array(z.object({ name: z.string() }))

/**
 * Names of the secrets that the deployed Worker has; none for a Worker that is not there yet. Nobody can read their values.
 * Throws {@link AccountProblem}: to take a failure for "none" would write over what is there.
 */
export function listSecrets(wrangler: Wrangler, env: Environment): string[] {
  const words = ['secret', 'list', ...wordsFor(env)]
  const answer = wrangler(words)
  if (!answer.isDone && /Worker "[^"]+".* not found/u.test(answer.said)) return []
  const found = z.safeParse(
    listed,
    readJson(
      words,
      mustRun(() => answer, words),
    ),
  )
  if (!found.success) throw new AccountProblem('wrangler secret list answered in a form that is not known.')
  return found.data.map(({ name }) => name)
}
