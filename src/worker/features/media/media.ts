import { eq, type SQL, and, asc, count, desc, inArray, isNull, ne } from 'drizzle-orm'
import type { Media, MediaCounts, MediaPage, MediaPageQuery } from '#shared/media/media.ts'
import { MEDIA_NOUN, type MediaType } from '#shared/media/media-types.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { heldFields, isVisibleTo, maySee, type Reading } from '#worker/access/held.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { AppError } from '#shared/errors.ts'
import { MEDIA_PAGE } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import {
  countRows,
  cursorAfter,
  splitPage,
  isAfterCursor,
  parseCursor,
  isNewerThan,
  type BatchResults,
  type Reader,
} from '#worker/platform/db.ts'
import { toPlaceholder } from '#worker/features/media/variants.ts'

/** A media item and the name of its contributor, null for the owner's items. */
export type MediaRow = typeof media.$inferSelect & { contributorName: string | null }

/** The media item with this id in any memorial, or null. The caller must check access to its memorial. */
export async function findMediaRow(ctx: Ctx, id: string): Promise<MediaRow | null> {
  const [found] = await selectMediaRow(ctx, id)
  return found ? toMediaRow(found) : null
}

/** Converts a result of {@link selectMediaRow}. */
export function toMediaRow({ row, contributorName }: JoinedRow): MediaRow {
  return { ...row, contributorName }
}

/** Statement: the placeholder of a media item; no row for null. */
export function selectPlaceholder(ctx: Reader, id: string | SQL | null) {
  return ctx.db
    .select({ placeholder: media.placeholder })
    .from(media)
    .where(eq(media.id, id ?? ''))
}

/** Selects media items with the names of their contributors. Add `where`, order and limit. */
export function selectMedia(ctx: Reader) {
  return ctx.db
    .select({ row: media, contributorName: contributors.displayName })
    .from(media)
    .leftJoin(contributors, eq(contributors.id, media.contributorId))
}

/** Like {@link findMediaRow}, but a statement for a batch. */
export function selectMediaRow(ctx: Reader, id: string) {
  return selectMedia(ctx).where(eq(media.id, id))
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

/** Camera names can contain date and location: only editors and the sender see them, others `photo-k7q2mx.jpg`. */
export function fileNameFor(row: typeof media.$inferSelect, access: MemorialAccess): string {
  const isOwn = row.contributorId !== null && row.contributorId === access.contributor?.id
  if (access.canEdit || isOwn) return row.originalFileName
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
    placeholder: toPlaceholder(row.placeholder),
    contributorName: row.contributorName,
    createdAt: new Date(row.createdAt).toISOString(),
    canDelete: access.refuseRemoval(row.contributorId) === null,
    ...heldFields(row, access),
  }
}

type Where = Omit<MediaPageQuery, 'invite'>
type Filter = Pick<Where, 'type' | 'person' | 'owner'> & { reading: Reading }
type JoinedRow = Awaited<ReturnType<typeof selectMediaRow>>[number]

/** `from` overrides `newer`, which overrides `cursor`; an invalid cursor is ignored. Throws `not_found`. */
export async function listMedia(
  ctx: RequestCtx,
  access: MemorialAccess,
  { cursor, newer, from, ...where }: Where = {},
): Promise<MediaPage> {
  const filter = { ...where, reading: access }
  const wanted = isWanted(ctx, access.memorial.id, filter)
  if (from !== undefined) return pageFrom(ctx, access, wanted, { from, type: filter.type })
  const place = parseCursor('media', newer ?? null)
  if (place) {
    const nearest = await selectPage(ctx, and(wanted, isNewerThan(media, place)), 'oldest')
    const { page, nextCursor } = splitPage(nearest.map(toMediaRow), MEDIA_PAGE)
    return { ...toPage(access, page.toReversed()), newerCursor: nextCursor }
  }
  if (parseCursor('media', cursor ?? null))
    return toMediaPage(
      await selectMediaPage(ctx, access.memorial.id, { cursor: cursor ?? null, ...filter }),
      access,
    )
  const { id } = access.memorial
  const peopleOf = access.role === 'VISITOR' ? null : id
  return toFirstPage(await ctx.db.batch(selectFirstPage(ctx, id, filter, peopleOf)), access)
}

/**
 * Queries for one batch: the first page of a memorial's media, the counts, and who added something. `peopleOf`: the memorial again,
 * or null for visitors, who don't learn that. For {@link toFirstPage}.
 */
export function selectFirstPage(
  ctx: Reader,
  memorialId: string | SQL,
  filter: Filter,
  peopleOf: string | SQL | null,
) {
  return [
    selectMediaPage(ctx, memorialId, { cursor: null, ...filter }),
    selectMediaCounts(ctx, memorialId, { ...filter, type: undefined }),
    ...(peopleOf === null ? [] : [selectPeople(ctx, peopleOf, filter.reading)]),
  ] as const
}

