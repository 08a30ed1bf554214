import type { Browser, BrowserContext, CDPSession, Page } from '@playwright/test'

export const SCREEN = { width: 360, height: 740 }
const TIMEOUT_MS = 90_000
export const NETWORKS = [
  { line: '400 kbit/s, 400 ms', kbits: 400, latencyMs: 400 },
  { line: '1.6 Mbit/s, 150 ms', kbits: 1600, latencyMs: 150 },
] as const
/** A cheap phone, next to the machine that measures. */
export const CPU_SLOWDOWN = 4
export type Network = (typeof NETWORKS)[number]

/** Texts of the story and of the newest message. Once they are on the page, it can be read. */
export type Texts = { story: string; message: string }
/**
 * The page to open, and with which headers: browsers send `Save-Data` if their user wants to save data. `cookie`: of a signed-in user.
 */
export type Visit = {
  path: string
  dpr: number
  headers?: Record<string, string>
  cookie?: string
  texts?: Texts
}
type Observed = {
  fcp: number
  lcp: number
  shift: number
  tasks: [at: number, ms: number][]
  texts: number[]
}
type Watched = Window & { seen: Observed }

/** Runs in the page before anything else. Records paints, shifts, long tasks, and when the wanted texts are painted. */
function observe(wanted: readonly string[]): void {
  const seen: Observed = { fcp: 0, lcp: 0, shift: 0, tasks: [], texts: wanted.map(() => 0) }
  Object.assign(window, { seen })
  const watch = (type: string, record: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(record)).observe({ type, buffered: true })
  watch('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') seen.fcp = startTime
  })
  watch('largest-contentful-paint', ({ startTime }) => {
    seen.lcp = startTime
  })
  watch('longtask', ({ startTime, duration }) => seen.tasks.push([startTime, duration]))
  watch('layout-shift', (entry) => {
    const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean }
    if (!hadRecentInput) seen.shift += value
  })
  const check = () => {
    const text = document.querySelector('main')?.textContent ?? ''
    for (const [at, part] of wanted.entries()) {
      if (seen.texts[at] !== 0 || !text.includes(part)) continue
      // The text is in this frame; the next frame starts after this one is painted.
      requestAnimationFrame(() => {
        seen.texts[at] ||= performance.now()
      })
    }
    if (seen.texts.includes(0)) requestAnimationFrame(check)
  }
  requestAnimationFrame(check)
}

/** Bytes on the wire by resource type, headers included, as the browser counts them. */
async function countBytes(devtools: CDPSession): Promise<Map<string, number>> {
  const kinds = new Map<string, string>()
  const bytes = new Map<string, number>([['requests', 0]])
  const add = (name: string, more: number) => bytes.set(name, (bytes.get(name) ?? 0) + more)
  devtools.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (!response.url.startsWith('data:')) kinds.set(requestId, type)
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId)
    if (kind === undefined) return
    add(kind, encodedDataLength)
    add('all', encodedDataLength)
    add('requests', 1)
  })
  await devtools.send('Network.enable')
  return bytes
}

/** Gives a browser the cookies of a request's header. */
export async function signIn(context: BrowserContext, url: string, cookie: string): Promise<void> {
  const pairs = cookie.split('; ').map((pair) => pair.split(/=(.*)/u))
  await context.addCookies(pairs.map(([name = '', value = '']) => ({ name, value, url })))
}

let visitors = 0

/** A phone with an empty cache on a slow network. Each has its own IP address (RFC 5737), because rate limits count by address. */
export async function openPhone(
  browser: Browser,
  network: Network,
  { dpr, headers = {} }: Pick<Visit, 'dpr' | 'headers'>,
): Promise<AsyncDisposable & { context: BrowserContext; page: Page; devtools: CDPSession }> {
  visitors += 1
  const context = await browser.newContext({
    viewport: SCREEN,
    deviceScaleFactor: dpr,
    isMobile: true,
    hasTouch: true,
    // Its requests are not slowed down or counted: what it takes over during a visit would cost nothing.
    serviceWorkers: 'block',
    extraHTTPHeaders: { ...headers, 'CF-Connecting-IP': `203.0.113.${visitors % 256}` },
  })
  const page = await context.newPage()
  page.setDefaultTimeout(TIMEOUT_MS)
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  const bytesPerSecond = (network.kbits * 1000) / 8
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: network.latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  return { context, page, devtools, [Symbol.asyncDispose]: () => context.close() }
}

/**
 * One first visit, until its heading and texts are shown and the network is idle. Times in seconds, except the layout shift (a
 * score), the blocking time (ms) and the traffic (kB, requests).
 */
export async function visit(browser: Browser, url: string, what: Visit, network: Network) {
  await using phone = await openPhone(browser, network, what)
  const { page } = phone
  if (what.cookie !== undefined) await signIn(phone.context, url, what.cookie)
  const bytes = await countBytes(phone.devtools)
  await page.addInitScript(observe, what.texts ? [what.texts.story, what.texts.message] : [])
  await page.goto(url + what.path, { waitUntil: 'load', timeout: TIMEOUT_MS })
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForFunction(() => !(window as unknown as Watched).seen.texts.includes(0), undefined, {
    polling: 200,
  })
  await page.waitForLoadState('networkidle', { timeout: TIMEOUT_MS })
  const seen = await page.evaluate(() => (window as unknown as Watched).seen)
  const kB = (kind: string) => (bytes.get(kind) ?? 0) / 1000
  // Nobody can read before the first paint.
  const readable = (at: number) => Math.max(seen.fcp, seen.texts[at] ?? 0) / 1000
  return {
    fcp: seen.fcp / 1000,
    lcp: seen.lcp / 1000,
    ...(what.texts && { story: readable(0), newestMessage: readable(1) }),
    cls: seen.shift,
    tbtMs: seen.tasks.reduce((sum, [at, ms]) => sum + (at + ms > seen.fcp ? Math.max(0, ms - 50) : 0), 0),
    requests: bytes.get('requests') ?? 0,
    kB: kB('all'),
    htmlKB: kB('Document'),
    scriptKB: kB('Script'),
    imageKB: kB('Image'),
    fontKB: kB('Font'),
  }
}
