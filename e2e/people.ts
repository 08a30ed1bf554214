import {
  expect,
  type BrowserContext,
  type Download,
  type Locator,
  type Page,
  type Request,
  type Route,
} from '@playwright/test'
import { TOAST_ACTION_MS, TOAST_MS } from '../src/shared/limits.ts'
import { DEMO } from '../tools/operate/seed.ts'

export const toast = (page: Page) => page.getByTestId('toast')
/** The page in a mail that confirms an address or resets a password. */
export const linkIn = ({ text }: { text: string }): string =>
  /https?:\/\/\S+\/(?:verify-email|reset-password|confirm-email|undo-email)\/[\w-]+/u.exec(text)?.[0] ?? ''

/** Expects a visible toast that contains all these texts. */
export async function expectToast(page: Page, ...texts: string[]): Promise<void> {
  let found = toast(page)
  // One expectation for all texts: a toast is visible for only five seconds.
  for (const text of texts) found = found.filter({ hasText: text })
  await expect(found).toBeVisible()
}

/** Closes the notification if it is still there: it goes by itself after some seconds. */
export async function closeToasts(page: Page): Promise<void> {
  const close = toast(page).getByRole('button', { name: 'Close' })
  await close.evaluateAll((buttons: HTMLElement[]) => {
    for (const button of buttons) button.click()
  })
  await expect(toast(page)).toHaveCount(0)
}

/** The app's code for a memorial's page, which comes after the small script. */
export const MEMORIAL_APP = /\/assets\/(?:personal|memorial)-screens-[^/]+\.js$/u

/** Is there once the app has taken over a page that the server wrote. */
export const appStarted = (page: Page) => page.locator('html[data-app="here"]')

/** Waits until the small script of a memorial's page has made its buttons work: the same task shows the cookie notice. */
export async function expectEnhanced(page: Page): Promise<void> {
  await expect(page.getByRole('region', { name: 'Cookies' })).toBeVisible()
}

/** Makes the pages' timers of this many ms last five minutes: a busy machine may need longer than they do. Call it before a page opens. */
export async function lengthenTimers(
  pages: Page | BrowserContext,
  ms: number,
  { onSlowLineOnly = false } = {},
): Promise<void> {
  const lengthen = ([limit, isForSlowLine]: readonly [number, boolean]) => {
    const wait = window.setTimeout
    const isMeant = () => {
      const { connection } = navigator as { connection?: { effectiveType?: string } }
      return !isForSlowLine || (connection?.effectiveType ?? '4g') !== '4g'
    }
    const longer = (run: () => void, delay?: number, ...given: unknown[]) =>
      wait(run, delay === limit && isMeant() ? 300_000 : delay, ...given)
    Object.assign(window, { setTimeout: longer })
  }
  await pages.addInitScript(lengthen, [ms, onSlowLineOnly] as const)
}

/** Lets notifications stay. */
export async function keepToasts(page: Page): Promise<void> {
  for (const ms of [TOAST_MS, TOAST_ACTION_MS]) await lengthenTimers(page, ms)
}

/**
 * Lets a press wait for the app. After some seconds the small script would have the browser send a plain form
 * (`soonEnough`), which looks different.
 */
export async function letPressesWait(context: BrowserContext): Promise<void> {
  await lengthenTimers(context, 6000)
  await lengthenTimers(context, 1500, { onSlowLineOnly: true })
}

/** Drops these calls until `reloadBy` has reloaded the page: until then, a screen's own retries fail, too. Call it before the page opens. */
export async function dropUntilReload(
  page: Page,
  calls: string,
): Promise<(press: () => Promise<void>) => Promise<void>> {
  let isReloaded = false
  await page.route(calls, (route) => (isReloaded ? route.continue() : route.abort()))
  return async function reloadBy(press) {
    const loaded = page.waitForEvent('load')
    page.once('framenavigated', () => {
      isReloaded = true
    })
    await press()
    await loaded
  }
}

/** Fills in and sends the login form of the open screen. */
export async function logIn(page: Page, email: string, password: string = DEMO.password): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('main').getByRole('button', { name: 'Login' }).click()
}

/** Answers the question for the name that the family sees. */
export async function giveName(page: Page, name: string): Promise<void> {
  await page.getByLabel('Your name').fill(name)
  await page.getByRole('button', { name: 'Save' }).click()
}

