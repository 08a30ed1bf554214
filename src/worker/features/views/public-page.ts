import { eq, sql } from 'drizzle-orm'
import type { Media } from '#shared/media.ts'
import type { PublicMemorialView } from '#shared/memorials.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { selectMediaRow, toMedia, toMediaRow } from '#worker/features/media/media.ts'
import { decideAccess } from '#worker/access/access.ts'
import { memorialColumns, type MemorialAccess, type MemorialRow } from '#worker/access/memorial-access.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { selectPublicView, toPublicView } from '#worker/features/views/memorial-view.ts'

/** Query of a public page's URL: the cursors of its lists, and the id of a photo to show alone. */
type PageQuery = { media: string | null; comments: string | null; photo: string | null }
export type PublicPage = { view: PublicMemorialView; photo: Media | null }

const ANONYMOUS = { user: null, contributor: null, hasInvite: false }

/** The access of an anonymous visitor, or null if they may not see the memorial. */
function publicAccess(memorial: MemorialRow): MemorialAccess | null {
  if (memorial.status !== 'ACTIVE') return null
  const access = decideAccess(ANONYMOUS, memorial)
  return access.canView ? { memorial, contributor: null, access } : null
}

/**
 * Returns a public memorial as an anonymous visitor sees it, or null if they may not see it. An invalid cursor means
 * the first page. `photo` is the requested photo, null if this memorial has no such photo. One round trip: all queries
 * find the memorial by its slug.
 */
export async function readPublicPage(ctx: Ctx, slug: string, query: PageQuery): Promise<PublicPage | null> {
  const id = sql`(select ${memorials.id} from ${memorials} where ${memorials.slug} = ${slug})`
  const portraitId = sql`(select coalesce(${memorials.profileMediaId}, ${memorials.coverMediaId})
    from ${memorials} where ${memorials.slug} = ${slug})`
  const start = { actorId: null, media: query.media, comments: query.comments }
  const [[memorial], [requested], ...rest] = await ctx.db.batch([
    ctx.db.select(memorialColumns(ctx.db)).from(memorials).where(eq(memorials.slug, slug)),
    selectMediaRow(ctx, query.photo ?? ''),
    ...selectPublicView(ctx, { id, portraitId }, start),
  ])
  const access = memorial && publicAccess(memorial)
  if (!access) return null
  const photo = requested && toMediaRow(requested)
  const isShown = photo?.memorialId === memorial.id && photo.type === 'IMAGE'
  return { view: toPublicView(access, rest), photo: isShown ? toMedia(photo, access) : null }
}
