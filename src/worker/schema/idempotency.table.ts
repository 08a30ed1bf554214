import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Which row an `Idempotency-Key` made: written in the same batch as the row, so the same key makes one row. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    /** User id or contributor id: a key means nothing to anybody else. */
    actorId: text('actor_id').notNull(),
    key: text().notNull(),
    /** Id of the comment or medium that was made. */
    resultId: text('result_id').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.actorId, t.key] }),
    index('idempotency_keys_created').on(t.createdAt),
    index('idempotency_keys_result').on(t.resultId),
  ],
)
