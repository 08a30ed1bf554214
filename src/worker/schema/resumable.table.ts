import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { MEDIA_TYPES } from '#shared/media.ts'

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
