import { drizzle, type DrizzleD1Database } from 'drizzle-orm/d1'

export type Db = DrizzleD1Database

/** Drizzle on D1. Columns name themselves in snake_case in the tables; code is camelCase. */
export function openDb(d1: D1Database): Db {
  return drizzle(d1)
}

/** True when a statement failed on a unique index or primary key (D1 gives SQLite's own words). */
export function isUniqueViolation(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at.message.includes('UNIQUE constraint failed')) return true
  }
  return false
}
