import { expect, type Browser, type Page } from '@playwright/test'
import axe from 'axe-core'

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const WIDTHS = [1280, 320]
const OPTIONS: axe.RunOptions = {
  // Describing what passes takes most of the time of a run.
  resultTypes: ['violations'],
  iframes: false,
}

const softly = expect.configure({ soft: true })

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

/** Root font sizes that people with low vision set, in percent. */
const TEXT_SIZES = [130, 160, 200]

/** At this root font size, lists each visible control that is cut off, outside the page, or covered by something else. */
function lostControls(percent: number): string[] {
  document.documentElement.style.fontSize = `${percent}%`
  const width = document.documentElement.clientWidth
  const scope = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document
  const controls = [...scope.querySelectorAll('a[href], button, input, select, textarea, summary')]
  const focused = document.activeElement as HTMLElement | null
  const problemsOf = (control: Element): string[] => {
    // An open menu was placed for another width.
    if (control.closest('.visually-hidden, [popover="auto"]')) return []
    if (!control.checkVisibility({ visibilityProperty: true })) return []
    // It slides in when it gets the focus.
    if (control.matches('[href="#main"]')) (control as HTMLElement).focus()
    else (document.activeElement as HTMLElement | null)?.blur()
    control.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })
    const { left, right, top, bottom } = control.getClientRects()[0] ?? control.getBoundingClientRect()
    if (right <= left || bottom <= top) return []
    const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
    // A notification covers what is below it for a few seconds only, and an open menu until it's closed.
    const isReached =
      at !== null &&
      (control.contains(at) ||
        at.closest('label')?.contains(control) ||
        at.closest('[data-testid="toast"], [popover="auto"]'))
    const isCut = control.scrollWidth > control.clientWidth + 1 && control.matches('a, button, summary')
    const name = control.textContent.trim() || control.getAttribute('aria-label') || control.outerHTML
    const problems = [
      (left < -1 || right > width + 1) && 'is outside',
      !isReached && `is covered by ${at?.tagName}.${at?.className}`,
      isCut && 'is cut off',
    ].filter(Boolean)
    return problems.map((problem) => `${name.slice(0, 60)} ${problem}`)
  }
  const found = controls.flatMap(problemsOf)
  // A notification stays while it has the focus.
  focused?.focus({ preventScroll: true })
  return found
}

/** How far the page scrolls sideways, in px. */
function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

/** At this root font size, lists each word that is broken in the middle. An address may be: it has no spaces. */
function brokenWords(percent: number): string[] {
  document.documentElement.style.fontSize = `${percent}%`
  const scope = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
  const texts = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT)
  const found: string[] = []
  while (texts.nextNode()) {
    const text = texts.currentNode as Text
    const element = text.parentElement
    if (!element?.checkVisibility({ visibilityProperty: true })) continue
    if (element.closest('.visually-hidden, option') || /[@/:]\S/u.test(text.data)) continue
    for (const { 0: word, index } of text.data.matchAll(/[\p{L}’]+/gu)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
      if (lines.size > 1) found.push(`${word} in ${element.localName}.${element.className}`)
    }
  }
  return found
}

/** Checks the open screen on small phones with text at 200 %: no word is broken, and nothing scrolls sideways. */
export async function expectWholeWords(page: Page, where: string): Promise<void> {
  for (const width of [360, 320]) {
    await page.setViewportSize({ width, height: 720 })
    // The page may still follow the new size, or wait for a font.
    await softly.poll(() => page.evaluate(brokenWords, 200), `${where} at ${width} px`).toEqual([])
    await softly
      .poll(() => sidewaysScroll(page), `${where}: sideways scroll at ${width} px`)
      .toBeLessThanOrEqual(0)
  }
}

/** Checks the open screen on a phone with large text: nothing scrolls sideways, and every control can be reached. */
async function expectLargeText(page: Page, where: string): Promise<void> {
  await page.setViewportSize({ width: 360, height: 720 })
  for (const percent of TEXT_SIZES) {
    await softly
      .poll(() => page.evaluate(lostControls, percent), `${where}: text at ${percent} %`)
      .toEqual([])
    await softly
      .poll(() => sidewaysScroll(page), `${where}: sideways scroll at ${percent} %`)
      .toBeLessThanOrEqual(0)
  }
  await page.evaluate(() => {
    document.documentElement.style.fontSize = ''
    scrollTo(0, 0)
  })
}

/**
 * Checks the open screen: axe finds no WCAG 2.2 AA violation in light and dark mode at each width, nothing scrolls sideways, and
 * there is one `main`, one `h1` and a title of its own.
 */
export async function expectAccessible(page: Page, where: string, widths: number[] = WIDTHS): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 720 })
    // A sticky bar could cover part of a control that happens to be below it.
    await page.evaluate(() => scrollTo(0, 0))
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await expect
      .poll(() => sidewaysScroll(page), `${where}: sideways scroll at ${width} px`)
      .toBeLessThanOrEqual(0)
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
  await expectLargeText(page, where)
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

/** What axe finds in the HTML of a page whose own script is off, in a browser where axe itself may run. */
export async function violationsWithoutScript(browser: Browser, page: Page): Promise<string[]> {
  await page.waitForLoadState('domcontentloaded')
  const html = await page.content()
  const copy = await browser.newPage({ viewport: page.viewportSize(), baseURL: new URL(page.url()).origin })
  // Styles are in the document. Its script comes empty.
  await copy.route('**/*', (route) => {
    const type = route.request().resourceType()
    return route.fulfill(
      type === 'document'
        ? { contentType: 'text/html', body: html }
        : { contentType: type === 'script' ? 'text/javascript' : 'font/woff2', body: '' },
    )
  })
  await copy.goto(page.url())
  const found = await violationsOf(copy, { type: 'tag', values: WCAG })
  await copy.close()
  return found
}
