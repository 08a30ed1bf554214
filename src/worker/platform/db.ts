import { getTableColumns, sql, SQL, and, count, eq, fillPlaceholders, gt, inArray, lt, or } from 'drizzle-orm'
import { drizzle, type DrizzleD1Database } from 'drizzle-orm/d1'
import type { PreparedQuery } from 'drizzle-orm/session'
import type { SQLiteTable, SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { ID_PREFIX, type IdKind } from '#shared/ids.ts'

type Client = Pick<D1DatabaseSession, 'prepare' | 'batch'>
export type Db = DrizzleD1Database & { $client: Client }
/** What building a query takes: a `Ctx`, or only its database. */
export type Reader = { db: Db }
/** The rows of each query of a batch. */
export type BatchResults<T extends readonly unknown[]> = { [K in keyof T]: Awaited<T[K]> }

/**
 * Where the first query of a session runs. Later queries see at least what that one saw.
 * https://developers.cloudflare.com/d1/best-practices/read-replication/
 */
export type FirstRead = 'first-primary' | 'first-unconstrained'

/** Drizzle on one D1 session, opened by its first query. A replica may lag: docs/decisions/0024. */
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

type Select = PromiseLike<unknown> & { prepare: () => PreparedQuery }
/**
 * Results of a batch. `json`: the rows of all queries, or of those from this one on, as text; equal text decodes to equal rows.
 * `rowsOf`: the rows of one query.
 */
type RawBatch<T extends readonly unknown[]> = {
  json: (from?: number) => string
  rowsOf: <I extends number>(query: I) => Awaited<T[I]>
  decode: () => BatchResults<T>
}

/**
 * Returns a function that runs `select`'s queries as one batch, with values for their placeholders. Their SQL is built once,
 * and rows are decoded only on demand: together, both take as much CPU time as the rest of a read (docs/decisions/0044).
 */
export function prepareBatch<const T extends readonly Select[]>(select: (reader: Reader) => T) {
  let prepared: PreparedQuery[] | null = null
  return async ({ $client }: Db, values: Record<string, unknown>): Promise<RawBatch<T>> => {
    const queries = (prepared ??= select({ db: unconnected }).map((query) => query.prepare()))
    const statements = queries.map((query) => {
      const { sql: text, params } = query.getQuery()
      return $client.prepare(text).bind(...fillPlaceholders(params, values))
    })
    const found = await $client.batch(statements)
    const rowsOf = (query: number) => queries[query]?.mapResult(found[query], true)
    return {
      json: (from = 0) => JSON.stringify(found.slice(from).map(({ results }) => results)),
      rowsOf: rowsOf as RawBatch<T>['rowsOf'],
      decode: () => queries.map((_, query) => rowsOf(query)) as BatchResults<T>,
    }
  }
}

/** Builds SQL, and runs nothing. */
const unconnected: Db = drizzle({ prepare: () => null } as unknown as D1Database)

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

/** Statement: deletes at most `limit` rows that match `where`; `key`: the primary key. */
export function deleteSome(
  db: Db,
  table: SQLiteTable,
  key: SQLiteColumn,
  where: SQL | undefined,
  limit: number,
) {
  return db.delete(table).where(inArray(key, db.select({ id: key }).from(table).where(where).limit(limit)))
}

/** Statement: one row with the `amount` of rows that match `where`. */
export function countRows(db: Db, table: SQLiteTable, where: SQL | undefined) {
  return db.select({ amount: count() }).from(table).where(where)
}

/** True when a statement failed on a unique index or primary key (D1 passes on SQLite's message). */
export function isUniqueViolation(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at.message.includes('UNIQUE constraint failed')) return true
  }
  return false
}

type Position = { createdAt: number; id: string }
type Columns = { createdAt: SQLiteColumn; id: SQLiteColumn }

/** The cursor of the page after this row, in a newest-first list. */
export function cursorAfter(last: Position): string {
  return `${last.createdAt}.${last.id}`
}

/** SQL: the rows after a cursor, newest first. Undefined (no filter) for null and for any other text. */
export function isAfterCursor(
  table: Columns,
  kind: IdKind | IdKind[],
  cursor: string | null,
): SQL | undefined {
  const position = parseCursor(kind, cursor)
  if (!position) return undefined
  return or(
    lt(table.createdAt, position.createdAt),
    and(eq(table.createdAt, position.createdAt), lt(table.id, position.id)),
  )
}

/** SQL condition for the rows that are newer than this position. */
export function isNewerThan(table: Columns, position: Position): SQL | undefined {
  return or(
    gt(table.createdAt, position.createdAt),
    and(eq(table.createdAt, position.createdAt), gt(table.id, position.id)),
  )
}

/** Parses a cursor; null for any text that isn't a cursor of this kind, or one of these. */
export function parseCursor(kind: IdKind | IdKind[], cursor: string | null): Position | null {
  const match = /^(\d{1,15})\.([a-z]+)(_[a-z0-9]+)$/u.exec(cursor ?? '')
  if (!match || ![kind].flat().some((one) => ID_PREFIX[one] === match[2])) return null
  return { createdAt: Number(match[1]), id: `${match[2]}${match[3]}` }
}

/** Splits `size + 1` queried rows into one page and the cursor of the next page, null after the last. */
export function splitPage<T extends Position>(
  rows: T[],
  size: number,
): { page: T[]; nextCursor: string | null } {
  const page = rows.slice(0, size)
  const last = page.at(-1)
  return { page, nextCursor: rows.length > size && last ? cursorAfter(last) : null }
}
