import { replyMessages } from '#shared/gathering-messages.ts'
import { networkOf } from '#worker/access/guards.ts'
import { networkHash, unknownBrowser } from '#worker/access/pepper.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { requireRateLimitOnce } from '#worker/platform/rate-limiter.ts'

/** Counts one reply that is sent or changed, or throws `too_many_requests`. Repeats of one key count once. */
export async function limitReplies(ctx: RequestCtx, memorialId: string, key: string | null): Promise<void> {
  const browser = unknownBrowser(ctx, memorialId)
  const network = `${memorialId} ${networkHash(ctx, networkOf(ctx.ip, 3))}`
  const othersKey = key && `${browser} ${key}`
  const { dayFull } = replyMessages
  await requireRateLimitOnce(ctx, 'replies', browser, key)
  await requireRateLimitOnce(ctx, 'repliesADay', network, othersKey, dayFull)
  await requireRateLimitOnce(ctx, 'repliesOfMemorial', memorialId, othersKey, dayFull)
}
