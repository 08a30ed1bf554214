import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
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
    /** Only its author and editors see it: `isVisibleTo`. */
    isHeld: integer('is_held', { mode: 'boolean' }).notNull().default(false),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('comments_memorial').on(t.memorialId, t.createdAt, t.id),
    index('comments_created').on(t.createdAt),
    index('comments_contributor').on(t.authorContributorId),
    index('comments_user').on(t.authorUserId),
    index('comments_held')
      .on(t.memorialId, t.createdAt, t.id)
      .where(sql`${t.isHeld} = 1`),
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
