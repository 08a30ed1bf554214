import { and, eq, sql, type SQL } from 'drizzle-orm'
import { LINK_CARD } from '#shared/limits.ts'
import { lifeYears } from '#shared/memorials/life-dates.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { media } from '#worker/schema/media.table.ts'
import { LARGEST, transformImage, variantKey } from '#worker/features/media/variants.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { EDGE_CACHE, memorialTag } from '#worker/platform/edge-cache.ts'
import { serviceRows, toFuneralEvent } from '#worker/features/funeral/funeral.ts'
import { previewGathering } from '#worker/features/previews/card-gatherings.ts'
import { cardHash, type CardSubject } from '#worker/features/previews/page-head.ts'
import { cardSvg, PORTRAIT } from '#worker/features/previews/card-svg.ts'
import { writableName } from '#worker/features/previews/card-text.ts'
import { bytesOfDataUri } from '#worker/platform/bytes.ts'
import { writeWithDeadline } from '#worker/platform/objects.ts'
import { countRateLimit } from '#worker/platform/rate-limiter.ts'

/** Who looks at the preview of a link. */
const STRANGER = { canEdit: false, isInvited: false }
/** `objectKey` is the portrait's key, or null without a portrait. */
export type Subject = CardSubject & { id: string; objectKey: string | null }

const PORTRAIT_QUALITY = 90
/** JPEG qualities tried in order until the card is below its size limit. */
const QUALITIES = [85, 70, 50] as const
/** For browsers. The edge caches a card as long as the page that links to it. */
const BROWSER_CACHE = 'public, max-age=300'
/** Short, because a card that fails now may soon work. */
const NEUTRAL_BROWSER_CACHE = 'public, max-age=60'

/** The service's own card if no such memorial is public or rendering fails: a chat never shows a broken image. */
export async function serveCard(ctx: Ctx, slug: string): Promise<Response> {
  let subject: Subject | null = null
  let card: R2ObjectBody | null = null
  try {
    subject = await findSubject(ctx, and(eq(memorials.slug, slug), eq(memorials.privacy, 'LOCKED')))
    if (subject && hasNothingToShow(subject)) return await neutralCardFor(subject)
    card = subject && (await findOrMakeCard(ctx, subject))
  } catch (error) {
    ctx.log.error('card_failed', error)
  }
  if (!subject || !card) return neutralCard({ browser: NEUTRAL_BROWSER_CACHE, edge: 'no-store' })
  const headers = cardHeaders({ browser: BROWSER_CACHE, edge: EDGE_CACHE })
  headers.set('ETag', card.httpEtag)
  headers.set('Cache-Tag', memorialTag(subject.id))
  headers.set('Content-Length', String(card.size))
  return new Response(card.body, { headers })
}

/** True if the font cannot write the name and there is no portrait. */
function hasNothingToShow({ honoureeFullName, objectKey }: Subject): boolean {
  return objectKey === null && writableName(honoureeFullName) === null
}

/** The service's own card, cached like the memorial's, because a retry would give the same. */
async function neutralCardFor({ id }: Subject): Promise<Response> {
  const answer = await neutralCard({ browser: BROWSER_CACHE, edge: EDGE_CACHE })
  answer.headers.set('Cache-Tag', memorialTag(id))
  return answer
}

/** Serves the service's own card with these `Cache-Control` values for browsers and the edge. */
export async function neutralCard(cache: { browser: string; edge: string }): Promise<Response> {
  // Rendered by tools/build/neutral-card.ts.
  const { default: dataUri } = await import('#worker/features/previews/neutral-card.jpg?inline')
  return new Response(bytesOfDataUri(dataUri), { headers: cardHeaders(cache) })
}

export function cardHeaders({ browser, edge }: { browser: string; edge: string }): Headers {
  return new Headers({
    'Content-Type': 'image/jpeg',
    'Cache-Control': browser,
    'Cloudflare-CDN-Cache-Control': edge,
    // Other sites embed the card.
    'Cross-Origin-Resource-Policy': 'cross-origin',
  })
}

