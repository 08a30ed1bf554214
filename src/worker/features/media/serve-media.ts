import { eq } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { IMAGE_WIDTHS, THUMBNAIL_WIDTH } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { StreamQuery } from '#shared/media/media.ts'
import { auditVisit } from '#worker/access/audit.ts'
import { maySee } from '#worker/access/held.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { fileNameFor, publicFileName } from '#worker/features/media/media.ts'
import { media } from '#worker/schema/media.table.ts'
import { findImage } from '#worker/features/media/pictures.ts'
import { LARGEST, type VariantWidth } from '#worker/features/media/variants.ts'
import {
  memorialColumns,
  credentialsIn,
  requireAccess,
  type MemorialAccess,
} from '#worker/access/memorial-access.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { memorialTag } from '#worker/platform/edge-cache.ts'
import type { Guard } from '#worker/access/route.ts'
import { oggToCaf, planCaf } from '#worker/media-formats/opus-in-caf.ts'
import { contentDisposition } from '#worker/platform/file-names.ts'
import { putStream, writeWithDeadline } from '#worker/platform/objects.ts'

const CAF_TYPE = 'audio/x-caf'
/** Padding all packets to one size makes files larger: up to twice as large for speech. */
const CAF_GROWTH_MAX = 4

export type MediaRecord = typeof media.$inferSelect
export type MediaAccess = MemorialAccess & { row: MediaRecord }

/** Route guard: the media item `:id`, if the viewer may see its memorial. */
export const viewableMedia: Guard<MediaAccess> = async (ctx, input) => {
  const [found] = await ctx.db
    .select({ row: media, memorial: memorialColumns() })
    .from(media)
    .innerJoin(memorials, eq(memorials.id, media.memorialId))
    .where(eq(media.id, input.params['id'] ?? ''))
  if (!found) throw new AppError('not_found', messages.media.notFound)
  const access = await requireAccess(ctx, found.memorial, 'view', credentialsIn(input))
  // prove: held-media-hidden
  if (!maySee(found.row, found.row.contributorId, access))
    throw new AppError('not_found', messages.media.notFound)
  await auditVisit(ctx, input, access)
  return { row: found.row, ...access }
}

/** GET and HEAD: a variant of a photo (visitors never get the original), or the stored file, whole or a range. */
export async function serveMedia(ctx: RequestCtx, found: MediaAccess, query: StreamQuery): Promise<Response> {
  const { request, env } = ctx
  const { object, name, varies } = await choose(ctx, found, query)
  const headers = headersFor(found, object, name, query)
  // Images are AVIF or WebP depending on Accept (RFC 9110, 12.5.5).
  if (varies) headers.set('Vary', 'Accept')
  if (isKnown(request.headers.get('If-None-Match'), object.httpEtag)) {
    headers.delete('Content-Type')
    return new Response(null, { status: 304, headers })
  }
  const isHead = request.method === 'HEAD'
  const range =
    isHead || !mayUseRange(request.headers.get('If-Range'), object.httpEtag)
      ? null
      : request.headers.get('Range')
  const plan = planRange(range, object.size)
  if (plan.kind === 'unsatisfiable') {
    headers.set('Content-Range', `bytes */${object.size}`)
    // An error response must not be cached.
    headers.set('Cache-Control', 'private, no-store')
    headers.delete('Cache-Tag')
    headers.delete('Content-Type')
    return new Response(null, { status: 416, headers })
  }
  const part = plan.kind === 'part' ? { offset: plan.offset, length: plan.length } : null
  const length = part?.length ?? object.size
  headers.set('Content-Length', String(length))
  if (part) headers.set('Content-Range', `bytes ${part.offset}-${part.offset + length - 1}/${object.size}`)
  if (isHead) return new Response(null, { headers })
  const body = await env.MEDIA.get(object.key, part ? { range: part } : {})
  if (!body) throw new AppError('not_found', messages.media.notFound)
  return new Response(body.body, { status: part ? 206 : 200, headers })
}

/** The object to serve, its file name, and whether it depends on the Accept header. */
async function choose(
  ctx: RequestCtx,
  found: MediaAccess,
  query: StreamQuery,
): Promise<{ object: R2Object; name: string; varies: boolean }> {
  const { row } = found
  // A cacheable response must not contain the original file name.
  const name = isPublicAnswer(found, query) ? publicFileName(row) : fileNameFor(row, found)
  const wantsOriginal = query.original === '1'
  if (wantsOriginal && found.refuse('export')) throw new AppError('forbidden', messages.memorial.ownerOnly)
  if (query.as === 'caf' && !wantsOriginal) {
    const object = row.mimeType === 'audio/ogg' ? await ensureCaf(ctx, row) : null
    if (!object) throw new AppError('not_found', messages.media.notFound)
    return { object, name: withEnding(name, 'caf'), varies: false }
  }
  const width = wantsOriginal ? null : widthOf(row, query)
  const object = width === null ? await ctx.env.MEDIA.head(row.objectKey) : await findImage(ctx, row, width)
  if (!object) throw new AppError('not_found', messages.media.notFound)
  if (width === null) return { object, name, varies: false }
  const ending = object.httpMetadata?.contentType?.split('/').at(-1) ?? 'webp'
  return { object, name: withEnding(name, ending), varies: true }
}

