import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type CDPSession, type Page } from '@playwright/test'
import type { PublicMemorialView } from '../../src/shared/memorials.ts'
import { BROWSER_ARGS, requireBrowser } from '../build/lib/browser.ts'
import { barePage } from './bare-page.ts'
import { makeWorld, startMeasured } from './world.ts'
import { median, report, rounded } from './results.ts'

const RUNS = 5
const SCREEN = { width: 360, height: 740 }
const TIMEOUT_MS = 90_000
const NETWORKS = [
  { line: '1.6 Mbit/s, 150 ms, CPU 4x', kbits: 1600, latencyMs: 150, cpu: 4 },
  { line: '400 kbit/s, 400 ms', kbits: 400, latencyMs: 400, cpu: 1 },
] as const
type Network = (typeof NETWORKS)[number]

/** The page to open, and with which headers: browsers send `Save-Data` if their user wants to save data. */
type Visit = { page: string; path: string; dpr: number; headers?: Record<string, string> }
/** Times in seconds, except the layout shift (a score), the blocking time (ms) and the traffic (kB, requests). */
type Metrics = Awaited<ReturnType<typeof visit>>
/** Texts of the story and of the guestbook. Once they are on the page, it can be read. */
type Texts = { story: string; message: string }
type Observed = {
  fcp: number
  lcp: number
  shift: number
  tasks: [at: number, ms: number][]
  texts: number[]
}

/** Runs in the page before anything else. Records paints, shifts, long tasks, and when the wanted texts are painted. */
function observe(wanted: Texts): void {
  const seen: Observed = { fcp: 0, lcp: 0, shift: 0, tasks: [], texts: [0, 0] }
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
    for (const [at, part] of [wanted.story, wanted.message].entries()) {
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
  devtools.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type))
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    add(kinds.get(requestId) ?? 'Other', encodedDataLength)
    add('all', encodedDataLength)
    add('requests', 1)
  })
  await devtools.send('Network.enable')
  return bytes
}

/** One first visit in a new browser context, until the network is idle. */
async function visit(browser: Browser, url: string, what: Visit, network: Network, texts: Texts) {
  await using context = await browser.newContext({
    viewport: SCREEN,
    deviceScaleFactor: what.dpr,
    isMobile: true,
    hasTouch: true,
    extraHTTPHeaders: what.headers ?? {},
  })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  const bytes = await countBytes(devtools)
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  const bytesPerSecond = (network.kbits * 1000) / 8
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: network.latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: network.cpu })
  await page.addInitScript(observe, texts)
  await page.goto(url + what.path, { waitUntil: 'load', timeout: TIMEOUT_MS })
  await waitUntilReadable(page)
  await page.waitForLoadState('networkidle', { timeout: TIMEOUT_MS })
  const seen = await page.evaluate(() => (window as unknown as { seen: Observed }).seen)
  const kB = (kind: string) => (bytes.get(kind) ?? 0) / 1000
  const seconds = (ms: number) => ms / 1000
  return {
    fcp: seconds(seen.fcp),
    lcp: seconds(seen.lcp),
    // Nobody can read before the first paint.
    story: seconds(Math.max(seen.fcp, seen.texts[0] ?? 0)),
    guestbook: seconds(Math.max(seen.fcp, seen.texts[1] ?? 0)),
    cls: seen.shift,
    tbtMs: seen.tasks.reduce((sum, [at, ms]) => sum + (at + ms > seen.fcp ? Math.max(0, ms - 50) : 0), 0),
    kB: kB('all'),
    htmlKB: kB('Document'),
    scriptKB: kB('Script'),
    imageKB: kB('Image'),
    fontKB: kB('Font'),
    requests: bytes.get('requests') ?? 0,
  }
}

async function waitUntilReadable(page: Page): Promise<void> {
  await page.waitForFunction(
    () => !(window as unknown as { seen: Observed }).seen.texts.includes(0),
    undefined,
    {
      timeout: TIMEOUT_MS,
      polling: 200,
    },
  )
}

/** The median of the runs, and after "±" half the range. */
function summary(runs: readonly Metrics[]): Record<string, string> {
  const names = Object.keys(runs[0] ?? {}) as (keyof Metrics)[]
  return Object.fromEntries(
    names.map((name) => {
      const values = runs.map((run) => run[name])
      const half = (Math.max(...values) - Math.min(...values)) / 2
      return [name, `${rounded(median(values))} ±${rounded(half)}`]
    }),
  )
}

/** The ends of the story's first paragraph and of the first message. If they are visible, the text before them is too. */
function textsOf({ memorial, comments }: PublicMemorialView): Texts {
  const paragraph = /<p>([^<]+)<\/p>/u.exec(memorial.lifeStory ?? '')?.[1] ?? ''
  return { story: paragraph.slice(-30), message: (comments[0]?.body ?? '').slice(-20) }
}

/**
 * Measures a first visit of a full public memorial on a phone with a slow network: paint times and bytes. In turns it measures
 * a bare page with the same content: HTML, one inline style sheet and the same photos. The runtime compresses text as the edge
 * does.
 */
export async function measurePhone(): Promise<void> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'nhaka-bench-'))
  const data = await makeWorld(folder.path)
  await using stack = await startMeasured(folder.path)
  await using browser = await chromium.launch({ executablePath: requireBrowser(), args: BROWSER_ARGS })
  const response = await fetch(`${stack.url}/api/memorial/${data.slug}`)
  const view = (await response.json()) as PublicMemorialView
  await fetch(`${stack.url}/bench/page`, { method: 'PUT', body: barePage(view) })
  const path = `/m/${data.slug}`
  const visits: Visit[] = [
    { page: 'ours', path, dpr: 3 },
    { page: 'ours, less data', path, dpr: 3, headers: { 'Save-Data': 'on' } },
    { page: 'bare page', path: '/bench/page', dpr: 3 },
    { page: 'ours', path, dpr: 2 },
  ]
  const results = new Map<string, Metrics[]>()
  const keyOf = ({ line }: Network, { page, dpr }: Visit) => `${line} | ${page} | ${dpr}`
  for (let run = -1; run < RUNS; run++) {
    for (const network of NETWORKS) {
      for (const what of visits) {
        const metrics = await visit(browser, stack.url, what, network, textsOf(view))
        // The first run of each does not count: the server creates image variants and loads code.
        const key = keyOf(network, what)
        if (run >= 0) results.set(key, [...(results.get(key) ?? []), metrics])
      }
    }
  }
  report(
    'phone',
    [...results].map(([key, runs]) => {
      const [line, page, dpr] = key.split(' | ')
      return Object.assign({ line, page, dpr }, summary(runs))
    }),
  )
}