/** Converts the results of {@link selectFirstPage}. */
export function toFirstPage(
  [rows, counts, people]: BatchResults<ReturnType<typeof selectFirstPage>>,
  access: MemorialAccess,
): MediaPage {
  return {
    ...toMediaPage(rows, access),
    counts: toMediaCounts(counts),
    people: access.role === 'VISITOR' ? null : (people?.map(({ name }) => name ?? '') ?? null),
  }
}

/** SQL condition: a memorial's media, of one type and person if given. */
function isWanted(ctx: Reader, memorialId: string | SQL, { type, person, owner, reading }: Filter) {
  const namesakes = ctx.db
    .select({ id: contributors.id })
    .from(contributors)
    .where(and(eq(contributors.memorialId, memorialId), eq(contributors.displayName, person ?? '')))
  const isTheirs = person === undefined ? undefined : inArray(media.contributorId, namesakes)
  return and(
    eq(media.memorialId, memorialId),
    /* prove: held-not-in-gallery */ isVisibleTo(media, reading),
    type === undefined ? undefined : eq(media.type, type),
    owner === undefined ? isTheirs : isNull(media.contributorId),
  )
}

/** Statement: the names of all who added something, null for the owner. */
function selectPeople(ctx: Reader, memorialId: string | SQL, reading: Reading) {
  return ctx.db
    .selectDistinct({ name: contributors.displayName })
    .from(media)
    .leftJoin(contributors, eq(contributors.id, media.contributorId))
    .where(and(eq(media.memorialId, memorialId), /* prove: held-names-nobody */ isVisibleTo(media, reading)))
}

/** Statement: one page of a memorial's media, newest first, and one extra row. For {@link toMediaPage}. */
export function selectMediaPage(
  ctx: Reader,
  memorialId: string | SQL,
  { cursor, ...filter }: { cursor: string | null } & Filter,
) {
  return selectPage(ctx, and(isWanted(ctx, memorialId, filter), isAfterCursor(media, 'media', cursor)))
}

/** Converts the rows of {@link selectMediaPage} for this viewer. */
export function toMediaPage(rows: JoinedRow[], access: MemorialAccess): MediaPage {
  const { page, nextCursor } = splitPage(rows.map(toMediaRow), MEDIA_PAGE)
  return { ...toPage(access, page), nextCursor }
}

async function pageFrom(
  ctx: Ctx,
  access: MemorialAccess,
  wanted: SQL | undefined,
  { from, type }: { from: string } & Pick<Where, 'type'>,
): Promise<MediaPage> {
  const first = await findMediaRow(ctx, from)
  if (
    first?.memorialId !== access.memorial.id ||
    (type !== undefined && first.type !== type) ||
    /* prove: held-starts-no-page */ !maySee(first, first.contributorId, access)
  ) {
    throw new AppError('not_found', messages.media.notFound)
  }
  const isNewer = and(wanted, isNewerThan(media, first))
  const [rows, [newer]] = await ctx.db.batch([
    selectPage(ctx, and(wanted, isAfterCursor(media, 'media', cursorAfter(first)))),
    countRows(ctx.db, media, and(isNewer, ne(media.id, access.memorial.profileMediaId ?? ''))),
  ])
  const { page, nextCursor } = splitPage([first, ...rows.map(toMediaRow)], MEDIA_PAGE)
  const newerCount = newer?.amount ?? 0
  return {
    ...toPage(access, page),
    nextCursor,
    newerCursor: newerCount > 0 ? cursorAfter(first) : null,
    newerCount,
  }
}

function toPage(access: MemorialAccess, rows: MediaRow[]): MediaPage {
  return {
    media: rows.map((row) => toMedia(row, access)),
    nextCursor: null,
    counts: null,
    people: null,
    newerCursor: null,
    newerCount: null,
  }
}

/** One page of rows and one extra row. */
function selectPage(ctx: Reader, where: SQL | undefined, first: 'newest' | 'oldest' = 'newest') {
  const order = first === 'newest' ? desc : asc
  return selectMedia(ctx)
    .where(where)
    .orderBy(order(media.createdAt), order(media.id))
    .limit(MEDIA_PAGE + 1)
}

/** Statement: the number of media items per type. For {@link toMediaCounts}. */
export function selectMediaCounts(ctx: Reader, memorialId: string | SQL, filter: Filter) {
  return ctx.db
    .select({ type: media.type, amount: count() })
    .from(media)
    .where(isWanted(ctx, memorialId, filter))
    .groupBy(media.type)
}

/** Converts the rows of {@link selectMediaCounts}; 0 for missing types. */
export function toMediaCounts(found: { type: MediaType; amount: number }[]): MediaCounts {
  const counts: MediaCounts = { IMAGE: 0, VIDEO: 0, AUDIO: 0 }
  for (const { type, amount } of found) counts[type] = amount
  return counts
}
