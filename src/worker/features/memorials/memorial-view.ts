import type { Memorial, MemorialView, PublicMemorialView } from '#shared/memorials.ts'
import type { RequestCtx } from '#worker/ctx.ts'
import { listComments } from '#worker/features/comments/comments.ts'
import { listServices } from '#worker/features/funeral/funeral.ts'
import { findLocation } from '#worker/features/location/location.ts'
import { listMedia } from '#worker/features/media/list-media.ts'
import { findPlaceholder } from '#worker/features/media/media.ts'
import { shownUserId, type MemorialAccess } from '#worker/features/memorials/memorial-access.ts'
import { toMemorial } from '#worker/features/memorials/memorials.ts'

/** A memorial as this person may see it, without media and guestbook. */
export async function memorialView(ctx: RequestCtx, access: MemorialAccess): Promise<MemorialView> {
  const { profileMediaId, coverMediaId } = access.memorial
  const [funeralEvents, location, portraitPlaceholder] = await Promise.all([
    listServices(ctx, access.memorial.id),
    findLocation(ctx, access),
    findPlaceholder(ctx, profileMediaId ?? coverMediaId),
  ])
  const { role, canContribute, canEdit } = access.access
  return {
    memorial: toVisibleMemorial(access),
    funeralEvent: funeralEvents[0] ?? null,
    funeralEvents,
    location,
    portraitPlaceholder,
    viewer: { role, canContribute, canEdit },
  }
}

/** The owner's id is the same in all their memorials, so strangers are given another. */
function toVisibleMemorial({ memorial, access }: MemorialAccess): Memorial {
  return { ...toMemorial(memorial), ownerId: shownUserId(memorial.ownerId, { memorial, access }) }
}

/** The whole page at once: the memorial and the first page each of its media and its guestbook. */
export async function publicMemorialView(
  ctx: RequestCtx,
  access: MemorialAccess,
): Promise<PublicMemorialView> {
  const [view, media, guestbook] = await Promise.all([
    memorialView(ctx, access),
    listMedia(ctx, access),
    listComments(ctx, access, null),
  ])
  return {
    ...view,
    media: media.media,
    mediaCursor: media.nextCursor,
    mediaCounts: media.counts ?? { IMAGE: 0, VIDEO: 0, AUDIO: 0 },
    comments: guestbook.comments,
    commentsCursor: guestbook.nextCursor,
  }
}
