import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/ctx.ts'
import type { Orientation } from '#worker/media-formats/image-header.ts'
import { inTime, LateError } from '#worker/platform/deadline.ts'

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

/** A hundred megapixels take seconds; what takes longer than this hangs. */
const IMAGES_TIMEOUT_MS = 60_000

/** Limit reached, unavailable, too slow: the service's fault and not the picture's. https://developers.cloudflare.com/images/reference/troubleshooting/ */
const IMAGES_AT_FAULT: ReadonlySet<unknown> = new Set([9422, 9432, 9529])

/** As in the pages (look.md 5). */
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

/**
 * The picture at most `width` pixels wide, upright, in this format; never enlarged unless it has a height to fill. Throws `bad_input` for one that cannot
 * be decoded, and an Error where the service is at fault. Every call is billed.
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
    return await inTime(made, IMAGES_TIMEOUT_MS, 'Images')
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
export function straightened(
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

/** The refusal of a picture that cannot be read. */
export function damaged(): AppError {
  return new AppError('bad_input', messages.media.damaged)
}
