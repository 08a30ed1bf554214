import type { Browser, Page } from '@playwright/test'
import { CPU_SLOWDOWN, SCREEN, signIn } from './visit.ts'

/** The page that somebody opens again, and the session of the browser, if it has one. */
export type SecondVisit = { path: string; cookie?: string }
const TIMEOUT_MS = 30_000

/**
 * The second visit of a phone whose service worker has stored what the first one loaded: when it paints, and the bytes of script that
 * come over the line. The browser's own cache is empty, as after some days. The processor is slowed down; the network isn't, because
 * the service worker's requests can't be.
 */
export async function visitAgain(browser: Browser, url: string, { path, cookie }: SecondVisit) {
  await using context = await browser.newContext({ viewport: SCREEN, deviceScaleFactor: 2, isMobile: true })
  if (cookie !== undefined) await signIn(context, url, cookie)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  await page.goto(url + path, { waitUntil: 'networkidle', timeout: TIMEOUT_MS })
  await page.waitForFunction(areScriptsStored, undefined, { polling: 200, timeout: TIMEOUT_MS })
  await page.goto('about:blank')
  await devtools.send('Network.clearBrowserCache')
  const isFromLine = new Set<string>()
  let scriptBytes = 0
  devtools.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (type === 'Script' && response.serviceWorkerResponseSource !== 'cache-storage')
      isFromLine.add(requestId)
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (isFromLine.has(requestId)) scriptBytes += encodedDataLength
  })
  await page.goto(url + path, { waitUntil: 'networkidle', timeout: TIMEOUT_MS })
  return { ...(await paintsOf(page)), scriptKB: scriptBytes / 1000 }
}

/** Runs in the page: true once the service worker holds each script that the page loaded. */
async function areScriptsStored(): Promise<boolean> {
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
  const scripts = loaded.filter((name) => name.includes('/assets/') && name.endsWith('.js'))
  const stored = await Promise.all(scripts.map((script) => caches.match(script)))
  return scripts.length > 0 && stored.every((one) => one !== undefined)
}

/** When the page first paints, and when it paints its largest part, in seconds. */
async function paintsOf(page: Page): Promise<{ fcp: number; lcp: number }> {
  return page.evaluate(
    () =>
      new Promise<{ fcp: number; lcp: number }>((resolve) => {
        const fcp = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0
        new PerformanceObserver((list) => {
          const lcp = list.getEntries().at(-1)?.startTime ?? 0
          resolve({ fcp: fcp / 1000, lcp: lcp / 1000 })
        }).observe({ type: 'largest-contentful-paint', buffered: true })
      }),
  )
}
