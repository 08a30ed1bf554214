import { AppError } from '#shared/errors.ts'
import { RATE_LIMITS, UNCOUNTED_REPEATS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { hashToken } from '#worker/platform/random.ts'
import type { RateLimit } from '#worker/platform/rate-limiter.do.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

export type RateLimitName = keyof typeof RATE_LIMITS

/** The name of a rate limiter's object: a hash, because Cloudflare's console and logs show names, and keys hold addresses. */
export function rateLimiterName(name: string, key: string): string {
  return hashToken(`rate-limiter:${name}:${key}`)
}

function rateLimiterFor(ctx: Ctx, name: string, key: string) {
  return ctx.env.THROTTLE.getByName(rateLimiterName(name, key))
}

/** Counts one hit on the worldwide limit `name` for `key`. Returns the seconds to wait; 0: counted and allowed. */
export async function countRateLimit(ctx: Ctx, name: RateLimitName, key: string): Promise<number> {
  return rateLimiterFor(ctx, name, key).hit([RATE_LIMITS[name]], ctx.now())
}

/** Like {@link countRateLimit}, for something that may still be refused: `undo` takes the hit back. */
export async function countForNow(
  ctx: Ctx,
  name: RateLimitName,
  key: string,
): Promise<{ waitSec: number; undo: () => Promise<void> }> {
  const at = ctx.now()
  const limits = [RATE_LIMITS[name]]
  const limiter = rateLimiterFor(ctx, name, key)
  const waitSec = await limiter.hit(limits, at)
  return { waitSec, undo: async () => (waitSec > 0 ? undefined : limiter.undo(limits, at)) }
}

/** Like {@link countRateLimit}, without counting. */
export async function peekRateLimit(ctx: Ctx, name: RateLimitName, key: string): Promise<number> {
  return rateLimiterFor(ctx, name, key).peek([RATE_LIMITS[name]], ctx.now())
}

/** Throws 429 with Retry-After and this message when `key` has reached the limit `name`. Counts nothing. */
export async function requireNotRateLimited(
  ctx: Ctx,
  name: RateLimitName,
  key: string,
  message: string,
): Promise<void> {
  throwIfLimited(await peekRateLimit(ctx, name, key), () => message)
}

/** Counts one hit on the limit `name` for `key`, or throws 429 with Retry-After and this message. */
export async function requireRateLimit(
  ctx: Ctx,
  name: RateLimitName,
  key: string,
  message: string = serverMessages.system.tooManyRequests,
): Promise<void> {
  throwIfLimited(await countRateLimit(ctx, name, key), () => message)
}

/** Like {@link requireRateLimit}, but counts repeats of one idempotency key once: a bad line is nobody's fault. */
export async function requireRateLimitOnce(
  ctx: Ctx,
  name: RateLimitName,
  key: string,
  idempotencyKey: string | null,
  message: string = serverMessages.system.tooManyRequests,
): Promise<void> {
  if (idempotencyKey === null) return requireRateLimit(ctx, name, key, message)
  const limiter = rateLimiterFor(ctx, name, key)
  throwIfLimited(
    await limiter.hitOnce(RATE_LIMITS[name], ctx.now(), idempotencyKey, UNCOUNTED_REPEATS),
    () => message,
  )
}

/**
 * Counts an attempt as failed before it runs, so that parallel attempts can't exceed the limits; throws 429 with Retry-After.
 * `message` gets the seconds to wait. Returns a function that removes the count after a success.
 */
export async function reserveAttempt(
  ctx: Ctx,
  { name, key, limits }: { name: string; key: string; limits: readonly RateLimit[] },
  message: (waitSec: number) => string,
): Promise<() => Promise<void>> {
  const limiter = rateLimiterFor(ctx, name, key)
  const at = ctx.now()
  throwIfLimited(await limiter.hit(limits, at), message)
  return () => limiter.undo(limits, at)
}

/** Forgets all hits of a rate limiter. */
export async function clearRateLimit(ctx: Ctx, name: string, key: string): Promise<void> {
  await rateLimiterFor(ctx, name, key).clear()
}

/** Makes the cheapest call that shows that rate limiters work. */
export async function probeRateLimiter(ctx: Ctx): Promise<void> {
  await rateLimiterFor(ctx, 'system', 'probe').peek([{ limit: 1, windowMs: 1 }], ctx.now())
}

function throwIfLimited(waitSec: number, message: (waitSec: number) => string): void {
  if (waitSec > 0) {
    throw new AppError('too_many_requests', message(waitSec), { retryAfterSec: waitSec })
  }
}
