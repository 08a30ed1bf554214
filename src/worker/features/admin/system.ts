import { asc, count, eq } from 'drizzle-orm'
import { SYSTEM_PARTS, type SystemCheck, type SystemState } from '#shared/admin.ts'
import type { HealthPart } from '#shared/health.ts'
import { MAIL_LATE_MS, SYSTEM_CHECK_TIMEOUT_MS } from '#shared/limits.ts'
import { messages, systemAnswered, systemMails } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { readOperations } from '#worker/features/admin/operations.ts'
import { probePart } from '#worker/features/health/try-part.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { readLeftovers } from '#worker/features/media/sweeps.ts'
import { withDeadline } from '#worker/platform/deadlines.ts'
import { sandboxProblem } from '#worker/platform/provider-origins.ts'
import { createStripeClient } from '#worker/platform/stripe.ts'

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
    return { part, status: 'failing', detail: messages.systemState[part] }
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
      ? { status: 'ok', detail: messages.systemState.mailReady }
      : { status: 'not_set_up', detail: messages.systemState.mailNotSetUp }
  },
  async payments(ctx) {
    const { STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRET } = ctx.env
    if (!STRIPE_SECRET_KEY || !STRIPE_PUBLISHABLE_KEY || !STRIPE_WEBHOOK_SECRET) {
      return { status: 'not_set_up', detail: messages.systemState.paymentsNotSetUp }
    }
    const startedAt = ctx.now()
    await createStripeClient(ctx.env, SYSTEM_CHECK_TIMEOUT_MS).paymentIntents.list({ limit: 1 })
    return { status: 'ok', detail: systemAnswered(ctx.now() - startedAt) }
  },
}

async function runHealthCheck(ctx: Ctx, part: HealthPart): Promise<Finding> {
  return { status: 'ok', detail: systemAnswered(await probePart(ctx, part)) }
}

/** A queue that has stopped shows as mails that have been queued for too long. */
async function checkOutbox(ctx: Ctx): Promise<Finding> {
  const [[oldest], [queued], [dead]] = await ctx.db.batch([
    ctx.db
      .select({ createdAt: mails.createdAt })
      .from(mails)
      .where(eq(mails.status, 'QUEUED'))
      .orderBy(asc(mails.createdAt))
      .limit(1),
    countOf(ctx, 'QUEUED'),
    countOf(ctx, 'DEAD'),
  ])
  const waitedMs = oldest ? ctx.now() - oldest.createdAt : 0
  return {
    status: waitedMs > MAIL_LATE_MS ? 'failing' : 'ok',
    detail: systemMails({ queued: queued?.amount ?? 0, waitedMs, dead: dead?.amount ?? 0 }),
  }
}

function countOf(ctx: Ctx, status: 'QUEUED' | 'DEAD') {
  return ctx.db.select({ amount: count() }).from(mails).where(eq(mails.status, status))
}
