import { AppError } from '#shared/errors.ts'
import {
  IMAGE_MAX_PIXELS,
  IMAGE_MAX_SIDE_PX,
  type IMAGE_WIDTHS,
  PLACEHOLDER_MAX_BYTES,
  PLACEHOLDER_WIDTH,
  THUMBNAIL_WIDTH,
} from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/ctx.ts'
import { findOrientation, IMAGE_HEADER_BYTES, readImageSize } from '#worker/features/media/image-header.ts'
import { damaged, straightened, transformImage } from '#worker/features/media/transform-image.ts'
import { writeInTime } from '#worker/platform/objects.ts'

export type VariantWidth = (typeof IMAGE_WIDTHS)[number]
/** What visitors get for the picture itself, and what the smaller ones are made from. */
export const LARGEST: VariantWidth = 1920
const VARIANT_TYPE = 'image/webp'
const QUALITY = 80
/** Nobody looks for details in sixteen pixels. */
const PLACEHOLDER_QUALITY = 30

type Size = { width: number; height: number }
/** Pixels, upright, and a data URI of the picture very small; null where even that is too long. */
export type FirstVariants = Size & { placeholder: string | null }

/** R2 key of a variant: below its original, or below its poster's prefix. */
export function variantKey(prefix: string, width: VariantWidth): string {
  return `${prefix}/w${width}.webp`
}

/**
 * Makes the large variant and the thumbnail of an image that lies in R2, which proves that it can be decoded. Throws
 * `bad_input` for a damaged one or one with too many pixels.
 */
export async function makeFirstVariants(ctx: Ctx, objectKey: string): Promise<FirstVariants> {
  const head = await ctx.env.MEDIA.get(objectKey, { range: { offset: 0, length: IMAGE_HEADER_BYTES } })
  if (!head) throw gone()
  const header = new Uint8Array(await head.arrayBuffer())
  return firstVariants(ctx, objectKey, header, async () => {
    const original = await ctx.env.MEDIA.get(objectKey)
    if (!original) throw gone()
    return original.body
  })
}

/** As {@link makeFirstVariants}, of a small image at hand, below `prefix`. */
export function makeVariantsOf(ctx: Ctx, prefix: string, bytes: Uint8Array): Promise<FirstVariants> {
  return firstVariants(ctx, prefix, bytes.subarray(0, IMAGE_HEADER_BYTES), async () => streamOf(bytes))
}

async function firstVariants(
  ctx: Ctx,
  prefix: string,
  header: Uint8Array,
  open: () => Promise<ReadableStream<Uint8Array>>,
): Promise<FirstVariants> {
  const stored = readImageSize(header)
  if (!stored) throw damaged()
  if (
    Math.max(stored.width, stored.height) > IMAGE_MAX_SIDE_PX ||
    stored.width * stored.height > IMAGE_MAX_PIXELS
  ) {
    throw new AppError('bad_input', messages.media.tooManyPixels)
  }
  const found = findOrientation(header)
  const upright = straightened(await open(), found)
  const webp = { format: VARIANT_TYPE, quality: QUALITY } as const
  const large = await transformImage(ctx, upright, { ...webp, width: LARGEST, orientation: found?.value })
  await putVariant(ctx, prefix, LARGEST, large)
  const small = await transformImage(ctx, streamOf(large), { ...webp, width: THUMBNAIL_WIDTH })
  await putVariant(ctx, prefix, THUMBNAIL_WIDTH, small)
  return { ...turned(stored, readImageSize(large)), placeholder: await makePlaceholder(ctx, small) }
}

async function makePlaceholder(ctx: Ctx, thumbnail: Uint8Array): Promise<string | null> {
  const wanted = { width: PLACEHOLDER_WIDTH, format: VARIANT_TYPE, quality: PLACEHOLDER_QUALITY } as const
  const tiny = await transformImage(ctx, streamOf(thumbnail), wanted)
  if (tiny.byteLength > PLACEHOLDER_MAX_BYTES) return null
  return `data:${VARIANT_TYPE};base64,${btoa(String.fromCharCode(...tiny))}`
}

/** The variant of this width, made now from the large one if it is asked for the first time; null without an image. */
export async function ensureVariant(ctx: Ctx, prefix: string, width: VariantWidth): Promise<R2Object | null> {
  const key = variantKey(prefix, width)
  const known = await ctx.env.MEDIA.head(key)
  if (known || width === LARGEST) return known
  const large = await ctx.env.MEDIA.get(variantKey(prefix, LARGEST))
  if (!large) return null
  const wanted = { width, format: VARIANT_TYPE, quality: QUALITY } as const
  return putVariant(ctx, prefix, width, await transformImage(ctx, large.body, wanted))
}

async function putVariant(ctx: Ctx, prefix: string, width: VariantWidth, bytes: Uint8Array) {
  const httpMetadata = { contentType: VARIANT_TYPE }
  return writeInTime(ctx.env.MEDIA.put(variantKey(prefix, width), bytes, { httpMetadata }))
}

/** The stored size, with its sides changed where the picture was turned while it was made. */
function turned(stored: Size, made: Size | null): Size {
  const isTurned =
    made !== null &&
    stored.width !== stored.height &&
    made.width > made.height !== stored.width > stored.height
  return isTurned ? { width: stored.height, height: stored.width } : stored
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new Blob([bytes]).stream()
}

function gone(): Error {
  return new Error('the image that was just stored is not there')
}
