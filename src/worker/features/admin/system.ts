import { asc, eq, and, desc, gte, inArray, sql, sum } from 'drizzle-orm'
import {
  SYSTEM_PARTS,
  type SystemCheck,
  type SystemState,
  TASKS,
  type Operations,
  type Task,
  type TaskState,
} from '#shared/admin/admin.ts'
import type { HealthPart } from '#shared/admin/health.ts'
import {
  MAIL_LATE_MS,
  SYSTEM_CHECK_TIMEOUT_MS,
  DAY_MS,
  FAILED_PAYMENTS_SINCE_MS,
  HOUR_MS,
  LARGEST_MEMORIALS,
  MINUTE_MS,
} from '#shared/limits.ts'
import { systemMessages } from '#shared/admin/health-messages.ts'
import { systemAnswered, systemMails } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { probePart } from '#worker/features/health/health.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { readLeftovers } from '#worker/features/media/media.jobs.ts'
import { STRANGERS_MAILS } from '#worker/features/mail/mail.jobs.ts'
import { peekRateLimit } from '#worker/platform/rate-limiter.ts'
import { countRows } from '#worker/platform/db.ts'
import { withDeadline } from '#worker/platform/deadlines.ts'
import { paynowProblem, requirePaynow } from '#worker/platform/providers/paynow-account.ts'
import { reachPaynow } from '#worker/platform/providers/paynow.ts'
import { sandboxProblem } from '#worker/platform/providers/provider-origins.ts'
import { createStripeClient } from '#worker/platform/providers/stripe.ts'
import { shouldBeRefunded } from '#worker/features/admin/payments.ts'
import { memorialStorage } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments, webhookEvents } from '#worker/schema/payments.table.ts'
import { cachePurges, taskRuns } from '#worker/schema/jobs.table.ts'

type Part = SystemCheck['part']
type Finding = Omit<SystemCheck, 'part'>

/** Checks all parts in parallel. Each has a deadline of `timeoutMs`, so none can delay the response further. */
export async function checkSystem(ctx: Ctx, timeoutMs = SYSTEM_CHECK_TIMEOUT_MS): Promise<SystemState> {
  const [leftovers, operations, ...checks] = await Promise.all([
    orNull(ctx, 'leftovers', readLeftovers(ctx), timeoutMs),
    orNull(ctx, 'operations', readOperations(ctx), timeoutMs),
    ...SYSTEM_PARTS.map(async (part) => checkPart(ctx, part, timeoutMs)),
  ])
  return { checks, leftovers, operations, checkedAt: new Date(ctx.now()).toISOString() }
}

async function orNull<T>(ctx: Ctx, what: string, read: Promise<T>, timeoutMs: number): Promise<T | null> {
  try {
    return await withDeadline(read, timeoutMs, what)
  } catch (error) {
    ctx.log.error(`${what}_not_read`, error)
    return null
  }
}

async function checkPart(ctx: Ctx, part: Part, timeoutMs: number): Promise<SystemCheck> {
  try {
    return { part, ...(await withDeadline(CHECKS[part](ctx), timeoutMs, part)) }
  } catch (error) {
    ctx.log.error('system_check_failed', error, { part })
    return { part, status: 'failing', detail: systemMessages[part] }
  }
}

const CHECKS: Record<Part, (ctx: Ctx) => Promise<Finding>> = {
  database: (ctx) => runHealthCheck(ctx, 'database'),
  storage: (ctx) => runHealthCheck(ctx, 'storage'),
  sessions: (ctx) => runHealthCheck(ctx, 'sessions'),
  counters: (ctx) => runHealthCheck(ctx, 'counters'),
  pictures: (ctx) => runHealthCheck(ctx, 'pictures'),
  queue: checkOutbox,
  async mail(ctx) {
    const problem = sandboxProblem(ctx.env, 'mail')
    if (problem) throw new Error(problem)
    const isSet = Boolean(ctx.env.MAILCHANNELS_API_KEY)
    return isSet
      ? { status: 'ok', detail: systemMessages.mailReady }
      : { status: 'not_set_up', detail: systemMessages.mailNotSetUp }
  },
  async payments(ctx) {
    const { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRET } = ctx.env
    if (!STRIPE_SECRET_KEY || !STRIPE_PUBLISHABLE_KEY || !STRIPE_WEBHOOK_SECRET) {
      return { status: 'not_set_up', detail: systemMessages.paymentsNotSetUp }
    }
    const startedAt = ctx.now()
    await createStripeClient(ctx.env, SYSTEM_CHECK_TIMEOUT_MS).paymentIntents.list({ limit: 1 })
    return { status: 'ok', detail: systemAnswered(ctx.now() - startedAt) }
  },
  async localPayments(ctx) {
    if (!ctx.env.PAYNOW_INTEGRATION_ID)
      return { status: 'not_set_up', detail: systemMessages.localPaymentsNotSetUp }
    const problem = paynowProblem(ctx.env)
    if (problem) throw new Error(problem)
    const startedAt = ctx.now()
    await reachPaynow(requirePaynow(ctx.env), 'health-check')
    return { status: 'ok', detail: systemAnswered(ctx.now() - startedAt) }
  },
}

