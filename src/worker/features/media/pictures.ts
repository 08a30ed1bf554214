import { eq } from 'drizzle-orm'
import { AVIF_MAX_SIDE_PX, IMAGE_WIDTHS, EAGER_VARIANTS_ABOVE_PX, THUMBNAIL_WIDTH } from '#shared/limits.ts'
import { afterAnswer, type Ctx, type RequestCtx } from '#worker/platform/ctx.ts'
import { media } from '#worker/schema/media.table.ts'
import {
  ensureVariant,
  LARGEST,
  makeVariant,
  variantKey,
  type Variant,
  type VariantWidth,
} from '#worker/features/media/variants.ts'
import { countRateLimit } from '#worker/platform/rate-limiter.ts'

type Pictured = Pick<typeof media.$inferSelect, 'objectKey' | 'posterKey' | 'width' | 'height'>

/**
 * The stored picture that answers a question for this width: AVIF where the browser takes it and it is there already, else
 * WebP, made now if need be. An AVIF that is missing is made once the answer is on its way: encoding takes longer than
 * sending the larger WebP. The largest WebP where too many tries have been made. Null where there is no picture.
 */
export async function findPicture(
  ctx: RequestCtx,
  row: Pictured,
  asked: VariantWidth,
): Promise<R2Object | null> {
  const prefix = prefixOf(row)
  const avif = acceptsAvif(ctx.request) ? avifFor(row, asked) : null
  if (avif) {
    const known = await ctx.env.MEDIA.head(variantKey(prefix, avif))
    if (known) return known
    afterAnswer(ctx, 'avif', async () => {
      if (await mayMake(ctx, prefix, avif)) await makeVariant(ctx, prefix, avif)
    })
  }
  const webp = webpFor(row, asked)
  const known = await ctx.env.MEDIA.head(variantKey(prefix, webp))
  if (known || webp.width === LARGEST) return known
  if (await mayMake(ctx, prefix, webp)) return makeVariant(ctx, prefix, webp)
  return ctx.env.MEDIA.head(variantKey(prefix, { ...webp, width: LARGEST }))
}

/** Every try is billed: a hundred who ask at once, or for one that cannot be made, must not make a hundred of it. */
async function mayMake(ctx: Ctx, prefix: string, variant: Variant): Promise<boolean> {
  return (await countRateLimit(ctx, 'pictures', variantKey(prefix, variant))) === 0
}

/** Asks for the other sizes of a new picture. A queue that is down only delays them: they are made on their first request. */
export async function makePicturesSoon(
  ctx: Ctx,
  row: Pictured & { id: string; type: string },
): Promise<void> {
  if (row.type !== 'IMAGE' || (row.width ?? 0) <= EAGER_VARIANTS_ABOVE_PX) return
  try {
    await ctx.enqueue({ type: 'make-pictures', mediaId: row.id })
  } catch (error) {
    ctx.log.warn('pictures_not_enqueued', { mediaId: row.id, cause: String(error) })
  }
}

/** Makes every size and format that a page may ask for and that is not there yet. Safe to repeat. */
export async function makePictures(ctx: Ctx, mediaId: string): Promise<void> {
  const [row] = await ctx.db.select().from(media).where(eq(media.id, mediaId))
  if (!row?.hasThumbnail) return
  const wanted = new Map<string, Variant>()
  for (const asked of IMAGE_WIDTHS) {
    for (const variant of [webpFor(row, asked), avifFor(row, asked)]) {
      if (variant) wanted.set(variantKey(prefixOf(row), variant), variant)
    }
  }
  for (const variant of wanted.values()) await ensureVariant(ctx, prefixOf(row), variant)
}

function prefixOf({ posterKey, objectKey }: Pictured): string {
  return posterKey ?? objectKey
}

/** Nothing is enlarged: where the picture is no wider than what is asked, the largest one is it already. */
function webpFor({ width }: Pictured, asked: VariantWidth): Variant {
  const isWhole = width !== null && width <= asked && asked !== THUMBNAIL_WIDTH
  return { width: isWhole ? LARGEST : asked, format: 'image/webp' }
}

/** Null where the picture would be longer than Images makes AVIF, or its size is not known. */
function avifFor({ width, height }: Pictured, asked: VariantWidth): Variant | null {
  if (width === null || height === null) return null
  const made = Math.min(width, asked)
  if (Math.max(made, (made * height) / width) > AVIF_MAX_SIDE_PX) return null
  const smallest = IMAGE_WIDTHS.find((known) => known >= made) ?? asked
  return smallest === LARGEST ? null : { width: smallest, format: 'image/avif' }
}

/** Only an Accept that names the format: `image/*` says nothing about what can be shown. */
function acceptsAvif(request: Request): boolean {
  const accepted = (request.headers.get('Accept') ?? '').split(',').map((part) => part.trim().toLowerCase())
  return accepted.some((part) => {
    const [type, ...parameters] = part.split(';').map((one) => one.trim())
    return type === 'image/avif' && !parameters.some((one) => /^q=0(?:\.0*)?$/u.test(one))
  })
}
