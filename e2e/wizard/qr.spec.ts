import { readFileSync } from 'node:fs'
import { readerIn } from '../qr-reader.ts'
import { expect, test } from '../family.ts'
import { expectDrawn, saved } from '../people.ts'

/** ISO/IEC 18004: a code has a quiet zone of four modules on every side. */
const QUIET_MODULES = 4

test('the QR code on screen and in its files reads as the permanent link', async ({ page, family }) => {
  const memorial = await family.memorial()
  const link = `${family.world.url}/m/${memorial.slug}`
  await family.signIn(page)
  const read = await readerIn(page.context())

  async function expectReadable(type: 'image/png' | 'image/svg+xml', image: Buffer, where: string) {
    const { text, quiet, errorCorrection } = await read(type, image)
    expect(text, where).toBe(link)
    expect(errorCorrection, where).toBe('H')
    // The edge of a module may fall inside a pixel.
    expect(quiet, `modules of white, ${where}`).toBeGreaterThan(QUIET_MODULES - 0.35)
  }
  async function expectOnScreen(where: string, path: string, open: () => Promise<void>) {
    const code = page.getByRole('img', { name: /^QR code/u })
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 740 })
      await page.goto(path)
      await open()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await expect(code).toBeVisible()
        await expectDrawn(code)
        const image = await code.screenshot()
        await expectReadable('image/png', image, `${where}, ${colorScheme}, ${width} px`)
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
  const svg = await saved(page, page.getByRole('button', { name: 'Download for the plaque (SVG)' }).click())
  expect(svg.suggestedFilename()).toBe(`${memorial.slug}-qr.svg`)
  const mm = await expectPrintable(readFileSync(await svg.path()))
  await expect(page.getByText(`Print it at least ${mm} mm wide`)).toBeVisible()
  const png = await saved(page, page.getByRole('button', { name: 'Download as a picture (PNG)' }).click())
  expect(png.suggestedFilename()).toBe(`${memorial.slug}-qr.png`)
  await expectReadable('image/png', readFileSync(await png.path()), 'the PNG')

  await expectOnScreen('the share card', `/memorial/${memorial.id}`, () =>
    page.getByRole('button', { name: 'QR code' }).click(),
  )
  const again = await saved(page, page.getByRole('link', { name: 'Download for the plaque (SVG)' }).click())
  expect(again.suggestedFilename()).toBe(`${memorial.slug}-qr.svg`)
  await expectPrintable(readFileSync(await again.path()))
  const pngAgain = await saved(
    page,
    page.getByRole('button', { name: 'Download as a picture (PNG)' }).click(),
  )
  expect(pngAgain.suggestedFilename()).toBe(`${memorial.slug}-qr.png`)
  await expectReadable('image/png', readFileSync(await pngAgain.path()), 'the PNG of the share card')
})
