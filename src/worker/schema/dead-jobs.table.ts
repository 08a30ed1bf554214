import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Job } from '#worker/schema/job.ts'

/** Jobs of the queue that failed at every try; a mail that did is in the outbox instead. An admin sends them again. */
export const deadJobs = sqliteTable(
  'dead_jobs',
  {
    /** `job_` and the id of the queue's message: one that comes twice is one row. */
    id: text().primaryKey(),
    job: text({ mode: 'json' }).$type<Job>().notNull(),
    /** Of the call or cron run that asked for it: the log tells of every try under this id. */
    requestId: text('request_id').notNull(),
    diedAt: integer('died_at').notNull(),
  },
  (t) => [index('dead_jobs_died').on(t.diedAt, t.id)],
)
