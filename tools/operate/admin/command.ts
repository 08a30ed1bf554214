import * as z from 'zod/mini'
import { emailInput } from '#shared/accounts.ts'
import { TOKENS_BATCH } from '#shared/limits.ts'
import { readPlace } from '../cloud/environments.ts'
import { StateError } from '../local/local-state.ts'
import { AccountProblem } from '../cloud/wrangler.ts'
import { setRole, setSuspended } from './accounts.ts'
import { localDatabase, Refusal, remoteDatabase, type Run } from './database.ts'
import { countTokens, createTokens } from './pool.ts'
import { readStats } from './stats.ts'

export const ADMIN_USAGE = `Usage: npm run admin -- COMMAND [--remote] [--env production|staging]

  grant EMAIL         makes the account an admin
  revoke EMAIL        takes the admin role away
  suspend EMAIL       keeps the account from signing in and signs it out everywhere
  reinstate EMAIL     lets it sign in again
  stats               how many memorials, accounts, payments and mails there are
  tokens [list]       how many invitation tokens there are
  tokens create [N]   adds N to the pool (${TOKENS_BATCH} if nothing is said)

Without --remote it is the local database (folder NHAKA_STATE, default .nhaka), whether or not npm start is running.
With --remote it is the deployed one, of production unless --env says otherwise. What is changed stands in the audit log.`

/** Runs the command and prints what it did. Returns the exit code: 0 also where there was nothing to do. */
export function runAdminCommand(words: string[], state: string): number {
  try {
    if (words.includes('--help')) {
      console.log(ADMIN_USAGE)
      return 0
    }
    const { rest, env } = readPlace(words, ADMIN_USAGE)
    const task = readTask(rest)
    console.log(task(env === null ? localDatabase(state) : remoteDatabase(env)))
    return 0
  } catch (error) {
    const isTold = [Refusal, StateError, AccountProblem].some((kind) => error instanceof kind)
    if (!isTold || !(error instanceof Error)) throw error
    console.error(error.message)
    return 1
  }
}

/** What these words ask for. Throws {@link Refusal}. */
function readTask([verb, ...rest]: string[]): (run: Run) => string {
  const [first, ...more] = rest
  if (verb === 'grant' || verb === 'revoke') {
    const email = readOne(rest)
    return (run) => setRole(run, verb, email)
  }
  if (verb === 'suspend' || verb === 'reinstate') {
    const email = readOne(rest)
    return (run) => setSuspended(run, verb, email)
  }
  if (verb === 'stats' && first === undefined) return readStats
  if (verb === 'tokens' && first === 'create') return (run) => createTokens(run, more)
  if (verb === 'tokens' && (first ?? 'list') === 'list' && more.length === 0) return countTokens
  throw new Refusal(ADMIN_USAGE)
}

function readOne(words: string[]): string {
  const [address, ...more] = words
  if (address === undefined || more.length > 0) throw new Refusal(ADMIN_USAGE)
  return readEmail(address)
}

/** The address as accounts store it. */
function readEmail(text: string): string {
  const result = z.safeParse(emailInput, { email: text })
  if (!result.success) throw new Refusal(`${JSON.stringify(text)} is not an e-mail address.\n${ADMIN_USAGE}`)
  return result.data.email
}
