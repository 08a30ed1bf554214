import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type CDPSession, type Page } from '@playwright/test'
import type { PublicMemorialView } from '../../src/shared/memorials.ts'
import { BROWSER_ARGS, requireBrowser } from '../build/lib/browser.ts'
import { barePage } from './bare-page.ts'
import { startMeasured } from './measured.ts'
import { report } from './results.ts'
import { median, rounded } from './statistics.ts'
import { makeWorld } from './world.ts'

const RUNS = 5
const SCREEN = { width: 360, height: 740 }
/** Longer than this nobody waits, and no run does. */
const PATIENCE_MS = 90_000
const LINES = [
  { line: '1.6 Mbit/s, 150 ms, CPU 4x', kbits: 1600, latencyMs: 150, cpu: 4 },
  { line: '400 kbit/s, 400 ms', kbits: 400, latencyMs: 400, cpu: 1 },
] as const
type Line = (typeof LINES)[number]

/** What is opened, and as whom: `Save-Data` is what a browser says whose owner wants to save. */
type Visit = { page: string; path: string; dpr: number; headers?: Record<string, string> }
/** Seconds, but for the shift (a score), the blocking time (ms) and what came over the line (kB, requests). */
type Look = {
  fcp: number
  lcp: number
  story: number
  guestbook: number
  cls: number
  tbtMs: number
  kB: number
  htmlKB: number
  scriptKB: number
  imageKB: number
  fontKB: number
  requests: number
}
/** What stands on the page once it can be read: from the story, and from the guestbook. */
type Words = { story: string; message: string }
type Seen = { fcp: number; lcp: number; shift: number; tasks: [at: number, ms: number][]; words: number[] }

/** Runs in the page before anything else: notes when what was looked for stands in the page and has been painted. */
function observe(wanted: Words): void {
  const seen: Seen = { fcp: 0, lcp: 0, shift: 0, tasks: [], words: [0, 0] }
  Object.assign(window, { seen })
  const watch = (type: string, note: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true })
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
  const look = () => {
    const text = document.querySelector('main')?.textContent ?? ''
    for (const [at, words] of [wanted.story, wanted.message].entries()) {
      if (seen.words[at] !== 0 || !text.includes(words)) continue
      // It was there for this frame; the next one begins when this is painted.
      requestAnimationFrame(() => {
        seen.words[at] ||= performance.now()
      })
    }
    if (seen.words.includes(0)) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

/** Bytes that came over the line by kind, headers and all, as the browser counted them. */
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

/** One first visit, by a browser that has never been here, until nothing more comes. */
async function visit(browser: Browser, url: string, what: Visit, line: Line, words: Words): Promise<Look> {
  const context = await browser.newContext({
    viewport: SCREEN,
    deviceScaleFactor: what.dpr,
    isMobile: true,
    hasTouch: true,
    extraHTTPHeaders: what.headers ?? {},
  })
  try {
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    const bytes = await countBytes(devtools)
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
    const bytesASecond = (line.kbits * 1000) / 8
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: line.latencyMs,
      downloadThroughput: bytesASecond,
      uploadThroughput: bytesASecond,
    })
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: line.cpu })
    await page.addInitScript(observe, words)
    await page.goto(url + what.path, { waitUntil: 'load', timeout: PATIENCE_MS })
    await readable(page)
    await page.waitForLoadState('networkidle', { timeout: PATIENCE_MS })
    const seen = await page.evaluate(() => (window as unknown as { seen: Seen }).seen)
    const kB = (kind: string) => (bytes.get(kind) ?? 0) / 1000
    const seconds = (ms: number) => ms / 1000
    return {
      fcp: seconds(seen.fcp),
      lcp: seconds(seen.lcp),
      // Nothing is read before the first paint.
      story: seconds(Math.max(seen.fcp, seen.words[0] ?? 0)),
      guestbook: seconds(Math.max(seen.fcp, seen.words[1] ?? 0)),
      cls: seen.shift,
      tbtMs: seen.tasks.reduce((sum, [at, ms]) => sum + (at + ms > seen.fcp ? Math.max(0, ms - 50) : 0), 0),
      kB: kB('all'),
      htmlKB: kB('Document'),
      scriptKB: kB('Script'),
      imageKB: kB('Image'),
      fontKB: kB('Font'),
      requests: bytes.get('requests') ?? 0,
    }
  } finally {
    await context.close()
  }
}

async function readable(page: Page): Promise<void> {
  await page.waitForFunction(() => !(window as unknown as { seen: Seen }).seen.words.includes(0), undefined, {
    timeout: PATIENCE_MS,
    polling: 200,
  })
}

/** The middle of the runs, and after "±" half the way from the lowest to the highest. */
function summary(looks: readonly Look[]): Record<string, string> {
  const names = Object.keys(looks[0] ?? {}) as (keyof Look)[]
  return Object.fromEntries(
    names.map((name) => {
      const values = looks.map((look) => look[name])
      const half = (Math.max(...values) - Math.min(...values)) / 2
      return [name, `${rounded(median(values))} ±${rounded(half)}`]
    }),
  )
}

/** The last words of the first paragraph of the story, and of the first message: whoever sees them has the rest before them. */
function wordsOf({ memorial, comments }: PublicMemorialView): Words {
  const paragraph = /<p>([^<]+)<\/p>/u.exec(memorial.lifeStory ?? '')?.[1] ?? ''
  return { story: paragraph.slice(-30), message: (comments[0]?.body ?? '').slice(-20) }
}

/**
 * A first visit of a rich public memorial on a phone with a bad line: what is painted when, and what it costs. Beside it, in
 * turns, a bare page of the same content that is nothing but HTML, one style sheet inside, and the same pictures. The
 * runtime compresses texts as an edge does.
 */
export async function measurePhone(): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'nhaka-bench-'))
  const cast = await makeWorld(state)
  const stack = await startMeasured(state)
  const browser = await chromium.launch({ executablePath: requireBrowser(), args: BROWSER_ARGS })
  try {
    const answer = await fetch(`${stack.url}/api/memorial/${cast.slug}`)
    const view = (await answer.json()) as PublicMemorialView
    await fetch(`${stack.url}/bench/page`, { method: 'PUT', body: barePage(view) })
    const path = `/m/${cast.slug}`
    const visits: Visit[] = [
      { page: 'ours', path, dpr: 3 },
      { page: 'ours, less data', path, dpr: 3, headers: { 'Save-Data': 'on' } },
      { page: 'bare page', path: '/bench/page', dpr: 3 },
      { page: 'ours', path, dpr: 2 },
    ]
    const looks = new Map<string, Look[]>()
    const keyOf = ({ line }: Line, { page, dpr }: Visit) => `${line} | ${page} | ${dpr}`
    for (let run = -1; run < RUNS; run++) {
      for (const line of LINES) {
        for (const what of visits) {
          const look = await visit(browser, stack.url, what, line, wordsOf(view))
          // The first of each makes sizes of pictures and loads code on the server.
          if (run >= 0) looks.set(keyOf(line, what), [...(looks.get(keyOf(line, what)) ?? []), look])
        }
      }
    }
    report(
      'phone',
      [...looks].map(([key, of]) => {
        const [line, page, dpr] = key.split(' | ')
        return Object.assign({ line, page, dpr }, summary(of))
      }),
    )
  } finally {
    await browser.close()
    await stack.close()
    rmSync(state, { recursive: true, force: true })
  }
}
