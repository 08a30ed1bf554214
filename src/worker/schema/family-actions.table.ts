import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { FAMILY_ACTIONS } from '#shared/admin/family-actions.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** What those who look after a memorial did: one row for each person, action and day (UTC). Kept for twelve months. */
export const familyActions = sqliteTable(
  'family_actions',
  {
    id: text().primaryKey(),
    memorialId: text('memorial_id')
      .notNull()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    /** Null once their account is deleted. */
    userId: text('user_id').references(() => users.id, { onDelete: 'set null' }),
    action: text({ enum: FAMILY_ACTIONS }).notNull(),
    /** Days since 1970. */
    day: integer().notNull(),
    times: integer().notNull(),
    /** The last time. */
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('family_actions_day').on(t.memorialId, t.userId, t.action, t.day),
    index('family_actions_memorial').on(t.memorialId, t.createdAt, t.id),
    index('family_actions_created').on(t.createdAt),
    index('family_actions_user').on(t.userId),
  ],
)
