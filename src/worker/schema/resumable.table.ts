import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { MEDIA_TYPES } from '#shared/media.ts'

/**
 * Resumable uploads, from their creation until a day after their last chunk. Who sends what is here; how many bytes have
 * arrived only the upload's own object knows (`UploadStore`, by the same id). No foreign keys: a row outlives its
 * memorial until the sweep has removed what it stored.
 */
export const resumableUploads = sqliteTable(
  'resumable_uploads',
  {
    id: text().primaryKey(),
    memorialId: text('memorial_id').notNull(),
    /** The media item that it becomes. */
    mediaId: text('media_id').notNull(),
    /** User id of the owner, or contributor id: nobody else may resume it. */
    actorId: text('actor_id').notNull(),
    /** Null: the owner's. */
    contributorId: text('contributor_id'),
    /** The key it was created with: creating again with the same one finds it. */
    idempotencyKey: text('idempotency_key'),
    type: text({ enum: MEDIA_TYPES }).notNull(),
    fileName: text('file_name').notNull(),
    /** `Upload-Metadata` as the sender wrote it. */
    metadata: text().notNull(),
    /** Bytes of the whole file. */
    length: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** All bytes have arrived; null before. */
    arrivedAt: integer('arrived_at'),
    /** A request that makes a media item of it holds a lock until then; null where none does. */
    finishingUntil: integer('finishing_until'),
    /** It is a media item now, or was refused. */
    endedAt: integer('ended_at'),
    /** Why it was refused: an error code, and words. */
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
