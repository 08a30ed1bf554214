import { messages } from '#shared/messages.ts'
import { networkOf } from '#worker/access/guards.ts'
import { visitorsLink, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { networkHash, unknownBrowser } from '#worker/access/pepper.ts'
import { limitComments } from '#worker/features/comments/post-comment.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { clearRateLimit, countForNow, requireRateLimitOnce } from '#worker/platform/rate-limiter.ts'

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
  const { isBurst, undo } = await countBurst(ctx, memorial.id)
  try {
    if (!isBurst) {
      await limitComments(ctx, own ?? { id: browser, inviteToken: visitorsLink(memorial.id) }, key)
      return false
    }
    const { burst } = messages.visitors
    await requireRateLimitOnce(ctx, 'unprovenMessages', browser, key, burst)
    await requireRateLimitOnce(ctx, 'unprovenOfNetwork', network, networksKey, burst)
    // prove: unproven-of-range
    await requireRateLimitOnce(ctx, 'unprovenOfRange', rangeKey(ctx, memorial.id), networksKey, burst)
    await requireRateLimitOnce(ctx, 'unprovenOfMemorial', memorial.id, networksKey, burst)
    return true
  } catch (error) {
    // prove: refused-is-no-burst
    await undo()
    throw error
  }
}

/** After a proof of work browser, network and range may leave further messages: it is somebody's. */
export async function forgetUnproven(ctx: RequestCtx, memorialId: string): Promise<void> {
  await clearRateLimit(ctx, 'unprovenMessages', unknownBrowser(ctx, memorialId))
  await clearRateLimit(ctx, 'unprovenOfNetwork', networkKey(ctx, memorialId))
  await clearRateLimit(ctx, 'unprovenOfRange', rangeKey(ctx, memorialId))
}

type Burst = { isBurst: boolean; undo: () => Promise<void> }

/**
 * Counts a message, unless `undo` says that it was refused. One network is in a burst by itself, and then doesn't count for the memorial: nobody
 * alone changes what others meet there.
 */
async function countBurst(ctx: RequestCtx, memorialId: string): Promise<Burst> {
  const network = networkHash(ctx, networkOf(ctx.ip, 3))
  const ofNetwork = [
    await countForNow(ctx, 'visitorBurstOfNetwork', network),
    await countForNow(ctx, 'visitorBurstOfNetworkADay', network),
  ]
  // prove: burst-of-one-network
  if (isReached(ofNetwork)) return { isBurst: true, undo: () => undoAll(ofNetwork) }
  const all = [
    ...ofNetwork,
    ...(await Promise.all([
      countForNow(ctx, 'visitorBurst', memorialId),
      countForNow(ctx, 'visitorBurstADay', memorialId),
    ])),
  ]
  return { isBurst: isReached(all), undo: () => undoAll(all) }
}

type Counted = Awaited<ReturnType<typeof countForNow>>

function isReached(counted: Counted[]): boolean {
  return counted.some(({ waitSec }) => waitSec > 0)
}

async function undoAll(counted: Counted[]): Promise<void> {
  await Promise.all(counted.map(({ undo }) => undo()))
}

function networkKey(ctx: RequestCtx, memorialId: string): string {
  // What one customer can rent.
  return `${memorialId} ${networkHash(ctx, networkOf(ctx.ip, 3))}`
}

/** An IPv4 address without its last part; of IPv6 what {@link networkKey} counts. */
function rangeKey(ctx: RequestCtx, memorialId: string): string {
  return `${memorialId} ${networkHash(ctx, networkOf(ctx.ip, 3).replace(/\.\d+$/u, ''))}`
}
