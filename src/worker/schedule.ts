import type { Task } from '#shared/admin.ts'
import { createCtx, type Ctx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { removeUnverifiedAccounts } from '#worker/features/accounts/accounts.jobs.ts'
import {
  drainObjectDeletions,
  sweepOrphanObjects,
  writeRestoreMarker,
} from '#worker/features/media/media.jobs.ts'
import { finishAbandonedUploads, sweepUploads } from '#worker/features/media/resumable.jobs.ts'
import { sweepParts } from '#worker/features/media/sweeps.ts'
import { drainMailOutbox } from '#worker/features/mail/mail.jobs.ts'
import { processMissedEvents, settlePendingPayments } from '#worker/features/payments/payments.jobs.ts'
import { purgeDeleted } from '#worker/features/removal/removal.jobs.ts'
import { count } from '#worker/platform/metrics.ts'
import { drainCachePurges } from '#worker/platform/edge-cache.ts'
import { recordTaskRuns, type TaskRun } from '#worker/platform/job-records.ts'

/** Cron expression of wrangler.toml -> tasks. Each task does a bounded amount per run and can be repeated or killed safely. */
export const SCHEDULE = {
  '* * * * *': [drainMailOutbox, drainCachePurges],
  '*/15 * * * *': [settlePendingPayments, finishAbandonedUploads, drainObjectDeletions, writeRestoreMarker],
  '17 * * * *': [processMissedEvents, sweepUploads, sweepParts, sweepOrphanObjects],
  '43 2 * * *': [removeUnverifiedAccounts, /* prove: purge-is-scheduled */ purgeDeleted],
} as const satisfies Record<string, readonly ((ctx: Ctx) => Promise<void>)[]>

/** Task names for the log and the admin console: a build may minify function names. */
const NAMES = new Map<(ctx: Ctx) => Promise<void>, Task>([
  [drainMailOutbox, 'mails'],
  [drainCachePurges, 'purges'],
  [settlePendingPayments, 'payments'],
  [finishAbandonedUploads, 'left_uploads'],
  [drainObjectDeletions, 'deletions'],
  [writeRestoreMarker, 'marks'],
  [processMissedEvents, 'lost_events'],
  [sweepUploads, 'uploads'],
  [sweepParts, 'parts'],
  [sweepOrphanObjects, 'objects'],
  [removeUnverifiedAccounts, 'accounts'],
  [purgeDeleted, 'removals'],
])

/** Runs the tasks of this cron expression and records the results. A failing task doesn't stop the others. */
export async function handleSchedule(cron: string, env: Env, execution: ExecutionContext): Promise<void> {
  const ctx = createCtx({ env, waitUntil: (promise) => execution.waitUntil(promise) })
  const runs: TaskRun[] = []
  for (const task of SCHEDULE[cron as keyof typeof SCHEDULE] ?? []) {
    const name = NAMES.get(task) as Task
    const at = ctx.now()
    let isFailed = false
    try {
      await task(ctx)
    } catch (error) {
      isFailed = true
      count(ctx, 'task_failed', { kind: name })
      ctx.log.error('scheduled_task_failed', error, { cron, task: name })
    }
    runs.push({ task: name, at, tookMs: ctx.now() - at, isFailed, requestId: ctx.requestId })
  }
  await recordTaskRuns(ctx, runs)
}
