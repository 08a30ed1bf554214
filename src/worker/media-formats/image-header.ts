import { imageSize } from 'image-size'

/** Enough leading bytes for everything that cameras write before the pixels. */
export const IMAGE_HEADER_BYTES = 512 * 1024

/** Width and height in pixels from the header, or null if it can't be read. Doesn't decode the image. */
export function readImageSize(head: Uint8Array): { width: number; height: number } | null {
  try {
    const { width, height } = imageSize(head)
    return width > 0 && height > 0 ? { width, height } : null
  } catch (error) {
    // The library throws plain errors for unreadable files; anything else is a bug.
    if (error instanceof Error) return null
    throw error
  }
}

export type Orientation = { value: number; offset: number; isLittleEndian: boolean }

/** The orientation of a JPEG (EXIF tag 0x0112, CIPA DC-008) and its offset in `head`; null without one. */
export function findOrientation(head: Uint8Array): Orientation | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  let at = 2
  while (at + 4 <= head.length && head[at] === 0xff) {
    const marker = head[at + 1]
    const length = view.getUint16(at + 2)
    if (marker === 0xda || length < 2) return null
    if (marker === 0xe1 && ascii(head, at + 4, 6) === 'Exif\0\0') {
      const end = Math.min(head.length, at + 2 + length)
      return orientationInTiff(
        new DataView(head.buffer, head.byteOffset + at + 10, Math.max(0, end - at - 10)),
        at + 10,
      )
    }
    at += 2 + length
  }
  return null
}

/** The bytes with orientation "upright": the caller rotates, because only some decoders do (Cloudflare's does). */
export function resetOrientation(
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
          const position = orientation.offset + index - at
          if (position >= 0 && position < chunk.byteLength) chunk[position] = value
        }
        at += chunk.byteLength
        controller.enqueue(chunk)
      },
    }),
  )
}

function orientationInTiff(tiff: DataView, base: number): Orientation | null {
  if (tiff.byteLength < 14) return null
  const isLittleEndian = tiff.getUint16(0) === 0x4949
  const directory = tiff.getUint32(4, isLittleEndian)
  if (directory + 2 > tiff.byteLength) return null
  const entries = tiff.getUint16(directory, isLittleEndian)
  for (let index = 0; index < entries; index++) {
    const entry = directory + 2 + index * 12
    if (entry + 12 > tiff.byteLength) return null
    if (tiff.getUint16(entry, isLittleEndian) === 0x0112) {
      return { value: tiff.getUint16(entry + 8, isLittleEndian), offset: base + entry + 8, isLittleEndian }
    }
  }
  return null
}

function ascii(bytes: Uint8Array, from: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(from, from + length))
}
