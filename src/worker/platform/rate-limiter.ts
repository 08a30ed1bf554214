import { AppError } from '#shared/errors.ts'
import { THROTTLE } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'

export type RateLimitName = keyof typeof THROTTLE

function rateLimiterFor(ctx: Ctx, name: RateLimitName, key: string) {
  return ctx.env.THROTTLE.getByName(`${name}:${key}`)
}

/** Counts one `name` for `key`, worldwide. Returns the seconds to wait; 0 means counted and allowed. */
export async function countRateLimit(ctx: Ctx, name: RateLimitName, key: string): Promise<number> {
  return rateLimiterFor(ctx, name, key).hit(THROTTLE[name], ctx.now())
}

/** Throws 429 with Retry-After when `key` has used up `name`. Counts nothing. */
export async function requireNotRateLimited(ctx: Ctx, name: RateLimitName, key: string): Promise<void> {
  refuseWhile(await rateLimiterFor(ctx, name, key).peek(THROTTLE[name], ctx.now()))
}

/** Counts one `name` for `key` or throws 429 with Retry-After, in these words. */
export async function requireRateLimit(
  ctx: Ctx,
  name: RateLimitName,
  key: string,
  words: string = messages.system.tooManyRequests,
): Promise<void> {
  refuseWhile(await countRateLimit(ctx, name, key), words)
}

/**
 * Counts one failure of `name` for `key` before it is known to be one, so that parallel tries cannot pass the limit
 * together; throws 429 as {@link requireRateLimit}. Returns a function that takes the count back after a success.
 */
export async function reserveAttempt(
  ctx: Ctx,
  name: RateLimitName,
  key: string,
): Promise<() => Promise<void>> {
  const throttle = rateLimiterFor(ctx, name, key)
  const at = ctx.now()
  refuseWhile(await throttle.hit(THROTTLE[name], at))
  return () => throttle.undo(at)
}

function refuseWhile(waitSec: number, words: string = messages.system.tooManyRequests): void {
  if (waitSec > 0) {
    throw new AppError('too_many_requests', words, { retryAfterSec: waitSec })
  }
}
