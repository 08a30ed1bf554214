import * as z from 'zod/mini'
import type { Comment } from './comments.ts'
import { HELD_SHOWN_MAX } from './limits.ts'
import type { Media } from './media.ts'

/**
 * Why something is held. WAITING: until the family has looked. MAY_HURT: a rule or reports hold it ({@link HOLD_REASONS}). DECLINED: the
 * family doesn't want it; deleted after 30 days. BLOCKED: its sender was blocked while it was shown. BLOCKED_UNREAD: the same, before
 * the family had looked.
 */
export const HELD_AS = ['WAITING', 'MAY_HURT', 'DECLINED', 'BLOCKED', 'BLOCKED_UNREAD'] as const

/** What a rule found: DEVICE is a phone like one that the family blocked, REPORTS means that three people reported it. */
export const HOLD_REASONS = [
  'WORDS',
  'LINK',
  'CONTACT',
  'SHOUTING',
  'REPEATED',
  'BURST',
  'DEVICE',
  'REPORTS',
] as const
export type HoldReason = (typeof HOLD_REASONS)[number]

/** Ids of media items and comments; without them, everything that is held. */
export const showHeldInput = z.object({
  ids: z.optional(z.array(z.string()).check(z.minLength(1), z.maxLength(HELD_SHOWN_MAX))),
})

/** What waits for an editor: the newest of each, and how many there are of both. */
export type HeldItems = { media: Media[]; comments: Comment[]; count: number }
