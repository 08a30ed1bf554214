import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { HELD_AS, HOLD_REASONS } from '#shared/removal/held.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

export const comments = sqliteTable(
  'comments',
  {
    id: text().primaryKey(),
    memorialId: text('memorial_id')
      .notNull()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    body: text().notNull(),
    /** Exactly one of the two authors is set. */
    authorUserId: text('author_user_id').references(() => users.id),
    authorContributorId: text('author_contributor_id').references(() => contributors.id),
    /** The name that a visitor gave for this message, and how they knew the person; null for everybody else. */
    visitorName: text('visitor_name'),
    visitorRelation: text('visitor_relation'),
    likeCount: integer('like_count').notNull().default(0),
    /** Only its author and approvers see it: `isVisibleTo`. */
    isHeld: integer('is_held', { mode: 'boolean' }).notNull().default(false),
    /** Why, while it is held. */
    heldAs: text('held_as', { enum: HELD_AS }).notNull().default('WAITING'),
    /** What a rule found in it; null for nothing. */
    heldReason: text('held_reason', { enum: HOLD_REASONS }),
    /** When an approver showed or declined it, for 30 days: so long the decision can be undone. */
    decidedAt: integer('decided_at'),
    /** When the family marked it with its thanks; null if they didn't. */
    thankedAt: integer('thanked_at'),
    /** Hash of a visitor's longer words, to find the same in other memorials; null for everything else. */
    wordsHash: text('words_hash'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('comments_memorial').on(t.memorialId, t.createdAt, t.id),
    index('comments_created').on(t.createdAt),
    index('comments_contributor').on(t.authorContributorId),
    index('comments_user').on(t.authorUserId),
    // What the family sees in its place: `isVisibleTo` says the same. Held items can be many more than the others.
    index('comments_listed')
      .on(t.memorialId, t.createdAt, t.id, t.isHeld)
      .where(sql`(${t.isHeld} = 0 or ${t.heldAs} = 'WAITING')`),
    index('comments_held')
      .on(t.memorialId, t.heldAs, t.heldReason, t.createdAt, t.id)
      .where(sql`${t.isHeld} = 1`),
    index('comments_decided')
      .on(t.memorialId, t.decidedAt, t.id)
      .where(sql`${t.decidedAt} is not null`),
    index('comments_decided_at')
      .on(t.decidedAt)
      .where(sql`${t.decidedAt} is not null`),
    index('comments_words')
      .on(t.wordsHash, t.createdAt)
      .where(sql`${t.wordsHash} is not null`),
  ],
)

export const commentLikes = sqliteTable(
  'comment_likes',
  {
    commentId: text('comment_id')
      .notNull()
      .references(() => comments.id, { onDelete: 'cascade' }),
    /** User id or contributor id. */
    likedBy: text('liked_by').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.commentId, t.likedBy] }), index('comment_likes_by').on(t.likedBy)],
)
