import type { Page } from '@playwright/test'
import { DATA_SAVER } from '../../src/shared/pages/pages.ts'
import { expect, test } from '../family.ts'

const MM = 96 / 25.4
/** Paper sizes without the margins that @page sets. */
const PAPERS = [
  { format: 'A5', width: Math.round((148 - 28) * MM), points: [419.5, 595.3] },
  { format: 'A4', width: Math.round((210 - 28) * MM), points: [595.3, 841.9] },
] as const

async function printed(page: Page, format: 'A4' | 'A5') {
  const pdf = (await page.pdf({ format, preferCSSPageSize: true })).toString('latin1')
  return {
    pages: [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/gu)].map(([, ...sides]) =>
      sides.map(Number),
    ),
    images: [...pdf.matchAll(/\/Subtype \/Image/gu)].length,
  }
}

for (const { format, width, points } of PAPERS) {
  for (const javaScriptEnabled of [true, false]) {
    test(`a memorial prints without controls on ${format}, scripts: ${javaScriptEnabled}`, async ({
      browser,
      world,
      demo,
    }) => {
      const context = await browser.newContext({ javaScriptEnabled, colorScheme: 'dark' })
      const page = await context.newPage()
      await page.setViewportSize({ width, height: 800 })
      await page.goto(`/m/${demo.publicSlug}`)
      await page.emulateMedia({ media: 'print' })
      const pressed = ['button', 'navigation', 'banner', 'contentinfo', 'textbox'] as const
      for (const role of pressed) await expect(page.getByRole(role).filter({ visible: true })).toHaveCount(0)
      await expect(page.getByRole('link', { name: 'Directions' })).toBeHidden()
      await expect(page.getByText('We use cookies only')).toBeHidden()
      await expect(page.locator('video, audio').filter({ visible: true })).toHaveCount(0)

      const cover = page.locator('[data-print="cover"]')
      await expect(cover.getByRole('img', { name: 'Portrait of Tendai Rudo Moyo' })).toBeVisible()
      await expect(cover.getByRole('heading', { level: 1, name: 'Tendai Rudo Moyo' })).toBeVisible()
      await expect(cover).toContainText('14 March 1948 – 2 June 2026')
      await expect(page.getByText(`${world.url}/m/${demo.publicSlug}`)).toBeVisible()
      await expect(page.getByText('watch or listen on the memorial page').first()).toBeVisible()
      const styleOf = (selector: string, pseudo?: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((element, part) => {
            const { color, backgroundColor, breakAfter, breakInside, content, maxHeight } = getComputedStyle(
              element,
              part,
            )
            return { color, backgroundColor, breakAfter, breakInside, content, maxHeight }
          }, pseudo)
      expect(await styleOf('[data-print="cover"]')).toMatchObject({ breakAfter: 'page' })
      expect(await styleOf('body')).toMatchObject({
        color: 'rgb(0, 0, 0)',
        backgroundColor: 'rgb(255, 255, 255)',
      })
      for (const heading of ['#story > h2', '#photos > h2', '#messages > h2'])
        expect(await styleOf(heading), heading).toMatchObject({ breakAfter: 'avoid' })
      for (const whole of ['#photos li', '#photos figure', '#messages li'])
        expect(await styleOf(whole), whole).toMatchObject({ breakInside: 'avoid' })
      expect((await styleOf('#photos li a', '::after')).content).toBe('"Her first classroom, Sakubva, 1971"')
      const [first, second] = await page
        .locator('#photos li')
        .evaluateAll((squares) => squares.map((square) => square.getBoundingClientRect().y))
      expect(first === second, 'beside each other').toBe(format === 'A4')

      // When it prints, a browser requests lazy images too, but a headless one does not wait for them. The portrait and the
      // six photos, which are all below the fold:
      await expect.poll(async () => (await printed(page, format)).images).toBeGreaterThanOrEqual(7)
      const { pages } = await printed(page, format)
      expect(pages.length).toBeGreaterThan(3)
      for (const [index, side] of points.entries())
        for (const sides of pages) expect(sides[index]).toBeCloseTo(side, -0.5)
      await context.close()
    })
  }
}

for (const privacy of ['LOCKED', 'INVITE'] as const) {
  test(`from a phone, photos print in two columns of 8 cm on A4: ${privacy}`, async ({ family }) => {
    const { memorial, inviteLink } = await family.invited()
    for (const caption of ['At the gate', 'With the goats', 'Her garden'])
      await family.addPhoto(memorial.id, caption)
    await family.setPrivacy(memorial.id, privacy)
    const address = { LOCKED: `/m/${memorial.slug}`, INVITE: inviteLink }[privacy]
    const page = await family.visitorPage(360, address)
    const photos = page.locator('#photos li img')
    await expect(photos).toHaveCount(3)
    await page.waitForLoadState('networkidle')
    await expect(photos.last()).toHaveAttribute('loading', 'lazy')
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
    for (const photo of await photos.all()) {
      await expect(photo).toHaveAttribute('loading', 'eager')
      await expect
        .poll(() => photo.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth))
        .toBeGreaterThan(0)
    }

    await page.emulateMedia({ media: 'print' })
    await page.setViewportSize({ width: PAPERS[1].width, height: 1000 })
    const boxes = () =>
      photos.evaluateAll((all) => all.map((photo) => photo.getBoundingClientRect().toJSON()))
    // The page may still follow the new size.
    await expect
      .poll(async () => Math.min(...(await boxes()).map(({ width }) => width)))
      .toBeGreaterThan(80 * MM)
    const [first, second] = await boxes()
    expect(second?.y).toBe(first?.y)
    expect(second?.x).toBeGreaterThan((first?.x ?? 0) + 80 * MM)
    const caption = page.locator('#photos li a').first()
    expect((await caption.boundingBox())?.height).toBeGreaterThan((first?.height ?? 0) + 2 * MM)
  })
}

test('the low-data page prints its text without controls', async ({ page, world, demo }) => {
  await page.context().addCookies([{ name: DATA_SAVER, value: '1', url: world.url }])
  await page.goto(`/m/${demo.publicSlug}`)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  for (const role of ['button', 'navigation', 'banner', 'contentinfo'] as const)
    await expect(page.getByRole(role).filter({ visible: true })).toHaveCount(0)
  await expect(page.getByRole('heading', { level: 2, name: 'Life Story' })).toBeVisible()
  await expect(page.locator('body')).toHaveCSS('color', 'rgb(0, 0, 0)')
})

test('the booklet of an owner has no file buttons or settings', async ({ page, demo }) => {
  await demo.open(page, 'owner', `/memorial/${demo.inviteId}`)
  const add = page.locator('label', { has: page.getByLabel('Add photos') })
  await expect(add).toBeVisible()
  await page.emulateMedia({ media: 'print' })
  await expect(add).toBeHidden()
  await expect(page.getByText('Keep originals')).toBeHidden()
})
