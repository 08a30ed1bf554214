import { or, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { ADMIN_PAGE, SEARCH_MATCHES_MAX } from '#shared/limits.ts'
import { users } from '#worker/schema/accounts.table.ts'
import type { Db } from '#worker/platform/db.ts'

/** What the numbered lists of the console take. */
export type PageQuery = { page: number; search: string }

/** SQL: a text contains `search`, ignoring ASCII case. Not LIKE: D1 refuses patterns over 50 bytes. */
export function contains(search: string, texts: readonly SQLWrapper[]): SQL | undefined {
  return or(...texts.map((text) => sql`instr(lower(${text}), lower(${search})) > 0`))
}

/** Subquery: the ids of accounts where one of the texts contains `search`. */
export function accountsContaining(db: Db, search: string, texts: readonly SQLWrapper[]) {
  return db.select({ id: users.id }).from(users).where(contains(search, texts))
}

/** One page of at most {@link SEARCH_MATCHES_MAX} + 1 matches. `hasMore`: further matches are not listed. */
export function pageOfMatches(matches: { id: string }[], page: number) {
  const listed = matches.slice(0, SEARCH_MATCHES_MAX)
  return {
    ids: listed.slice((page - 1) * ADMIN_PAGE, page * ADMIN_PAGE).map(({ id }) => id),
    total: listed.length,
    hasMore: matches.length > listed.length,
  }
}
