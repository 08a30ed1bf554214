import { AppError } from '#shared/errors.ts'
import { RATE_LIMITS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'

export type RateLimitName = keyof typeof RATE_LIMITS

function rateLimiterFor(ctx: Ctx, name: RateLimitName, key: string) {
  return ctx.env.THROTTLE.getByName(`${name}:${key}`)
}

/** Counts one hit on the worldwide limit `name` for `key`. Returns the seconds to wait; 0: counted and allowed. */
export async function countRateLimit(ctx: Ctx, name: RateLimitName, key: string): Promise<number> {
  return rateLimiterFor(ctx, name, key).hit(RATE_LIMITS[name], ctx.now())
}

/** Like {@link countRateLimit}, without counting. */
export async function peekRateLimit(ctx: Ctx, name: RateLimitName, key: string): Promise<number> {
  return rateLimiterFor(ctx, name, key).peek(RATE_LIMITS[name], ctx.now())
}

/** Throws 429 with Retry-After when `key` has reached the limit `name`. Counts nothing. */
export async function requireNotRateLimited(ctx: Ctx, name: RateLimitName, key: string): Promise<void> {
  throwIfLimited(await peekRateLimit(ctx, name, key))
}

/** Counts one hit on the limit `name` for `key`, or throws 429 with Retry-After and this message. */
export async function requireRateLimit(
  ctx: Ctx,
  name: RateLimitName,
  key: string,
  message: string = messages.system.tooManyRequests,
): Promise<void> {
  throwIfLimited(await countRateLimit(ctx, name, key), message)
}

/**
 * Counts an attempt as failed before it runs, so that parallel attempts can't exceed the limit; throws 429 like
 * {@link requireRateLimit}. Returns a function that removes the count after a success.
 */
export async function reserveAttempt(
  ctx: Ctx,
  name: RateLimitName,
  key: string,
): Promise<() => Promise<void>> {
  const limiter = rateLimiterFor(ctx, name, key)
  const at = ctx.now()
  throwIfLimited(await limiter.hit(RATE_LIMITS[name], at))
  return () => limiter.undo(at)
}

function throwIfLimited(waitSec: number, message: string = messages.system.tooManyRequests): void {
  if (waitSec > 0) {
    throw new AppError('too_many_requests', message, { retryAfterSec: waitSec })
  }
}
