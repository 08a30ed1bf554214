import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { LET_IN_DECISIONS } from '#shared/invites/let-in.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** People who ask a family to be let in. One row for an address at a memorial, so whoever wasn't let in can't ask again while it is kept. */
export const letInRequests = sqliteTable(
  'let_in_requests',
  {
    id: text().primaryKey(),
    memorialId: text('memorial_id')
      .notNull()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    relation: text().notNull(),
    email: text().notNull(),
    /** Null while it waits. */
    decision: text({ enum: LET_IN_DECISIONS }),
    /** The contributor who opens the mailed link; exactly of those who were let in. */
    contributorId: text('contributor_id').references(() => contributors.id, { onDelete: 'cascade' }),
    /** SHA-256 of the token in the mailed link, which is made of the row's id. */
    tokenHash: text('token_hash').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('let_in_requests_email').on(t.memorialId, t.email),
    uniqueIndex('let_in_requests_token').on(t.tokenHash),
    index('let_in_requests_contributor').on(t.contributorId),
    index('let_in_requests_created').on(t.createdAt),
  ],
)
