import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import type { AuditAction, AuditTarget } from '#shared/admin.ts'
import { findDatabaseFile } from '../local/local-state.ts'
import type { Environment } from '../cloud/environments.ts'
import { remoteRows, runSecretly } from '../cloud/remote-database.ts'

/** Runs statements on one database as one batch and returns the rows of the last; none where they hold a secret. */
export type Run = (statements: string[], options?: { isSecret: boolean }) => Record<string, unknown>[]

/** A refusal that the operator is told in a sentence. */
export class Refusal extends Error {}

/** The local D1 is an SQLite file of a running or stopped workerd; SQLite's own locks keep both whole. */
export function localDatabase(state: string): Run {
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

/** The deployed database of this environment. D1 runs the statements of one command as one batch. */
export function remoteDatabase(env: Environment): Run {
  return (statements, { isSecret } = { isSecret: false }) => {
    if (!isSecret) return remoteRows(statements, env).at(-1) ?? []
    runSecretly(statements, env)
    return []
  }
}

/** An SQL text literal. Nothing but a quote has a meaning inside one; NUL would end the statement. */
export function quote(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`
}

type Deed = {
  action: AuditAction
  targetKind: AuditTarget
  targetId: string
  detail?: Record<string, string | number>
  at: number
  /** SQL: whether there is anything to do. It stands in the same batch, before the deed. */
  isToDo?: string
}

/** The statement that notes a deed as the console notes it; nobody's name stands there, as for the system itself. */
export function auditStatement({ action, targetKind, targetId, detail, at, isToDo = '1' }: Deed): string {
  const id = `aud_${randomBytes(10).toString('hex')}`
  return `INSERT INTO audit_log (id, action, target_kind, target_id, detail, created_at)
    SELECT ${quote(id)}, ${quote(action)}, ${quote(targetKind)}, ${quote(targetId)},
      ${detail ? quote(JSON.stringify(detail)) : 'NULL'}, ${at} WHERE ${isToDo}`
}
