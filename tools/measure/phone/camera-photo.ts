import type { Page } from '@playwright/test'

/** Stored in landscape and displayed in portrait, because the camera was rotated right (CIPA DC-008). */
const EXIF_ORIENTATION = 6

/**
 * A JPEG like one from a phone's camera: 12 megapixels, 4.3 MB (2.9 MB with quality 0.82), stored rotated, with a GPS position.
 * Upright it is 3024 × 4032 and red in the top left corner. `page` renders it; another seed gives another picture. Its edges and
 * grain give its small variants the size of a detailed camera photo's: as AVIF 13 kB at 320 px, twice those of the demo.
 */
export async function cameraPhoto(
  page: Page,
  { seed = 7, quality = 0.88 } = {},
): Promise<Buffer<ArrayBuffer>> {
  const base64 = await page.evaluate(
    async (options) => {
      const [width, height] = [4032, 3024]
      const canvas = Object.assign(document.createElement('canvas'), { width, height })
      const context = canvas.getContext('2d')!
      const sky = context.createLinearGradient(0, 0, width, height)
      for (const [at, colour] of [
        [0, '#6fa3d8'],
        [0.5, '#c8b08a'],
        [1, '#3d4a2f'],
      ] as const) {
        sky.addColorStop(at, colour)
      }
      context.fillStyle = sky
      context.fillRect(0, 0, width, height)
      let last = options.seed
      const random = () => (last = (last * 48271) % 2147483647) / 2147483647
      for (let shape = 0; shape < 900; shape++) {
        context.fillStyle = `hsl(${random() * 360} 40% ${20 + random() * 60}% / 0.5)`
        context.beginPath()
        context.arc(random() * width, random() * height, 10 + random() * 160, 0, 7)
        context.fill()
      }
      // Noise, as from a small sensor.
      const pixels = context.getImageData(0, 0, width, height)
      for (let at = 0; at < pixels.data.length; at += 4) {
        const grain = (random() + random() - 1) * 28
        for (let part = 0; part < 3; part++) pixels.data[at + part] = (pixels.data[at + part] ?? 0) + grain
      }
      context.putImageData(pixels, 0, 0)
      context.fillStyle = '#d00000'
      context.fillRect(0, height - 600, 600, 600)
      const blob = await new Promise<Blob>((resolve) =>
        canvas.toBlob((made) => resolve(made!), 'image/jpeg', options.quality),
      )
      const reader = new FileReader()
      reader.readAsDataURL(blob)
      await new Promise((resolve) => reader.addEventListener('load', resolve))
      return (reader.result as string).split(',')[1] ?? ''
    },
    { seed, quality },
  )
  const plain = Buffer.from(base64, 'base64')
  return Buffer.concat([plain.subarray(0, 2), exif(), plain.subarray(2)])
}

/** APP1 with the orientation, the camera's name, and 17°49′S 31°03′E. */
function exif(): Buffer {
  const make = Buffer.from('Nhaka Test Camera\0')
  const [main, gps] = [8, 8 + 2 + 3 * 12 + 4]
  const makeAt = gps + 2 + 4 * 12 + 4
  const [southAt, eastAt] = [makeAt + make.length, makeAt + make.length + 24]
  const tiff = Buffer.alloc(eastAt + 24)
  tiff.write('MM\0*', 0, 'latin1')
  tiff.writeUInt32BE(main, 4)
  const entry = (at: number, tag: number, type: number, count: number, value: number) => {
    tiff.writeUInt16BE(tag, at)
    tiff.writeUInt16BE(type, at + 2)
    tiff.writeUInt32BE(count, at + 4)
    // A 16-bit value is in the upper half of its four bytes.
    tiff.writeUInt32BE(type === 3 ? value * 0x10000 : value, at + 8)
  }
  tiff.writeUInt16BE(3, main)
  entry(main + 2, 0x010f, 2, make.length, makeAt)
  entry(main + 14, 0x0112, 3, 1, EXIF_ORIENTATION)
  entry(main + 26, 0x8825, 4, 1, gps)
  make.copy(tiff, makeAt)
  tiff.writeUInt16BE(4, gps)
  entry(gps + 2, 1, 2, 2, 'S'.charCodeAt(0) * 0x1000000)
  entry(gps + 14, 2, 5, 3, southAt)
  entry(gps + 26, 3, 2, 2, 'E'.charCodeAt(0) * 0x1000000)
  entry(gps + 38, 4, 5, 3, eastAt)
  for (const [at, parts] of [
    [southAt, [17, 49, 0]],
    [eastAt, [31, 3, 0]],
  ] as const) {
    parts.forEach((part, index) => {
      tiff.writeUInt32BE(part, at + index * 8)
      tiff.writeUInt32BE(1, at + index * 8 + 4)
    })
  }
  const head = Buffer.from('\xff\xe1\0\0Exif\0\0', 'latin1')
  head.writeUInt16BE(tiff.length + 8, 2)
  return Buffer.concat([head, tiff])
}
