import type { Task } from '#shared/admin/admin.ts'
import { createCtx, type Ctx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { removeUnverifiedAccounts } from '#worker/features/accounts/accounts.jobs.ts'
import {
  drainObjectDeletions,
  sweepOrphanObjects,
  writeRestoreMarker,
  sweepParts,
} from '#worker/features/media/media.jobs.ts'
import { finishAbandonedUploads, sweepUploads } from '#worker/features/media/resumable.jobs.ts'
import { drainMailOutbox } from '#worker/features/mail/mail.jobs.ts'
import { removeUnusedDrafts } from '#worker/features/memorials/memorials.jobs.ts'
import { purgeTurnedPages } from '#worker/features/funeral/turns.ts'
import { tellOwners } from '#worker/features/memorials/tell-owner.ts'
import { settlePendingLocalPayments } from '#worker/features/payments/paynow-check.ts'
import { writeToFollowers } from '#worker/features/followers/followers.jobs.ts'
import { sendLaterMails } from '#worker/features/mail/later-mails.ts'
import { processMissedEvents, settlePendingPayments } from '#worker/features/payments/payments.jobs.ts'
import { purgeDeleted } from '#worker/features/removal/removal.jobs.ts'
import { deleteOldRecords } from '#worker/features/removal/retention.jobs.ts'
import { followSuccessions } from '#worker/features/successors/successors.jobs.ts'
import { count } from '#worker/platform/metrics.ts'
import { drainCachePurges } from '#worker/platform/edge-cache.ts'
import { recordTaskRuns, type TaskRun } from '#worker/platform/job-records.ts'

/**
 * Cron expression of wrangler.toml -> tasks, by the names that the log and the admin console show. Each task does a bounded
 * amount per run and can be repeated or killed safely.
 */
export const SCHEDULE = {
  '* * * * *': {
    mails: drainMailOutbox,
    gatherings: purgeTurnedPages,
    purges: drainCachePurges,
    waiting: tellOwners,
    local_payments: settlePendingLocalPayments,
    followers: writeToFollowers,
    // Last: it may take most of the minute.
    later_mails: sendLaterMails,
  },
  '*/15 * * * *': {
    payments: settlePendingPayments,
    left_uploads: finishAbandonedUploads,
    deletions: drainObjectDeletions,
    marks: writeRestoreMarker,
  },
  '17 * * * *': {
    lost_events: processMissedEvents,
    uploads: sweepUploads,
    parts: sweepParts,
    objects: sweepOrphanObjects,
    drafts: removeUnusedDrafts,
    successions: followSuccessions,
  },
  '43 2 * * *': {
    accounts: removeUnverifiedAccounts,
    /* prove: purge-is-scheduled */ removals: purgeDeleted,
    records: deleteOldRecords,
  },
} as const satisfies Record<string, Partial<Record<Task, (ctx: Ctx) => Promise<void>>>>

/** Runs the tasks of this cron expression and records the results. A failing task doesn't stop the others. */
export async function handleSchedule(cron: string, env: Env, execution: ExecutionContext): Promise<void> {
  const ctx = createCtx({ env, waitUntil: (promise) => execution.waitUntil(promise) })
  const runs: TaskRun[] = []
  for (const [name, task] of Object.entries(SCHEDULE[cron as keyof typeof SCHEDULE] ?? {})) {
    const at = ctx.now()
    let isFailed = false
    try {
      await task(ctx)
    } catch (error) {
      isFailed = true
      count(ctx, 'task_failed', { kind: name })
      ctx.log.error('scheduled_task_failed', error, { cron, task: name })
    }
    runs.push({ task: name as Task, at, tookMs: ctx.now() - at, isFailed, requestId: ctx.requestId })
  }
  await recordTaskRuns(ctx, runs)
}
