import { auditStatement, quote, Refusal, type Run } from './database.ts'

type Account = { id: string; role: string; isConfirmed: boolean; isSuspended: boolean }

/** Gives the admin role, or takes it away. Returns a sentence for the operator. */
export function setRole(run: Run, verb: 'grant' | 'revoke', email: string): string {
  const account = findAccount(run, email)
  const before = verb === 'grant' ? 'USER' : 'ADMIN'
  const after = verb === 'grant' ? 'ADMIN' : 'USER'
  if (account.role === after) return `${email} ${verb === 'grant' ? 'is an admin already' : 'is no admin'}.`
  change(run, account, {
    action: `${verb}_role`,
    detail: { before, after },
    isToDo: `role = ${quote(before)}`,
    set: `role = ${quote(after)}`,
  })
  if (findAccount(run, email).role !== after) throw new Refusal(`The role of ${email} could not be changed.`)
  const waits = verb === 'grant' && !account.isConfirmed
  return verb === 'revoke'
    ? `${email} is no longer an admin.`
    : `${email} is an admin now.${waits ? ' It counts from when the address is confirmed.' : ''}`
}

/**
 * Keeps an account from signing in and ends its sessions at once, or lets it in again: what the console does
 * (src/worker/features/admin/suspend-account.ts). Its memorials stay as they are. Returns a sentence for the operator.
 */
export function setSuspended(run: Run, verb: 'suspend' | 'reinstate', email: string): string {
  const account = findAccount(run, email)
  const isWanted = verb === 'suspend'
  if (account.isSuspended === isWanted)
    return `${email} ${isWanted ? 'is suspended already' : 'is not suspended'}.`
  change(run, account, {
    action: `${verb}_account`,
    isToDo: `suspended_at IS ${isWanted ? '' : 'NOT '}NULL AND deleted_at IS NULL`,
    set: isWanted ? `suspended_at = ${Date.now()}, session_epoch = session_epoch + 1` : 'suspended_at = NULL',
  })
  if (findAccount(run, email).isSuspended !== isWanted)
    throw new Refusal(`${email} could not be ${verb === 'suspend' ? 'suspended' : 'reinstated'}.`)
  return isWanted
    ? `${email} is suspended: nobody can sign in with it, and it is signed out everywhere. Its memorials stay as they are.`
    : `${email} may sign in again.`
}

type Change = {
  action: 'grant_role' | 'revoke_role' | 'suspend_account' | 'reinstate_account'
  detail?: Record<string, string>
  isToDo: string
  set: string
}

/** Writes the audit line and the change, both or neither, and neither where somebody else was first. */
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
  if (!row) throw new Refusal(`No account has the address ${email}. Register it first, then run this again.`)
  if (rows.length > 1)
    throw new Refusal(`${rows.length} accounts have the address ${email}. Nothing was changed.`)
  return {
    id: String(row['id']),
    role: String(row['role']),
    isConfirmed: row['email_verified_at'] !== null,
    isSuspended: row['suspended_at'] !== null,
  }
}
