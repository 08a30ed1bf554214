import { getTableColumns, sql, SQL } from 'drizzle-orm'
import { drizzle, type DrizzleD1Database } from 'drizzle-orm/d1'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

type Client = Pick<D1DatabaseSession, 'prepare' | 'batch'>
export type Db = DrizzleD1Database & { $client: Client }

/**
 * Where the first question of a session is asked. Every one after it sees at least what that one saw.
 * https://developers.cloudflare.com/d1/best-practices/read-replication/
 */
export type FirstRead = 'first-primary' | 'first-unconstrained'

/**
 * Drizzle on one D1 session, which begins with the first question. Columns name themselves in snake_case in the tables;
 * code is camelCase. `first-unconstrained` may answer from a replica that is behind: see docs/decisions/0024.
 */
export function openDb(d1: D1Database, first: FirstRead = 'first-primary'): Db {
  let begun: D1DatabaseSession | null = null
  const session = () => (begun ??= d1.withSession(first))
  const client: Client = {
    prepare: (query) => session().prepare(query),
    batch: (statements) => session().batch(statements),
  }
  // Nothing else of a client is used: drizzle-orm/d1/session.js
  return drizzle(client as D1Database)
}

/**
 * `INSERT INTO table … SELECT row WHERE condition`: the row comes to be only if `condition` holds at that moment, which a
 * look beforehand could not promise. `computed` gives columns that the database itself works out. `RETURNING` tells
 * whether the row was made.
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

/** In SQL: `table` has a row for which `where` holds at the moment of the statement. */
export function existsIn(table: SQLiteTable, where: SQL | undefined): SQL {
  return sql`exists (select 1 from ${table} where ${where})`
}

/** True when a statement failed on a unique index or primary key (D1 gives SQLite's own words). */
export function isUniqueViolation(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at.message.includes('UNIQUE constraint failed')) return true
  }
  return false
}
