import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Which row an `Idempotency-Key` created. Written in the same batch as that row, so that one key creates one row. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    /** User id or contributor id: keys are scoped to their sender. */
    actorId: text('actor_id').notNull(),
    key: text().notNull(),
    /** Id of the created comment or media item. */
    resultId: text('result_id').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.actorId, t.key] }),
    index('idempotency_keys_created').on(t.createdAt),
    index('idempotency_keys_result').on(t.resultId),
  ],
)
