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
import type { Ctx } from '#worker/platform/ctx.ts'
import {
  findOrientation,
  IMAGE_HEADER_BYTES,
  readImageSize,
  resetOrientation,
} from '#worker/media-formats/image-header.ts'
import { withDeadline, DeadlineError } from '#worker/platform/deadlines.ts'
import { writeWithDeadline } from '#worker/platform/objects.ts'

export type VariantFormat = 'image/webp' | 'image/avif'
/** A picture as Images has made it, and what it truly is: a format it cannot make in this size it replaces by another. */
export type MadeImage = { bytes: Uint8Array; contentType: string }
type Wanted = {
  width: number
  /** With it the picture fills both, and what is too much is cut off, less above than below: faces sit high. */
  height?: number
  format: VariantFormat | 'image/jpeg'
  quality: number
  orientation?: number | undefined
}
export type VariantWidth = (typeof IMAGE_WIDTHS)[number]
/** What visitors get for the picture itself, and what the smaller ones are made from. */
export const LARGEST: VariantWidth = 1920
/** AVIF of this quality is half the size of the WebP (measured with camera photographs, docs/decisions). */
const QUALITY = { 'image/webp': 80, 'image/avif': 55 } as const satisfies Record<VariantFormat, number>
const ENDING = { 'image/webp': 'webp', 'image/avif': 'avif' } as const satisfies Record<VariantFormat, string>
/** A hundred megapixels take seconds; what takes longer than this hangs. */
const IMAGES_TIMEOUT_MS = 60_000

/** Limit reached, unavailable, too slow: the service is at fault, not the picture. https://developers.cloudflare.com/images/reference/troubleshooting/ */
const IMAGES_AT_FAULT: ReadonlySet<unknown> = new Set([9422, 9432, 9529])

/** The same crop as in the pages. */
const FACES = { x: 0.5, y: 0.3, mode: 'remainder' } as const

/** EXIF orientation -> turn and mirror; Images mirrors first, then turns. https://developers.cloudflare.com/images/transform-images/transform-via-workers/ */
const UPRIGHT: Record<number, Pick<ImageTransform, 'rotate' | 'flip'>> = {
  2: { flip: 'h' },
  3: { rotate: 180 },
  4: { flip: 'v' },
  5: { flip: 'h', rotate: 270 },
  6: { rotate: 90 },
  7: { flip: 'h', rotate: 90 },
  8: { rotate: 270 },
}
/** Nobody looks for details in sixteen pixels. */
const PLACEHOLDER_QUALITY = 30

/** One of a picture's sizes in one of its formats. */
export type Variant = { width: VariantWidth; format: VariantFormat }
type Size = { width: number; height: number }
/** Pixels, upright, and a data URI of the picture very small; null where even that is too long. */
export type FirstVariants = Size & { placeholder: string | null }

/** R2 key of a variant: below its original, or below its poster's prefix. */
export function variantKey(prefix: string, { width, format }: Variant): string {
  return `${prefix}/w${width}.${ENDING[format]}`
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
  const upright = resetOrientation(await open(), found)
  const webp = { format: 'image/webp', quality: QUALITY['image/webp'] } as const
  const large = await transformImage(ctx, upright, { ...webp, width: LARGEST, orientation: found?.value })
  await putVariant(ctx, prefix, { ...webp, width: LARGEST }, large)
  const small = await transformImage(ctx, streamOf(large.bytes), { ...webp, width: THUMBNAIL_WIDTH })
  await putVariant(ctx, prefix, { ...webp, width: THUMBNAIL_WIDTH }, small)
  const placeholder = await makePlaceholder(ctx, small.bytes)
  return { ...turned(stored, readImageSize(large.bytes)), placeholder }
}

async function makePlaceholder(ctx: Ctx, thumbnail: Uint8Array): Promise<string | null> {
  const { bytes: tiny, contentType } = await transformImage(ctx, streamOf(thumbnail), {
    width: PLACEHOLDER_WIDTH,
    format: 'image/webp',
    quality: PLACEHOLDER_QUALITY,
  })
  if (tiny.byteLength > PLACEHOLDER_MAX_BYTES) return null
  return `data:${contentType};base64,${btoa(String.fromCharCode(...tiny))}`
}

/** This variant, made now from the large one if it is wanted for the first time; null without an image. */
export async function ensureVariant(ctx: Ctx, prefix: string, wanted: Variant): Promise<R2Object | null> {
  const known = await ctx.env.MEDIA.head(variantKey(prefix, wanted))
  return known || wanted.width === LARGEST ? known : makeVariant(ctx, prefix, wanted)
}

/** One that is not there yet, from the large one; null without an image. Two at once make the same. */
export async function makeVariant(ctx: Ctx, prefix: string, wanted: Variant): Promise<R2Object | null> {
  const large = await ctx.env.MEDIA.get(variantKey(prefix, { width: LARGEST, format: 'image/webp' }))
  if (!large) return null
  const made = await transformImage(ctx, large.body, { ...wanted, quality: QUALITY[wanted.format] })
  return putVariant(ctx, prefix, wanted, made)
}

async function putVariant(ctx: Ctx, prefix: string, variant: Variant, { bytes, contentType }: MadeImage) {
  return writeWithDeadline(
    ctx.env.MEDIA.put(variantKey(prefix, variant), bytes, { httpMetadata: { contentType } }),
  )
}

/** The stored size, with its sides changed where the picture was turned while it was made. */
function turned(stored: Size, made: Size | null): Size {
  const isTurned =
    made !== null &&
    stored.width !== stored.height &&
    made.width > made.height !== stored.width > stored.height
  return isTurned ? { width: stored.height, height: stored.width } : stored
}

/**
 * The picture at most `width` pixels wide, upright, in this format; never enlarged unless it has a height to fill. Throws
 * `bad_input` for one that cannot be decoded, and an Error where the service is at fault. Every call is billed.
 */
export async function transformImage(
  ctx: Ctx,
  bytes: ReadableStream<Uint8Array>,
  { width, height, format, quality, orientation = 1 }: Wanted,
): Promise<MadeImage> {
  try {
    // The output drops every kind of metadata: the place where a photo was taken never leaves the server.
    const made = ctx.env.IMAGES.input(bytes)
      .transform({
        width,
        ...(height === undefined ? { fit: 'scale-down' } : { height, fit: 'cover', gravity: FACES }),
        ...UPRIGHT[orientation],
      })
      .output({ format, quality })
      .then(async (result) => ({
        bytes: new Uint8Array(await new Response(result.image()).arrayBuffer()),
        contentType: result.contentType(),
      }))
    return await withDeadline(made, IMAGES_TIMEOUT_MS, 'Images')
  } catch (error) {
    if (error instanceof DeadlineError) throw error
    if (error instanceof Error && 'code' in error && IMAGES_AT_FAULT.has(error.code)) throw error
    ctx.log.info('image_not_decoded', { reason: error instanceof Error ? error.message : 'unknown' })
    throw damaged()
  }
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new Blob([bytes]).stream()
}

function gone(): Error {
  return new Error('the image that was just stored is not there')
}

function damaged(): AppError {
  return new AppError('bad_input', messages.media.damaged)
}
