import { auditStatement, CommandError, quote, type Run } from './database.ts'

type Account = { id: string; role: string; isConfirmed: boolean; isSuspended: boolean }

/** Grants or revokes the admin role. Returns a sentence for the operator. Throws {@link CommandError}. */
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
  if (findAccount(run, email).role !== after) throw new CommandError(`Could not change the role of ${email}.`)
  const needsConfirmation = verb === 'grant' && !account.isConfirmed
  return verb === 'revoke'
    ? `${email} is no longer an admin.`
    : `${email} is an admin now.${needsConfirmation ? ' The role takes effect when the email address is confirmed.' : ''}`
}

/**
 * Suspends an account and ends its sessions, or reinstates it, as the admin console does
 * (src/worker/features/admin/suspend-account.ts). Its memorials do not change. Returns a sentence for the operator.
 * Throws {@link CommandError}.
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
    throw new CommandError(`Could not ${verb} ${email}.`)
  return isSuspending
    ? `${email} is suspended: nobody can sign in with it, and all its sessions have ended. Its memorials have not changed.`
    : `${email} can sign in again.`
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
    throw new CommandError(`No account has the address ${email}. Register it first, then run this again.`)
  if (rows.length > 1)
    throw new CommandError(`${rows.length} accounts have the address ${email}. Nothing was changed.`)
  return {
    id: String(row['id']),
    role: String(row['role']),
    isConfirmed: row['email_verified_at'] !== null,
    isSuspended: row['suspended_at'] !== null,
  }
}
