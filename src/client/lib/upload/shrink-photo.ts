import { isCanvasUnaltered, encodeWithin } from './canvas-blob.ts'

type Size = { width: number; height: number }

/** What a photo is shrunk to: longest side in pixels, and target size in bytes. */
const PHOTO_SIDE_PX = 2048
const PHOTO_MAX_BYTES = 700_000
/** Qualities, tried in order until the photo fits. Below 0.66, artefacts show in skies and faces. */
const PHOTO_QUALITIES = [0.82, 0.74, 0.66] as const

/** Leading bytes in which a PNG or WebP says that it is animated. */
const HEAD_BYTES = 4096
/** Above this an `<img>` draws the photo at a reduced size; a bitmap would take 160 MB of memory. */
const BITMAP_MAX_PIXELS = 40_000_000
/** Side of the small copy that is checked for transparency. */
const SAMPLE_PX = 128

/** Copies that are made or being made: the small script of a page starts one before the app asks for it. */
const copies = new WeakMap<File, Promise<File | null>>()

/**
 * A copy of a photo that uses less mobile data: longest side 2048 pixels, upright, without camera metadata; WebP if
 * the browser can encode it, else JPEG. Null if the original should be sent: already small, transparent, animated,
 * undecodable, no larger than its copy, or the canvas adds noise.
 */
export function shrinkPhoto(file: File): Promise<File | null> {
  const copy = copies.get(file) ?? makeCopy(file)
  copies.set(file, copy)
  copy.catch(() => copies.delete(file))
  return copy
}

async function makeCopy(file: File): Promise<File | null> {
  if (!isCanvasUnaltered() || hasAnimation(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())))
    return null
  const address = URL.createObjectURL(file)
  try {
    const image = await decodeImage(address)
    if (!image) return null
    const { naturalWidth: width, naturalHeight: height } = image
    const size = targetSize(width, height, file.size)
    if (!size) return null
    const canvas = await drawToCanvas(file, image, size)
    if (!canvas) return null
    const blob = await encodePhoto(canvas, file.type === 'image/jpeg')
    // Frees the memory at once: Safari keeps canvases for a while.
    canvas.width = 0
    if (!blob || blob.size >= file.size) return null
    return new File([blob], withExtensionOf(file.name, blob.type), {
      type: blob.type,
      lastModified: file.lastModified,
    })
  } finally {
    URL.revokeObjectURL(address)
  }
}

/** The loaded, upright image element; null if this browser cannot decode it. */
async function decodeImage(address: string): Promise<HTMLImageElement | null> {
  const image = new Image()
  const hasLoaded = new Promise<boolean>((resolve) => {
    image.addEventListener('load', () => resolve(true), { once: true })
    image.addEventListener('error', () => resolve(false), { once: true })
  })
  image.src = address
  return (await hasLoaded) && image.naturalWidth > 0 ? image : null
}

/** Null for a damaged photo. */
async function drawToCanvas(
  file: File,
  image: HTMLImageElement,
  size: Size,
): Promise<HTMLCanvasElement | null> {
  const canvas = Object.assign(document.createElement('canvas'), size)
  const bitmap = await bitmapOf(file, image)
  if (bitmap === 'damaged') return null
  draw(canvas, bitmap ?? image)
  bitmap?.close()
  return canvas
}

/** Decoded off the main thread; null if the orientation isn't applied or the photo is too large for a phone. */
async function bitmapOf(file: File, image: HTMLImageElement): Promise<ImageBitmap | 'damaged' | null> {
  if (image.naturalWidth * image.naturalHeight > BITMAP_MAX_PIXELS) return null
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' })
    if (bitmap.width === image.naturalWidth && bitmap.height === image.naturalHeight) return bitmap
    bitmap.close()
  } catch (error) {
    // An `<img>` would show a truncated photo with grey for the missing part.
    if (error instanceof DOMException && error.name === 'InvalidStateError') return 'damaged'
    // Older browsers don't support the option; the element draws itself upright as well.
  }
  return null
}

function draw(canvas: HTMLCanvasElement, source: CanvasImageSource): CanvasRenderingContext2D | null {
  const context = canvas.getContext('2d')
  if (!context) return null
  context.imageSmoothingQuality = 'high'
  context.drawImage(source, 0, 0, canvas.width, canvas.height)
  return context
}

/** Null for a photo with transparency, which no browser encodes well in both types. */
async function encodePhoto(canvas: HTMLCanvasElement, isOpaque: boolean): Promise<Blob | null> {
  if (!isOpaque && isTransparent(canvas)) return null
  return encodeWithin(canvas, PHOTO_QUALITIES, PHOTO_MAX_BYTES)
}

function isTransparent(canvas: HTMLCanvasElement): boolean {
  const sample = Object.assign(document.createElement('canvas'), { width: SAMPLE_PX, height: SAMPLE_PX })
  const pixels = draw(sample, canvas)?.getImageData(0, 0, SAMPLE_PX, SAMPLE_PX).data ?? []
  for (let at = 3; at < pixels.length; at += 4) if ((pixels[at] ?? 255) < 255) return true
  return false
}

/** Target size in pixels, same aspect ratio; null if the photo is small enough. */
export function targetSize(width: number, height: number, bytes: number): Size | null {
  const side = Math.max(width, height)
  if (side <= PHOTO_SIDE_PX && bytes <= PHOTO_MAX_BYTES) return null
  const scale = Math.min(1, PHOTO_SIDE_PX / side)
  const scaled = (pixels: number) => Math.max(1, Math.round(pixels * scale))
  return { width: scaled(width), height: scaled(height) }
}

/** True for an animated PNG or WebP: a copy would lose the animation. Reads the first few kilobytes. */
export function hasAnimation(head: Uint8Array): boolean {
  const text = (from: number, to: number) => String.fromCharCode(...head.subarray(from, to))
  // https://developers.google.com/speed/webp/docs/riff_container: bit 1 of the VP8X flags.
  if (text(8, 16) === 'WEBPVP8X') return ((head[20] ?? 0) & 2) !== 0
  // https://www.w3.org/TR/png-3/#acTL-chunk: comes before the image data.
  return text(1, 4) === 'PNG' && text(0, head.length).includes('acTL')
}

/** The file's name with the extension of its new type. */
export function withExtensionOf(name: string, mimeType: string): string {
  const extension = mimeType === 'image/webp' ? 'webp' : 'jpg'
  const dot = name.lastIndexOf('.')
  return `${dot > 0 ? name.slice(0, dot) : name}.${extension}`
}
