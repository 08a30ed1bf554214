import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { TASKS } from '#shared/admin/admin.ts'

/** Queue messages carry ids only. Handlers read the current data and are idempotent. */
export type Job =
  | { type: 'send-mail'; mailId: string }
  | { type: 'delete-objects'; prefix: string }
  | { type: 'make-pictures'; mediaId: string }
  | { type: 'purge-cache' }
  | { type: 'purge-deleted' }

/** A job as stored in the queue, with the request id of the call or cron run that enqueued it. */
export type SentJob = Job & { requestId?: string }

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

/** Queue of cache purges: a row is written in the batch that makes a page outdated, and deleted after the purge succeeds. */
export const cachePurges = sqliteTable(
  'cache_purges',
  {
    /** A `Cache-Tag`. */
    tag: text().primaryKey(),
    /** The cached page shows something that is no longer public; else it is only out of date. */
    isUrgent: integer('is_urgent', { mode: 'boolean' }).notNull(),
    /** Updated by each new request, so that a purge that started earlier doesn't complete it. */
    askedAt: integer('asked_at').notNull(),
    /** Earliest time for the purge. */
    dueAt: integer('due_at').notNull().default(0),
    /** An urgent purge that succeeded once and will be repeated. */
    isSecond: integer('is_second', { mode: 'boolean' }).notNull().default(false),
  },
  (t) => [index('cache_purges_due').on(t.isUrgent, t.dueAt, t.tag)],
)
