import * as z from 'zod/mini'
import { environmentArgs, type Environment } from './environments.ts'
import { AccountError, mustRun, readJson, type Wrangler } from './wrangler.ts'

const listed = z.array(z.object({ name: z.string() }))

/**
 * Names of the deployed Worker's secrets; none if there is no such Worker yet. Throws {@link AccountError}: treating a failure
 * as "none" would overwrite existing secrets.
 */
export function listSecrets(wrangler: Wrangler, env: Environment): string[] {
  const args = ['secret', 'list', ...environmentArgs(env)]
  const answer = wrangler(args)
  if (!answer.isDone && /Worker "[^"]+".* not found/u.test(answer.said)) return []
  const found = z.safeParse(
    listed,
    readJson(
      args,
      mustRun(() => answer, args),
    ),
  )
  if (!found.success) throw new AccountError('wrangler secret list printed an unknown format.')
  return found.data.map(({ name }) => name)
}
