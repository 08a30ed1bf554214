import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod/mini'
import { emailInput } from '#shared/accounts.ts'
import { remoteRows } from './remote-database.ts'
import { findDatabaseFile, StateProblem } from './local-state.ts'

const USAGE = 'Usage: npm run admin -- grant|revoke EMAIL [--remote]'

type Verb = 'grant' | 'revoke'
type Account = { id: string; role: string; isConfirmed: boolean }
/** Runs statements on one database and returns the rows of the last. */
type Run = (statements: string[]) => Record<string, unknown>[]

/** A refusal that the operator is told in a sentence. */
class Refusal extends Error {}

/** Makes the account with this address an admin in the local database of `state`. For `npm start`, which seeds a demo. */
export function grantAdmin(options: { state: string; email: string }): void {
  setRole(localDatabase(options.state), 'grant', readEmail(options.email))
}

/** Runs the command and prints what it did. Returns the exit code. */
export function runRoleCommand(words: string[], state: string): number {
  try {
    const options = words.filter((word) => word.startsWith('--'))
    const [verb, address, ...more] = words.filter((word) => !word.startsWith('--'))
    const isKnown =
      (verb === 'grant' || verb === 'revoke') && options.every((option) => option === '--remote')
    if (!isKnown || address === undefined || more.length > 0) throw new Refusal(USAGE)
    const run = options.length > 0 ? remoteDatabase() : localDatabase(state)
    console.log(setRole(run, verb, readEmail(address)))
    return 0
  } catch (error) {
    if (!(error instanceof Refusal) && !(error instanceof StateProblem)) throw error
    console.error(error.message)
    return 1
  }
}

/** Sets the role and writes the audit line, both or neither. Returns a sentence for the operator. */
function setRole(run: Run, verb: Verb, email: string): string {
  const account = findAccount(run, email)
  const before = verb === 'grant' ? 'USER' : 'ADMIN'
  const after = verb === 'grant' ? 'ADMIN' : 'USER'
  if (account.role === after) return `${email} ${verb === 'grant' ? 'is an admin already' : 'is no admin'}.`
  const at = Date.now()
  const detail = JSON.stringify({ before, after })
  run([
    `INSERT INTO audit_log (id, action, target_kind, target_id, detail, created_at)
     SELECT ${quote(`aud_${randomBytes(10).toString('hex')}`)}, ${quote(`${verb}_role`)}, 'user', id, ${quote(detail)}, ${at}
     FROM users WHERE id = ${quote(account.id)} AND role = ${quote(before)}`,
    `UPDATE users SET role = ${quote(after)}, updated_at = ${at}
     WHERE id = ${quote(account.id)} AND role = ${quote(before)}`,
  ])
  if (findAccount(run, email).role !== after) throw new Refusal(`The role of ${email} could not be changed.`)
  const waits = verb === 'grant' && !account.isConfirmed
  return verb === 'revoke'
    ? `${email} is no longer an admin.`
    : `${email} is an admin now.${waits ? ' It counts from when the address is confirmed.' : ''}`
}

function findAccount(run: Run, email: string): Account {
  const rows = run([
    `SELECT id, role, email_verified_at FROM users WHERE email = ${quote(email)} AND deleted_at IS NULL`,
  ])
  const [row] = rows
  if (!row) throw new Refusal(`No account has the address ${email}. Register it first, then run this again.`)
  if (rows.length > 1)
    throw new Refusal(`${rows.length} accounts have the address ${email}. Nothing was changed.`)
  return {
    id: String(row['id']),
    role: String(row['role']),
    isConfirmed: row['email_verified_at'] !== null,
  }
}

/** The address as accounts store it. */
function readEmail(text: string): string {
  const result = z.safeParse(emailInput, { email: text })
  if (!result.success) throw new Refusal(`${JSON.stringify(text)} is not an e-mail address.\n${USAGE}`)
  return result.data.email
}

/** An SQL text literal. Nothing but a quote has a meaning inside one; NUL would end the statement. */
function quote(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`
}

/** The local D1 is an SQLite file of a running or stopped workerd; SQLite's own locks keep both whole. */
function localDatabase(state: string): Run {
  const file = findDatabaseFile(state)
  return (statements) => {
    const db = new DatabaseSync(file, { timeout: 5000 })
    try {
      if (statements.length === 1) return db.prepare(statements[0] ?? '').all()
      db.exec(['BEGIN IMMEDIATE', ...statements, 'COMMIT'].join(';\n'))
      return []
    } finally {
      db.close()
    }
  }
}

/** The deployed database. D1 runs the statements of one command as one batch. */
function remoteDatabase(): Run {
  return (statements) => remoteRows(statements).at(-1) ?? []
}
