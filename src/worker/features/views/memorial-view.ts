import { type Placeholder, type SQL, eq, sql } from 'drizzle-orm'
import {
  isOfFamily,
  type Memorial,
  type MemorialView,
  type PublicMemorialView,
} from '#shared/memorials/memorials.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { prepareBatch, type BatchResults, type Reader } from '#worker/platform/db.ts'
import { actorIdOf, selectGuestbook, toCommentPage } from '#worker/features/comments/comments.ts'
import { isVisible, serviceRows, toFuneralEvent } from '#worker/features/funeral/funeral.ts'
import { selectLocation, toVisibleLocation } from '#worker/features/location/location.ts'
import {
  selectMediaCounts,
  selectMediaPage,
  toMediaCounts,
  toMediaPage,
  selectPlaceholder,
  selectMediaRow,
  toMedia,
  toMediaRow,
} from '#worker/features/media/media.ts'
import { toPlaceholder } from '#worker/features/media/variants.ts'
import {
  visibleUserId,
  type MemorialAccess,
  type MemorialRow,
  memorialColumns,
} from '#worker/access/memorial-access.ts'
import { selectNews, toNews } from '#worker/features/memorials/news.ts'
import { toMemorial } from '#worker/features/memorials/memorials.ts'
import type { Media } from '#shared/media/media.ts'
import { decideAccess } from '#worker/access/access.ts'
import { ANYONE, type Reading } from '#worker/access/held.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** Cursors of a public page's lists (null: the first page). `actorId` is the reader, or null for anonymous visitors. */
type ListStart = { actorId: string | null; reading: Reading; media: string | null; comments: string | null }
/** A memorial and its portrait, each as an id or a subquery. */
export type MemorialRef = { id: string | SQL; portraitId: string | SQL | null }

/** Returns a memorial as this viewer may see it, without media and guestbook; for those who look after it with what is new to them. One round trip. */
export async function memorialView(ctx: RequestCtx, access: MemorialAccess): Promise<MemorialView> {
  const view = selectView(ctx, refTo(access.memorial))
  if (!isOfFamily(access.role)) return toMemorialView(access, await ctx.db.batch(view))
  const [services, locations, placeholders, [news]] = await ctx.db.batch([...view, selectNews(ctx, access)])
  return {
    ...toMemorialView(access, [services, locations, placeholders]),
    news: toNews(news),
  }
}

/** Returns the whole page: the memorial and the first page each of its media and guestbook. One round trip. */
export async function publicMemorialView(
  ctx: RequestCtx,
  access: MemorialAccess,
): Promise<PublicMemorialView> {
  const start = { actorId: actorIdOf(ctx, access), reading: access, media: null, comments: null }
  return toPublicView(access, await ctx.db.batch(selectPublicView(ctx, refTo(access.memorial), start)))
}

/** Uses the portrait, or the cover photo if there is none. */
export function refTo({ id, profileMediaId, coverMediaId }: MemorialRow): MemorialRef {
  return { id, portraitId: profileMediaId ?? coverMediaId }
}

export function selectView(ctx: Reader, { id, portraitId }: MemorialRef) {
  return [serviceRows(ctx, id), selectLocation(ctx, id), selectPlaceholder(ctx, portraitId)] as const
}

export function toMemorialView(
  access: MemorialAccess,
  [services, locations, placeholders]: BatchResults<ReturnType<typeof selectView>>,
): MemorialView {
  const visible = services.filter((row) => isVisible(row, access))
  const funeralEvents = visible.map((row) => toFuneralEvent(row, access))
  const { role, canContribute, canEdit, contributor } = access
  const isVisitor = role === 'CONTRIBUTOR' && contributor?.isVisitor
  return {
    memorial: toVisibleMemorial(access),
    funeralEvent: funeralEvents[0] ?? null,
    funeralEvents,
    location: toVisibleLocation(locations, access),
    portraitPlaceholder: toPlaceholder(placeholders[0]?.placeholder),
    viewer: { role, canContribute, canEdit, ...(isVisitor && { isVisitor }) },
    news: null,
  }
}

