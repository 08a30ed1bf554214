import { getTableColumns, sql, SQL } from 'drizzle-orm'
import { drizzle, type DrizzleD1Database } from 'drizzle-orm/d1'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

export type Db = DrizzleD1Database

/** Drizzle on D1. Columns name themselves in snake_case in the tables; code is camelCase. */
export function openDb(d1: D1Database): Db {
  return drizzle(d1)
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

/** True when a statement failed on a unique index or primary key (D1 gives SQLite's own words). */
export function isUniqueViolation(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at.message.includes('UNIQUE constraint failed')) return true
  }
  return false
}
