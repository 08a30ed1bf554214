import { and, eq, gte, lt, or, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { ADMIN_PAGE, SEARCH_MOST } from '#shared/limits.ts'
import { searchEndings, type SearchPlace } from '#worker/features/admin/search.table.ts'
import type { Db } from '#worker/platform/db.ts'

/** One thing that holds what is searched for, or nothing where a person was found who has none. Epoch milliseconds. */
type FoundRow = { id: string | null; createdAt: number | null }
/** Newest first. `hasMore`: there may be others, which are not among these. */
type Found = { ids: string[]; hasMore: boolean }

/** One of the places contains `search`, letter for letter, in any case of ASCII letters. D1 refuses LIKE patterns over 50 bytes. */
export function contains(search: string, places: readonly SQLWrapper[]): SQL | undefined {
  return or(...places.map((place) => sql`instr(lower(${place}), ${folded(search)}) > 0`))
}

/**
 * Subquery `found`: the `id` of each whose text in this place contains `search`, as {@link contains} means it; one more than
 * {@link SEARCH_MOST} at the most. Reads what it finds and no other row.
 */
export function holding(db: Db, place: SearchPlace, search: string) {
  const from = folded(search)
  const to = afterAllWith(from)
  return db
    .selectDistinct({ id: sql<string>`${searchEndings.subjectId}`.as('found_id') })
    .from(searchEndings)
    .where(
      and(
        eq(searchEndings.place, place),
        gte(searchEndings.ending, from),
        to === null ? undefined : lt(searchEndings.ending, to),
      ),
    )
    .limit(SEARCH_MOST + 1)
    .as('found')
}

/** Puts together what was found in each place. Where one is full, what `lookAmongNewest` finds comes with it. */
export async function gather(
  lists: FoundRow[][],
  lookAmongNewest: () => Promise<FoundRow[]>,
): Promise<Found> {
  const hasMore = lists.some((list) => list.length > SEARCH_MOST)
  const rows = [...lists.flat(), ...(hasMore ? await lookAmongNewest() : [])]
  const found = new Map<string, number>()
  for (const { id, createdAt } of rows) if (id !== null) found.set(id, createdAt ?? 0)
  const newestFirst = [...found].toSorted(
    ([id, at], [otherId, otherAt]) => otherAt - at || (otherId > id ? 1 : -1),
  )
  return { ids: newestFirst.map(([id]) => id), hasMore }
}

/** Those on this page of the console's list. */
export function idsOnPage({ ids }: Found, page: number): string[] {
  return ids.slice((page - 1) * ADMIN_PAGE, page * ADMIN_PAGE)
}

/** As SQLite's `lower`. */
function folded(text: string): string {
  return text.replace(/[A-Z]+/gu, (letters) => letters.toLowerCase())
}

/** The first text after all that begin with this one, in the order of UTF-8, which is that of code points; null for none. */
function afterAllWith(text: string): string | null {
  const letters = Array.from(text)
  const last = letters.pop()?.codePointAt(0)
  if (last === undefined) return null
  const before = letters.join('')
  if (last === 0x10_ff_ff) return afterAllWith(before)
  // After the last before the surrogates, which are no characters, comes the first behind them.
  return before + String.fromCodePoint(last === 0xd7_ff ? 0xe0_00 : last + 1)
}
