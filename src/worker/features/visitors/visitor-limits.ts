import { messages } from '#shared/messages.ts'
import { networkOf } from '#worker/access/guards.ts'
import { visitorsLink, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { networkHash, unknownBrowser } from '#worker/access/pepper.ts'
import { limitComments } from '#worker/features/comments/post-comment.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { clearRateLimit, countRateLimit, requireRateLimitOnce } from '#worker/platform/rate-limiter.ts'

/**
 * Counts one message that a visitor leaves, or throws `too_many_requests`. Returns true in a burst: more than usual comes to this memorial, or
 * from this network. Then the message is held until the browser has shown a little work, and each browser and network may leave only a few such.
 */
export async function limitVisitor(
  ctx: RequestCtx,
  access: MemorialAccess,
  key: string | null,
): Promise<boolean> {
  const { memorial, contributor: own } = access
  const browser = unknownBrowser(ctx, memorial.id)
  const network = networkKey(ctx, memorial.id)
  const networksKey = key && `${browser} ${key}`
  await requireRateLimitOnce(ctx, 'visitorMessages', browser, key)
  const { dayFull } = messages.visitors
  await requireRateLimitOnce(ctx, 'visitorMessagesADay', network, networksKey, dayFull)
  if (!(await isBurst(ctx, memorial.id))) {
    await limitComments(ctx, own ?? { id: browser, inviteToken: visitorsLink(memorial.id) }, key)
    return false
  }
  const { burst } = messages.visitors
  await requireRateLimitOnce(ctx, 'unprovenMessages', browser, key, burst)
  await requireRateLimitOnce(ctx, 'unprovenOfNetwork', network, networksKey, burst)
  await requireRateLimitOnce(ctx, 'unprovenOfMemorial', memorial.id, networksKey, burst)
  return true
}

/** After a proof of work browser and network may leave further messages: it is somebody's. */
export async function forgetUnproven(ctx: RequestCtx, memorialId: string): Promise<void> {
  await clearRateLimit(ctx, 'unprovenMessages', unknownBrowser(ctx, memorialId))
  await clearRateLimit(ctx, 'unprovenOfNetwork', networkKey(ctx, memorialId))
}

async function isBurst(ctx: RequestCtx, memorialId: string): Promise<boolean> {
  const waits = await Promise.all([
    countRateLimit(ctx, 'visitorBurst', memorialId),
    countRateLimit(ctx, 'visitorBurstADay', memorialId),
    countRateLimit(ctx, 'visitorBurstOfNetwork', networkHash(ctx, networkOf(ctx.ip, 3))),
  ])
  return waits.some((waitSec) => waitSec > 0)
}

function networkKey(ctx: RequestCtx, memorialId: string): string {
  // What one customer can rent.
  return `${memorialId} ${networkHash(ctx, networkOf(ctx.ip, 3))}`
}
