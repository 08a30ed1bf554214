import { eq, type SQL } from 'drizzle-orm'
import { MEDIA_NOUN, type Media } from '#shared/media.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { media } from '#worker/schema/media.table.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'

/** A media item and the name of its contributor, null for the owner's items. */
export type MediaRow = typeof media.$inferSelect & { contributorName: string | null }

/** The media item with this id in any memorial, or null. The caller must check access to its memorial. */
export async function findMediaRow(ctx: Ctx, id: string): Promise<MediaRow | null> {
  const [found] = await selectMediaRow(ctx, id)
  return found ? toMediaRow(found) : null
}

/** Converts a result of {@link selectMediaRow}. */
export function toMediaRow({
  row,
  contributorName,
}: {
  row: typeof media.$inferSelect
  contributorName: string | null
}): MediaRow {
  return { ...row, contributorName }
}

/** Statement: the placeholder of a media item; no row for null. */
export function selectPlaceholder(ctx: Ctx, id: string | SQL | null) {
  return ctx.db
    .select({ placeholder: media.placeholder })
    .from(media)
    .where(eq(media.id, id ?? ''))
}

/** Like {@link findMediaRow}, but a statement for a batch. */
export function selectMediaRow(ctx: Ctx, id: string) {
  return ctx.db
    .select({ row: media, contributorName: contributors.displayName })
    .from(media)
    .leftJoin(contributors, eq(contributors.id, media.contributorId))
    .where(eq(media.id, id))
}

const EXTENSION: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'video/x-msvideo': 'avi',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/aac': 'aac',
  'audio/wav': 'wav',
  'audio/ogg': 'ogg',
}

/**
 * The file name for this viewer. Names from cameras can contain date and location, so only editors and the sender see the
 * original one; others get `photo-k7q2mx.jpg`.
 */
export function fileNameFor(row: typeof media.$inferSelect, access: MemorialAccess): string {
  const isOwn = row.contributorId !== null && row.contributorId === access.contributor?.id
  if (access.access.canEdit || isOwn) return row.originalFileName
  return publicFileName(row)
}

/** The public file name, which reveals only the type. */
export function publicFileName(row: typeof media.$inferSelect): string {
  return `${MEDIA_NOUN[row.type]}-${row.id.slice(-6)}.${fileEnding(row.mimeType)}`
}

/** The file extension for a MIME type, for example `jpg` for `image/jpeg`. */
export function fileEnding(mimeType: string): string {
  return EXTENSION[mimeType] ?? 'bin'
}

/** Converts a row to its API shape for this viewer. */
export function toMedia(row: MediaRow, access: MemorialAccess): Media {
  return {
    id: row.id,
    type: row.type,
    mimeType: row.mimeType,
    size: row.size,
    width: row.width,
    height: row.height,
    durationSec: row.durationSec,
    originalFileName: fileNameFor(row, access),
    caption: row.caption,
    alt: row.alt,
    thumbnailPath: row.hasThumbnail ? `/media/stream/${row.id}?thumbnail=1` : null,
    placeholder: row.placeholder,
    contributorName: row.contributorName,
    createdAt: new Date(row.createdAt).toISOString(),
    canDelete: access.access.refuseChange(row.contributorId) === null,
  }
}
