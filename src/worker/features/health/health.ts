import { AppError } from '#shared/errors.ts'
import { HEALTH_PARTS, type Health, type HealthPart } from '#shared/health.ts'
import { HEALTH_CACHE_MS, HEALTH_CHECK_LEASE_MS, HEALTH_TIMEOUT_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { tryPart } from '#worker/features/health/try-part.ts'
import { count } from '#worker/platform/metrics.ts'
import { withDeadline } from '#worker/platform/deadline.ts'

type Look = { at: number; answered: Map<HealthPart, number | null> }

/** What this isolate saw last. The answer and no promise: a request must not wait for what another one began. */
let last: Look | null = null
/**
 * When somebody began to look, or null. Believed for {@link HEALTH_CHECK_LEASE_MS} only: where a request is cancelled because
 * its client went away, no `finally` runs.
 */
let lookingSince: number | null = null

/**
 * Whether every binding works, each really tried, side by side and with a deadline. For some seconds it says the same
 * again, so that asking often costs nothing. Throws `not_available`, with a field for each part that fails.
 */
export async function readHealth(ctx: Ctx, timeoutMs = HEALTH_TIMEOUT_MS): Promise<Health> {
  const isFresh = last !== null && ctx.now() - last.at < HEALTH_CACHE_MS
  const isLooked = lookingSince !== null && ctx.now() - lookingSince < HEALTH_CHECK_LEASE_MS
  const seen = last !== null && (isFresh || isLooked) ? last : await lookToTheEnd(ctx, timeoutMs)
  const failing = HEALTH_PARTS.filter((part) => seen.answered.get(part) === null)
  if (failing.length > 0) {
    throw new AppError('not_available', messages.system.notAvailable, {
      fields: Object.fromEntries(failing.map((part) => [part, messages.health[part]])),
      cause: `failing: ${failing.join(', ')}`,
    })
  }
  const { VERSION } = ctx.env
  return {
    parts: HEALTH_PARTS.map((part) => ({ part, answeredMs: seen.answered.get(part) ?? 0 })),
    version: VERSION ? { id: VERSION.id, tag: VERSION.tag, uploadedAt: VERSION.timestamp } : null,
    checkedAt: new Date(seen.at).toISOString(),
  }
}

/** Also where the one who asked does not wait for it. */
function lookToTheEnd(ctx: Ctx, timeoutMs: number): Promise<Look> {
  const looking = look(ctx, timeoutMs)
  ctx.waitUntil(looking)
  return looking
}

async function look(ctx: Ctx, timeoutMs: number): Promise<Look> {
  lookingSince = ctx.now()
  try {
    const answered = await Promise.all(
      HEALTH_PARTS.map(async (part) => [part, await answeredMs(ctx, part, timeoutMs)] as const),
    )
    last = { at: ctx.now(), answered: new Map(answered) }
    return last
  } finally {
    lookingSince = null
  }
}

async function answeredMs(ctx: Ctx, part: HealthPart, timeoutMs: number): Promise<number | null> {
  try {
    return await withDeadline(tryPart(ctx, part), timeoutMs, part)
  } catch (error) {
    count(ctx, 'health_failing', { kind: part })
    ctx.log.error('health_failing', error, { part })
    return null
  }
}
