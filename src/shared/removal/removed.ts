import * as z from 'zod/mini'
import type { Comment } from '../comments/comments.ts'
import type { Media, MediaCounts } from '../media/media.ts'
import { messages } from '../messages.ts'

export const removedQuery = z.object({
  cursor: z.optional(z.string()),
  /** Id of a bulk removal: returns what it removed. Without it, what was removed one by one. */
  removal: z.optional(z.string()),
  invite: z.optional(z.string()),
})
/** Everything that one contributor added, or everything that came by one link since an instant. */
export const removeAddedInput = z
  .object({
    contributorId: z.optional(z.string()),
    since: z.optional(z.string().check(z.refine((value) => !Number.isNaN(Date.parse(value))))),
    /** A `linkId` of the list of contributors; without it, the link that works now. */
    linkId: z.optional(z.string()),
  })
  .check(
    z.refine(({ contributorId, since }) => (contributorId === undefined) !== (since === undefined), {
      error: messages.form.checkFields,
    }),
  )
export type RemoveAddedInput = z.output<typeof removeAddedInput>
/** `forever=1`: deletes for good what is removed or shown. */
export const deleteQuery = z.object({ forever: z.optional(z.literal('1')) })

/** When an item was removed, and until when it can be restored. */
export type Removal = { removedAt: string; restorableUntil: string }
/** Numbers of media items by type, and of comments. */
export type AddedCounts = MediaCounts & { comments: number }
/** What one call removed together, as far as it can still be restored. */
export type BulkRemoval = Removal & {
  id: string
  /** Who added it all; null if several people did. */
  contributorName: string | null
  /** A rule finds something in the name, which screens fold. */
  mayNameHurt?: true
  removed: AddedCounts
}
/** `left`: how many have no place in a quota and stay removed. */
export type BulkRestored = { restored: number; left: number }
/** Last removed first; a page holds the newest of both together. */
export type RemovedPage = {
  /** `thumbnailPath` leads to the thumbnail for those who may restore it. */
  media: (Media & Removal)[]
  comments: (Comment & Removal)[]
  /** Newest first. Only on the first page, only for editors, and only without `removal`; else empty. */
  removals: BulkRemoval[]
  nextCursor: string | null
}
