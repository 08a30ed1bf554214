import { and, eq, gt, lt, or, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { ID_PREFIX, type IdKind } from '#shared/ids.ts'

type Place = { createdAt: number; id: string }
type Columns = { createdAt: SQLiteColumn; id: SQLiteColumn }

/** Text that says where the next page of a newest-first list begins: after this row. */
export function cursorAfter(last: Place): string {
  return `${last.createdAt}.${last.id}`
}

/**
 * In SQL: the rows that follow the place a cursor names, newest first by time and id. Undefined, which filters nothing, for
 * null and for any text that is no cursor of this kind.
 */
export function followsCursor(table: Columns, kind: IdKind, cursor: string | null): SQL | undefined {
  const place = placeOf(kind, cursor)
  if (!place) return undefined
  return or(
    lt(table.createdAt, place.createdAt),
    and(eq(table.createdAt, place.createdAt), lt(table.id, place.id)),
  )
}

/** In SQL: the rows that are newer than this place. */
export function precedes(table: Columns, place: Place): SQL | undefined {
  return or(
    gt(table.createdAt, place.createdAt),
    and(eq(table.createdAt, place.createdAt), gt(table.id, place.id)),
  )
}

/** The place that a cursor names; null for any text that is no cursor of this kind. */
export function placeOf(kind: IdKind, cursor: string | null): Place | null {
  const match = /^(\d{1,15})\.([a-z]+)(_[a-z0-9]+)$/u.exec(cursor ?? '')
  if (!match || match[2] !== ID_PREFIX[kind]) return null
  return { createdAt: Number(match[1]), id: `${match[2]}${match[3]}` }
}

/** One page of rows that were asked for with one too many, newest first, and where the next page begins. */
export function cutPage<T extends Place>(rows: T[], size: number): { page: T[]; nextCursor: string | null } {
  const page = rows.slice(0, size)
  const last = page.at(-1)
  return { page, nextCursor: rows.length > size && last ? cursorAfter(last) : null }
}
