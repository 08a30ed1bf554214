import * as z from 'zod/mini'
import type { MediaType } from './media.ts'

export const removedQuery = z.object({ cursor: z.optional(z.string()), invite: z.optional(z.string()) })

/** A media item or message that somebody removed and may restore. */
export type RemovedItem = {
  /** Id of the media item or message. */
  id: string
  type: MediaType | 'MESSAGE'
  /** The message, or the caption; null without one. */
  text: string | null
  /** Path of the thumbnail, or null. */
  thumbnailPath: string | null
  placeholder: string | null
  /** Who added it; null for the owner. */
  contributorName: string | null
  removedAt: string
  /** Then it is deleted for good. */
  restorableUntil: string
}
/** Last removed first. */
export type RemovedPage = { items: RemovedItem[]; nextCursor: string | null }
