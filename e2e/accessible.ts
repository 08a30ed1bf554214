import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const WIDTHS = [1280, 320]

async function violationsOf(page: Page, only?: string[]): Promise<string[]> {
  const axe = new AxeBuilder({ page })
    // The payment provider's page: from inside it, the colour behind it cannot be known.
    .exclude('iframe[title="Secure card payment input frame"]')
    .setLegacyMode()
    // Everything that passes would be described, too: most of the work of a run.
    .options({ resultTypes: ['violations'] })
  const { violations } = await (only ? axe.withRules(only) : axe.withTags(WCAG)).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
}

/**
 * Of the screen as it stands, without opening it again: nothing that axe knows of WCAG 2.2 AA is wrong, in light and dark,
 * wide and at 320 px, where nothing scrolls sideways; there is one `main`, one `h1`, and a title of its own.
 */
export async function expectAccessible(page: Page, where: string, widths: number[] = WIDTHS): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 720 })
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    await expect.poll(overflow, `${where}: sideways scroll at ${width} px`).toBeLessThanOrEqual(0)
    expect(await violationsOf(page), `${where}, light, ${width} px`).toEqual([])
    // Colours are all that the scheme changes.
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    expect(await violationsOf(page, ['color-contrast']), `${where}, dark, ${width} px`).toEqual([])
  }
  const parts = await page.evaluate(() => ({
    mains: document.querySelectorAll('main').length,
    headings: document.querySelectorAll('h1').length,
    title: document.title,
  }))
  expect(parts, where).toEqual({
    mains: 1,
    headings: 1,
    title: expect.stringMatching(/^\S.* · Keeping Legacies Alive$/u),
  })
}