/** Writes a message in the guestbook and sends it. */
export async function postMessage(page: Page, text: string): Promise<void> {
  await page.getByLabel('Write a message').fill(text)
  await page.getByRole('button', { name: 'Post message' }).click()
}

/** Presses a button of the "More" menu whose name begins with `of`. */
export async function pressMore(within: Page | Locator, of: RegExp, button: string): Promise<void> {
  const remove = within.getByRole('button', { name: button })
  if (!(await remove.isVisible())) await within.getByRole('button', { name: of }).click()
  await remove.click()
}

/** Types a card number into the payment provider's frame. */
export async function fillCard(page: Page, number: string): Promise<void> {
  const frame = page.frameLocator('iframe[title="Secure card payment input frame"]')
  // Its script is there: it sets the styles.
  await expect(frame.locator('body[style]')).toBeAttached()
  await frame.getByLabel('Card number').fill(number)
  await frame.getByLabel('Expiry (MM / YY)').fill('12 / 39')
  await frame.getByLabel('CVC').fill('123')
}

/** Holds back requests to these addresses until the returned function is called. */
export async function hold(
  page: Page,
  address: string | RegExp,
  answer: (route: Route) => Promise<void> = (route) => route.continue(),
): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    await promise
    await answer(route)
  })
  return resolve
}

/** Answers a request with status 500 and this body, or not at all if the body is 'dropped'. */
export function fail(body: string): (route: Route) => Promise<void> {
  return (route) => (body === 'dropped' ? route.abort() : route.fulfill({ status: 500, body }))
}

/** Opens the app at this address as if the server could not write its page. */
export async function openUnwritten(page: Page, address: string | RegExp): Promise<void> {
  const app = await page.request.get('/memorial/unknown', { maxRetries: 3 })
  await page.route(address, async (route, request) =>
    request.isNavigationRequest() ? route.fulfill({ response: app }) : route.fallback(),
  )
}

/** Lets this page's browser say that its data may be dear, as on most phones. */
export async function onDearData(page: Page): Promise<Page> {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'connection', {
      value: { type: 'cellular', effectiveType: '3g', saveData: false },
    })
  })
  return page
}

/**
 * Opens an address, and waits for `call` and until none of the page's calls is on its way. Calls of the screen before
 * don't count: the page leaves it first.
 */
export async function openWithCalls(page: Page, address: string, call: string | RegExp): Promise<void> {
  await page.goto('about:blank')
  const running = new Set<Request>()
  page.on('request', (request) => {
    if (request.url().includes('/api/')) running.add(request)
  })
  for (const end of ['requestfinished', 'requestfailed'] as const)
    page.on(end as 'requestfinished', (request) => running.delete(request))
  const called = page.waitForResponse(call)
  await page.goto(address)
  await called
  await expect.poll(() => running.size).toBe(0)
}

/** Collects what `pick` returns for each request of the page, except undefined. */
export function collect<T>(page: Page, pick: (request: Request) => T | undefined): T[] {
  const found: T[] = []
  page.on('request', (request) => {
    const picked = pick(request)
    if (picked !== undefined) found.push(picked)
  })
  return found
}

/** Saves the file that this press downloads. */
export async function saved(page: Page, press: Promise<unknown>): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent('download'), press])
  return download
}

/** Scrolls to an image, and waits until it has loaded. */
export async function expectDrawn(picture: Locator): Promise<void> {
  await picture.scrollIntoViewIfNeeded()
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth))
    .toBeGreaterThan(0)
}

/** Waits until a video or a recording plays. */
export async function expectPlaying(player: Locator): Promise<void> {
  const time = () => player.evaluate((media: HTMLMediaElement) => media.currentTime)
  await expect.poll(time).toBeGreaterThan(0)
}

/** Starts a video or a recording, without sound, and waits until it plays. */
export async function play(player: Locator): Promise<void> {
  await player.evaluate((media: HTMLMediaElement) => {
    media.muted = true
    return media.play()
  })
  await expectPlaying(player)
}

/** Expects that the screen does not scroll sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  // The page may still follow a new size.
  await expect.poll(overflow, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(0)
}

/** One of the console's tabs. */
export const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
/** The figure with this name in the open tab. */
export const figure = (page: Page, name: string) =>
  page.getByRole('tabpanel').locator('dl > div').filter({ hasText: name }).getByRole('definition')
