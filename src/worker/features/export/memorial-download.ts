import { predictLength } from 'client-zip'
import { AppError } from '#shared/errors.ts'
import type { ExportQuery } from '#shared/export.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { readArchive, type Archive } from '#worker/features/export/archive.ts'
import { exportJson } from '#worker/features/export/export-json.ts'
import { exportPage } from '#worker/features/export/export-page.ts'
import { takeSnapshot, type Snapshot } from '#worker/features/export/snapshot.ts'
import { storedSizes, StoredFiles } from '#worker/features/export/stored-files.ts'
import { textFile, writeZip, type ZipEntry } from '#worker/features/export/write-zip.ts'
import type { MemorialRow } from '#worker/access/memorial-access.ts'
import { slugPart } from '#worker/features/memorials/slug.ts'
import { contentDisposition } from '#worker/platform/file-names.ts'
import { formatCalendarDate } from '#shared/dates.ts'

/**
 * Streams a memorial, or one part of it, as a ZIP: the original files, and all texts as JSON and as a page. Its length
 * is sent first, so a broken download never looks complete; `missing.txt` names files that storage has lost. Throws
 * `conflict` if the plan has changed since `state` or is too large for one file.
 */
export async function memorialDownload(
  ctx: RequestCtx,
  memorial: MemorialRow,
  query: ExportQuery,
): Promise<Response> {
  const archive = await readArchive(ctx, memorial)
  const part = requestedPart(archive, query)
  const stored = await storedSizes(ctx, memorial.id)
  const snapshot = takeSnapshot(ctx, archive, { part, stored })
  const files = new StoredFiles(ctx)
  const entries = [...(await textEntries(ctx, snapshot)), ...fileEntries(snapshot, { part, stored, files })]
  const length = predictLength(entries.map(({ name, size }) => ({ name, size })))
  const headers = {
    'Content-Type': 'application/zip',
    'Content-Length': String(length),
    'Content-Disposition': contentDisposition('attachment', archiveFileName(snapshot)),
    'Cache-Control': 'private, no-store',
  }
  if (ctx.request.method === 'HEAD') return new Response(null, { headers })
  const { readable, writable } = new FixedLengthStream(length)
  ctx.waitUntil(writeZip(ctx, entries, writable, () => files.cancel()))
  return new Response(readable, { headers })
}

/** Returns null for everything in one file. */
function requestedPart({ plan }: Archive, { part, state }: ExportQuery): number | null {
  if (state !== undefined && state !== plan.state) throw new AppError('conflict', messages.export.changed)
  if (part === undefined) {
    if (!plan.mayBeWhole) throw new AppError('conflict', messages.export.tooLarge)
    return null
  }
  const number = Number(part)
  if (number > plan.parts.length) throw new AppError('not_found', messages.system.notFound)
  return number
}

async function textEntries(ctx: RequestCtx, snapshot: Snapshot): Promise<ZipEntry[]> {
  const missing = missingText(snapshot)
  const texts: [name: string, write: () => AsyncIterable<string>][] = [
    ['index.html', () => exportPage(snapshot)],
    ['memorial.json', () => exportJson(snapshot)],
  ]
  if (missing !== null) {
    const keys = snapshot.archive.files.filter((file) => snapshot.fileOf(file) === null).map(({ key }) => key)
    ctx.log.error('export_misses_files', new Error(keys.join(' ')), { count: keys.length })
    texts.push([
      'missing.txt',
      async function* write() {
        yield missing
      },
    ])
  }
  const addedAt = snapshot.exportedAt
  const entries: ZipEntry[] = []
  for (const [name, write] of texts) {
    const { size, chunks } = await textFile(write)
    entries.push({ name, size, addedAt, bytes: chunks })
  }
  return entries
}

function fileEntries(
  { archive, fileOf }: Snapshot,
  { part, stored, files }: { part: number | null; stored: ReadonlyMap<string, number>; files: StoredFiles },
): ZipEntry[] {
  return archive.files
    .filter((file) => (part === null || file.part === part) && fileOf(file) !== null)
    .map(({ key, name, addedAt }) => {
      const size = stored.get(key) ?? 0
      return { name, size, addedAt, bytes: () => files.bytesOf({ key, size }) }
    })
}

/** `tendai-moyo-2026-11-21.zip`, or `tendai-moyo-2026-11-21-part-2-of-3.zip`. */
function archiveFileName({ archive, part, partCount, exportedAt }: Snapshot): string {
  const day = new Date(exportedAt).toISOString().slice(0, 10)
  const which = partCount === 1 ? '' : `-part-${part}-of-${partCount}`
  return `${slugPart(archive.memorial.honoureeFullName)}-${day}${which}.zip`
}

/** Text of `missing.txt` for the family: the files that storage has lost. Null if no file is missing. */
export function missingText({ archive, fileOf, exportedAt, supportEmail }: Snapshot): string | null {
  const missing = archive.files.filter((file) => fileOf(file) === null)
  if (missing.length === 0) return null
  const addedOn = (at: number) => formatCalendarDate(new Date(at).toISOString().slice(0, 10))
  return [
    'We did not find these files in our storage when this copy was made',
    `(${addedOn(exportedAt)}). Everything else is in it.`,
    '',
    `Please write to ${supportEmail}. We will look for them.`,
    '',
    ...missing.map(({ name, addedAt }) => `${name} (added on ${addedOn(addedAt)})`),
    '',
  ].join('\r\n')
}
