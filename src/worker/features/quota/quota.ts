import { and, eq, isNotNull, isNull, not, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { ContributorQuotas } from '#shared/invites/invites.ts'
import { CONTRIBUTOR_QUOTA } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import type { Lease, MemorialQuota } from '#worker/features/quota/quota.do.ts'
import type { QuotaItem, QuotaLimit } from '#worker/features/quota/quota-limits.ts'
import { hashToken } from '#worker/platform/random.ts'
import { acceptsContributor } from '#worker/access/memorial-access.ts'
import { existsIn } from '#worker/platform/db.ts'
import { resumableUploads } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

const LIMIT_MESSAGES: Record<QuotaLimit, string> = {
  contributor_IMAGE: messages.media.quotaImages,
  contributor_VIDEO: messages.media.quotaVideo,
  contributor_AUDIO: messages.media.quotaAudio,
  memorial_IMAGE: serverMessages.media.quotaMemorialImages,
  memorial_VIDEO: serverMessages.media.quotaMemorialVideo,
  memorial_AUDIO: serverMessages.media.quotaMemorialAudio,
  memorial_bytes: serverMessages.media.quotaMemorialBytes,
  sending_IMAGE: messages.media.beingSent.IMAGE,
  sending_VIDEO: messages.media.beingSent.VIDEO,
  sending_AUDIO: messages.media.beingSent.AUDIO,
  sending_bytes: messages.media.beingSent.bytes,
  draft_bytes: messages.media.quotaDraftBytes,
}

function quotaOf(ctx: Ctx, memorialId: string) {
  return (ctx.env.QUOTA as DurableObjectNamespace<MemorialQuota>).getByName(memorialId)
}

/**
 * Reserves quota before the first byte, or extends a reservation. `inviteToken`: the invitation by which the file comes; its open
 * reservations have a limit of their own. Throws `quota_exceeded` naming the limit. Idempotent by media id.
 */
export async function reserveQuota(
  ctx: Ctx,
  memorialId: string,
  item: QuotaItem,
  { lease = 'request', inviteToken }: { lease?: Lease; inviteToken?: string | undefined } = {},
): Promise<void> {
  const link = inviteToken ? hashToken(inviteToken) : null
  throwIfExceeded(await quotaOf(ctx, memorialId).reserve(item, lease, link))
}

/**
 * Returns the statement that ends the open uploads of contributors who may not add to a memorial any more, after the change
 * in the same batch; `which`: a condition on the uploads. Their next chunk is refused, the hourly sweep deletes their bytes. Call {@link dropReservations} after it.
 */
export function expireClosedUploads(ctx: Ctx, which: SQL) {
  const { contributorId, endedAt, memorialId } = resumableUploads
  const mayAdd = existsIn(memorials, and(eq(memorials.id, memorialId), acceptsContributor(contributorId)))
  return ctx.db
    .update(resumableUploads)
    .set({ expiresAt: ctx.now() })
    .where(and(which, isNotNull(contributorId), isNull(endedAt), not(mayAdd)))
}

/** Frees what contributors have reserved. If that fails, the reservations expire: they count neither for the owner nor for the next link. */
export async function dropReservations(ctx: Ctx, memorialId: string): Promise<void> {
  try {
    await quotaOf(ctx, memorialId).dropContributors()
  } catch (error) {
    ctx.log.warn('reservations_not_dropped', { memorialId, reason: String(error) })
  }
}

/** Reserves quota for items that are restored together; returns the ids of those that have a place. */
export async function reserveEach(ctx: Ctx, memorialId: string, items: QuotaItem[]): Promise<string[]> {
  return items.length === 0 ? [] : quotaOf(ctx, memorialId).reserveEach(items)
}

/** Commits an item whose row exists. Throws `quota_exceeded` if its reservation is gone and the quota is full. */
export async function commitQuota(ctx: Ctx, memorialId: string, item: QuotaItem): Promise<void> {
  throwIfExceeded(await quotaOf(ctx, memorialId).commit(item))
}

/** Releases the quota of an item that failed or was deleted for good. Idempotent. */
export async function releaseQuota(ctx: Ctx, memorialId: string, mediaId: string): Promise<void> {
  await quotaOf(ctx, memorialId).release(mediaId)
}

/** Counts all items as D1 has them now, and these also if they were reserved. */
export async function settleQuota(ctx: Ctx, memorialId: string, ...mediaIds: string[]): Promise<void> {
  await quotaOf(ctx, memorialId).settle(mediaIds)
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
