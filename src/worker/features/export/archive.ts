import { and, asc, eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { DELETED_RESTORABLE_MS, EXPORT_PART_BYTES, EXPORT_WHOLE_MAX_BYTES } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { ExportPlan } from '#shared/export.ts'
import type { MediaType } from '#shared/media/media-types.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { serviceRows, type FuneralRow } from '#worker/features/funeral/funeral.ts'
import { selectLocation, toLocation } from '#worker/features/location/location.ts'
import { fileEnding, selectMedia, toMediaRow, type MediaRow } from '#worker/features/media/media.ts'
import { selectReplies, type ReplyRow } from '#worker/features/replies/replies.ts'
import { media } from '#worker/schema/media.table.ts'
import { isShown } from '#worker/access/held.ts'
import type { MemorialRow } from '#worker/access/memorial-access.ts'
import { sha256Base64 } from '#worker/platform/bytes.ts'
import { cleanFileName } from '#worker/platform/file-names.ts'

/** One file of the memorial. `name` is its path in the archive, `size` is in bytes, and `part` counts from 1. */
export type ArchiveFile = { key: string; name: string; size: number; part: number; addedAt: number }
export type ArchiveMediaItem = { row: MediaRow; file: ArchiveFile }
export type ArchiveService = { row: FuneralRow; programme: ArchiveFile | null; replies: ReplyRow[] }
/** Everything but the guestbook, which has no size limit: media oldest first, services by time, files in writing order. */
export type Archive = Awaited<ReturnType<typeof readArchive>>

const FOLDER = { IMAGE: 'photos', VIDEO: 'videos', AUDIO: 'recordings' } as const satisfies Record<
  MediaType,
  string
>

/** What an export contains, in one round trip. Throws `not_found` if the memorial was deleted 30 days ago. */
export async function readArchive(ctx: Ctx, memorial: MemorialRow) {
  if (memorial.deletedAt !== null && memorial.deletedAt <= ctx.now() - DELETED_RESTORABLE_MS) {
    throw new AppError('not_found', messages.memorial.notFound)
  }
  const [serviceList, [locationRow], mediaRows, replyRows] = await ctx.db.batch([
    serviceRows(ctx, memorial.id),
    selectLocation(ctx, memorial.id),
    selectMedia(ctx)
      .where(and(eq(media.memorialId, memorial.id), /* prove: held-files-not-exported */ isShown(media)))
      .orderBy(asc(media.createdAt), asc(media.id)),
    selectReplies(ctx, memorial.id),
  ])
  const packer = new PartPacker()
  const services = serviceList.map((row, index) => ({
    row,
    programme: programmeOf(row, index + 1, packer),
    replies: replyRows.filter(({ eventId }) => eventId === row.id),
  }))
  const counts = { IMAGE: 0, VIDEO: 0, AUDIO: 0 }
  const mediaItems = mediaRows.map(toMediaRow).map((row) => ({
    row,
    file: packer.add({
      key: row.objectKey,
      name: archiveName({
        folder: FOLDER[row.type],
        number: ++counts[row.type],
        title: row.caption ?? withoutExtension(row.originalFileName),
        extension: fileEnding(row.mimeType),
      }),
      size: row.size,
      addedAt: row.createdAt,
    }),
  }))
  const { files } = packer
  const plan: ExportPlan = {
    files: files.length,
    bytes: packer.bytes,
    mayBeWhole: packer.bytes <= EXPORT_WHOLE_MAX_BYTES,
    parts: packer.parts.map((part, index) => Object.assign({ part: index + 1 }, part)),
    state: await stateOf(files),
  }
  const location = locationRow ? toLocation(locationRow) : null
  return { memorial, location, services, media: mediaItems, files, plan }
}

function programmeOf(row: FuneralRow, number: number, packer: PartPacker): ArchiveFile | null {
  if (row.programmeKey === null) return null
  return packer.add({
    key: row.programmeKey,
    name: archiveName({
      folder: 'programmes',
      number,
      title: withoutExtension(row.programmeName ?? ''),
      extension: 'pdf',
    }),
    size: row.programmeSize ?? 0,
    addedAt: row.updatedAt,
  })
}

function withoutExtension(name: string): string {
  return name.replace(/\.[A-Za-z0-9]{1,8}$/u, '')
}

/** Assigns files to parts in order; a full part is followed by a new one. There is always at least one. */
class PartPacker {
  readonly files: ArchiveFile[] = []
  readonly parts: { files: number; bytes: number }[] = [{ files: 0, bytes: 0 }]
  bytes = 0

  add(file: Omit<ArchiveFile, 'part'>): ArchiveFile {
    let last = this.parts.at(-1)
    if (!last || (last.files > 0 && last.bytes + file.size > EXPORT_PART_BYTES)) {
      last = { files: 0, bytes: 0 }
      this.parts.push(last)
    }
    last.files += 1
    last.bytes += file.size
    this.bytes += file.size
    const packed = { ...file, part: this.parts.length }
    this.files.push(packed)
    return packed
  }
}

async function stateOf(files: readonly ArchiveFile[]): Promise<string> {
  const digest = await sha256Base64(files.map(({ key, name }) => `${key} ${name}`).join('\n'))
  return digest.replaceAll(/[^A-Za-z0-9]/gu, '').slice(0, 16)
}

/** In code points: even of four bytes each, a name stays below the 255 bytes that file systems allow. */
const TITLE_MAX = 50

/** `photos/001 At the table.jpg`: the number makes it unique and avoids Windows' reserved names. */
export function archiveName(file: {
  folder: string
  number: number
  title: string
  extension: string
}): string {
  const { folder, number, title, extension } = file
  const clean = cleanFileName(title.replaceAll(/[/\\]/gu, '-'), '').replaceAll(/[\p{Cf}\p{Cn}\p{Co}]/gu, '')
  const short = Array.from(clean)
    .slice(0, TITLE_MAX)
    .join('')
    // Windows drops a trailing dot or space.
    .replace(/[\s.]+$/u, '')
    .trim()
  return `${folder}/${String(number).padStart(3, '0')}${short === '' ? '' : ` ${short}`}.${extension}`
}

/** The same path as a relative URL: `photos/001%20At%20the%20table.jpg`. */
export function archiveAddress(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/')
}
