import { and, eq, sql } from 'drizzle-orm'
import { AppError, fieldError } from '#shared/errors.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { HOUR_MS, PROGRAMME_MAX_BYTES } from '#shared/limits.ts'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { recordAction } from '#worker/access/audit.ts'
import {
  FUNERAL_AUDIT,
  isService,
  queueProgrammeDeletion,
  requireService,
  toFuneralEvent,
  visibleRows,
  type FuneralRow,
} from '#worker/features/funeral/funeral.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { deleteObjects } from '#worker/features/media/media.jobs.ts'
import { objectDeletions } from '#worker/schema/media.table.ts'
import { atMost, peek } from '#worker/platform/bytes.ts'
import { cleanFileName, contentDisposition } from '#worker/platform/file-names.ts'
import { readMultipart } from '#worker/platform/multipart.ts'
import { putStream } from '#worker/platform/objects.ts'
import { existsIn } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'
import { isStillEditor, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

const PDF_MAGIC = '%PDF-'
const FALLBACK_NAME = 'programme.pdf'
/** Far longer than an upload of 15 MB takes. */
const ABANDONED_AFTER_MS = HOUR_MS
type StoredFile = { key: string; name: string; size: number }

/**
 * Reads a programme (multipart `file`, `eventId`) and replaces the service's old one. The new object is complete before the
 * row points at it, and the deletion queue removes the old one. Throws `wrong_type`, `too_large`, `not_found`, `bad_input`, and
 * `forbidden` for a keeper who was removed while they were sending.
 */
export async function saveProgramme(ctx: RequestCtx, access: MemorialAccess): Promise<FuneralEvent> {
  const memorialId = access.memorial.id
  const key = `m/${memorialId}/${newId('file')}`
  // If the request dies, this queued deletion removes the object; the write that uses the object cancels it.
  await ctx.db.insert(objectDeletions).values({ prefix: key, createdAt: ctx.now() + ABANDONED_AFTER_MS })
  try {
    const { fields, file } = await readMultipart(ctx.request, {
      maxBytes: PROGRAMME_MAX_BYTES,
      onFile: async ({ fileName, bytes: arriving }) => {
        const { head, bytes } = await peek(arriving, PDF_MAGIC.length)
        if (new TextDecoder().decode(head) !== PDF_MAGIC)
          throw fieldError('wrong_type', 'file', messages.programme.pdfOnly)
        const tooLarge = () => fieldError('too_large', 'file', messages.programme.pdfTooLarge)
        const pdf = atMost(bytes, PROGRAMME_MAX_BYTES, tooLarge)
        const { size } = await putStream(ctx.env, key, pdf, 'application/pdf')
        return { key, name: pdfName(fileName), size }
      },
    })
    if (!file) throw fieldError('bad_input', 'file', serverMessages.media.fileMissing)
    const service = await requireNamedService(ctx, access, fields.get('eventId') ?? '')
    return toFuneralEvent(await replaceProgramme(ctx, access, service, file))
  } catch (error) {
    if (error instanceof AppError) await deleteObjects(ctx, key)
    throw error
  }
}

/** Points the row at the new object and queues the old one for deletion, in one batch. */
async function replaceProgramme(
  ctx: Ctx,
  access: MemorialAccess,
  service: FuneralRow,
  file: StoredFile,
): Promise<FuneralRow> {
  const isThisService = isService(service.memorialId, service.id)
  // The upload may have taken long.
  const isTarget = and(isThisService, /* prove: programme-needs-keeper */ isStillEditor(access))
  const [, , , [row], , [found]] = await ctx.db.batch([
    queueCachePurge(ctx, eq(memorials.id, service.memorialId), { urgent: false }),
    recordAction(ctx, access, FUNERAL_AUDIT, existsIn(funeralEvents, isTarget)),
    queueProgrammeDeletion(ctx, isTarget),
    ctx.db
      .update(funeralEvents)
      .set({
        programmeKey: file.key,
        programmeName: file.name,
        programmeSize: file.size,
        updatedAt: ctx.now(),
      })
      .where(isTarget)
      .returning(),
    ctx.db.delete(objectDeletions).where(
      sql`${objectDeletions.prefix} = ${file.key}
        and exists (select 1 from ${funeralEvents}
          where ${funeralEvents.id} = ${service.id} and ${funeralEvents.programmeKey} = ${file.key})`,
    ),
    ctx.db.select({ id: funeralEvents.id }).from(funeralEvents).where(isThisService),
  ])
  if (row) return row
  throw found
    ? new AppError('forbidden', messages.memorial.ownerOnly)
    : new AppError('not_found', funeralMessages.notFound)
}

/** Returns the programme as a download that no browser opens as a page. Throws `not_found`. */
export async function programmeDownload(
  ctx: Ctx,
  access: MemorialAccess,
  eventId: string | undefined,
): Promise<Response> {
  const rows = await visibleRows(ctx, access)
  const row = rows.find(
    (service) => service.programmeKey !== null && (eventId === undefined || service.id === eventId),
  )
  const object = row?.programmeKey ? await ctx.env.MEDIA.get(row.programmeKey) : null
  if (!row || !object) throw new AppError('not_found', funeralMessages.programmeNotFound)
  return new Response(object.body, {
    headers: {
      'Content-Type': 'application/pdf',
      'Content-Length': String(object.size),
      'Content-Disposition': contentDisposition('attachment', row.programmeName ?? FALLBACK_NAME),
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "sandbox; default-src 'none'",
    },
  })
}

async function requireNamedService(ctx: Ctx, access: MemorialAccess, eventId: string): Promise<FuneralRow> {
  if (eventId !== '') return requireService(ctx, access, eventId)
  const [first] = await visibleRows(ctx, access)
  if (!first) throw new AppError('not_found', funeralMessages.addServiceFirst)
  return first
}

function pdfName(fileName: string): string {
  const name = cleanFileName(fileName, FALLBACK_NAME)
  return /\.pdf$/iu.test(name) ? name : `${name}.pdf`
}