/** Queries for one batch: everything on the public page except the memorial's own row. For {@link toPublicView}. */
export function selectPublicView(ctx: Reader, memorial: MemorialRef, start: ListStart) {
  return [
    ...selectView(ctx, memorial),
    selectMediaPage(ctx, memorial.id, { cursor: start.media, reading: start.reading }),
    selectMediaCounts(ctx, memorial.id, { reading: start.reading }),
    selectGuestbook(ctx, memorial.id, {
      actorId: start.actorId,
      cursor: start.comments,
      reading: start.reading,
    }),
  ] as const
}

/** Converts the results of {@link selectPublicView} to what this viewer may see. */
export function toPublicView(
  access: MemorialAccess,
  [services, locations, placeholders, media, counts, comments]: BatchResults<
    ReturnType<typeof selectPublicView>
  >,
): PublicMemorialView {
  const gallery = toMediaPage(media, access)
  const guestbook = toCommentPage(comments, access)
  return {
    ...toMemorialView(access, [services, locations, placeholders]),
    media: gallery.media,
    mediaCursor: gallery.nextCursor,
    mediaCounts: toMediaCounts(counts),
    comments: guestbook.comments,
    commentsCursor: guestbook.nextCursor,
  }
}

/** Other viewers get a pseudonymous owner id, because the real one is the same in all of an owner's memorials. */
function toVisibleMemorial(access: MemorialAccess): Memorial {
  const { tellOwner, mayAsk, ...memorial } = toMemorial(access.memorial)
  const ownerId = visibleUserId(memorial.ownerId, access)
  return { ...memorial, ownerId, ...(access.canEdit && { tellOwner, mayAsk }) }
}

/** Query of a public page's URL: the cursors of its lists, and the id of a photo to show alone. */
type PageQuery = { media: string | null; comments: string | null; photo: string | null }
export type PublicPage = { view: PublicMemorialView; photo: Media | null }

const ANONYMOUS = { user: null, keeper: null, contributor: null, hasInvite: false }

/** The access of an anonymous visitor, or null if they may not see the memorial. */
function publicAccess(memorial: MemorialRow): MemorialAccess | null {
  if (memorial.status !== 'ACTIVE') return null
  const access = decideAccess(ANONYMOUS, memorial)
  return access.canView ? { memorial, contributor: null, ...access } : null
}

/** The queries of {@link readPublicRows}. All find the memorial by its slug. */
function selectPublicPage(reader: Reader, slug: string | Placeholder, query: PageQuery) {
  const id = sql`(select ${memorials.id} from ${memorials} where ${memorials.slug} = ${slug})`
  const portraitId = sql`(select coalesce(${memorials.profileMediaId}, ${memorials.coverMediaId})
    from ${memorials} where ${memorials.slug} = ${slug})`
  const start = { actorId: null, reading: ANYONE, media: query.media, comments: query.comments }
  return [
    reader.db.select(memorialColumns()).from(memorials).where(eq(memorials.slug, slug)),
    selectMediaRow(reader, query.photo ?? ''),
    ...selectPublicView(reader, { id, portraitId }, start),
  ] as const
}

/** Most visitors open a page without any position. */
const readStart = prepareBatch((reader) =>
  selectPublicPage(reader, sql.placeholder('slug'), { media: null, comments: null, photo: null }),
)

/** Reads what an anonymous visitor's page may need. One round trip. For {@link toPublicPage}. */
export function readPublicRows(ctx: Ctx, slug: string, query: PageQuery): ReturnType<typeof readStart> {
  const isStart = Object.values(query).every((position) => position === null)
  const read = isStart ? readStart : prepareBatch((reader) => selectPublicPage(reader, slug, query))
  return read(ctx.db, { slug })
}

/** Decodes the rows of {@link readPublicRows}; null if an anonymous visitor may not see the memorial. */
export function toPublicPage(rows: Awaited<ReturnType<typeof readStart>>): PublicPage | null {
  const [[memorial], [requested], ...rest] = rows.decode()
  const access = memorial && publicAccess(memorial)
  if (!access) return null
  const photo = requested && toMediaRow(requested)
  const isShown =
    photo?.memorialId === memorial.id && photo.type === 'IMAGE' && /* prove: held-not-alone */ !photo.isHeld
  return { view: toPublicView(access, rest), photo: isShown ? toMedia(photo, access) : null }
}
