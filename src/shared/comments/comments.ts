import * as z from 'zod/mini'
import type { HoldReason } from '../removal/held.ts'
import { COMMENT_BODY, DISPLAY_NAME, RELATION } from '../fields.ts'
import type { VisitorMessages } from '../memorials/memorials.ts'
import { emailAddress, text } from '../text.ts'

export const postCommentInput = z.object({
  body: text(COMMENT_BODY),
  contributorToken: z.optional(z.string()),
})
/** A message from a visitor of the public page. */
export const visitorMessageInput = z.object({
  name: text(DISPLAY_NAME),
  relation: z.optional(text(RELATION)),
  body: text(COMMENT_BODY),
  /** For a link by which they take their words back later. */
  email: z.optional(z.union([z.literal(''), emailAddress()])),
})
/** A proof of work for a message that was held in a burst: `isProof`. */
export const proofInput = z.object({ nonce: z.string().check(z.maxLength(20)) })
export type VisitorMessageInput = z.output<typeof visitorMessageInput>

export const thankInput = z.object({ isThanked: z.boolean() })

export const commentsQuery = z.object({ cursor: z.optional(z.string()), invite: z.optional(z.string()) })

export type Comment = {
  id: string
  /** Plain text with line breaks; never HTML. */
  body: string
  createdAt: string
  /** Real ids for the author and for people who may edit; pseudonymous ids for everyone else. */
  authorUserId: string | null
  authorContributorId: string | null
  authorName: string
  isOwner: boolean
  /** How a visitor of the public page says they knew the person. */
  visitorRelation?: string
  /** For editors: from a visitor of the public page, without an invitation. */
  isFromVisitor?: true
  likeCount: number
  likedByMe: boolean
  canDelete: boolean
  /** Only its author, the family and admins see it, until the family shows it. */
  isHeld?: true
  /** For the family and admins: what a rule found, so that they know before they read. */
  heldReason?: HoldReason
  /** The family has marked it with its thanks. */
  isThanked?: true
}
/** A public memorial, and what this browser has left there, newest first. */
export type VisitorWords = {
  memorial: { id: string; slug: string; honoureeFullName: string; visitorMessages: VisitorMessages }
  comments: Comment[]
  /** Ids of those that need a proof of work, because many came at once. */
  unproven: string[]
}
export type CommentPage = { comments: Comment[]; nextCursor: string | null }
export type CommentLikes = { likeCount: number; likedByMe: boolean }
