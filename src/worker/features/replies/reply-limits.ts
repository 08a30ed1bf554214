import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import { networkOf } from '#worker/access/guards.ts'
import { networkHash, unknownBrowser } from '#worker/access/pepper.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { requireRateLimitOnce } from '#worker/platform/rate-limiter.ts'

/**
 * Counts one reply that is sent or changed, and the mail that it causes, or throws `too_many_requests`. Repeats of one key count once. `isMailed`: an
 * address that nobody has confirmed gets a mail.
 */
export async function limitReplies(
  ctx: RequestCtx,
  memorialId: string,
  key: string | null,
  isMailed: boolean,
): Promise<void> {
  const browser = unknownBrowser(ctx, memorialId)
  const network = networkHash(ctx, networkOf(ctx.ip, 3))
  const othersKey = key && `${browser} ${key}`
  const { dayFull, addressesFull } = replyMessages
  await requireRateLimitOnce(ctx, 'replies', browser, key)
  if (isMailed) await requireRateLimitOnce(ctx, 'repliesWithAddress', network, othersKey, addressesFull)
  await requireRateLimitOnce(ctx, 'repliesADay', `${memorialId} ${network}`, othersKey, dayFull)
  await requireRateLimitOnce(ctx, 'repliesOfMemorial', memorialId, othersKey, dayFull)
}
