import { getTableColumns, sql, SQL } from 'drizzle-orm'
import { drizzle, type DrizzleD1Database } from 'drizzle-orm/d1'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

type Client = Pick<D1DatabaseSession, 'prepare' | 'batch'>
export type Db = DrizzleD1Database & { $client: Client }

/**
 * Where the first query of a session runs. Later queries see at least what that one saw.
 * https://developers.cloudflare.com/d1/best-practices/read-replication/
 */
export type FirstRead = 'first-primary' | 'first-unconstrained'

/**
 * Drizzle on one D1 session, which starts with the first query. `first-unconstrained` may read from a replica that lags:
 * see docs/decisions/0024.
 */
export function openDb(d1: D1Database, first: FirstRead = 'first-primary'): Db {
  let opened: D1DatabaseSession | null = null
  const session = () => (opened ??= d1.withSession(first))
  const client: Client = {
    prepare: (query) => session().prepare(query),
    batch: (statements) => session().batch(statements),
  }
  // Drizzle uses no other method of the client: drizzle-orm/d1/session.js
  return drizzle(client as D1Database)
}

/**
 * `INSERT INTO table … SELECT row WHERE condition`: inserts the row only if `condition` holds at that moment, which a
 * separate query beforehand couldn't guarantee. `computed` has columns that the database calculates. `RETURNING` shows
 * whether the row was inserted.
 */
export function insertWhere<T extends SQLiteTable>(
  db: Db,
  table: T,
  row: T['$inferInsert'],
  condition: SQL,
  computed: { [K in keyof T['$inferInsert']]?: SQL } = {},
) {
  const given = new Map<string, unknown>([...Object.entries(row), ...Object.entries(computed)])
  const values = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const value = given.get(name) ?? column.default ?? null
    if (value === null) return sql`null`
    return value instanceof SQL ? value : sql`${sql.param(value, column)}`
  })
  return db.insert(table).select(sql`select ${sql.join(values, sql`, `)} where ${condition}`)
}

/** SQL condition: `table` has a row that matches `where`. */
export function existsIn(table: SQLiteTable, where: SQL | undefined): SQL {
  return sql`exists (select 1 from ${table} where ${where})`
}

/** True when a statement failed on a unique index or primary key (D1 passes on SQLite's message). */
export function isUniqueViolation(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at.message.includes('UNIQUE constraint failed')) return true
  }
  return false
}
