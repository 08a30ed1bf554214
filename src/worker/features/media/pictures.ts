import { eq } from 'drizzle-orm'
import {
  AVIF_MAX_SIDE_PX,
  IMAGE_WIDTHS,
  EAGER_VARIANTS_ABOVE_PX,
  PORTRAIT_WIDTH,
  THUMBNAIL_WIDTH,
} from '#shared/limits.ts'
import { afterAnswer, type Ctx, type RequestCtx } from '#worker/platform/ctx.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import {
  ensureVariant,
  LARGEST,
  makeVariant,
  variantKey,
  type Variant,
  type VariantWidth,
} from '#worker/features/media/variants.ts'
import { countRateLimit } from '#worker/platform/rate-limiter.ts'

type ImageRow = Pick<typeof media.$inferSelect, 'objectKey' | 'posterKey' | 'width' | 'height'>

/** AVIF if accepted and stored, else WebP. A missing AVIF is created after the response: encoding takes long. */
export async function findImage(
  ctx: RequestCtx,
  row: ImageRow,
  requested: VariantWidth,
): Promise<R2Object | null> {
  const prefix = prefixOf(row)
  const avif = acceptsAvif(ctx.request) ? avifFor(row, requested) : null
  if (avif) {
    const known = await ctx.env.MEDIA.head(variantKey(prefix, avif))
    if (known) return known
    afterAnswer(ctx, 'avif', async () => {
      if (await mayAttempt(ctx, prefix, avif)) await makeVariant(ctx, prefix, avif)
    })
  }
  const webp = webpFor(row, requested)
  const known = await ctx.env.MEDIA.head(variantKey(prefix, webp))
  if (known || webp.width === LARGEST) return known
  if (await mayAttempt(ctx, prefix, webp)) return makeVariant(ctx, prefix, webp)
  return ctx.env.MEDIA.head(variantKey(prefix, { ...webp, width: LARGEST }))
}

/** Limits attempts per variant, because each is billed: many concurrent requests must not cause as many attempts. */
async function mayAttempt(ctx: Ctx, prefix: string, variant: Variant): Promise<boolean> {
  return (await countRateLimit(ctx, 'pictures', variantKey(prefix, variant))) === 0
}

/** Enqueues the other variants of a new photo. If the queue is down, they are created on their first request. */
export async function enqueueVariants(ctx: Ctx, row: ImageRow & { id: string; type: string }): Promise<void> {
  if (row.type !== 'IMAGE' || (row.width ?? 0) <= EAGER_VARIANTS_ABOVE_PX) return
  try {
    await ctx.enqueue({ type: 'make-pictures', mediaId: row.id })
  } catch (error) {
    ctx.log.warn('pictures_not_enqueued', { mediaId: row.id, cause: String(error) })
  }
}

/** Creates all missing variants that a page can request. Safe to repeat. */
export async function makeVariants(ctx: Ctx, mediaId: string): Promise<void> {
  const [found] = await ctx.db
    .select({ row: media, portraitId: memorials.profileMediaId })
    .from(media)
    .innerJoin(memorials, eq(memorials.id, media.memorialId))
    .where(eq(media.id, mediaId))
  if (!found?.row.hasThumbnail) return
  const { row, portraitId } = found
  const wanted = new Map<string, Variant>()
  for (const requested of IMAGE_WIDTHS) {
    if (requested === PORTRAIT_WIDTH && portraitId !== mediaId) continue
    for (const variant of [webpFor(row, requested), avifFor(row, requested)]) {
      if (variant) wanted.set(variantKey(prefixOf(row), variant), variant)
    }
  }
  for (const variant of wanted.values()) await ensureVariant(ctx, prefixOf(row), variant)
}

function prefixOf({ posterKey, objectKey }: ImageRow): string {
  return posterKey ?? objectKey
}

/** Never enlarges: for an image that is no wider than requested, the largest variant is the right one. */
function webpFor({ width }: ImageRow, requested: VariantWidth): Variant {
  const isFullSize = width !== null && width <= requested && requested !== THUMBNAIL_WIDTH
  return { width: isFullSize ? LARGEST : requested, format: 'image/webp' }
}

/** Null if the image would exceed the AVIF size limit of Images, or its size is unknown. */
function avifFor({ width, height }: ImageRow, requested: VariantWidth): Variant | null {
  if (width === null || height === null) return null
  const target = Math.min(width, requested)
  if (Math.max(target, (target * height) / width) > AVIF_MAX_SIDE_PX) return null
  const smallest = IMAGE_WIDTHS.find((known) => known >= target) ?? requested
  return smallest === LARGEST ? null : { width: smallest, format: 'image/avif' }
}

/** Requires `image/avif` in Accept: browsers send `image/*` without supporting every format. */
function acceptsAvif(request: Request): boolean {
  const accepted = (request.headers.get('Accept') ?? '').split(',').map((part) => part.trim().toLowerCase())
  return accepted.some((part) => {
    const [type, ...parameters] = part.split(';').map((one) => one.trim())
    return type === 'image/avif' && !parameters.some((one) => /^q=0(?:\.0*)?$/u.test(one))
  })
}
