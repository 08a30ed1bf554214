import { ID_PREFIX } from '#shared/ids.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import type { Job } from '#worker/schema/job.ts'
import { count } from '#worker/platform/metrics.ts'
import { deadJobs } from '#worker/schema/dead-jobs.table.ts'

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
