import { DATA_SAVER } from '../../src/shared/pages/pages.ts'
import { readFileSync } from 'node:fs'
import type { Response, Browser } from '@playwright/test'
import {
  bytesAdded,
  chunkNamed,
  gzipBytes,
  importsOf,
  loadedWith,
  readChunks,
  type Chunks,
} from '../../tools/build/lib/chunks.ts'
import { fillWithPhotos } from '../../tools/measure/phone/photo-memorial.ts'
import { paidMemorial } from '../../tools/operate/seed.ts'
import { newOwner, TENDAI } from '../accounts-by-api.ts'
import { arrivedIn, type Arrived, KB, pathOf, sumOf } from '../traffic.ts'
import { onDearData } from '../people.ts'
import { expect, test } from '../family.ts'
import { usualGatherings } from '../many-gatherings.ts'

/** The chunks that every screen of the app loads. */
function entryOf(chunks: Chunks): Set<string> {
  const html = readFileSync('dist/client/index.html', 'utf8')
  const script = /src="\/assets\/([\w.-]+\.js)"/u.exec(html)?.[1]
  if (script === undefined) throw new Error('The page of the app names no script')
  return loadedWith(chunks, script)
}

for (const { name, chunk, on, kB } of [
  { name: 'the wizard', chunk: 'wizard', on: [], kB: 48.5 },
  { name: 'the step of the funeral', chunk: 'step-funeral', on: ['wizard'], kB: 10 },
  { name: 'the editor of a story', chunk: 'story-editor', on: ['wizard'], kB: 70 },
  { name: 'the photo viewer', chunk: 'photo-viewer', on: ['memorial-screens'], kB: 18 },
  { name: 'the console of an admin', chunk: 'admin', on: [], kB: 26.5 },
  { name: 'the upload code for chunks', chunk: 'tus-upload', on: ['wizard'], kB: 8 },
]) {
  test(`${name} adds at most ${kB} kB to what is already loaded`, () => {
    const chunks = readChunks('dist/client/assets')
    const there = entryOf(chunks)
    for (const before of on)
      for (const file of loadedWith(chunks, chunkNamed(chunks, before))) there.add(file)
    const bytes = bytesAdded(chunks, chunkNamed(chunks, chunk), there)
    expect(bytes, 'a chunk without a weight is not the one that was meant').toBeGreaterThan(500)
    expect(bytes).toBeLessThanOrEqual(kB * KB)
  })
}

test('the service worker is one file of at most 6.5 kB', () => {
  const source = readFileSync('dist/client/sw.js')
  expect(importsOf(String(source))).toEqual([])
  expect(gzipBytes(source)).toBeGreaterThan(2 * KB)
  expect(gzipBytes(source)).toBeLessThanOrEqual(6.5 * KB)
})

type FirstVisit = { arrived: Arrived[]; portrait: string | null; priorities: ReadonlyMap<string, string> }

/** The slower the connection, the further ahead a browser loads images; a busy machine looks like a slow one. */
const LINES = {
  '1.6 Mbit/s': { latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 },
  '400 kbit/s': { latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 },
} as const

/** All responses of a first visit, on a phone unless `width` is larger, before any touch. Sizes are bytes on the wire. */
async function firstVisit(
  browser: Browser,
  url: string,
  {
    headers,
    lessData,
    width = 360,
    line = '1.6 Mbit/s',
    isDear = false,
  }: {
    headers?: Record<string, string>
    lessData?: boolean
    width?: number
    line?: keyof typeof LINES
    /** The browser says that data may be dear. */
    isDear?: boolean
  } = {},
): Promise<FirstVisit> {
  const context = await browser.newContext({
    viewport: { width, height: 740 },
    deviceScaleFactor: 3,
    isMobile: true,
    hasTouch: true,
    ...(headers && { extraHTTPHeaders: headers }),
  })
  if (lessData) await context.addCookies([{ name: DATA_SAVER, value: '1', url }])
  const page = await context.newPage()
  if (isDear) await onDearData(page)
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    ...LINES[line],
    connectionType: 'cellular4g',
  })
  const priorities = new Map<string, string>()
  devtools.on('Network.requestWillBeSent', ({ request }) => {
    priorities.set(pathOf(request.url), request.initialPriority)
  })
  await devtools.send('Network.enable')
  const coming: Promise<Arrived>[] = []
  const note = (answer: Response) => void coming.push(arrivedIn(answer))
  page.on('response', note)
  await page.goto(url)
  // After the load: a browser or a test that stalls looks like a quiet network.
  await page.waitForLoadState('networkidle')
  // What comes later would still be read when the context closes.
  page.off('response', note)
  const portrait = await page
    .locator('img[fetchpriority="high"]')
    .evaluateAll((images) => (images[0] as HTMLImageElement | undefined)?.currentSrc ?? null)
  const arrived = await Promise.all(coming)
  if (!headers && !lessData) {
    // The service worker loads after the page. What it requests again is in the browser's cache; its script is not.
    arrived.push({ path: '/sw.js', type: 'script', bytes: gzipBytes(readFileSync('dist/client/sw.js')) })
  }
  await context.close()
  return { arrived, portrait: portrait && pathOf(portrait), priorities }
}

