import { IMAGE_MAX_PIXELS, IMAGE_MAX_SIDE_PX, type IMAGE_WIDTHS, THUMBNAIL_WIDTH } from '#shared/limits.ts'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/ctx.ts'
import {
  findOrientation,
  IMAGE_HEADER_BYTES,
  readImageSize,
  type Orientation,
} from '#worker/features/media/image-header.ts'
import { inTime, LateError } from '#worker/platform/deadline.ts'
import { writeInTime } from '#worker/platform/objects.ts'

export type VariantWidth = (typeof IMAGE_WIDTHS)[number]
/** What visitors get for the picture itself, and what the smaller ones are made from. */
export const LARGEST: VariantWidth = 1920
const VARIANT_TYPE = 'image/webp'
const QUALITY = 80
/** A hundred megapixels take seconds; what takes longer than this hangs. */
const IMAGES_TIMEOUT_MS = 60_000

/** Limit reached, unavailable, too slow: the service's fault and not the picture's. https://developers.cloudflare.com/images/reference/troubleshooting/ */
const IMAGES_AT_FAULT: ReadonlySet<unknown> = new Set([9422, 9432, 9529])

/** R2 key of a variant: beside the original. */
export function variantKey(objectKey: string, width: VariantWidth): string {
  return `${objectKey}/w${width}.webp`
}

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

/**
 * Makes the large variant and the thumbnail of an image that lies in R2, which proves that it can be decoded. Returns
 * its size in pixels, upright. Throws `bad_input` for a damaged one or one with too many pixels.
 */
export async function makeFirstVariants(
  ctx: Ctx,
  objectKey: string,
): Promise<{ width: number; height: number }> {
  const head = await ctx.env.MEDIA.get(objectKey, { range: { offset: 0, length: IMAGE_HEADER_BYTES } })
  if (!head) throw new Error('the image that was just stored is not there')
  const header = new Uint8Array(await head.arrayBuffer())
  const stored = readImageSize(header)
  if (!stored) throw damaged()
  if (
    Math.max(stored.width, stored.height) > IMAGE_MAX_SIDE_PX ||
    stored.width * stored.height > IMAGE_MAX_PIXELS
  ) {
    throw new AppError('bad_input', messages.media.tooManyPixels)
  }
  const original = await ctx.env.MEDIA.get(objectKey)
  if (!original) throw new Error('the image that was just stored is not there')
  const orientation = findOrientation(header)
  const large = await transform(ctx, straightened(original.body, orientation), LARGEST, orientation?.value)
  await putVariant(ctx, objectKey, LARGEST, large)
  const thumbnail = await transform(ctx, streamOf(large), THUMBNAIL_WIDTH)
  await putVariant(ctx, objectKey, THUMBNAIL_WIDTH, thumbnail)
  return upright(stored, readImageSize(large))
}

/** The variant of this width, made now from the large one if it is asked for the first time; null without an image. */
export async function ensureVariant(
  ctx: Ctx,
  objectKey: string,
  width: VariantWidth,
): Promise<R2Object | null> {
  const key = variantKey(objectKey, width)
  const known = await ctx.env.MEDIA.head(key)
  if (known || width === LARGEST) return known
  const large = await ctx.env.MEDIA.get(variantKey(objectKey, LARGEST))
  if (!large) return null
  return putVariant(ctx, objectKey, width, await transform(ctx, large.body, width))
}

async function putVariant(ctx: Ctx, objectKey: string, width: VariantWidth, bytes: Uint8Array) {
  const httpMetadata = { contentType: VARIANT_TYPE }
  return writeInTime(ctx.env.MEDIA.put(variantKey(objectKey, width), bytes, { httpMetadata }))
}

async function transform(
  ctx: Ctx,
  bytes: ReadableStream<Uint8Array>,
  width: VariantWidth,
  orientation = 1,
): Promise<Uint8Array> {
  try {
    // WebP output drops every kind of metadata: the place where a photo was taken never leaves the server.
    const made = ctx.env.IMAGES.input(bytes)
      .transform({ width, fit: 'scale-down', ...UPRIGHT[orientation] })
      .output({ format: VARIANT_TYPE, quality: QUALITY })
      .then(async (result) => new Response(result.image()).arrayBuffer())
    return new Uint8Array(await inTime(made, IMAGES_TIMEOUT_MS, 'Images'))
  } catch (error) {
    if (error instanceof LateError) throw error
    if (error instanceof Error && 'code' in error && IMAGES_AT_FAULT.has(error.code)) throw error
    ctx.log.info('image_not_decoded', { reason: error instanceof Error ? error.message : 'unknown' })
    throw damaged()
  }
}

/**
 * The same bytes with the orientation set to "as it is": we turn the image ourselves, and the decoders disagree on
 * whether they turn it too (Cloudflare's does, the local one does not).
 */
function straightened(
  bytes: ReadableStream<Uint8Array>,
  orientation: Orientation | null,
): ReadableStream<Uint8Array> {
  if (!orientation) return bytes
  const patch = orientation.isLittleEndian ? [1, 0] : [0, 1]
  let at = 0
  return bytes.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        for (const [index, value] of patch.entries()) {
          const place = orientation.offset + index - at
          if (place >= 0 && place < chunk.byteLength) chunk[place] = value
        }
        at += chunk.byteLength
        controller.enqueue(chunk)
      },
    }),
  )
}

function upright(stored: Size, made: Size | null): Size {
  const isTurned =
    made !== null &&
    stored.width !== stored.height &&
    made.width > made.height !== stored.width > stored.height
  return isTurned ? { width: stored.height, height: stored.width } : stored
}
type Size = { width: number; height: number }

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new Blob([bytes]).stream()
}

function damaged(): AppError {
  return new AppError('bad_input', messages.media.damaged)
}
