import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const WIDTHS = [1280, 320]

async function violationsOf(page: Page, only?: string[]): Promise<string[]> {
  const axe = new AxeBuilder({ page })
    // Inside the payment provider's frame axe cannot know the background colour.
    .exclude('iframe[title="Secure card payment input frame"]')
    .setLegacyMode()
    // Describing what passes takes most of the time of a run.
    .options({ resultTypes: ['violations'] })
  const { violations } = await (only ? axe.withRules(only) : axe.withTags(WCAG)).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
}

/**
 * Checks the open screen: axe finds no WCAG 2.2 AA violation in light and dark mode at each width, nothing scrolls sideways, and
 * there is one `main`, one `h1` and a title of its own.
 */
export async function expectAccessible(page: Page, where: string, widths: number[] = WIDTHS): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 720 })
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    await expect.poll(overflow, `${where}: sideways scroll at ${width} px`).toBeLessThanOrEqual(0)
    expect(await violationsOf(page), `${where}, light, ${width} px`).toEqual([])
    // The colour scheme changes nothing but colours.
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
