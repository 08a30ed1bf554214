import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Queue of cache purges: a row is written in the batch that makes a page outdated, and deleted after the purge succeeds. */
export const cachePurges = sqliteTable(
  'cache_purges',
  {
    /** A `Cache-Tag`. */
    tag: text().primaryKey(),
    /** The cached page shows something that is no longer public; else it is only out of date. */
    isUrgent: integer('is_urgent', { mode: 'boolean' }).notNull(),
    /** Updated by each new request, so that a purge that started earlier doesn't complete it. */
    askedAt: integer('asked_at').notNull(),
    /** Earliest time for the purge. */
    dueAt: integer('due_at').notNull().default(0),
    /** An urgent purge that succeeded once and will be repeated. */
    isSecond: integer('is_second', { mode: 'boolean' }).notNull().default(false),
  },
  (t) => [index('cache_purges_due').on(t.isUrgent, t.dueAt, t.tag)],
)
