import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What is searched: a memorial's name and address, its payer's or owner's mail address and name, the number of a payment. */
export const SEARCH_PLACES = ['memorial', 'slug', 'email', 'person', 'payment'] as const
export type SearchPlace = (typeof SEARCH_PLACES)[number]

/**
 * Every ending of every text that the console searches, with its ASCII letters lower-cased: "moyo" as moyo, oyo, yo and o.
 * Whatever part of a text somebody types is the beginning of one of its endings, and so a range of the key. Kept by
 * triggers (migration `search_endings`), never written from code. `subjectId` is of a memorial (`memorial`, `slug`), a user
 * (`email`, `person`) or a payment. `WITHOUT ROWID`, which Drizzle cannot say.
 */
export const searchEndings = sqliteTable(
  'search_endings',
  {
    place: text({ enum: SEARCH_PLACES }).notNull(),
    ending: text().notNull(),
    subjectId: text('subject_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.place, t.ending, t.subjectId] })],
)

/** The numbers from 1 to 400, more than any of these texts has letters: a trigger cannot count, but can join. */
export const searchPositions = sqliteTable('search_positions', { position: integer().primaryKey() })
