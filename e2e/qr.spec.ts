import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, Download, Page } from '@playwright/test'
import type jsQR from 'jsqr'
import { enter, newOwner, tendai } from './by-call.ts'
import { expect, test } from './world.ts'

const JSQR = createRequire(import.meta.url).resolve('jsqr')
/** ISO/IEC 18004: a code has four modules of light on every side. */
const QUIET_MODULES = 4

type Reading = {
  /** What the code says, null when none was found. */
  text: string | null
  /** Modules of pure white on the narrowest side. */
  quiet: number
  errorCorrection: 'L' | 'M' | 'Q' | 'H'
}
type Reader = (type: 'image/png' | 'image/svg+xml', picture: Buffer) => Promise<Reading>

/** Reads codes out of pictures as a phone would, from the pixels, in a page of its own. */
async function readerIn(context: BrowserContext): Promise<Reader> {
  const page = await context.newPage()
  await page.addScriptTag({ path: JSQR })
  return (type, picture) =>
    page.evaluate(
      async (address) => {
        const image = new Image()
        image.src = address
        await image.decode()
        const canvas = document.createElement('canvas')
        // A drawing is sized in millimetres: drawn large enough to measure.
        const scale = address.startsWith('data:image/svg') ? 4 : 1
        const [width, height] = [image.naturalWidth * scale, image.naturalHeight * scale]
        Object.assign(canvas, { width, height })
        const drawing = canvas.getContext('2d')
        if (!drawing) throw new Error('no canvas')
        drawing.drawImage(image, 0, 0, width, height)
        const { data } = drawing.getImageData(0, 0, width, height)
        const find = (globalThis as unknown as { jsQR: typeof jsQR }).jsQR
        const code = find(data, width, height, { inversionAttempts: 'dontInvert' })
        if (!code) return { text: null, quiet: 0, errorCorrection: 'L' as const }

        const modules = 17 + 4 * code.version
        const { topLeftCorner, topRightCorner, bottomLeftCorner, bottomRightCorner } = code.location
        const module = (topRightCorner.x - topLeftCorner.x) / modules
        const light = (x: number, y: number) => (data[(Math.round(y) * width + Math.round(x)) * 4] ?? 0) > 128
        const isWhite = (x: number, y: number) => {
          const at = (Math.floor(y) * width + Math.floor(x)) * 4
          return data[at] === 255 && data[at + 1] === 255 && data[at + 2] === 255 && data[at + 3] === 255
        }
        const center = {
          x: (topLeftCorner.x + bottomRightCorner.x) / 2,
          y: (topLeftCorner.y + bottomRightCorner.y) / 2,
        }
        /** Pure white pixels from just outside the code outwards, along one ray. */
        const whiteFrom = (x: number, y: number, dx: number, dy: number) => {
          let count = 0
          for (
            let [px, py] = [x + dx, y + dy];
            px >= 0 && py >= 0 && px < width && py < height && isWhite(px, py);
            px += dx, py += dy
          )
            count++
          return count
        }
        const quiet =
          Math.min(
            whiteFrom(topLeftCorner.x, center.y, -1, 0),
            whiteFrom(topRightCorner.x, center.y, 1, 0),
            whiteFrom(center.x, topLeftCorner.y, 0, -1),
            whiteFrom(center.x, bottomLeftCorner.y, 0, 1),
          ) / module
        // The two first bits of the format, in row 8 beside the upper left eye, under their mask.
        const bit = (column: number) =>
          light(topLeftCorner.x + (column + 0.5) * module, topLeftCorner.y + 8.5 * module) ? 0 : 1
        const level = ['M', 'L', 'H', 'Q'] as const
        const errorCorrection = level[((bit(0) ^ 1) << 1) | bit(1)] ?? 'L'
        return { text: code.data, quiet, errorCorrection }
      },
      `data:${type};base64,${picture.toString('base64')}`,
    )
}

async function saved(page: Page, press: () => Promise<void>): Promise<{ download: Download; file: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()])
  return { download, file: readFileSync(await download.path()) }
}

test('the code for the stone is read from the screen, and from its files, as the permanent link', async ({
  page,
  world,
}) => {
  const { email, owner } = await newOwner(world, 'stone')
  const memorial = await tendai(world, owner)
  const link = `${world.url}/m/${memorial.slug}`
  await enter(page, world, email)
  const read = await readerIn(page.context())

  async function expectReadable(type: 'image/png' | 'image/svg+xml', picture: Buffer, where: string) {
    const { text, quiet, errorCorrection } = await read(type, picture)
    expect(text, where).toBe(link)
    expect(errorCorrection, where).toBe('H')
    // The edge of a module may fall inside a pixel.
    expect(quiet, `modules of white, ${where}`).toBeGreaterThan(QUIET_MODULES - 0.35)
  }
  async function expectOnScreen(where: string, path: string, open: () => Promise<void>) {
    const code = page.getByRole('img', { name: /^QR code/u })
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 740 })
      await page.goto(`${world.url}${path}`)
      await open()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await expect(code).toBeVisible()
        const picture = await code.screenshot()
        await expectReadable('image/png', picture, `${where}, ${colorScheme}, ${width} px`)
      }
    }
  }
  async function expectPrintable(file: Buffer) {
    await expectReadable('image/svg+xml', file, 'the SVG')
    const [, mm = '', height] =
      /<svg [^>]*width="([\d.]+)mm" height="([\d.]+)mm"/u.exec(file.toString()) ?? []
    expect(Number(mm), 'millimetres in print').toBeGreaterThanOrEqual(40)
    expect(height).toBe(mm)
    return mm
  }

  await expectOnScreen("the wizard's step", `/create-memorial/${memorial.id}?step=3`, () => Promise.resolve())
  const svg = await saved(page, () =>
    page.getByRole('button', { name: 'Download for the plaque (SVG)' }).click(),
  )
  expect(svg.download.suggestedFilename()).toBe(`${memorial.slug}-qr.svg`)
  const mm = await expectPrintable(svg.file)
  await expect(page.getByText(`Printed size at least ${mm} mm`)).toBeVisible()
  const png = await saved(page, () =>
    page.getByRole('button', { name: 'Download as a picture (PNG)' }).click(),
  )
  expect(png.download.suggestedFilename()).toBe(`${memorial.slug}-qr.png`)
  await expectReadable('image/png', png.file, 'the PNG')

  await expectOnScreen('the share card', `/memorial/${memorial.id}`, () =>
    page.getByRole('button', { name: 'QR code' }).click(),
  )
  const again = await saved(page, () =>
    page.getByRole('link', { name: 'Download for the plaque (SVG)' }).click(),
  )
  expect(again.download.suggestedFilename()).toBe(`${memorial.slug}-qr.svg`)
  await expectPrintable(again.file)
})