/** Finds an active memorial. `which` decides whether its name and portrait may be shown. */
export async function findSubject(ctx: Ctx, which: SQL | undefined): Promise<Subject | null> {
  const portrait = sql`coalesce(${memorials.coverMediaId}, ${memorials.profileMediaId})`
  const [found] = await ctx.db
    .select({
      id: memorials.id,
      honoureeFullName: memorials.honoureeFullName,
      dateOfBirth: memorials.dateOfBirth,
      dateOfBirthPrecision: memorials.dateOfBirthPrecision,
      dateOfDeath: memorials.dateOfDeath,
      dateOfDeathPrecision: memorials.dateOfDeathPrecision,
      profileMediaId: memorials.profileMediaId,
      coverMediaId: memorials.coverMediaId,
      privacy: memorials.privacy,
      objectKey: media.objectKey,
    })
    .from(memorials)
    .leftJoin(media, and(eq(media.id, portrait), eq(media.memorialId, memorials.id)))
    .where(and(which, /* prove: card-needs-active-memorial */ eq(memorials.status, 'ACTIVE')))
  if (!found) return null
  const { privacy, ...subject } = found
  // What the owner of an invite-only memorial lets previews show is name, years and face (docs/decisions/0048).
  if (privacy !== 'LOCKED') return { ...subject, gathering: null }
  const rows = await serviceRows(ctx, found.id)
  const events = rows.map((row) => toFuneralEvent(row, STRANGER))
  return { ...subject, gathering: previewGathering(events, ctx.now()) }
}

/** The card in storage, rendered first if necessary; null if it could show nothing, or after too many tries. */
export async function findOrMakeCard(ctx: Ctx, subject: Subject): Promise<R2ObjectBody | null> {
  return findOrMake(ctx, { key: cardKey(subject), hash: cardHash(subject) }, () => makeCard(ctx, subject))
}

/** The JPEG in storage below `key` if it shows what `hash` stands for, else what `make` makes, which replaces it. */
export async function findOrMake(
  ctx: Ctx,
  { key, hash }: { key: string; hash: string },
  make: () => Promise<Uint8Array | null>,
): Promise<R2ObjectBody | null> {
  const stored = await ctx.env.MEDIA.get(key)
  if (stored?.customMetadata?.['mark'] === hash) return stored
  await stored?.body.cancel()
  // Every attempt is billed and slow, so a hundred simultaneous requests must not make a hundred attempts.
  if ((await countRateLimit(ctx, 'pictures', `${key}:${hash}`)) > 0) return null
  const bytes = await make()
  if (!bytes) return null
  await writeWithDeadline(
    ctx.env.MEDIA.put(key, bytes, {
      httpMetadata: { contentType: 'image/jpeg' },
      customMetadata: { mark: hash },
    }),
  )
  const made = await ctx.env.MEDIA.get(key)
  // A slower request can have put its older picture there meanwhile.
  if (made?.customMetadata?.['mark'] === hash) return made
  await made?.body.cancel()
  return findOrMake(ctx, { key, hash }, make)
}

/** Stored below its portrait's key, so that deleting the portrait deletes it too; without one, below the memorial's. */
function cardKey({ id, objectKey }: Subject): string {
  return `${objectKey ?? `m/${id}`}/card.jpg`
}

/** Renders the card as JPEG; null if it could show nothing of the person. */
async function makeCard(ctx: Ctx, subject: Subject): Promise<Uint8Array | null> {
  const { honoureeFullName: name, objectKey } = subject
  const portrait = objectKey === null ? null : await portraitUri(ctx, objectKey)
  const { gathering } = subject
  const svg = cardSvg({ name, years: lifeYears(subject), portrait, gathering })
  return svg === null ? null : toJpeg(ctx, svg, LINK_CARD)
}

/** Renders an SVG of this width as JPEG of at most `maxBytes`. */
export async function toJpeg(
  ctx: Ctx,
  svg: string,
  { width, maxBytes }: { width: number; maxBytes: number },
): Promise<Uint8Array> {
  // Loaded only here, because the renderer is large and rarely needed.
  const { renderSvg } = await import('#worker/features/previews/render-svg.ts')
  const png = await renderSvg(svg)
  for (const quality of QUALITIES) {
    const { bytes } = await transformImage(ctx, new Blob([png]).stream(), {
      width,
      format: 'image/jpeg',
      quality,
    })
    if (bytes.byteLength <= maxBytes) return bytes
  }
  throw new Error('the card exceeds its size limit')
}

/** The portrait in this size, as a data URI; null if there is no file. */
export async function portraitUri(
  ctx: Ctx,
  objectKey: string,
  size: { width: number; height: number } = PORTRAIT,
): Promise<string | null> {
  const largest = await ctx.env.MEDIA.get(variantKey(objectKey, { width: LARGEST, format: 'image/webp' }))
  if (!largest) return null
  const { bytes, contentType } = await transformImage(ctx, largest.body, {
    ...size,
    format: 'image/jpeg',
    quality: PORTRAIT_QUALITY,
  })
  return `data:${contentType};base64,${Buffer.from(bytes).toString('base64')}`
}
