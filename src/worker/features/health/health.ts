import { Buffer } from 'node:buffer'
import { entries as migrations } from '../../../../migrations/meta/_journal.json'
import { AppError } from '#shared/errors.ts'
import { HEALTH_PARTS, type Health, type HealthPart } from '#shared/admin/health.ts'
import {
  HEALTH_CACHE_MS,
  HEALTH_CHECK_LEASE_MS,
  HEALTH_FAILED_CACHE_MS,
  HEALTH_TIMEOUT_MS,
} from '#shared/limits.ts'
import { healthMessages } from '#shared/admin/health-messages.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { count } from '#worker/platform/metrics.ts'
import { withDeadline } from '#worker/platform/deadlines.ts'
import { probeRateLimiter } from '#worker/platform/rate-limiter.ts'

/** For each part the duration of its probe in ms, or what to say if it fails. */
type HealthCheck = { at: number; results: Map<HealthPart, number | string> }

/** The latest result in this isolate. A value and not a promise: a request must not await another request's I/O. */
let lastCheck: HealthCheck | null = null
/** Start of the running check. Counts for {@link HEALTH_CHECK_LEASE_MS}: a cancelled request runs no `finally`. */
let checkStartedAt: number | null = null

/** Tests every binding, at most every few seconds. Throws `not_available` with a field per failing part. */
export async function readHealth(ctx: Ctx, timeoutMs = HEALTH_TIMEOUT_MS): Promise<Health> {
  const isFresh = lastCheck !== null && ctx.now() - lastCheck.at < cachedMs(lastCheck)
  const isChecking = checkStartedAt !== null && ctx.now() - checkStartedAt < HEALTH_CHECK_LEASE_MS
  const check = lastCheck !== null && (isFresh || isChecking) ? lastCheck : await startCheck(ctx, timeoutMs)
  const failing = failingParts(check)
  if (failing.length > 0) {
    throw new AppError('not_available', messages.system.notAvailable, {
      fields: Object.fromEntries(failing),
      cause: `failing: ${failing.map(([part]) => part).join(', ')}`,
    })
  }
  const { VERSION } = ctx.env
  return {
    parts: HEALTH_PARTS.map((part) => ({ part, answeredMs: Number(check.results.get(part)) })),
    version: VERSION ? { id: VERSION.id, tag: VERSION.tag, uploadedAt: VERSION.timestamp } : null,
    checkedAt: new Date(check.at).toISOString(),
  }
}

function failingParts({ results }: HealthCheck): [HealthPart, string][] {
  return [...results].filter((result): result is [HealthPart, string] => typeof result[1] === 'string')
}

function cachedMs(check: HealthCheck): number {
  return failingParts(check).length > 0 ? HEALTH_FAILED_CACHE_MS : HEALTH_CACHE_MS
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
    const results = await Promise.all(
      HEALTH_PARTS.map(async (part) => [part, await measurePart(ctx, part, timeoutMs)] as const),
    )
    lastCheck = { at: ctx.now(), results: new Map(results) }
    return lastCheck
  } finally {
    checkStartedAt = null
  }
}

async function measurePart(ctx: Ctx, part: HealthPart, timeoutMs: number): Promise<number | string> {
  try {
    return await withDeadline(probePart(ctx, part), timeoutMs, part)
  } catch (error) {
    count(ctx, 'health_failing', { kind: part })
    ctx.log.error('health_failing', error, { part })
    return error instanceof MissingMigration ? healthMessages.migrations : healthMessages[part]
  }
}

/** One object that each check overwrites, outside the prefixes that the sweep reads. */
const PROBE_KEY = 'system/probe'
/** The smallest valid GIF. */
const PIXEL = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64')

/** Makes the cheapest call that shows that a binding works. Returns its duration in ms; throws what the call throws. */
export async function probePart(ctx: Ctx, part: HealthPart): Promise<number> {
  const startedAt = ctx.now()
  await PROBES[part](ctx)
  return ctx.now() - startedAt
}

/** The newest migration that this version was built with, by the name that wrangler records when it has applied it. */
const NEWEST_MIGRATION = `${migrations.at(-1)?.tag}.sql`

class MissingMigration extends Error {}

const PROBES: Record<HealthPart, (ctx: Ctx) => Promise<unknown>> = {
  async database(ctx) {
    const isApplied = await ctx.env.DB.prepare('SELECT 1 FROM d1_migrations WHERE name = ?')
      .bind(NEWEST_MIGRATION)
      .first()
    if (!isApplied) throw new MissingMigration(`the database lacks the migration ${NEWEST_MIGRATION}`)
  },
  async storage(ctx) {
    await ctx.env.MEDIA.put(PROBE_KEY, ctx.requestId)
    if (!(await ctx.env.MEDIA.head(PROBE_KEY))) throw new Error('the probe object is missing')
  },
  sessions: (ctx) => ctx.env.KV.get('system:probe'),
  // One object represents all three classes, which share one platform and fail together.
  counters: probeRateLimiter,
  queue: (ctx) => ctx.env.JOBS.metrics(),
  // `info` reads without transforming, so it is not billed (https://developers.cloudflare.com/images/pricing/).
  pictures: (ctx) => ctx.env.IMAGES.info(new Blob([PIXEL]).stream()),
}
