import { randomUUID } from 'node:crypto'
import { ADMIN_TOKENS_MAX, LOW_TOKENS, TOKENS_BATCH } from '#shared/limits.ts'
import { auditStatement, quote, type Run } from './database.ts'
import { OperatorError } from '../local/command.ts'

type Account = { id: string; role: string; isConfirmed: boolean; isSuspended: boolean }

/** Grants or revokes the admin role. Returns a sentence for the operator. Throws {@link OperatorError}. */
export function setRole(run: Run, verb: 'grant' | 'revoke', email: string): string {
  const account = findAccount(run, email)
  const before = verb === 'grant' ? 'USER' : 'ADMIN'
  const after = verb === 'grant' ? 'ADMIN' : 'USER'
  if (account.role === after)
    return `${email} ${verb === 'grant' ? 'is an admin already' : 'is not an admin'}.`
  change(run, account, {
    action: `${verb}_role`,
    detail: { before, after },
    isToDo: `role = ${quote(before)}`,
    set: `role = ${quote(after)}`,
  })
  if (findAccount(run, email).role !== after)
    throw new OperatorError(`Could not change the role of ${email}.`)
  const needsConfirmation = verb === 'grant' && !account.isConfirmed
  return verb === 'revoke'
    ? `${email} is no longer an admin.`
    : `${email} is an admin now.${needsConfirmation ? ' The role takes effect when the email address is confirmed.' : ''}`
}

/**
 * Suspends an account and ends its sessions, or reinstates it, as the admin console does
 * (src/worker/features/admin/suspend-account.ts). Its memorials do not change. Returns a sentence for the operator.
 * Throws {@link OperatorError}.
 */
export function setSuspended(run: Run, verb: 'suspend' | 'reinstate', email: string): string {
  const account = findAccount(run, email)
  const isSuspending = verb === 'suspend'
  if (account.isSuspended === isSuspending)
    return `${email} ${isSuspending ? 'is suspended already' : 'is not suspended'}.`
  change(run, account, {
    action: `${verb}_account`,
    isToDo: `suspended_at IS ${isSuspending ? '' : 'NOT '}NULL AND deleted_at IS NULL`,
    set: isSuspending
      ? `suspended_at = ${Date.now()}, session_epoch = session_epoch + 1`
      : 'suspended_at = NULL',
  })
  if (findAccount(run, email).isSuspended !== isSuspending)
    throw new OperatorError(`Could not ${verb} ${email}.`)
  return isSuspending
    ? `${email} is suspended: nobody can sign in with it, and all its sessions have ended. Its memorials have not changed.`
    : `${email} can sign in again.`
}

/**
 * Removes an admin's passkeys and authenticator app, for one who has lost them: the console is closed until they set up a new one. Returns
 * a sentence for the operator. Throws {@link OperatorError}.
 */
export function resetSecondFactor(run: Run, email: string): string {
  const { id, role } = findAccount(run, email)
  if (role !== 'ADMIN') throw new OperatorError(`${email} is not an admin. Nothing was changed.`)
  const of = `WHERE user_id = ${quote(id)}`
  const hasOne = `(EXISTS (SELECT 1 FROM passkeys ${of}) OR EXISTS (SELECT 1 FROM authenticators ${of}))`
  const count = () => Number(run([`SELECT ${hasOne} AS has`])[0]?.['has'])
  if (count() === 0) return `${email} has no passkey and no authenticator app.`
  const action = 'reset_second_factor'
  run([
    auditStatement({ action, targetKind: 'user', targetId: id, at: Date.now(), isToDo: hasOne }),
    `DELETE FROM passkeys ${of}`,
    `DELETE FROM authenticators ${of}`,
    `UPDATE sessions SET second_factor_at = NULL ${of}`,
  ])
  if (count() !== 0) throw new OperatorError(`Could not remove the second factor of ${email}.`)
  return `${email} has no passkey and no authenticator app any more. Whoever signs in to it next sets up a new one: tell them to do so now.`
}

type Change = {
  action: 'grant_role' | 'revoke_role' | 'suspend_account' | 'reinstate_account'
  detail?: Record<string, string>
  isToDo: string
  set: string
}

/** Writes the audit entry and the change in one batch; writes neither if the change has already been made. */
function change(run: Run, { id }: Account, { action, detail, isToDo, set }: Change): void {
  const at = Date.now()
  const where = `id = ${quote(id)} AND ${isToDo}`
  run([
    auditStatement({
      action,
      targetKind: 'user',
      targetId: id,
      at,
      isToDo: `EXISTS (SELECT 1 FROM users WHERE ${where})`,
      ...(detail && { detail }),
    }),
    `UPDATE users SET ${set}, updated_at = ${at} WHERE ${where}`,
  ])
}

