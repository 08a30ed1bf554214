import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { TASKS } from '#shared/admin.ts'

/** The last run of each task of cron, in the place of the run before it. */
export const taskRuns = sqliteTable('task_runs', {
  task: text({ enum: TASKS }).primaryKey(),
  /** When it began, in milliseconds, and how many it took. */
  at: integer().notNull(),
  tookMs: integer('took_ms').notNull(),
  isFailed: integer('is_failed', { mode: 'boolean' }).notNull(),
  /** Under which the log tells of it. */
  requestId: text('request_id').notNull(),
})
