import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { comments } from '#worker/schema/comments.table.ts'
import type { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

type RemovedRow = Partial<typeof media.$inferSelect & typeof comments.$inferSelect>

/** Triggers on `removed_items` that keep removed files in `memorial_storage`: their objects are still stored. */
export const REMOVED_TRIGGERS = ['removed_kept', 'removed_purged'] as const

/**
 * Media items and comments that were removed and can be restored for 30 days: each row has left its own table, so that no
 * other query finds it (docs/decisions/0046). Has {@link REMOVED_TRIGGERS}.
 */
export const removedItems = sqliteTable(
  'removed_items',
  {
    /** Id of the media item or comment. */
    id: text().primaryKey(),
    memorialId: text('memorial_id')
      .notNull()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    /** Who added it; null for the owner. */
    contributorId: text('contributor_id'),
    /** User id or contributor id of whoever removed it. */
    removedBy: text('removed_by').notNull(),
    /** An admin removed it, so only an admin may restore it. */
    isByAdmin: integer('is_by_admin', { mode: 'boolean' }).notNull(),
    /** Of a media item: the key of its original, and its bytes. Null and 0 for a comment. */
    objectKey: text('object_key'),
    bytes: integer().notNull(),
    /** Whether it was the memorial's cover, its portrait. */
    wasCover: integer('was_cover', { mode: 'boolean' }).notNull(),
    wasPortrait: integer('was_portrait', { mode: 'boolean' }).notNull(),
    /** Id of the call that removed it together with others; null if it was removed alone. */
    removalId: text('removal_id'),
    /** The row as it was, by the names of the columns in TypeScript; booleans are 0 or 1, and a null may be left out. */
    item: text({ mode: 'json' }).$type<RemovedRow>().notNull(),
    /** Likes of a comment: `likedBy` and `createdAt` of each. */
    likes: text({ mode: 'json' }).$type<[string, number][]>().notNull(),
    removedAt: integer('removed_at').notNull(),
  },
  (t) => [
    index('removed_items_memorial').on(t.memorialId, t.removedAt, t.id),
    index('removed_items_contributor').on(t.contributorId, t.removedAt, t.id),
    index('removed_items_removal')
      .on(t.memorialId, t.removalId, t.removedAt)
      .where(sql`${t.removalId} is not null`),
    index('removed_items_removed').on(t.removedAt, t.id),
  ],
)
