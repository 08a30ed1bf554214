import { or, sql, type SQL, type SQLWrapper } from 'drizzle-orm'

/** One of the places contains `search`, letter for letter, in any case of ASCII letters. D1 refuses LIKE patterns over 50 bytes. */
export function contains(search: string, places: readonly SQLWrapper[]): SQL | undefined {
  return or(...places.map((place) => sql`instr(lower(${place}), lower(${search})) > 0`))
}
