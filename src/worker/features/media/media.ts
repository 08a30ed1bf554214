import { eq, type SQL } from 'drizzle-orm'
import { MEDIA_NOUN, type Media } from '#shared/media.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { media } from '#worker/schema/media.table.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'

/** A media item and the name of the contributor who added it, null for the owner's own. */
export type MediaRow = typeof media.$inferSelect & { contributorName: string | null }

/** The media item with this id, of any memorial, or null: the caller decides by its memorial who may see it. */
export async function findMediaRow(ctx: Ctx, id: string): Promise<MediaRow | null> {
  const [found] = await selectMediaRow(ctx, id)
  return found ? toMediaRow(found) : null
}

/** What {@link selectMediaRow} found, as one row. */
export function toMediaRow({
  row,
  contributorName,
}: {
  row: typeof media.$inferSelect
  contributorName: string | null
}): MediaRow {
  return { ...row, contributorName }
}

/** Statement: the placeholder of a picture. No row where there is no picture. */
export function selectPlaceholder(ctx: Ctx, id: string | SQL | null) {
  return ctx.db
    .select({ placeholder: media.placeholder })
    .from(media)
    .where(eq(media.id, id ?? ''))
}

/** As {@link findMediaRow}, as a statement for a batch. */
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
 * The file's name as this person may see it. Cameras write date and place into names, so only those who may edit, and
 * the sender of the file, get its own; others get `photo-k7q2mx.jpg`.
 */
export function fileNameFor(row: typeof media.$inferSelect, access: MemorialAccess): string {
  const isOwn = row.contributorId !== null && row.contributorId === access.contributor?.id
  if (access.access.canEdit || isOwn) return row.originalFileName
  return publicFileName(row)
}

/** The file's name for everybody: it tells nothing but the type. */
export function publicFileName(row: typeof media.$inferSelect): string {
  return `${MEDIA_NOUN[row.type]}-${row.id.slice(-6)}.${fileEnding(row.mimeType)}`
}

/** `jpg` of `image/jpeg`: the ending by what a file is, not by what it was called. */
export function fileEnding(mimeType: string): string {
  return EXTENSION[mimeType] ?? 'bin'
}

/** Row to wire, as this person may see it. */
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
