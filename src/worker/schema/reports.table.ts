import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { REPORT_REASONS } from '#shared/removal/report-reasons.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** What people reported. One person reports one item once. */
export const reports = sqliteTable(
  'reports',
  {
    id: text().primaryKey(),
    memorialId: text('memorial_id')
      .notNull()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    /** Id of the comment or media item. */
    itemId: text('item_id').notNull(),
    /** Keyed hash of the person: of their network, so that many sessions on one phone are one person. */
    reporter: text().notNull(),
    reason: text({ enum: REPORT_REASONS }).notNull(),
    words: text(),
    /** When an approver decided about the item; null until then. */
    settledAt: integer('settled_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('reports_once').on(t.itemId, t.reporter),
    index('reports_memorial').on(t.memorialId, t.itemId),
    // What the console lists: reports that a family has left.
    index('reports_open')
      .on(t.createdAt, t.id)
      .where(sql`${t.settledAt} is null`),
  ],
)