test('a first visit to a public memorial loads at most 150 kB before the first touch', async ({
  browser,
  demo,
  world,
}) => {
  const address = `${world.url}/m/${demo.publicSlug}`
  // The server creates these image variants on the first request.
  await firstVisit(browser, address)
  const { arrived, portrait, priorities } = await firstVisit(browser, address)
  const bill = JSON.stringify(arrived, null, 1)
  const portraitBytes = sumOf(arrived.filter(({ path }) => path === portrait))
  expect(sumOf(arrived, 'document'), bill).toBeGreaterThan(4 * KB)
  expect(sumOf(arrived, 'document'), bill).toBeLessThanOrEqual(18 * KB)
  expect(portraitBytes, bill).toBeGreaterThan(1 * KB)
  expect(portraitBytes, bill).toBeLessThanOrEqual(50 * KB)
  expect(sumOf(arrived, 'script'), bill).toBeLessThanOrEqual(15 * KB)
  expect(sumOf(arrived), bill).toBeLessThanOrEqual(150 * KB)
  const scripts = arrived.filter(({ path, type }) => type === 'script' && priorities.has(path))
  expect(new Set(scripts.map(({ path }) => priorities.get(path)))).toEqual(new Set(['Low']))
  expect(priorities.get(portrait ?? '')).toBe('High')
})

test('a first visit to a memorial with twelve gatherings keeps to the same', async ({
  browser,
  family,
  world,
}) => {
  const memorial = await family.memorial()
  for (const gathering of usualGatherings())
    await family.owner.call('POST', `/api/memorials/${memorial.id}/funeral-events`, gathering)
  await family.setPrivacy(memorial.id, 'LOCKED')
  const { arrived } = await firstVisit(browser, `${world.url}/m/${memorial.slug}`)
  const bill = JSON.stringify(arrived, null, 1)
  expect(sumOf(arrived, 'document'), bill).toBeGreaterThan(8 * KB)
  expect(sumOf(arrived, 'document'), bill).toBeLessThanOrEqual(18 * KB)
  expect(sumOf(arrived, 'script'), bill).toBeLessThanOrEqual(15 * KB)
  expect(sumOf(arrived), bill).toBeLessThanOrEqual(150 * KB)
})

