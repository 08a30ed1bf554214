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
import { serverMessages } from '#worker/platform/server-messages.ts'

export type VariantFormat = 'image/webp' | 'image/avif'
/** Output of Images and its actual type: Images replaces a format that it can't produce at this size. */
export type MadeImage = { bytes: Uint8Array; contentType: string }
type Wanted = {
  width: number
  /** If set, crops the image to fill width and height, less at the top than at the bottom, where faces are. */
  height?: number
  format: VariantFormat | 'image/jpeg'
  quality: number
  orientation?: number | undefined
}
export type VariantWidth = (typeof IMAGE_WIDTHS)[number]
/** The variant that visitors get as the full image, and the source of the smaller ones. */
export const LARGEST: VariantWidth = 1920
/** AVIF of this quality has half the size of the WebP (measured with camera photos). */
const QUALITY = { 'image/webp': 80, 'image/avif': 55 } as const satisfies Record<VariantFormat, number>
const ENDING = { 'image/webp': 'webp', 'image/avif': 'avif' } as const satisfies Record<VariantFormat, string>
/** Even a hundred megapixels take only seconds. */
const IMAGES_TIMEOUT_MS = 60_000

/** Limit reached, unavailable, timeout: errors of the service, not of the image. https://developers.cloudflare.com/images/reference/troubleshooting/ */
const IMAGES_AT_FAULT: ReadonlySet<unknown> = new Set([9422, 9432, 9529])

/** The same crop as in the page's CSS. */
const FACES = { x: 0.5, y: 0.3, mode: 'remainder' } as const

/** EXIF orientation -> rotation and mirroring; Images mirrors first, then rotates. https://developers.cloudflare.com/images/transform-images/transform-via-workers/ */
const UPRIGHT: Record<number, Pick<ImageTransform, 'rotate' | 'flip'>> = {
  2: { flip: 'h' },
  3: { rotate: 180 },
  4: { flip: 'v' },
  5: { flip: 'h', rotate: 270 },
  6: { rotate: 90 },
  7: { flip: 'h', rotate: 90 },
  8: { rotate: 270 },
}
/** Low, because a placeholder is only sixteen pixels wide. */
const PLACEHOLDER_QUALITY = 30

export type Variant = { width: VariantWidth; format: VariantFormat }
type Size = { width: number; height: number }
/** Upright size in pixels, and a placeholder: WebP in base64, null if it would be too long. */
export type FirstVariants = Size & { placeholder: string | null }

/** R2 key of a variant: below its original, or below its poster's prefix. */
export function variantKey(prefix: string, { width, format }: Variant): string {
  return `${prefix}/w${width}.${ENDING[format]}`
}

/** Creates the large variant and the thumbnail, which proves that the image can be decoded. Throws `bad_input`. */
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

/** Like {@link makeFirstVariants}, for a small image in memory; stores the variants under `prefix`. */
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
    throw new AppError('bad_input', serverMessages.media.tooManyPixels)
  }
  const found = findOrientation(header)
  const upright = resetOrientation(await open(), found)
  const webp = { format: 'image/webp', quality: QUALITY['image/webp'] } as const
  const large = await transformImage(ctx, upright, { ...webp, width: LARGEST, orientation: found?.value })
  await putVariant(ctx, prefix, { ...webp, width: LARGEST }, large)
  const small = await transformImage(ctx, streamOf(large.bytes), { ...webp, width: THUMBNAIL_WIDTH })
  await putVariant(ctx, prefix, { ...webp, width: THUMBNAIL_WIDTH }, small)
  const placeholder = await makePlaceholder(ctx, small.bytes)
  return { ...uprightSize(stored, readImageSize(large.bytes)), placeholder }
}

async function makePlaceholder(ctx: Ctx, thumbnail: Uint8Array): Promise<string | null> {
  const { bytes: tiny } = await transformImage(ctx, streamOf(thumbnail), {
    width: PLACEHOLDER_WIDTH,
    format: 'image/webp',
    quality: PLACEHOLDER_QUALITY,
  })
  if (tiny.byteLength > PLACEHOLDER_MAX_BYTES) return null
  return btoa(String.fromCharCode(...tiny))
}

/** The data URI of a stored placeholder. A removed item may lack it. */
export function toPlaceholder(stored: string | null | undefined): string | null {
  if (!stored || stored.startsWith('data:')) return stored ?? null
  return `data:image/webp;base64,${stored}`
}

/** Returns this variant and creates it from the large one if it's missing; null without an image. */
export async function ensureVariant(ctx: Ctx, prefix: string, wanted: Variant): Promise<R2Object | null> {
  const known = await ctx.env.MEDIA.head(variantKey(prefix, wanted))
  return known || wanted.width === LARGEST ? known : makeVariant(ctx, prefix, wanted)
}

/** Creates a variant from the large one; null without an image. Concurrent calls create the same object. */
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

/** The stored size, with swapped sides if the image was rotated. */
function uprightSize(stored: Size, made: Size | null): Size {
  const isRotated =
    made !== null &&
    stored.width !== stored.height &&
    made.width > made.height !== stored.width > stored.height
  return isRotated ? { width: stored.height, height: stored.width } : stored
}

/** Enlarges only to fill a `height`. Throws `bad_input` for an image that can't be decoded. Each call is billed. */
export async function transformImage(
  ctx: Ctx,
  bytes: ReadableStream<Uint8Array>,
  { width, height, format, quality, orientation = 1 }: Wanted,
): Promise<MadeImage> {
  try {
    // Images drops all metadata, so the location of a photo never leaves the server.
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
  return new Error('the stored image is missing')
}

function damaged(): AppError {
  return new AppError('bad_input', messages.media.damaged)
}
