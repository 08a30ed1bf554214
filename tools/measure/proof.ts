import { resolve } from 'node:path'
import { chromium, type Browser } from '@playwright/test'
import { build } from 'vite'
import { BROWSER_ARGS, findBrowser } from '../build/lib/browser.ts'
import { median, quantile, report, rounded } from './results.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const MODULE = resolve(ROOT, 'src/client/features/comments/prove-messages.ts')
/** A cheap phone, next to the machine that measures. Harder than for whole pages: nothing here waits for a network. */
const CPU_SLOWDOWN = 6
const PAGES = 60
/** What one page proves, one after the other: the first with code that the browser has never run. */
const PROOFS_A_PAGE = 3
const GOAL_MS = 300

type Proving = Window & { proving: { findProof: (challenge: string) => string } }

/** The client's own module, with everything it imports, as one script. */
async function bundle(): Promise<string> {
  const built = await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    build: { write: false, lib: { entry: MODULE, formats: ['iife'], name: 'proving' } },
  })
  const [output] = [built].flat()
  if (!output || !('output' in output)) throw new Error('Vite built nothing')
  return output.output[0].code
}

/** Milliseconds of each proof in a new page of a slow CPU. */
async function proveInPage(browser: Browser, script: string): Promise<number[]> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  await page.addScriptTag({ content: script })
  const times: number[] = []
  for (let proof = 0; proof < PROOFS_A_PAGE; proof++) {
    times.push(
      await page.evaluate((id) => {
        const started = performance.now()
        ;(window as unknown as Proving).proving.findProof(id)
        return performance.now() - started
      }, `cmt_${crypto.randomUUID()}`),
    )
  }
  await context.close()
  return times
}

const row = (of: string, times: readonly number[]) => ({
  of,
  proofs: times.length,
  medianMs: rounded(median(times)),
  percentile95Ms: rounded(quantile(times, 0.95)),
  longestMs: rounded(Math.max(...times)),
  goalMs: GOAL_MS,
})

/** How long the proof of work of a burst takes in Chromium, whose CPU is made slower. */
export async function measureProof(): Promise<void> {
  const script = await bundle()
  const executablePath = findBrowser()
  const browser = await chromium.launch({ args: BROWSER_ARGS, ...(executablePath && { executablePath }) })
  const pages: number[][] = []
  for (let page = 0; page < PAGES; page++) pages.push(await proveInPage(browser, script))
  await browser.close()
  report('proof', [
    row(
      'the first in a page',
      pages.map(([first = 0]) => first),
    ),
    row(
      'later ones',
      pages.flatMap(([, ...later]) => later),
    ),
  ])
}