async function runHealthCheck(ctx: Ctx, part: HealthPart): Promise<Finding> {
  return { status: 'ok', detail: systemAnswered(await probePart(ctx, part)) }
}

/** A queue that has stopped shows as mails that have been queued for too long. Those of low priority may take hours. */
async function checkOutbox(ctx: Ctx): Promise<Finding> {
  const [[oldest], [queued], [dead]] = await ctx.db.batch([
    ctx.db
      .select({ createdAt: mails.createdAt })
      .from(mails)
      .where(sql`${mails.status} = 'QUEUED' and ${mails.priority} = 'NOW'`)
      .orderBy(asc(mails.createdAt))
      .limit(1),
    countRows(ctx.db, mails, eq(mails.status, 'QUEUED')),
    countRows(ctx.db, mails, eq(mails.status, 'DEAD')),
  ])
  const waits = await Promise.all(STRANGERS_MAILS.map((kind) => peekRateLimit(ctx, 'strangersMails', kind)))
  const isHeldBack = waits.some((waitSec) => waitSec > 0)
  const waitedMs = oldest ? ctx.now() - oldest.createdAt : 0
  return {
    status: waitedMs > MAIL_LATE_MS || isHeldBack ? 'failing' : 'ok',
    detail: systemMails({ queued: queued?.amount ?? 0, waitedMs, dead: dead?.amount ?? 0, isHeldBack }),
  }
}

/** Allows for a missed run or two. */
const MINUTELY_LATE_MS = 10 * MINUTE_MS
const QUARTERLY_LATE_MS = 40 * MINUTE_MS
const HOURLY_LATE_MS = 2 * HOUR_MS + 10 * MINUTE_MS
const DAILY_LATE_MS = DAY_MS + 2 * HOUR_MS
const LATE_AFTER_MS: Record<Task, number> = {
  mails: MINUTELY_LATE_MS,
  purges: MINUTELY_LATE_MS,
  waiting: MINUTELY_LATE_MS,
  local_payments: MINUTELY_LATE_MS,
  followers: MINUTELY_LATE_MS,
  later_mails: MINUTELY_LATE_MS,
  gatherings: MINUTELY_LATE_MS,
  payments: QUARTERLY_LATE_MS,
  left_uploads: QUARTERLY_LATE_MS,
  deletions: QUARTERLY_LATE_MS,
  marks: QUARTERLY_LATE_MS,
  lost_events: HOURLY_LATE_MS,
  drafts: HOURLY_LATE_MS,
  successions: HOURLY_LATE_MS,
  uploads: HOURLY_LATE_MS,
  parts: HOURLY_LATE_MS,
  objects: HOURLY_LATE_MS,
  accounts: DAILY_LATE_MS,
  removals: DAILY_LATE_MS,
  records: DAILY_LATE_MS,
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
        countRows(ctx.db, cachePurges, eq(cachePurges.isUrgent, true)),
        countRows(ctx.db, cachePurges, eq(cachePurges.isUrgent, false)),
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
        countRows(ctx.db, payments, isFailed),
        countRows(ctx.db, payments, eq(payments.status, 'DISPUTED')),
        countRows(ctx.db, payments, shouldBeRefunded()),
        ctx.db
          .select({ receivedAt: webhookEvents.receivedAt, happenedAt: webhookEvents.happenedAt })
          .from(webhookEvents)
          .orderBy(desc(webhookEvents.receivedAt))
          .limit(1),
      ]),
    ])
  return {
    queues,
    tasks: TASKS.map((task) => stateOf(ctx, task, runs)),
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

function stateOf(ctx: Ctx, task: Task, runs: (typeof taskRuns.$inferSelect)[]): TaskState {
  const run = runs.find((one) => one.task === task)
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
