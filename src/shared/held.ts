import * as z from 'zod/mini'
import type { Comment } from './comments.ts'
import { HELD_SHOWN_MAX } from './limits.ts'
import type { Media } from './media.ts'

/** Ids of media items and comments; without them, everything that is held. */
export const showHeldInput = z.object({
  ids: z.optional(z.array(z.string()).check(z.minLength(1), z.maxLength(HELD_SHOWN_MAX))),
})

/** What waits for an editor: the newest of each, and how many there are of both. */
export type HeldItems = { media: Media[]; comments: Comment[]; count: number }
