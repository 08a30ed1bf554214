import { eq } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Db } from '#worker/platform/db.ts'

/**
 * How many rows there are of what is counted on lists that grow with the whole service: `memorials`, `payments`, and
 * `memorials` and `invite_tokens` with a space and their status. Kept by triggers (migrations `tallies` and
 * `memorial_tallies`), never written from code.
 */
export const tallies = sqliteTable('tallies', {
  name: text().primaryKey(),
  amount: integer().notNull(),
})

/** Statement: how many rows of this name there are, as `total`. */
export function selectTally(db: Db, name: string) {
  return db.select({ total: tallies.amount }).from(tallies).where(eq(tallies.name, name))
}
