import { sql } from 'drizzle-orm'
import { ID_PREFIX } from '#shared/ids.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { count } from '#worker/platform/metrics.ts'
import { deadJobs, taskRuns, type Job } from '#worker/schema/jobs.table.ts'

/** Stores a job whose every attempt failed, so that an admin can see and retry it. Safe to repeat. */
export async function saveDeadJob(ctx: Ctx, messageId: string, job: Job): Promise<void> {
  const [saved] = await ctx.db
    .insert(deadJobs)
    .values({
      id: `${ID_PREFIX.deadJob}_${messageId.toLowerCase().replaceAll(/[^a-z0-9]/gu, '')}`,
      job,
      requestId: ctx.requestId,
      diedAt: ctx.now(),
    })
    .onConflictDoNothing()
    .returning({ id: deadJobs.id })
  if (!saved) return
  count(ctx, 'job_dead', { kind: job.type })
  ctx.log.error('job_dead', 'every attempt failed: an admin must retry the job', { ...job, jobId: saved.id })
}

export type TaskRun = typeof taskRuns.$inferSelect

/** Records the results of one cron run; each task has one row. Never throws, because the tasks have already run. */
export async function recordTaskRuns(ctx: Ctx, runs: TaskRun[]): Promise<void> {
  if (runs.length === 0) return
  const set = {
    tookMs: sql`excluded.took_ms`,
    isFailed: sql`excluded.is_failed`,
    requestId: sql`excluded.request_id`,
    at: sql`excluded.at`,
  }
  try {
    await ctx.db.insert(taskRuns).values(runs).onConflictDoUpdate({ target: taskRuns.task, set })
  } catch (error) {
    ctx.log.error('runs_not_noted', error)
  }
}
