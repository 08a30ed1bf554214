import { and, asc, count, desc, eq, ne, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { MEDIA_PAGE } from '#shared/limits.ts'
import type { MediaCounts, MediaPage, MediaPageQuery, MediaType } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import {
  findMediaRow,
  toMedia,
  toMediaRow,
  type MediaRow,
  type selectMediaRow,
} from '#worker/features/media/media.ts'
import { media } from '#worker/schema/media.table.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import {
  cursorAfter,
  splitPage,
  isAfterCursor,
  parseCursor,
  isNewerThan,
} from '#worker/platform/page-cursor.ts'

type Where = Omit<MediaPageQuery, 'invite'>
type JoinedRow = Awaited<ReturnType<typeof selectMediaRow>>[number]

/**
 * One page of a memorial's media, newest first. `from` overrides `newer`, which overrides `cursor`; ignores an invalid
 * cursor. Throws `not_found` if `from` is not a media item of this memorial, or not of this type.
 */
export async function listMedia(
  ctx: RequestCtx,
  access: MemorialAccess,
  { cursor, newer, from, type }: Where = {},
): Promise<MediaPage> {
  const wanted = and(
    eq(media.memorialId, access.memorial.id),
    type === undefined ? undefined : eq(media.type, type),
  )
  if (from !== undefined) return pageFrom(ctx, access, wanted, { from, type })
  const place = parseCursor('media', newer ?? null)
  if (place) {
    const nearest = await selectPage(ctx, and(wanted, isNewerThan(media, place)), 'oldest')
    const { page, nextCursor } = splitPage(nearest.map(toMediaRow), MEDIA_PAGE)
    return { ...toPage(access, page.toReversed()), newerCursor: nextCursor }
  }
  const page = selectMediaPage(ctx, access.memorial.id, { cursor: cursor ?? null, type })
  if (parseCursor('media', cursor ?? null)) return toMediaPage(await page, access)
  const [rows, counts] = await ctx.db.batch([page, selectMediaCounts(ctx, access.memorial.id)])
  return { ...toMediaPage(rows, access), counts: toMediaCounts(counts) }
}

/** Statement: one page of a memorial's media, newest first, and one extra row. For {@link toMediaPage}. */
export function selectMediaPage(
  ctx: Ctx,
  memorialId: string | SQL,
  { cursor, type }: { cursor: string | null } & Pick<Where, 'type'>,
) {
  const wanted = and(eq(media.memorialId, memorialId), type === undefined ? undefined : eq(media.type, type))
  return selectPage(ctx, and(wanted, isAfterCursor(media, 'media', cursor)))
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
  if (first?.memorialId !== access.memorial.id || (type !== undefined && first.type !== type)) {
    throw new AppError('not_found', messages.media.notFound)
  }
  const isNewer = and(wanted, isNewerThan(media, first))
  const [rows, [newer]] = await ctx.db.batch([
    selectPage(ctx, and(wanted, isAfterCursor(media, 'media', cursorAfter(first)))),
    ctx.db
      .select({ amount: count() })
      .from(media)
      .where(and(isNewer, ne(media.id, access.memorial.profileMediaId ?? ''))),
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
    newerCursor: null,
    newerCount: null,
  }
}

/** One page of rows and one extra row. */
function selectPage(ctx: Ctx, where: SQL | undefined, first: 'newest' | 'oldest' = 'newest') {
  const order = first === 'newest' ? desc : asc
  return ctx.db
    .select({ row: media, contributorName: contributors.displayName })
    .from(media)
    .leftJoin(contributors, eq(contributors.id, media.contributorId))
    .where(where)
    .orderBy(order(media.createdAt), order(media.id))
    .limit(MEDIA_PAGE + 1)
}

/** Statement: the number of media items per type. For {@link toMediaCounts}. */
export function selectMediaCounts(ctx: Ctx, memorialId: string | SQL) {
  return ctx.db
    .select({ type: media.type, amount: count() })
    .from(media)
    .where(eq(media.memorialId, memorialId))
    .groupBy(media.type)
}

/** Converts the rows of {@link selectMediaCounts}; 0 for missing types. */
export function toMediaCounts(found: { type: MediaType; amount: number }[]): MediaCounts {
  const counts: MediaCounts = { IMAGE: 0, VIDEO: 0, AUDIO: 0 }
  for (const { type, amount } of found) counts[type] = amount
  return counts
}
