/** Tables that hold rows in a database that nobody has used yet: migrations and triggers fill them. */
const FILLED_BY_ITSELF = new Set(['d1_migrations', 'tallies', 'search_positions'])

export function isFilledByItself(table: string): boolean {
  return FILLED_BY_ITSELF.has(table)
}
