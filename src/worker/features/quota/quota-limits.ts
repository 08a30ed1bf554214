import {
  CONTRIBUTOR_QUOTA,
  DRAFT_MAX_BYTES,
  LINK_RESERVATIONS_SHARE,
  MEMORIAL_QUOTA,
} from '#shared/limits.ts'
import type { MediaType } from '#shared/media/media-types.ts'

/** One media item as the quota counts it. For the owner, keepers and helpers (null) only the memorial's limits apply. */
export type QuotaItem = {
  mediaId: string
  type: MediaType
  contributorId: string | null
  bytes: number
  durationSec: number
}

/** `sending_…`: only files that are being sent take the rest, so there may be room again soon. */
export type QuotaLimit =
  | `contributor_${MediaType}`
  | `memorial_${MediaType}`
  | 'memorial_bytes'
  | `sending_${MediaType}`
  | 'sending_bytes'
  | 'draft_bytes'

/**
 * What there is besides the item in question: `own`, `held` and `sending` are numbers of items of its type, the others bytes.
 * `own`: by the same contributor. `held`: on the memorial, or removed and restorable. `owner`, `link`: on their way from the
 * owner, or by the same link.
 */
export type Occupancy = Record<'own' | 'held' | 'sending' | 'heldBytes' | 'ownerBytes' | 'linkBytes', number>

const CONTRIBUTOR_MAX: Record<MediaType, number> = {
  IMAGE: CONTRIBUTOR_QUOTA.images.max,
  VIDEO: CONTRIBUTOR_QUOTA.video.max,
  AUDIO: CONTRIBUTOR_QUOTA.audio.max,
}
const MEMORIAL_MAX: Record<MediaType, number> = {
  IMAGE: MEMORIAL_QUOTA.images,
  VIDEO: MEMORIAL_QUOTA.video,
  AUDIO: MEMORIAL_QUOTA.audio,
}

/**
 * The limit that the item would exceed, or null. What the memorial holds counts for everybody, and so do the files that the owner
 * is sending. Files that contributors are sending count only for others by the same `link`: a link closes a memorial neither to
 * its owner nor to the next link.
 */
export function exceededLimit(
  { type, contributorId, bytes }: QuotaItem,
  now: Occupancy,
  { isPaid, link }: { isPaid: boolean; link: string | null },
): QuotaLimit | null {
  if (contributorId !== null && now.own >= CONTRIBUTOR_MAX[type]) return `contributor_${type}`
  if (now.held >= MEMORIAL_MAX[type]) return `memorial_${type}`
  if (now.held + now.sending >= MEMORIAL_MAX[type]) return `sending_${type}`
  const free = MEMORIAL_QUOTA.bytes - now.heldBytes
  if (bytes > free) return 'memorial_bytes'
  if (!isPaid && now.heldBytes + now.ownerBytes + bytes > DRAFT_MAX_BYTES) return 'draft_bytes'
  const unreserved = free - now.ownerBytes
  if (bytes > unreserved) return 'sending_bytes'
  // One file always fits, also into the last gigabyte.
  const isOverShare = now.linkBytes + bytes > unreserved * LINK_RESERVATIONS_SHARE
  return link !== null && now.linkBytes > 0 && isOverShare ? 'sending_bytes' : null
}
