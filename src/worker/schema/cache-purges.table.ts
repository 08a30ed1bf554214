import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What the edge must forget: written with the change that makes it wrong, gone once the edge has said yes. */
export const cachePurges = sqliteTable(
  'cache_purges',
  {
    /** A `Cache-Tag`. */
    tag: text().primaryKey(),
    /** Somebody may see what they no longer may; else a page is merely out of date. */
    isUrgent: integer('is_urgent', { mode: 'boolean' }).notNull(),
    /** Later with each new reason, so that a purge that began before it does not count for it. */
    askedAt: integer('asked_at').notNull(),
    /** Not before this moment. */
    dueAt: integer('due_at').notNull().default(0),
    /** An urgent one that the edge has been told once and is to be told again. */
    isSecond: integer('is_second', { mode: 'boolean' }).notNull().default(false),
  },
  (t) => [index('cache_purges_due').on(t.isUrgent, t.dueAt, t.tag)],
)
