import { PHOTO_MAX_BYTES, PHOTO_SIDE_PX } from '#shared/limits.ts'

type Size = { width: number; height: number }

/** The size in pixels to which a photograph is shrunk, its shape kept; null where it is small enough as it is. */
export function smallerSize(width: number, height: number, bytes: number): Size | null {
  const side = Math.max(width, height)
  if (side <= PHOTO_SIDE_PX && bytes <= PHOTO_MAX_BYTES) return null
  const part = Math.min(1, PHOTO_SIDE_PX / side)
  const scaled = (pixels: number) => Math.max(1, Math.round(pixels * part))
  return { width: scaled(width), height: scaled(height) }
}

/** True for a PNG or WebP that moves: a copy would stand still. By its first few kilobytes. */
export function hasAnimation(head: Uint8Array): boolean {
  const text = (from: number, to: number) => String.fromCharCode(...head.subarray(from, to))
  // https://developers.google.com/speed/webp/docs/riff_container: bit 1 of the flags of VP8X.
  if (text(8, 16) === 'WEBPVP8X') return ((head[20] ?? 0) & 2) !== 0
  // https://www.w3.org/TR/png-3/#acTL-chunk: stands before the picture.
  return text(1, 4) === 'PNG' && text(0, head.length).includes('acTL')
}

/** The file's name with the ending of its new type. */
export function namedAs(name: string, mimeType: string): string {
  const ending = mimeType === 'image/webp' ? 'webp' : 'jpg'
  const dot = name.lastIndexOf('.')
  return `${dot > 0 ? name.slice(0, dot) : name}.${ending}`
}