function findAccount(run: Run, email: string): Account {
  const rows = run([
    `SELECT id, role, email_verified_at, suspended_at FROM users WHERE email = ${quote(email)} AND deleted_at IS NULL`,
  ])
  const [row] = rows
  if (!row)
    throw new OperatorError(`No account has the address ${email}. Register it first, then run this again.`)
  if (rows.length > 1)
    throw new OperatorError(`${rows.length} accounts have the address ${email}. Nothing was changed.`)
  return {
    id: String(row['id']),
    role: String(row['role']),
    isConfirmed: row['email_verified_at'] !== null,
    isSuspended: row['suspended_at'] !== null,
  }
}

/** Counts the invitation tokens. It never prints the tokens themselves, because they open memorials. */
export function countTokens(run: Run): string {
  const [row] = run([
    `SELECT count(*) FILTER (WHERE status = 'AVAILABLE') AS available,
       count(*) FILTER (WHERE status = 'ASSIGNED') AS assigned,
       count(*) FILTER (WHERE status = 'REVOKED') AS revoked FROM invite_tokens`,
  ])
  const { available, assigned, revoked } = row ?? {}
  const isLow = Number(available) < LOW_TOKENS
  return `Invitation tokens: ${Number(available)} available${isLow ? ' (few)' : ''}, ${Number(assigned)} in use, ${Number(revoked)} revoked.`
}

/** Adds tokens to the pool, as the admin console does. `args` holds their number (default 50). Throws {@link OperatorError}. */
export function createTokens(run: Run, args: string[]): string {
  const [text = String(TOKENS_BATCH), ...more] = args
  const amount = /^\d{1,4}$/u.test(text) ? Number(text) : 0
  if (more.length > 0 || amount < 1 || amount > ADMIN_TOKENS_MAX)
    throw new OperatorError(`Give a number from 1 to ${ADMIN_TOKENS_MAX}. Nothing was changed.`)
  const at = Date.now()
  const fresh = JSON.stringify(Array.from({ length: amount }, () => randomUUID()))
  const statements = [
    `INSERT INTO invite_tokens (token, status, created_at)
     SELECT value, 'AVAILABLE', ${at} FROM json_each(${quote(fresh)})`,
    auditStatement({
      action: 'generate_tokens',
      targetKind: 'token',
      targetId: 'pool',
      detail: { count: amount },
      at,
    }),
  ]
  run(statements, { isSecret: true })
  return `Created ${amount} tokens. ${countTokens(run)}`
}

/** Label and query of each number. */
const FIGURES: [string, string][] = [
  ['Memorials', "SELECT count(*) FROM memorials WHERE status IN ('DRAFT', 'ACTIVE')"],
  ['  of these paid and active', "SELECT count(*) FROM memorials WHERE status = 'ACTIVE'"],
  ['Accounts', 'SELECT count(*) FROM users WHERE deleted_at IS NULL'],
  [
    '  of these with a confirmed address',
    'SELECT count(*) FROM users WHERE email_verified_at IS NOT NULL AND deleted_at IS NULL',
  ],
  [
    '  of these suspended',
    'SELECT count(*) FROM users WHERE suspended_at IS NOT NULL AND deleted_at IS NULL',
  ],
  ['  of these admins', "SELECT count(*) FROM users WHERE role = 'ADMIN' AND deleted_at IS NULL"],
  ['Paid payments', "SELECT count(*) FROM payments WHERE status = 'PAID'"],
  ['Invitation tokens available', "SELECT count(*) FROM invite_tokens WHERE status = 'AVAILABLE'"],
  ['Queued mails', "SELECT count(*) FROM mails WHERE status = 'QUEUED'"],
  ['Failed mails', "SELECT count(*) FROM mails WHERE status = 'DEAD'"],
  ['Pending cache purges', 'SELECT count(*) FROM cache_purges'],
]

/** Reads all figures in one query. Returns one line for each. */
export function readStats(run: Run): string {
  const [row] = run([`SELECT ${FIGURES.map(([, query], index) => `(${query}) AS n${index}`).join(', ')}`])
  return FIGURES.map(([name], index) => `${name.padEnd(42)}${String(row?.[`n${index}`]).padStart(8)}`).join(
    '\n',
  )
}
