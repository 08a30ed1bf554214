import * as z from 'zod/mini'
import type { Comment } from './comments.ts'
import type { Media } from './media.ts'

export const removedQuery = z.object({ cursor: z.optional(z.string()), invite: z.optional(z.string()) })
/** `forever=1`: deletes for good what is removed or shown. */
export const deleteQuery = z.object({ forever: z.optional(z.literal('1')) })

/** When an item was removed, and until when it can be restored. */
export type Removal = { removedAt: string; restorableUntil: string }
/** Last removed first; a page holds the newest of both together. */
export type RemovedPage = {
  /** `thumbnailPath` leads to the thumbnail for those who may restore it. */
  media: (Media & Removal)[]
  comments: (Comment & Removal)[]
  nextCursor: string | null
}
