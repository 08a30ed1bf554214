import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { AUDIT_ACTIONS, AUDIT_TARGETS, type AuditEntry } from '#shared/admin/admin.ts'

/** Every write by an admin. Owner and keepers see the entries of their memorial. */
export const auditLog = sqliteTable(
  'audit_log',
  {
    id: text().primaryKey(),
    /** Null for system actions (purge). */
    actorId: text('actor_id'),
    action: text({ enum: AUDIT_ACTIONS }).notNull(),
    targetKind: text('target_kind', { enum: AUDIT_TARGETS }).notNull(),
    targetId: text('target_id').notNull(),
    memorialId: text('memorial_id'),
    /** Small before/after values; never texts, tokens or addresses. */
    detail: text({ mode: 'json' }).$type<AuditEntry['detail']>(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('audit_log_created').on(t.createdAt, t.id),
    index('audit_log_memorial').on(t.memorialId, t.createdAt),
  ],
)
