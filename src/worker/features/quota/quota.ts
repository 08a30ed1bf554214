import { AppError } from '#shared/errors.ts'
import type { ContributorQuotas } from '#shared/invites.ts'
import { CONTRIBUTOR_QUOTA } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import type { Lease, MemorialQuota, QuotaItem, QuotaLimit } from '#worker/features/quota/quota.do.ts'

const LIMIT_MESSAGES: Record<QuotaLimit, string> = {
  contributor_IMAGE: messages.media.quotaImages,
  contributor_VIDEO: messages.media.quotaVideo,
  contributor_AUDIO: messages.media.quotaAudio,
  memorial_IMAGE: messages.media.quotaMemorialImages,
  memorial_VIDEO: messages.media.quotaMemorialVideo,
  memorial_AUDIO: messages.media.quotaMemorialAudio,
  memorial_bytes: messages.media.quotaMemorialBytes,
  draft_bytes: messages.media.quotaDraftBytes,
}

function quotaOf(ctx: Ctx, memorialId: string) {
  return (ctx.env.QUOTA as DurableObjectNamespace<MemorialQuota>).getByName(memorialId)
}

/** Reserves quota before the first byte. Throws `quota_exceeded` naming the limit. Idempotent by media id. */
export async function reserveQuota(
  ctx: Ctx,
  memorialId: string,
  item: QuotaItem,
  lease: Lease = 'request',
): Promise<void> {
  throwIfExceeded(await quotaOf(ctx, memorialId).reserve(item, lease))
}

/** Commits an item whose row exists. Throws `quota_exceeded` if its reservation is gone and the quota is full. */
export async function commitQuota(ctx: Ctx, memorialId: string, item: QuotaItem): Promise<void> {
  throwIfExceeded(await quotaOf(ctx, memorialId).commit(item))
}

/** Releases the quota of an item that failed or was deleted for good. Idempotent. */
export async function releaseQuota(ctx: Ctx, memorialId: string, mediaId: string): Promise<void> {
  await quotaOf(ctx, memorialId).release(mediaId)
}

/** Counts an item as D1 has it now: on the memorial, removed, or not at all. */
export async function settleQuota(ctx: Ctx, memorialId: string, mediaId: string): Promise<void> {
  await quotaOf(ctx, memorialId).settle(mediaId)
}

/** Deletes the counter of a purged memorial. Idempotent. */
export async function deleteQuota(ctx: Ctx, memorialId: string): Promise<void> {
  await quotaOf(ctx, memorialId).forget()
}

/** What a contributor may add and has used, including uploads in progress. Durations are in seconds. */
export async function readContributorQuotas(
  ctx: Ctx,
  memorialId: string,
  contributorId: string,
): Promise<ContributorQuotas> {
  const use = await quotaOf(ctx, memorialId).use(contributorId)
  return {
    images: { ...CONTRIBUTOR_QUOTA.images, used: use.IMAGE.count },
    video: { ...CONTRIBUTOR_QUOTA.video, used: use.VIDEO.count, usedDurationSec: use.VIDEO.durationSec },
    audio: { ...CONTRIBUTOR_QUOTA.audio, used: use.AUDIO.count, usedDurationSec: use.AUDIO.durationSec },
  }
}

function throwIfExceeded(limit: QuotaLimit | null): void {
  if (limit) throw new AppError('quota_exceeded', LIMIT_MESSAGES[limit])
}
