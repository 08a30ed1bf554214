import * as z from 'zod/mini'
import type { Comment } from '../comments/comments.ts'
import type { LetInRequest } from '../invites/let-in.ts'
import { HELD_SHOWN_MAX } from '../limits.ts'
import type { Media } from '../media/media.ts'

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

const ids = z.array(z.string()).check(z.minLength(1), z.maxLength(HELD_SHOWN_MAX))
/**
 * What a decision is about: these media items and comments, or everything that waits, or of it what one person added. With `reason`,
 * what this rule holds instead of what waits. With `asOf`, nothing that came or changed after that: nobody decides about what they
 * haven't seen.
 */
export const heldInput = z.object({
  ids: z.optional(ids),
  contributorId: z.optional(z.string()),
  reason: z.optional(z.enum(HOLD_REASONS)),
  asOf: z.optional(z.iso.datetime()),
})
export type HeldInput = z.output<typeof heldInput>
/** Which decisions to undo: those about these items, or all that one press of a button decided, by its `decidedAt`. */
export const undoHeldInput = z
  .object({ ids: z.optional(ids), decidedAt: z.optional(z.iso.datetime()) })
  .check(z.refine((input) => input.ids !== undefined || input.decidedAt !== undefined))
export type UndoHeldInput = z.output<typeof undoHeldInput>
/** `reason`: list what this rule holds in full, not only the newest. */
export const listHeldQuery = z.object({ reason: z.optional(z.enum(HOLD_REASONS)) })
export const decidedQuery = z.object({ cursor: z.optional(z.string()) })

/** `contributorId` is null for the owner. */
export type HeldMedia = Media & { contributorId: string | null }
type Items = { media: HeldMedia[]; comments: Comment[] }
/** What one rule holds: the newest of each, and how many there are of both. */
export type HeldGroup = Items & { reason: HoldReason; count: number }
/**
 * What waits for the family: the newest of each, and how many there are of both; apart from it, what may hurt to read. `hasDecided`: there
 * are decisions that can still be undone. `asOf`: when this was so.
 */
export type HeldItems = Items & {
  count: number
  mayHurt: HeldGroup[]
  /** Who asks to be let in, whoever asked first first. */
  asking: LetInRequest[]
  hasDecided: boolean
  asOf: string
}
/** When a press of a button decided: it undoes all that it decided. */
export type Decided = { decidedAt: string }
/** An item whose decision can still be undone. Declined items are held, the others shown. */
export type Decision = Decided & { isDeclined: boolean }
/** Newest decision first within each list. */
export type DecidedPage = {
  media: (Media & Decision)[]
  comments: (Comment & Decision)[]
  nextCursor: string | null
}
