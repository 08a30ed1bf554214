import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Job } from '#worker/schema/job.ts'

/** Queue jobs whose every attempt failed, for an admin to retry. Failed mails stay in the outbox instead. */
export const deadJobs = sqliteTable(
  'dead_jobs',
  {
    /** `job_` and the id of the queue message, so that a message delivered twice makes one row. */
    id: text().primaryKey(),
    job: text({ mode: 'json' }).$type<Job>().notNull(),
    /** Request id of the call or cron run that enqueued it; the log lines of all attempts have this id. */
    requestId: text('request_id').notNull(),
    diedAt: integer('died_at').notNull(),
  },
  (t) => [index('dead_jobs_died').on(t.diedAt, t.id)],
)
