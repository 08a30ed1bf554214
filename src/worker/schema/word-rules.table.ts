import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What operators add to the word lists in the code: words that hold a message, and words that never do. */
export const wordRules = sqliteTable('word_rules', {
  /** In lower case. */
  word: text().primaryKey(),
  kind: text({ enum: ['HOLD', 'ALLOW'] }).notNull(),
  createdAt: integer('created_at').notNull(),
})
