import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { MEDIA_TYPES } from '#shared/media.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/**
 * Triggers on `media`, which keep `memorial_storage`: an insert adds the file to its memorial's row, a delete takes it out
 * (and drops the row with its last file), and a change of `size` changes the bytes.
 */
export const MEDIA_TRIGGERS = ['media_stored', 'media_removed', 'media_resized'] as const

/** A row exists only while its object is whole in R2. Has {@link MEDIA_TRIGGERS}. */
export const media = sqliteTable(
  'media',
  {
    id: text().primaryKey(),
    memorialId: text('memorial_id')
      .notNull()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    /** Null when the owner (or an admin) added it. */
    contributorId: text('contributor_id').references(() => contributors.id),
    type: text({ enum: MEDIA_TYPES }).notNull(),
    /** By the leading bytes, never by name or header. */
    mimeType: text('mime_type').notNull(),
    size: integer().notNull(),
    width: integer(),
    height: integer(),
    durationSec: real('duration_sec'),
    originalFileName: text('original_file_name').notNull(),
    caption: text(),
    alt: text(),
    /** A data URI of some 200 bytes; null where there is no picture. */
    placeholder: text(),
    /** R2 key of the original. Variants lie beside it: `{key}/w320.webp`. */
    objectKey: text('object_key').notNull(),
    /** Of a video: the prefix below which the sizes of its poster lie. */
    posterKey: text('poster_key'),
    hasThumbnail: integer('has_thumbnail', { mode: 'boolean' }).notNull().default(false),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('media_memorial').on(t.memorialId, t.createdAt, t.id),
    index('media_contributor').on(t.contributorId),
  ],
)

/**
 * How much each memorial that has files stores: the bytes of its originals and the number of its files. The triggers on
 * `media` in {@link MEDIA_TRIGGERS} write it, code never does.
 */
export const memorialStorage = sqliteTable(
  'memorial_storage',
  {
    memorialId: text('memorial_id').primaryKey(),
    bytes: integer().notNull(),
    files: integer().notNull(),
  },
  (t) => [index('memorial_storage_bytes').on(t.bytes)],
)

/** Objects that must go: written with the row's removal, drained by a job, so that no crash leaves an orphan. */
export const objectDeletions = sqliteTable(
  'object_deletions',
  {
    /** Every R2 object whose key is this or starts with it and `/`. */
    prefix: text().primaryKey(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('object_deletions_created').on(t.createdAt)],
)
