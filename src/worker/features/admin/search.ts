import { or, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { ADMIN_PAGE, SEARCH_MOST } from '#shared/limits.ts'
import { users } from '#worker/schema/accounts.table.ts'
import type { Db } from '#worker/platform/db.ts'

/** In SQL: one of the texts contains `search`, in any case of ASCII letters. D1 refuses LIKE patterns over 50 bytes. */
export function contains(search: string, texts: readonly SQLWrapper[]): SQL | undefined {
  return or(...texts.map((text) => sql`instr(lower(${text}), lower(${search})) > 0`))
}

/** Subquery: the ids of the accounts of which one of the texts contains `search`. */
export function accountsContaining(db: Db, search: string, texts: readonly SQLWrapper[]) {
  return db.select({ id: users.id }).from(users).where(contains(search, texts))
}

/**
 * One page of the matches of a search, which are sorted and at most one more than {@link SEARCH_MOST}: the ids on the page, and
 * how many matches are listed. `hasMore`: there are others, which are not listed.
 */
export function pageOfMatches(matches: { id: string }[], page: number) {
  const listed = matches.slice(0, SEARCH_MOST)
  return {
    ids: listed.slice((page - 1) * ADMIN_PAGE, page * ADMIN_PAGE).map(({ id }) => id),
    total: listed.length,
    hasMore: matches.length > listed.length,
  }
}
