import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Every write by an admin, and what an admin changed in a family's memorial: shown to its owner. */
export const auditLog = sqliteTable(
  'audit_log',
  {
    id: text().primaryKey(),
    /** Null for the system itself (purge). */
    actorId: text('actor_id'),
    action: text().notNull(),
    targetKind: text('target_kind').notNull(),
    targetId: text('target_id').notNull(),
    memorialId: text('memorial_id'),
    /** Small before/after values as JSON; never texts, tokens or addresses. */
    detail: text(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('audit_log_created').on(t.createdAt, t.id),
    index('audit_log_memorial').on(t.memorialId, t.createdAt),
  ],
)