/** For Safari before 18.4 (docs/decisions/0018), on the first request. An empty object: it can't be converted. */
async function ensureCaf(
  ctx: Ctx,
  { objectKey, size }: Pick<MediaRecord, 'objectKey' | 'size'>,
): Promise<R2Object | null> {
  const { MEDIA } = ctx.env
  const key = `${objectKey}/voice.caf`
  const known = await MEDIA.head(key)
  if (known) return known.size > 0 ? known : null
  const ogg = await MEDIA.get(objectKey)
  const plan = ogg && (await planCaf(ogg.body))
  const again = plan && plan.size <= size * CAF_GROWTH_MAX ? await MEDIA.get(objectKey) : null
  if (!plan || !again) {
    if (ogg) await writeWithDeadline(MEDIA.put(key, '', { httpMetadata: { contentType: CAF_TYPE } }))
    return null
  }
  await putStream(ctx.env, key, oggToCaf(again.body, plan), CAF_TYPE)
  return MEDIA.head(key)
}

function withEnding(name: string, ending: string): string {
  return `${name.replace(/\.[^.]*$/u, '')}.${ending}`
}

function widthOf(row: MediaRecord, query: StreamQuery): VariantWidth | null {
  const requested = query.thumbnail === '1' ? THUMBNAIL_WIDTH : query.w === undefined ? null : Number(query.w)
  if (requested === null && row.type !== 'IMAGE') return null
  if (requested === null) return LARGEST
  if (row.type !== 'IMAGE' && !row.hasThumbnail) throw new AppError('not_found', messages.media.notFound)
  const width = IMAGE_WIDTHS.find((known) => known === requested)
  if (width === undefined) throw new AppError('bad_input', messages.form.checkFields)
  return width
}

/** True for responses that every visitor may get and caches may store. Admins also see hidden memorials. */
function isPublicAnswer({ memorial, role, row }: MediaAccess, query: StreamQuery): boolean {
  return (
    /* prove: media-cached-only-when-public */ memorial.privacy === 'LOCKED' &&
    role !== 'ADMIN' &&
    /* prove: held-never-cached */ !row.isHeld &&
    query.original !== '1'
  )
}

function headersFor(found: MediaAccess, object: R2Object, name: string, query: StreamQuery): Headers {
  const isPublic = isPublicAnswer(found, query)
  const headers = new Headers({
    'Content-Type': object.httpMetadata?.contentType ?? 'application/octet-stream',
    'Accept-Ranges': 'bytes',
    ETag: object.httpEtag,
    'Content-Disposition': contentDisposition('inline', name),
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    // Only media of public memorials are cacheable, for five minutes.
    'Cache-Control': isPublic ? 'public, max-age=300' : 'private, no-store',
  })
  if (isPublic) headers.set('Cache-Tag', memorialTag(found.memorial.id))
  return headers
}

/** Which bytes of an object to send: all, `length` bytes from `offset`, or none because the range is beyond its end. */
export type RangePlan =
  | { kind: 'whole' }
  | { kind: 'part'; offset: number; length: number }
  | { kind: 'unsatisfiable' }

const WHOLE: RangePlan = { kind: 'whole' }
const UNSATISFIABLE: RangePlan = { kind: 'unsatisfiable' }

/** One range (RFC 9110, 14); others are ignored. R2's own parser returns the whole object where 416 is correct. */
export function planRange(header: string | null, size: number): RangePlan {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/iu.exec(header ?? '')
  const [from = '', to = ''] = match?.slice(1) ?? []
  if (from === '' && to === '') return WHOLE
  if (from === '') {
    const length = Math.min(Number(to), size)
    return length > 0 ? { kind: 'part', offset: size - length, length } : UNSATISFIABLE
  }
  const first = Number(from)
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== '' && Number(to) < first) return WHOLE
  return first < size ? { kind: 'part', offset: first, length: last - first + 1 } : UNSATISFIABLE
}

/** True when If-None-Match contains this ETag (weak comparison, RFC 9110, 13.1.2). */
export function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  return ifNoneMatch.split(',').some((one) => {
    const tag = one.trim()
    return tag === '*' || tag.replace(/^W\//u, '') === etag
  })
}

/** True when Range applies: no If-Range, or exactly this strong ETag (RFC 9110, 13.1.5). */
export function mayUseRange(ifRange: string | null, etag: string): boolean {
  return ifRange === null || ifRange.trim() === etag
}
