import * as z from 'zod/mini'
import { COMMENT_BODY } from './fields.ts'
import { text } from './text.ts'

export const postCommentInput = z.object({
  body: text(COMMENT_BODY),
  contributorToken: z.optional(z.string()),
})
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
  likeCount: number
  likedByMe: boolean
  canDelete: boolean
  /** Only its author and editors see it, until the family shows it. */
  isHeld?: true
}
export type CommentPage = { comments: Comment[]; nextCursor: string | null }
export type CommentLikes = { likeCount: number; likedByMe: boolean }
