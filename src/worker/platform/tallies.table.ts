import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * How many rows there are of what is counted on lists that grow with the whole service: `memorials`, `payments`, and
 * `invite_tokens` with a space and their status. Kept by triggers (migration `tallies`), never written from code.
 */
export const tallies = sqliteTable('tallies', {
  name: text().primaryKey(),
  amount: integer().notNull(),
})
