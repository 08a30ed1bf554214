import type { Media } from '#shared/media.ts'
import type { PublicMemorialView } from '#shared/memorials.ts'
import type { Ctx } from '#worker/ctx.ts'
import { selectMediaRow, toMedia, toMediaRow } from '#worker/features/media/media.ts'
import { decideAccess } from '#worker/features/memorials/access.ts'
import { findMemorialBySlug, type MemorialAccess } from '#worker/features/memorials/memorial-access.ts'
import { selectPublicView, toPublicView } from '#worker/features/memorials/memorial-view.ts'

/** What the address of a public page asks for: cursors of its lists, and the id of a photograph to show alone. */
type Places = { media: string | null; comments: string | null; photo: string | null }
export type PublicPage = { view: PublicMemorialView; photo: Media | null }

const NOBODY = { user: null, contributor: null, hasInvite: false }

/**
 * A public memorial as a stranger sees it, or null where a stranger sees nothing. The lists begin after the cursors; text
 * that is no cursor begins at the start. `photo` is the photograph asked for, null where this memorial has no such. Two
 * round trips.
 */
export async function readPublicPage(ctx: Ctx, slug: string, places: Places): Promise<PublicPage | null> {
  const memorial = await findMemorialBySlug(ctx, slug)
  if (memorial?.status !== 'ACTIVE') return null
  const access: MemorialAccess = { memorial, contributor: null, access: decideAccess(NOBODY, memorial) }
  if (!access.access.canView) return null
  const [[asked], ...found] = await ctx.db.batch([
    selectMediaRow(ctx, places.photo ?? ''),
    ...selectPublicView(ctx, memorial, { actorId: null, media: places.media, comments: places.comments }),
  ])
  const photo = asked && toMediaRow(asked)
  const isShown = photo?.memorialId === memorial.id && photo.type === 'IMAGE'
  return { view: toPublicView(access, found), photo: isShown ? toMedia(photo, access) : null }
}
