import * as z from 'zod/mini'
import { emailInput } from '#shared/accounts/accounts.ts'
import { TOKENS_BATCH } from '#shared/limits.ts'
import { readPlace } from '../cloud/environments.ts'
import { localDatabase, remoteDatabase, type Run } from './database.ts'
import { OperatorError } from '../local/command.ts'
import { codeAt, fromBase32, stepAt } from '../../../src/worker/features/passkeys/totp.ts'
import { countTokens, createTokens, readStats, resetSecondFactor, setRole, setSuspended } from './tasks.ts'

export const ADMIN_USAGE = `Usage: npm run admin -- COMMAND [--remote] [--env production|staging]

  grant EMAIL         grants the admin role
  revoke EMAIL        revokes the admin role
  reset-second-factor EMAIL
                      removes an admin's passkeys and authenticator app, who then sets up new ones
  suspend EMAIL       suspends the account and ends all its sessions
  reinstate EMAIL     ends the suspension
  stats               counts memorials, accounts, payments and mails
  tokens [list]       counts the invitation tokens
  tokens create [N]   adds N tokens to the pool (default ${TOKENS_BATCH})
  code SECRET         prints the present code of an authenticator app, for the demo's admin

Without --remote the command uses the local database (folder NHAKA_STATE, default .nhaka); npm start may be running.
With --remote it uses the deployed database, production unless --env names another. Every change is written to the audit log.`

/** Runs the command and prints the result. Returns the exit code, which is 0 even if nothing needed to change. */
export function runAdminCommand(args: string[], state: string): number {
  try {
    if (args.includes('--help')) {
      console.log(ADMIN_USAGE)
      return 0
    }
    const { rest, env } = readPlace(args, ADMIN_USAGE)
    const [verb, secret, ...more] = rest
    if (verb === 'code' && secret && more.length === 0) {
      console.log(codeOf(secret))
      return 0
    }
    const task = readTask(rest)
    console.log(task(env === null ? localDatabase(state) : remoteDatabase(env)))
    return 0
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    console.error(error.message)
    return 1
  }
}

/** Returns the task that these arguments name. Throws {@link OperatorError}. */
function readTask([verb, ...rest]: string[]): (run: Run) => string {
  const [first, ...more] = rest
  if (verb === 'grant' || verb === 'revoke') {
    const email = readSingleEmail(rest)
    return (run) => setRole(run, verb, email)
  }
  if (verb === 'suspend' || verb === 'reinstate') {
    const email = readSingleEmail(rest)
    return (run) => setSuspended(run, verb, email)
  }
  if (verb === 'reset-second-factor') {
    const email = readSingleEmail(rest)
    return (run) => resetSecondFactor(run, email)
  }
  if (verb === 'stats' && first === undefined) return readStats
  if (verb === 'tokens' && first === 'create') return (run) => createTokens(run, more)
  if (verb === 'tokens' && (first ?? 'list') === 'list' && more.length === 0) return countTokens
  throw new OperatorError(ADMIN_USAGE)
}

/** The code that an authenticator app with this secret shows now. Throws {@link OperatorError}. */
function codeOf(typed: string): string {
  const secret = typed.toUpperCase()
  if (!/^[A-Z2-7]{16,}$/u.test(secret))
    throw new OperatorError(`This is not a secret of an app.\n${ADMIN_USAGE}`)
  return codeAt(fromBase32(secret), stepAt(Date.now()))
}

/** The only argument, an address, in the form in which accounts store it. */
function readSingleEmail([address, ...more]: string[]): string {
  if (address === undefined || more.length > 0) throw new OperatorError(ADMIN_USAGE)
  const result = z.safeParse(emailInput, { email: address })
  if (!result.success)
    throw new OperatorError(`${JSON.stringify(address)} is not an e-mail address.\n${ADMIN_USAGE}`)
  return result.data.email
}
