import type { Page, Response } from '@playwright/test'
import { loadedWith, readChunks } from '../../tools/build/lib/chunks.ts'
import { readFileSync } from 'node:fs'
import { arrivedIn, type Arrived, KB, sumOf } from '../traffic.ts'
import { expect, test } from '../world.ts'
import { appStarted } from '../people.ts'

/** Opens this path and waits until nothing more loads. */
async function openWholly(page: Page, path: string): Promise<void> {
  await page.goto(path)
  // After the load: a browser or a test that stalls looks like a quiet network.
  await page.waitForLoadState('networkidle')
}

/** What loads from now on until `enter` has made the app handle events. */
async function loadedBy(page: Page, enter: () => Promise<void>): Promise<Arrived[]> {
  const coming: Promise<Arrived>[] = []
  const note = (answer: Response) => void coming.push(arrivedIn(answer))
  page.on('response', note)
  await enter()
  await expect(appStarted(page)).toBeAttached()
  await page.waitForLoadState('networkidle')
  // What comes later, such as photos, would still be read when the test ends.
  page.off('response', note)
  return Promise.all(coming)
}

/** What people press to enter the app, and the script that this loads: the libraries alone are 92 kB. */
const ENTRIES = [
  { from: 'the login', path: '/login', press: 'Email', kB: 130 },
  { from: 'the contact form', path: '/contact', press: 'Message', kB: 130 },
  { from: 'a registration', path: '/register', press: 'First name', kB: 130 },
] as const

for (const { from, path, press, kB } of ENTRIES) {
  test(`entering the app from ${from} loads at most 5 files of script, ${kB} kB`, async ({ page }) => {
    await openWholly(page, path)
    const loaded = await loadedBy(page, () => page.getByLabel(press, { exact: true }).focus())
    const bill = JSON.stringify(loaded, null, 1)
    const scripts = loaded.filter(({ type }) => type === 'script')
    expect(scripts.length, bill).toBeGreaterThan(2)
    expect(scripts.length, bill).toBeLessThanOrEqual(5)
    expect(loaded.length, bill).toBeLessThanOrEqual(8)
    expect(sumOf(scripts), bill).toBeGreaterThan(90 * KB)
    expect(sumOf(scripts), bill).toBeLessThanOrEqual(kB * KB)
  })
}

test('entering the app from a public memorial loads at most 6 files of script, 155 kB', async ({
  page,
  demo,
}) => {
  await openWholly(page, `/m/${demo.publicSlug}`)
  // A photo loads the viewer as well.
  const loaded = await loadedBy(page, () => page.locator('#photos [data-open]').first().focus())
  const bill = JSON.stringify(loaded, null, 1)
  const scripts = loaded.filter(({ type }) => type === 'script')
  expect(scripts.length, bill).toBeGreaterThan(2)
  expect(scripts.length, bill).toBeLessThanOrEqual(6)
  expect(sumOf(scripts), bill).toBeGreaterThan(90 * KB)
  expect(sumOf(scripts), bill).toBeLessThanOrEqual(155 * KB)
})

test('a screen for visitors loads nothing of the wizard, the console or Zod', () => {
  const chunks = readChunks('dist/client/assets')
  const named = (start: string) => [...chunks.keys()].filter((name) => name.startsWith(`${start}-`))
  const loaded = loadedWith(chunks, ...named('account-screens'), ...named('memorial-screens'))
  expect([...loaded].map((name) => name.slice(0, -12)).sort()).toEqual([
    'account-screens',
    'app',
    'base',
    'common',
    'libraries',
    'memorial-screens',
    'rolldown-runtime',
  ])
  const sources = [...loaded].map((name) => readFileSync(`dist/client/assets/${name}`, 'utf8'))
  // A word of each Zod schema.
  expect(sources.filter((source) => source.includes('safeParse'))).toEqual([])
})

/** Where the response of each script came from, as the browser says. */
async function sourcesOf(page: Page, path: string): Promise<string[]> {
  const devtools = await page.context().newCDPSession(page)
  const sources: string[] = []
  devtools.on('Network.responseReceived', ({ type, response }) => {
    if (type === 'Script') sources.push(response.serviceWorkerResponseSource ?? 'network')
  })
  await devtools.send('Network.enable')
  // Without the browser's own cache, which a phone soon empties.
  await devtools.send('Network.clearBrowserCache')
  await openWholly(page, path)
  return sources
}

/** The paths of the scripts that the service worker has stored. */
const storedScripts = (page: Page) =>
  page.evaluate(async () => {
    const names = await caches.keys()
    const stored = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
    return stored
      .flat()
      .map(({ url }) => new URL(url).pathname)
      .filter((path) => path.endsWith('.js'))
  })

test.describe('with the service worker', () => {
  test.use({ serviceWorkers: 'allow' })

  test('a second visit loads no script over the line', async ({ page, demo }) => {
    await demo.signIn(page, 'owner')
    await openWholly(page, '/dashboard')
    await expect(page.getByRole('article')).toHaveCount(3)
    const loaded = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => new URL(name).pathname)
        .filter((path) => path.endsWith('.js')),
    )
    expect(loaded.length).toBeGreaterThan(4)
    await expect.poll(async () => (await storedScripts(page)).sort()).toEqual([...new Set(loaded)].sort())
    const again = await page.context().newPage()
    const sources = await sourcesOf(again, '/dashboard')
    await expect(again.getByRole('heading', { name: 'My Memorials' })).toBeVisible()
    await expect.poll(() => sources).toEqual(loaded.map(() => 'cache-storage'))
  })
})
