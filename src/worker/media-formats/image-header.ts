import { imageSize } from 'image-size'

/** Bytes of the beginning in which cameras put all that stands before the picture. */
export const IMAGE_HEADER_BYTES = 512 * 1024

/** Stored width and height in pixels by the header, or null where it cannot be read. Decodes nothing. */
export function readImageSize(head: Uint8Array): { width: number; height: number } | null {
  try {
    const { width, height } = imageSize(head)
    return width > 0 && height > 0 ? { width, height } : null
  } catch (error) {
    // The library throws plain errors for what it cannot read; anything else is a defect of ours.
    if (error instanceof Error) return null
    throw error
  }
}

export type Orientation = { value: number; offset: number; isLittleEndian: boolean }

/** Where a JPEG says how it is to be turned (EXIF tag 0x0112, CIPA DC-008), with its place in `head`; null without. */
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
