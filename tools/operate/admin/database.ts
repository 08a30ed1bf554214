import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import type { AuditAction, AuditTarget } from '#shared/admin/admin.ts'
import { findDatabaseFile } from '../local/local-state.ts'
import type { Environment } from '../cloud/environments.ts'
import { remoteRows, runSecretly } from '../cloud/remote-database.ts'

/** Runs statements as one batch. Returns the rows of the last statement, or none if the statements contain a secret. */
export type Run = (statements: string[], options?: { isSecret: boolean }) => Record<string, unknown>[]

/** Opens the SQLite file of the local D1. workerd may have it open as well; SQLite's locks keep it consistent. */
export function localDatabase(state: string): Run {
  const file = findDatabaseFile(state)
  return (statements) => {
    using db = new DatabaseSync(file, { timeout: 5000 })
    if (statements.length === 1) return db.prepare(statements[0] ?? '').all()
    db.exec(['BEGIN IMMEDIATE', ...statements, 'COMMIT'].join(';\n'))
    return []
  }
}

/** The deployed database of an environment. D1 runs the statements of one command as one batch. */
export function remoteDatabase(env: Environment): Run {
  return (statements, { isSecret } = { isSecret: false }) => {
    if (!isSecret) return remoteRows(statements, env).at(-1) ?? []
    runSecretly(statements, env)
    return []
  }
}

/** An SQL text literal. Only a quote is special inside one; a NUL character would end the statement. */
export function quote(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`
}

type AuditEntry = {
  action: AuditAction
  targetKind: AuditTarget
  targetId: string
  detail?: Record<string, string | number>
  at: number
  /** SQL condition: true if the change is still to be made. Put the statement before the change in the same batch. */
  isToDo?: string
}

/** The statement that writes an audit entry as the admin console does, without an actor, as for the system itself. */
export function auditStatement({
  action,
  targetKind,
  targetId,
  detail,
  at,
  isToDo = '1',
}: AuditEntry): string {
  const id = `aud_${randomBytes(10).toString('hex')}`
  return `INSERT INTO audit_log (id, action, target_kind, target_id, detail, created_at)
    SELECT ${quote(id)}, ${quote(action)}, ${quote(targetKind)}, ${quote(targetId)},
      ${detail ? quote(JSON.stringify(detail)) : 'NULL'}, ${at} WHERE ${isToDo}`
}
