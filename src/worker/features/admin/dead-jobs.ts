import { and, desc, eq } from 'drizzle-orm'
import type { AdminDeadJob, AdminDeadJobPage } from '#shared/admin/admin.ts'
import { AppError } from '#shared/errors.ts'
import { ADMIN_PAGE } from '#shared/limits.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { insertAudit } from '#worker/access/audit.ts'
import { type Job, deadJobs } from '#worker/schema/jobs.table.ts'
import { existsIn, splitPage, isAfterCursor } from '#worker/platform/db.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** One page of the jobs that failed on every attempt, newest first. Failed mails are listed with the mails instead. */
export async function listDeadJobs(ctx: Ctx, cursor: string | null): Promise<AdminDeadJobPage> {
  const position = { createdAt: deadJobs.diedAt, id: deadJobs.id }
  const rows = await ctx.db
    .select({ ...position, job: deadJobs.job, requestId: deadJobs.requestId })
    .from(deadJobs)
    .where(isAfterCursor(position, 'deadJob', cursor))
    .orderBy(desc(deadJobs.diedAt), desc(deadJobs.id))
    .limit(ADMIN_PAGE + 1)
  const { page, nextCursor } = splitPage(rows, ADMIN_PAGE)
  return { jobs: page.map(toAdminDeadJob), nextCursor }
}

/**
 * Puts a job back into its queue with all attempts available and removes it from the list. Jobs are idempotent, so we
 * enqueue first: a crash in between runs the job twice instead of losing it. Throws `not_found`.
 */
export async function resendDeadJob(ctx: RequestCtx, id: string): Promise<AdminDeadJob> {
  const isTarget = eq(deadJobs.id, id)
  const [row] = await ctx.db.select().from(deadJobs).where(isTarget)
  if (!row) throw new AppError('not_found', serverMessages.admin.jobNotFound)
  await ctx.enqueue(row.job)
  const audit = {
    action: 'resend_job',
    targetKind: 'job',
    targetId: id,
    detail: { type: row.job.type },
  } as const
  await ctx.db.batch([
    insertAudit(ctx, audit, existsIn(deadJobs, isTarget)),
    ctx.db.delete(deadJobs).where(and(isTarget, eq(deadJobs.diedAt, row.diedAt))),
  ])
  return toAdminDeadJob({ ...row, createdAt: row.diedAt })
}

function toAdminDeadJob(row: { id: string; createdAt: number; job: Job; requestId: string }): AdminDeadJob {
  return {
    id: row.id,
    type: row.job.type,
    requestId: row.requestId,
    diedAt: new Date(row.createdAt).toISOString(),
  }
}
