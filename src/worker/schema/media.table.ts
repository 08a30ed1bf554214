import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { HELD_AS, HOLD_REASONS } from '#shared/removal/held.ts'
import { MEDIA_TYPES } from '#shared/media/media-types.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { sql } from 'drizzle-orm'

/**
 * Triggers on `media` that maintain `memorial_storage`: an insert adds the file to its memorial's row, a delete subtracts
 * it (and deletes the row with the last file), and an update of `size` adjusts the bytes.
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
    /** Null when the owner added it. */
    contributorId: text('contributor_id').references(() => contributors.id),
    type: text({ enum: MEDIA_TYPES }).notNull(),
    /** Detected from the leading bytes, never from the name or a header. */
    mimeType: text('mime_type').notNull(),
    size: integer().notNull(),
    width: integer(),
    height: integer(),
    durationSec: real('duration_sec'),
    originalFileName: text('original_file_name').notNull(),
    caption: text(),
    alt: text(),
    /** WebP in base64, about 150 bytes; in older rows a data URI. Null without an image. `toPlaceholder` reads both. */
    placeholder: text(),
    /** R2 key of the original. Variants are stored under it: `{key}/w320.webp`. */
    objectKey: text('object_key').notNull(),
    /** For a video: the prefix of its poster's variants. */
    posterKey: text('poster_key'),
    hasThumbnail: integer('has_thumbnail', { mode: 'boolean' }).notNull().default(false),
    /** Only its contributor and approvers see it: `isVisibleTo`. */
    isHeld: integer('is_held', { mode: 'boolean' }).notNull().default(false),
    /** Why, while it is held. */
    heldAs: text('held_as', { enum: HELD_AS }).notNull().default('WAITING'),
    /** What a rule found in it; null for nothing. */
    heldReason: text('held_reason', { enum: HOLD_REASONS }),
    /** When an approver showed or declined it, for 30 days: so long the decision can be undone. */
    decidedAt: integer('decided_at'),
    /** When its contributor last changed its words or its poster; null if never. */
    changedAt: integer('changed_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('media_memorial').on(t.memorialId, t.createdAt, t.id),
    // Begins with the contributor, so that it also finds what refers to one who is deleted.
    index('media_person').on(t.contributorId, t.memorialId, t.createdAt, t.id),
    // What the family sees in its place: `isVisibleTo` says the same. Held items can be many more than the others.
    index('media_listed')
      .on(t.memorialId, t.createdAt, t.id, t.isHeld)
      .where(sql`(${t.isHeld} = 0 or ${t.heldAs} = 'WAITING')`),
    index('media_held')
      .on(t.memorialId, t.heldAs, t.heldReason, t.createdAt, t.id)
      .where(sql`${t.isHeld} = 1`),
    index('media_decided')
      .on(t.memorialId, t.decidedAt, t.id)
      .where(sql`${t.decidedAt} is not null`),
    index('media_decided_at')
      .on(t.decidedAt)
      .where(sql`${t.decidedAt} is not null`),
    // For the console's counts by day.
    index('media_created').on(t.createdAt),
  ],
)

/** Bytes of originals and number of files per memorial, removed ones included. Only triggers write it: {@link MEDIA_TRIGGERS}, and those of `removed_items`. */
export const memorialStorage = sqliteTable(
  'memorial_storage',
  {
    memorialId: text('memorial_id').primaryKey(),
    bytes: integer().notNull(),
    files: integer().notNull(),
  },
  (t) => [index('memorial_storage_bytes').on(t.bytes)],
)

/** Objects to delete. Written in the batch that deletes their row and drained by a job, so that a crash leaves no orphans. */
export const objectDeletions = sqliteTable(
  'object_deletions',
  {
    /** Covers the R2 object with this key and all objects under `{prefix}/`. */
    prefix: text().primaryKey(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('object_deletions_created').on(t.createdAt)],
)

/**
 * Resumable uploads, from their creation until a day after their last chunk. The Durable Object `UploadStore` with the
 * same id counts the received bytes. No foreign keys: a row outlives its memorial until the sweep has deleted its objects.
 */
export const resumableUploads = sqliteTable(
  'resumable_uploads',
  {
    id: text().primaryKey(),
    memorialId: text('memorial_id').notNull(),
    /** Id of the media item that it will become. */
    mediaId: text('media_id').notNull(),
    /** User id of the owner, or contributor id; only this sender may resume it. */
    actorId: text('actor_id').notNull(),
    /** Null for the owner. */
    contributorId: text('contributor_id'),
    /** The key of its creation; a second creation with the same key returns this upload. */
    idempotencyKey: text('idempotency_key'),
    type: text({ enum: MEDIA_TYPES }).notNull(),
    fileName: text('file_name').notNull(),
    /** `Upload-Metadata` as sent. */
    metadata: text().notNull(),
    /** Bytes of the whole file. */
    length: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** When all bytes had arrived; null before. */
    arrivedAt: integer('arrived_at'),
    /** Lock of the request that turns it into a media item, until this time; null if unlocked. */
    finishingUntil: integer('finishing_until'),
    /** When it became a media item or was refused. */
    endedAt: integer('ended_at'),
    /** Why it was refused: an error code and a message. */
    refusalCode: text('refusal_code'),
    refusalMessage: text('refusal_message'),
  },
  (t) => [
    uniqueIndex('resumable_uploads_key').on(t.actorId, t.idempotencyKey),
    index('resumable_uploads_expires').on(t.expiresAt),
    index('resumable_uploads_arrived').on(t.arrivedAt),
    index('resumable_uploads_memorial').on(t.memorialId),
    index('resumable_uploads_media').on(t.mediaId),
    index('resumable_uploads_open')
      .on(t.length)
      .where(sql`${t.endedAt} is null`),
  ],
)
