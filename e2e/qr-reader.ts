import { createRequire } from 'node:module'
import type { BrowserContext } from '@playwright/test'
import type jsQR from 'jsqr'

const JSQR = createRequire(import.meta.url).resolve('jsqr')

export type Reading = {
  /** What the code says, null when none was found. */
  text: string | null
  /** Modules of pure white on the narrowest side. */
  quiet: number
  errorCorrection: 'L' | 'M' | 'Q' | 'H'
  /** Of the picture that was read, in pixels. */
  width: number
  height: number
  /** One side of the code without its white edge, and one of its modules, in pixels. */
  code: number
  module: number
  /** Least distance from an edge of the picture to anything that is not pure white, in pixels. */
  free: number
}
export type Look = {
  /** Pixels of a drawing's width; else a drawing is read at four times its natural size. */
  width?: number
  /** A filter of the canvas: https://developer.mozilla.org/docs/Web/API/CanvasRenderingContext2D/filter */
  filter?: string
}
export type Reader = (type: 'image/png' | 'image/svg+xml', picture: Buffer, look?: Look) => Promise<Reading>

/** Reads codes out of pictures as a phone would, from the pixels, in a page of its own. */
export async function readerIn(context: BrowserContext): Promise<Reader> {
  const page = await context.newPage()
  await page.addScriptTag({ path: JSQR })
  return (type, picture, look = {}) =>
    page.evaluate(
      async ({ address, wish }) => {
        const image = new Image()
        image.src = address
        await image.decode()
        const canvas = document.createElement('canvas')
        // A drawing is sized in millimetres: drawn large enough to measure.
        const isDrawing = address.startsWith('data:image/svg')
        const scale = wish.width === undefined ? (isDrawing ? 4 : 1) : wish.width / image.naturalWidth
        const [width, height] = [
          Math.round(image.naturalWidth * scale),
          Math.round(image.naturalHeight * scale),
        ]
        Object.assign(canvas, { width, height })
        const drawing = canvas.getContext('2d')
        if (!drawing) throw new Error('no canvas')
        if (wish.filter !== undefined) drawing.filter = wish.filter
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
            // A drawing does not fill the pixels at its very edge.
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
        /** Pure white pixels from just outside the code outwards, along the whole of one side. */
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
        // The corners are found to a pixel or two.
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
        // The two first bits of the format, in row 8 beside the upper left eye, under their mask.
        const bit = (column: number) =>
          light(topLeftCorner.x + (column + 0.5) * module, topLeftCorner.y + 8.5 * module) ? 0 : 1
        const level = ['M', 'L', 'H', 'Q'] as const
        const errorCorrection = level[((bit(0) ^ 1) << 1) | bit(1)] ?? 'L'
        return { text: code.data, quiet, errorCorrection, code: side, module, ...measured }
      },
      { address: `data:${type};base64,${picture.toString('base64')}`, wish: look },
    )
}
