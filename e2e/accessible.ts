import { expect, type Page } from '@playwright/test'
import axe from 'axe-core'

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const WIDTHS = [1280, 320]
const OPTIONS: axe.RunOptions = {
  // Describing what passes takes most of the time of a run.
  resultTypes: ['violations'],
  iframes: false,
}

/** Runs axe, which is loaded once per page: parsing it takes longer than a run. */
async function violationsOf(page: Page, runOnly: axe.RunOnly): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  return page.evaluate(
    async (options) => {
      const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, options)
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
    },
    { ...OPTIONS, runOnly },
  )
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
    expect(await violationsOf(page, { type: 'tag', values: WCAG }), `${where}, light, ${width} px`).toEqual(
      [],
    )
    // The colour scheme changes nothing but colours.
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    expect(
      await violationsOf(page, { type: 'rule', values: ['color-contrast'] }),
      `${where}, dark, ${width} px`,
    ).toEqual([])
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
