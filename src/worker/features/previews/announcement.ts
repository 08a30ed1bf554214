import { and, eq } from 'drizzle-orm'
import { announced } from '#shared/funeral/announcement.ts'
import { AppError } from '#shared/errors.ts'
import type { AnnouncementCardQuery, CardShape } from '#shared/funeral/funeral.ts'
import { formatLifeDates } from '#shared/memorials/life-dates.ts'
import { ANNOUNCEMENT_CARD, ANNOUNCEMENT_CARD_MAX_BYTES } from '#shared/limits.ts'
import { announcementMessages } from '#shared/funeral/announcement-messages.ts'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import type { MemorialAccess, MemorialRow } from '#worker/access/memorial-access.ts'
import { serviceRows, toFuneralEvent } from '#worker/features/funeral/funeral.ts'
import { isKnown } from '#worker/features/media/serve-media.ts'
import { publicLink } from '#worker/features/memorials/slug.ts'
import {
  ANNOUNCEMENT_PORTRAIT,
  announcementSvg,
  type AnnouncementContent,
} from '#worker/features/previews/announcement-svg.ts'
import { toCardGathering } from '#worker/features/previews/card-gatherings.ts'
import { findOrMake, portraitUri, toJpeg } from '#worker/features/previews/cards.ts'
import { hashOfShown } from '#worker/features/previews/page-head.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { contentDisposition } from '#worker/platform/file-names.ts'
import { media } from '#worker/schema/media.table.ts'

/** Increase it when the design of these cards changes, so that all of them are rendered again. */
const DESIGN = 1
/** A card gets forwarded, so it shows what everybody may know, whoever asks for it. */
const EVERYBODY = { canEdit: false, isInvited: false }

/**
 * The announcement as a picture to forward: with all gatherings that are ahead, or with `query.event` only. Its address is the public
 * one, never an invitation. Throws `not_found` for a gathering that is over or for invited people, `too_many_requests`, and
 * `not_available` if it can't be made.
 */
export async function announcementCard(
  ctx: RequestCtx,
  { memorial }: MemorialAccess,
  { event, shape }: AnnouncementCardQuery,
): Promise<Response> {
  const [rows, portraitKey] = await Promise.all([serviceRows(ctx, memorial.id), findPortrait(ctx, memorial)])
  const events = rows.map((row) => toFuneralEvent(row, EVERYBODY))
  const shown = announced(events, ctx.now()).filter(({ id }) => event === undefined || id === event)
  if (event !== undefined && shown.length === 0) throw new AppError('not_found', funeralMessages.notFound)
  const content: AnnouncementContent = {
    name: memorial.honoureeFullName,
    dates: formatLifeDates(memorial),
    gatherings: shown.map(toCardGathering),
    link: publicLink(ctx, memorial),
  }
  const hash = hashOfShown([DESIGN, shape, portraitKey, content])
  const headers = new Headers({
    // Browsers ask each time, so that nobody forwards an old card; the answer depends on who asks.
    'Cache-Control': 'private, no-cache',
    ETag: `"${hash}"`,
  })
  if (isKnown(ctx.request.headers.get('If-None-Match'), `"${hash}"`))
    return new Response(null, { status: 304, headers })
  const position = rows.find(({ id }) => id === event)?.position ?? 'all'
  // By position and not by id, so that no more than one object for each of them is ever stored.
  const key = `${portraitKey ?? `m/${memorial.id}`}/announcement-${position}-${shape}.jpg`
  const card = await findOrMake(ctx, { key, hash }, () =>
    makeCard(ctx, content, { portraitKey, shape }),
  ).catch((error: unknown) => {
    ctx.log.error('card_failed', error)
    throw new AppError('not_available', announcementMessages.pictureFailed)
  })
  if (!card) throw new AppError('too_many_requests', announcementMessages.tooManyPictures)
  headers.set('Content-Type', 'image/jpeg')
  headers.set('Content-Disposition', contentDisposition('inline', `${memorial.slug}.jpg`))
  return new Response(card.body, { headers })
}

async function makeCard(
  ctx: Ctx,
  content: AnnouncementContent,
  { portraitKey, shape }: { portraitKey: string | null; shape: CardShape },
): Promise<Uint8Array> {
  const portrait = portraitKey === null ? null : await portraitUri(ctx, portraitKey, ANNOUNCEMENT_PORTRAIT)
  const { width } = ANNOUNCEMENT_CARD[shape]
  return toJpeg(ctx, announcementSvg(content, portrait, shape), {
    width,
    maxBytes: ANNOUNCEMENT_CARD_MAX_BYTES,
  })
}

/** The key of the portrait, or of the main photo, as at the top of the page. Cards are stored below it, so that they go with it. */
async function findPortrait(ctx: Ctx, memorial: MemorialRow): Promise<string | null> {
  const id = memorial.profileMediaId ?? memorial.coverMediaId
  if (id === null) return null
  const [found] = await ctx.db
    .select({ objectKey: media.objectKey })
    .from(media)
    .where(and(eq(media.id, id), eq(media.memorialId, memorial.id)))
  return found?.objectKey ?? null
}
