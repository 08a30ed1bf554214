import { and, count, desc, eq, gte, inArray, sum } from 'drizzle-orm'
import { TASKS, type Operations, type Task, type TaskState } from '#shared/admin.ts'
import {
  DAY_MS,
  FAILED_PAYMENTS_SINCE_MS,
  HOUR_MS,
  LARGEST_MEMORIALS,
  MINUTE_MS,
  SYSTEM_CHECK_TIMEOUT_MS,
} from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { shouldBeRefunded } from '#worker/features/admin/list-payments.ts'
import { memorialStorage } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments, webhookEvents } from '#worker/schema/payments.table.ts'
import { cachePurges } from '#worker/schema/cache-purges.table.ts'
import { withDeadline } from '#worker/platform/deadlines.ts'
import { taskRuns } from '#worker/schema/task-runs.table.ts'

/** Allows for a missed run or two. */
const MINUTELY_LATE_MS = 10 * MINUTE_MS
const QUARTERLY_LATE_MS = 40 * MINUTE_MS
const HOURLY_LATE_MS = 2 * HOUR_MS + 10 * MINUTE_MS
const DAILY_LATE_MS = DAY_MS + 2 * HOUR_MS
const LATE_AFTER_MS: Record<Task, number> = {
  mails: MINUTELY_LATE_MS,
  purges: MINUTELY_LATE_MS,
  payments: QUARTERLY_LATE_MS,
  left_uploads: QUARTERLY_LATE_MS,
  deletions: QUARTERLY_LATE_MS,
  marks: QUARTERLY_LATE_MS,
  lost_events: HOURLY_LATE_MS,
  uploads: HOURLY_LATE_MS,
  parts: HOURLY_LATE_MS,
  objects: HOURLY_LATE_MS,
  accounts: DAILY_LATE_MS,
  removals: DAILY_LATE_MS,
}

/** State of the background work: queues, cron tasks, purges, storage, payments and webhooks. One round trip to D1. */
export async function readOperations(ctx: Ctx): Promise<Operations> {
  const isFailed = and(
    eq(payments.status, 'FAILED'),
    gte(payments.createdAt, ctx.now() - FAILED_PAYMENTS_SINCE_MS),
  )
  const [queues, [runs, urgent, other, largest, total, failed, disputed, toRefund, [event]]] =
    await Promise.all([
      Promise.all([queueState(ctx, 'jobs'), queueState(ctx, 'pictures')]),
      ctx.db.batch([
        ctx.db.select().from(taskRuns).where(inArray(taskRuns.task, TASKS)),
        selectPurges(ctx, true),
        selectPurges(ctx, false),
        ctx.db
          .select({
            id: memorials.id,
            honoureeFullName: memorials.honoureeFullName,
            bytes: memorialStorage.bytes,
            files: memorialStorage.files,
          })
          .from(memorialStorage)
          .innerJoin(memorials, eq(memorials.id, memorialStorage.memorialId))
          .orderBy(desc(memorialStorage.bytes))
          .limit(LARGEST_MEMORIALS),
        ctx.db.select({ total: sum(memorialStorage.bytes).mapWith(Number) }).from(memorialStorage),
        ctx.db.select({ amount: count() }).from(payments).where(isFailed),
        ctx.db.select({ amount: count() }).from(payments).where(eq(payments.status, 'DISPUTED')),
        ctx.db.select({ amount: count() }).from(payments).where(shouldBeRefunded()),
        ctx.db
          .select({ receivedAt: webhookEvents.receivedAt, happenedAt: webhookEvents.happenedAt })
          .from(webhookEvents)
          .orderBy(desc(webhookEvents.receivedAt))
          .limit(1),
      ]),
    ])
  return {
    queues,
    tasks: TASKS.map((task) =>
      stateOf(
        ctx,
        task,
        runs.find((run) => run.task === task),
      ),
    ),
    purges: { urgent: urgent[0]?.amount ?? 0, other: other[0]?.amount ?? 0 },
    storage: {
      bytes: total[0]?.total ?? 0,
      largest: largest.map(({ bytes, files, ...memorial }) => ({ memorial, bytes, files })),
    },
    payments: {
      failed: failed[0]?.amount ?? 0,
      disputed: disputed[0]?.amount ?? 0,
      toRefund: toRefund[0]?.amount ?? 0,
    },
    webhook: event
      ? {
          receivedAt: new Date(event.receivedAt).toISOString(),
          lagSec:
            event.happenedAt === null
              ? null
              : Math.max(0, Math.round((event.receivedAt - event.happenedAt) / 1000)),
        }
      : null,
  }
}

function selectPurges(ctx: Ctx, isUrgent: boolean) {
  return ctx.db.select({ amount: count() }).from(cachePurges).where(eq(cachePurges.isUrgent, isUrgent))
}

/** The fields are null if the queue doesn't return its metrics. */
async function queueState(ctx: Ctx, queue: 'jobs' | 'pictures'): Promise<Operations['queues'][number]> {
  try {
    const metrics = (queue === 'jobs' ? ctx.env.JOBS : ctx.env.PICTURES).metrics()
    const { backlogCount, oldestMessageTimestamp } = await withDeadline(
      metrics,
      SYSTEM_CHECK_TIMEOUT_MS,
      queue,
    )
    return { queue, waiting: backlogCount, oldestAt: oldestMessageTimestamp?.toISOString() ?? null }
  } catch (error) {
    ctx.log.error('queue_not_read', error, { queue })
    return { queue, waiting: null, oldestAt: null }
  }
}

function stateOf(ctx: Ctx, task: Task, run: typeof taskRuns.$inferSelect | undefined): TaskState {
  if (!run) return { task, status: 'never', lastRunAt: null, tookMs: 0, requestId: null }
  const isLate = ctx.now() - run.at > LATE_AFTER_MS[task]
  return {
    task,
    status: isLate ? 'late' : run.isFailed ? 'failed' : 'ok',
    lastRunAt: new Date(run.at).toISOString(),
    tookMs: run.tookMs,
    requestId: run.requestId,
  }
}
