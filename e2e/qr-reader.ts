import { createRequire } from 'node:module'
import type { BrowserContext } from '@playwright/test'
import type jsQR from 'jsqr'

const JSQR = createRequire(import.meta.url).resolve('jsqr')

export type Reading = {
  /** The text of the code; null if none was found. */
  text: string | null
  /** Width of the quiet zone on its narrowest side, in modules. */
  quiet: number
  errorCorrection: 'L' | 'M' | 'Q' | 'H'
  /** Size of the image, in pixels. */
  width: number
  height: number
  /** Side of the code without its quiet zone, and side of one module, in pixels. */
  code: number
  module: number
  /** Smallest distance from an edge of the image to anything that is not pure white, in pixels. */
  free: number
}
export type ReadOptions = {
  /** Width in pixels. By default an SVG is read at four times its natural size. */
  width?: number
  /** A canvas filter: https://developer.mozilla.org/docs/Web/API/CanvasRenderingContext2D/filter */
  filter?: string
}
export type Reader = (
  type: 'image/png' | 'image/jpeg' | 'image/svg+xml',
  image: Buffer,
  options?: ReadOptions,
) => Promise<Reading>

/** Opens a page that reads QR codes from the pixels of images, as a phone does. */
export async function readerIn(context: BrowserContext): Promise<Reader> {
  const page = await context.newPage()
  await page.addScriptTag({ path: JSQR })
  return (type, file, options = {}) =>
    page.evaluate(
      async ({ address, settings }) => {
        const image = new Image()
        image.src = address
        await image.decode()
        const canvas = document.createElement('canvas')
        // An SVG has its size in millimetres, so it is rendered large enough to measure.
        const isDrawing = address.startsWith('data:image/svg')
        const scale = settings.width === undefined ? (isDrawing ? 4 : 1) : settings.width / image.naturalWidth
        const [width, height] = [
          Math.round(image.naturalWidth * scale),
          Math.round(image.naturalHeight * scale),
        ]
        Object.assign(canvas, { width, height })
        const drawing = canvas.getContext('2d')
        if (!drawing) throw new Error('no canvas')
        if (settings.filter !== undefined) drawing.filter = settings.filter
        drawing.drawImage(image, 0, 0, width, height)
        const { data } = drawing.getImageData(0, 0, width, height)
        const isWhite = (x: number, y: number) => {
          const at = (Math.floor(y) * width + Math.floor(x)) * 4
          return data[at] === 255 && data[at + 1] === 255 && data[at + 2] === 255 && data[at + 3] === 255
        }
        let free = Math.min(width, height)
        for (let y = 0; y < height; y++) {
          for (let x = 0; x < width; x++) {
            const distance = Math.min(x, y, width - 1 - x, height - 1 - y)
            // An SVG does not fill the outermost pixels.
            if (distance > 0 && distance < free && !isWhite(x, y)) free = distance
          }
        }
        const find = (globalThis as unknown as { jsQR: typeof jsQR }).jsQR
        const code = find(data, width, height, { inversionAttempts: 'dontInvert' })
        const measured = { width, height, free }
        if (!code)
          return { text: null, quiet: 0, errorCorrection: 'L' as const, code: 0, module: 0, ...measured }

        const modules = 17 + 4 * code.version
        const { topLeftCorner, topRightCorner, bottomLeftCorner, bottomRightCorner } = code.location
        const side = topRightCorner.x - topLeftCorner.x
        const module = side / modules
        const light = (x: number, y: number) => (data[(Math.round(y) * width + Math.round(x)) * 4] ?? 0) > 128
        const center = {
          x: (topLeftCorner.x + bottomRightCorner.x) / 2,
          y: (topLeftCorner.y + bottomRightCorner.y) / 2,
        }
        /** Smallest number of white pixels outside the code, along one whole side. */
        const whiteFrom = (x: number, y: number, dx: number, dy: number) => {
          let least = Number.POSITIVE_INFINITY
          for (let along = -side / 2; along <= side / 2; along++) {
            const [startX, startY] = [x + Math.abs(dy) * along, y + Math.abs(dx) * along]
            let count = 0
            for (
              let [px, py] = [startX + dx, startY + dy];
              px >= 0 && py >= 0 && px < width && py < height && isWhite(px, py);
              px += dx, py += dy
            )
              count++
            least = Math.min(least, count)
          }
          return least
        }
        // Corner positions are accurate to a pixel or two.
        const out = Math.min(2, module / 4)
        const quiet =
          (out +
            Math.min(
              whiteFrom(topLeftCorner.x - out, center.y, -1, 0),
              whiteFrom(topRightCorner.x + out, center.y, 1, 0),
              whiteFrom(center.x, topLeftCorner.y - out, 0, -1),
              whiteFrom(center.x, bottomLeftCorner.y + out, 0, 1),
            )) /
          module
        // The first two bits of the masked format information, in row 8 next to the upper left finder pattern.
        const bit = (column: number) =>
          light(topLeftCorner.x + (column + 0.5) * module, topLeftCorner.y + 8.5 * module) ? 0 : 1
        const level = ['M', 'L', 'H', 'Q'] as const
        const errorCorrection = level[((bit(0) ^ 1) << 1) | bit(1)] ?? 'L'
        return { text: code.data, quiet, errorCorrection, code: side, module, ...measured }
      },
      { address: `data:${type};base64,${file.toString('base64')}`, settings: options },
    )
}
