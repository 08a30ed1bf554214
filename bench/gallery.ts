import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import type { MediaUploaded } from '../src/shared/media.ts'
import { BROWSER_ARGS, requireBrowser } from '../scripts/lib/browser.ts'
import { startStack } from '../scripts/lib/stack.ts'
import { account, DEMO, paidMemorial } from '../scripts/seed.ts'
import { report } from './results.ts'
import { rounded } from './statistics.ts'

const PHOTOS = 500
const AT_ONCE = 4
/** A cheap phone beside this machine. */
const CPU_SLOWER = 4
const PHOTO = resolve(import.meta.dirname, '../test/fixtures/photo-rotated-6.jpg')

type Row = { step: string; longestTaskMs: number; tasksOver200: number; shift: number; elements: number }
/** What the page's own observers have seen since they were asked last. */
type Seen = { tasks: number[]; shift: number }

async function watch(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen: Seen = { tasks: [], shift: 0 }
    Object.assign(window, { seen })
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.tasks.push(duration)
    }).observe({ type: 'longtask', buffered: true })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number
        hadRecentInput: boolean
      })[]) {
        if (!entry.hadRecentInput) seen.shift += entry.value
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

async function look(page: Page, step: string): Promise<Row> {
  await page.waitForLoadState('networkidle')
  const { tasks, shift, elements } = await page.evaluate(() => {
    const { seen } = window as unknown as { seen: Seen }
    const now = { ...seen, elements: document.querySelectorAll('*').length }
    Object.assign(seen, { tasks: [], shift: 0 })
    return now
  })
  return {
    step,
    longestTaskMs: Math.round(Math.max(0, ...tasks)),
    tasksOver200: tasks.filter((ms) => ms > 200).length,
    shift: rounded(shift),
    elements,
  }
}

/** A memorial with hundreds of photos on a slow phone: how long the page does not answer, how far it jumps, how large it is. */
export async function measureGallery(): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'nhaka-bench-'))
  const stack = await startStack({ port: 0, sandboxPort: 0, state })
  const browser = await chromium.launch({ executablePath: requireBrowser(), args: BROWSER_ARGS })
  try {
    const owner = await account(stack.url, stack.sandboxUrl, DEMO.owner)
    const memorial = await paidMemorial(owner, stack.sandboxUrl, {
      honoureeFullName: 'Tendai Rudo Moyo',
      title: 'She taught half of Mutare to read.',
      dateOfBirth: '1948-03-14',
      dateOfDeath: '2026-06-02',
    })
    const path = `/api/memorials/${memorial.id}`
    const add = async () =>
      owner.upload<MediaUploaded>(`${path}/media/upload`, PHOTO, 'image/jpeg', { type: 'IMAGE' })
    for (let at = 0; at < PHOTOS; at += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, add))
    await owner.call('PATCH', `${path}/privacy`, { privacy: 'LOCKED' })

    const page = await browser.newPage({ viewport: { width: 360, height: 740 } })
    await watch(page)
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWER })
    await page.goto(`${stack.url}/m/${memorial.slug}`)
    await page.getByRole('heading', { name: 'Gallery' }).waitFor()
    const rows = [await look(page, 'the page opens')]
    await page.getByRole('button', { name: `See all ${PHOTOS}` }).click()
    rows.push(await look(page, '"See all"'))
    const more = page.getByRole('button', { name: 'Show more photos' })
    for (let shown = 60; shown < PHOTOS; shown += 60) {
      await more.click()
      await page
        .getByRole('status')
        .filter({ hasText: `${Math.min(PHOTOS, shown + 60)} of ${PHOTOS}` })
        .waitFor()
      rows.push(await look(page, `"Show more" after ${shown}`))
    }
    for (let screen = 0; screen < 60; screen++) await page.mouse.wheel(0, -700)
    rows.push(await look(page, 'scrolling back over all of them'))
    await page.locator('ul a').nth(200).click()
    await page.getByRole('dialog').waitFor()
    rows.push(await look(page, 'a photo opens'))
    await page.keyboard.press('ArrowRight')
    rows.push(await look(page, 'the next photo'))
    report('gallery', rows)
  } finally {
    await browser.close()
    await stack.close()
    rmSync(state, { recursive: true, force: true })
  }
}
