import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { TASKS } from '#shared/admin.ts'

/** The last run of each cron task; each run replaces the previous one. */
export const taskRuns = sqliteTable('task_runs', {
  task: text({ enum: TASKS }).primaryKey(),
  /** Start time and duration, in milliseconds. */
  at: integer().notNull(),
  tookMs: integer('took_ms').notNull(),
  isFailed: integer('is_failed', { mode: 'boolean' }).notNull(),
  /** Request id of its log lines. */
  requestId: text('request_id').notNull(),
})
