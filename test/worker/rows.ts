import { and, asc, eq, getTableColumns, type InferInsertModel, type InferSelectModel } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { auditLog } from '#worker/schema/admin.table.ts'
import { testCtx } from './harness.ts'

type Match<T extends SQLiteTable> = Partial<InferSelectModel<T>>

function where(table: SQLiteTable, match: object) {
  const columns = getTableColumns(table)
  return and(...Object.entries(match).map(([name, value]) => eq(columns[name]!, value)))
}

/** The rows of a table that have these values. */
export async function rowsOf<T extends SQLiteTable>(
  table: T,
  match: Match<T>,
): Promise<InferSelectModel<T>[]> {
  const rows = await testCtx()
    .db.select()
    .from(table as SQLiteTable)
    .where(where(table, match))
  return rows as InferSelectModel<T>[]
}

/** Changes the rows of a table that have these values, past all rules of the Worker. */
export async function changeRows<T extends SQLiteTable>(
  table: T,
  match: Match<T>,
  values: Partial<InferInsertModel<T>>,
): Promise<void> {
  await testCtx()
    .db.update(table as SQLiteTable)
    .set(values)
    .where(where(table, match))
}

type AuditRow = InferSelectModel<typeof auditLog>

/** The lines of the audit log about a target or a memorial, or by an actor, oldest first: these columns of them. */
export async function auditOf<Name extends keyof AuditRow>(
  match: Match<typeof auditLog>,
  ...names: Name[]
): Promise<Pick<AuditRow, Name>[]> {
  const rows = await testCtx()
    .db.select()
    .from(auditLog)
    .where(where(auditLog, match))
    .orderBy(asc(auditLog.createdAt), asc(auditLog.id))
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<AuditRow, Name>)
}