test('camera photos add to a first visit, also by invitation, only once it scrolls', async ({
  browser,
  page,
  world,
}) => {
  const { owner } = await newOwner(world, 'photos')
  const { id, slug } = await paidMemorial(owner, world.sandboxUrl, TENDAI)
  const { inviteLink } = await fillWithPhotos(world, owner, id, page)
  for (const line of ['1.6 Mbit/s', '400 kbit/s'] as const) {
    const { arrived } = await firstVisit(browser, inviteLink, { line, isDear: true })
    const bill = JSON.stringify(arrived, null, 1)
    expect(sumOf(arrived, 'document'), bill).toBeGreaterThan(15 * KB)
    const { length } = arrived
    expect(length, bill).toBeLessThanOrEqual(20)
    // With the service worker, which comes once.
    expect(sumOf(arrived, 'script'), bill).toBeLessThanOrEqual(17 * KB)
    expect(sumOf(arrived), bill).toBeLessThanOrEqual(130 * KB)
  }
  await owner.call('PATCH', `/api/memorials/${id}/privacy`, { privacy: 'LOCKED' })
  for (const line of ['1.6 Mbit/s', '400 kbit/s'] as const) {
    const { arrived } = await firstVisit(browser, `${world.url}/m/${slug}`, { line })
    const bill = JSON.stringify(arrived, null, 1)
    expect(sumOf(arrived, 'document'), bill).toBeGreaterThan(12 * KB)
    expect(sumOf(arrived, 'image'), bill).toBeGreaterThan(20 * KB)
    expect(sumOf(arrived, 'image'), bill).toBeLessThanOrEqual(50 * KB)
    expect(sumOf(arrived), bill).toBeLessThanOrEqual(110 * KB)
  }
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${world.url}/m/${slug}`)
  await page.waitForLoadState('networkidle')
  const sizes = () =>
    page
      .locator('#photos img')
      .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth > 0))
  expect(await sizes()).toEqual([false, false, false, false, false, false])
  await page.mouse.wheel(0, 100)
  // None is on the screen yet: from now on the browser loads ahead.
  await expect.poll(sizes).toEqual([true, true, true, true, true, true])
  await expect(page.locator('#photos')).not.toBeInViewport()
})

test('an unused form for visitors costs a public page at most 1 kB with its styles', async ({
  family,
  world,
}) => {
  const { memorial } = await family.openToVisitors('AT_ONCE')
  const written = async () => (await fetch(`${world.url}/m/${memorial.slug}`)).text()
  const open = await written()
  const form = /<form id="leave-a-message".*?<\/form>/su.exec(open)?.[0] ?? ''
  await family.owner.call('PATCH', `/api/memorials/${memorial.id}`, { visitorMessages: 'NOBODY' })
  const closed = await written()
  expect([form.includes('Leave this message'), closed.includes('Leave this message')]).toEqual([true, false])
  // Every page brings the styles. Those of the form alone are taken out of the closed one.
  const modulesOf = (html: string) =>
    Array.from(html.matchAll(/(?<= class="[^"]*)_[A-Za-z][\w-]*?_([\w-]{5})_\d+/gu), ([, hash]) => hash)
  const others = modulesOf(closed)
  const ofForm = [...new Set(modulesOf(form))].filter((hash) => !others.includes(hash))
  expect(ofForm).not.toEqual([])
  const rules = new RegExp(`[^{}]*_(?:${ofForm.join('|')})_\\d+[^{}]*\\{[^{}]*\\}`, 'gu')
  const withoutForm = closed.replace(/(?<=<style[^>]*>).*?(?=<\/style>)/gsu, (css) => css.replace(rules, ''))
  const styles = gzipBytes(Buffer.from(closed)) - gzipBytes(Buffer.from(withoutForm))
  // 895 bytes on 2026-11-25, of which 438 are styles.
  const cost = gzipBytes(Buffer.from(open)) - gzipBytes(Buffer.from(withoutForm))
  expect(styles).toBeGreaterThan(0)
  expect(cost).toBeGreaterThan(300)
  expect(cost).toBeLessThanOrEqual(1 * KB)
})

for (const { who, how } of [
  { who: 'whose browser saves data', how: { headers: { 'Save-Data': 'on' } } },
  { who: 'who asked for less data', how: { lessData: true } },
]) {
  test(`a visitor ${who} first loads at most 40 kB, no scripts or fonts`, async ({
    browser,
    demo,
    world,
  }) => {
    const address = `${world.url}/m/${demo.publicSlug}`
    await firstVisit(browser, address, how)
    const { arrived, portrait } = await firstVisit(browser, address, how)
    const bill = JSON.stringify(arrived, null, 1)
    const portraitBytes = sumOf(arrived.filter(({ path }) => path === portrait))
    expect(arrived.filter(({ type }) => type === 'script' || type === 'font')).toEqual([])
    expect(portraitBytes, bill).toBeGreaterThan(1 * KB)
    expect(portraitBytes, bill).toBeLessThanOrEqual(18 * KB)
    expect(sumOf(arrived), bill).toBeLessThanOrEqual(40 * KB)
  })
}

for (const width of [360, 1280]) {
  test(`the landing page loads at most 120 kB without images or React, at ${width} px`, async ({
    browser,
    world,
  }) => {
    const { arrived } = await firstVisit(browser, `${world.url}/`, { width })
    const withoutImages = arrived.filter(({ type }) => type !== 'image')
    const bill = JSON.stringify(withoutImages, null, 1)
    expect(sumOf(withoutImages, 'document'), bill).toBeGreaterThan(4 * KB)
    expect(sumOf(withoutImages), bill).toBeLessThanOrEqual(120 * KB)
    expect(sumOf(withoutImages, 'script'), bill).toBeLessThanOrEqual(15 * KB)
  })
}

for (const path of [
  '/login',
  '/register',
  '/faq',
  '/contact',
  '/terms',
  // An invitation and a memorial that do not open.
  '/invite/00000000-0000-4000-8000-000000000000',
  '/memorial/mem_00000000000000000000',
]) {
  test(`${path} loads at most 40 kB before fonts and a touch, 15.2 kB of it script`, async ({
    browser,
    world,
  }) => {
    const { arrived } = await firstVisit(browser, world.url + path)
    const withoutFonts = arrived.filter(({ type }) => type !== 'font')
    const bill = JSON.stringify(withoutFonts, null, 1)
    expect(sumOf(withoutFonts, 'document'), bill).toBeGreaterThan(4 * KB)
    expect(sumOf(withoutFonts, 'script'), bill).toBeGreaterThan(1 * KB)
    expect(sumOf(withoutFonts, 'script'), bill).toBeLessThanOrEqual(15.2 * KB)
    expect(sumOf(withoutFonts), bill).toBeLessThanOrEqual(40 * KB)
  })
}

test('the low-data landing page loads at most 40 kB, no scripts and no fonts', async ({ browser, world }) => {
  const { arrived } = await firstVisit(browser, `${world.url}/`, { lessData: true })
  const bill = JSON.stringify(arrived, null, 1)
  expect(arrived.filter(({ type }) => type === 'script' || type === 'font')).toEqual([])
  expect(sumOf(arrived, 'image'), bill).toBeGreaterThan(1 * KB)
  expect(sumOf(arrived), bill).toBeLessThanOrEqual(40 * KB)
})
