import { and, eq, gt, lt, or, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { ID_PREFIX, type IdKind } from '#shared/ids.ts'

type Position = { createdAt: number; id: string }
type Columns = { createdAt: SQLiteColumn; id: SQLiteColumn }

/** The cursor of the page after this row, in a newest-first list. */
export function cursorAfter(last: Position): string {
  return `${last.createdAt}.${last.id}`
}

/**
 * SQL condition for the rows after a cursor, newest first by time and id. Returns undefined, which filters nothing, for
 * null and for any text that isn't a cursor of this kind.
 */
export function isAfterCursor(table: Columns, kind: IdKind, cursor: string | null): SQL | undefined {
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

/** Parses a cursor; null for any text that isn't a cursor of this kind. */
export function parseCursor(kind: IdKind, cursor: string | null): Position | null {
  const match = /^(\d{1,15})\.([a-z]+)(_[a-z0-9]+)$/u.exec(cursor ?? '')
  if (!match || match[2] !== ID_PREFIX[kind]) return null
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
