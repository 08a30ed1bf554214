import { AppError } from '#shared/errors.ts'
import { HEALTH_PARTS, type Health, type HealthPart } from '#shared/health.ts'
import { HEALTH_CACHE_MS, HEALTH_CHECK_LEASE_MS, HEALTH_TIMEOUT_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { probePart } from '#worker/features/health/try-part.ts'
import { count } from '#worker/platform/metrics.ts'
import { withDeadline } from '#worker/platform/deadlines.ts'

type HealthCheck = { at: number; durations: Map<HealthPart, number | null> }

/** The latest result in this isolate. A value and not a promise: a request must not await another request's I/O. */
let lastCheck: HealthCheck | null = null
/**
 * When the running check started, or null. It counts for {@link HEALTH_CHECK_LEASE_MS} only: when a client disconnects and
 * its request is cancelled, no `finally` runs.
 */
let checkStartedAt: number | null = null

/**
 * Tests every binding in parallel, each with a deadline. It returns the same result again for some seconds, so frequent calls
 * cost nothing. Throws `not_available`, with a field for each part that fails.
 */
export async function readHealth(ctx: Ctx, timeoutMs = HEALTH_TIMEOUT_MS): Promise<Health> {
  const isFresh = lastCheck !== null && ctx.now() - lastCheck.at < HEALTH_CACHE_MS
  const isChecking = checkStartedAt !== null && ctx.now() - checkStartedAt < HEALTH_CHECK_LEASE_MS
  const check = lastCheck !== null && (isFresh || isChecking) ? lastCheck : await startCheck(ctx, timeoutMs)
  const failing = HEALTH_PARTS.filter((part) => check.durations.get(part) === null)
  if (failing.length > 0) {
    throw new AppError('not_available', messages.system.notAvailable, {
      fields: Object.fromEntries(failing.map((part) => [part, messages.health[part]])),
      cause: `failing: ${failing.join(', ')}`,
    })
  }
  const { VERSION } = ctx.env
  return {
    parts: HEALTH_PARTS.map((part) => ({ part, answeredMs: check.durations.get(part) ?? 0 })),
    version: VERSION ? { id: VERSION.id, tag: VERSION.tag, uploadedAt: VERSION.timestamp } : null,
    checkedAt: new Date(check.at).toISOString(),
  }
}

/** Lets the check finish even if the caller disconnects. */
function startCheck(ctx: Ctx, timeoutMs: number): Promise<HealthCheck> {
  const running = runCheck(ctx, timeoutMs)
  ctx.waitUntil(running)
  return running
}

async function runCheck(ctx: Ctx, timeoutMs: number): Promise<HealthCheck> {
  checkStartedAt = ctx.now()
  try {
    const durations = await Promise.all(
      HEALTH_PARTS.map(async (part) => [part, await measurePart(ctx, part, timeoutMs)] as const),
    )
    lastCheck = { at: ctx.now(), durations: new Map(durations) }
    return lastCheck
  } finally {
    checkStartedAt = null
  }
}

async function measurePart(ctx: Ctx, part: HealthPart, timeoutMs: number): Promise<number | null> {
  try {
    return await withDeadline(probePart(ctx, part), timeoutMs, part)
  } catch (error) {
    count(ctx, 'health_failing', { kind: part })
    ctx.log.error('health_failing', error, { part })
    return null
  }
}
