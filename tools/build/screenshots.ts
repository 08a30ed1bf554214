import { mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium, devices, type APIRequestContext, type Browser } from '@playwright/test'
import { BROWSER_ARGS, requireBrowser } from './lib/browser.ts'
import { build } from './lib/build.ts'
import { startStack } from '../operate/local/stack.ts'
import { DEMO, seedDemo } from '../operate/seed.ts'

/** Takes the README's screenshots of the demo: a public memorial on phone and desktop, the wizard, and the page without JavaScript. */
const OUT = resolve(import.meta.dirname, '../../docs/images')
mkdirSync(OUT, { recursive: true })
build()
using state = mkdtempDisposableSync(join(tmpdir(), 'nhaka-screenshots-'))
await using stack = await startStack({ state: state.path })
await using browser = await chromium.launch({ executablePath: requireBrowser(), args: BROWSER_ARGS })
const demo = await seedDemo(stack)
const phone = { viewport: { width: 360, height: 780 }, deviceScaleFactor: 2, isMobile: true }
const desktop = { viewport: { width: 1280, height: 860 }, deviceScaleFactor: 1, isMobile: false }
const memorial = `${stack.url}/m/${demo.publicSlug}`
const shots = [
  { name: 'phone', path: `/m/${demo.publicSlug}`, ...phone },
  { name: 'builder', path: `/create-memorial/${demo.publicId}?step=2`, ...phone },
  { name: 'desktop', path: `/m/${demo.publicSlug}`, ...desktop },
]
for (const { name, path, ...options } of shots) {
  await using context = await browser.newContext({
    ...devices['Desktop Chrome'],
    ...options,
    colorScheme: 'light',
  })
  await context.addInitScript(() => localStorage.setItem('cookie-consent', 'dismissed'))
  if (name === 'builder') await signIn(context.request, stack.url)
  const page = await context.newPage()
  await page.goto(stack.url + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  // The first visit may show the fallback font (font-display: optional); the second has the fonts in its cache.
  await page.reload()
  await page.waitForLoadState('networkidle')
  // JPEG is a quarter of a PNG's size, and every clone of the repository contains these files.
  await page.screenshot({ path: join(OUT, `${name}.jpg`), type: 'jpeg', quality: 82 })
  console.log(`docs/images/${name}.jpg`)
}
const halves: Buffer[] = []
for (const hasScript of [false, true]) halves.push(await wholePage(browser, memorial, hasScript))
await sideBySide(browser, halves, join(OUT, 'javascript-off-and-on.jpg'))

/** Screenshot (PNG) of a whole memorial page on a phone, with or without JavaScript. */
async function wholePage(browserOf: Browser, url: string, javaScriptEnabled: boolean): Promise<Buffer> {
  // Photos and players load when they are visible, so the viewport is very tall.
  await using context = await browserOf.newContext({
    viewport: { width: 360, height: 4300 },
    javaScriptEnabled,
  })
  await context.addInitScript(() => localStorage.setItem('cookie-consent', 'dismissed'))
  const page = await context.newPage()
  await page.goto(url, { waitUntil: 'networkidle' })
  return await page.screenshot({ fullPage: true })
}

async function sideBySide(browserOf: Browser, screenshots: readonly Buffer[], path: string): Promise<void> {
  await using page = await browserOf.newPage({ viewport: { width: 736, height: 780 } })
  const images = screenshots.map((shot) => `<img src="data:image/png;base64,${shot.toString('base64')}">`)
  await page.setContent(
    `<body style="margin:0;display:flex;gap:16px;align-items:start;background:#888">${images.join('')}`,
  )
  await page.screenshot({ path, type: 'jpeg', quality: 60, fullPage: true })
}

async function signIn(request: APIRequestContext, url: string): Promise<void> {
  const { email } = DEMO.owner
  const response = await request.post(`${url}/api/auth/login`, {
    headers: { Origin: url },
    data: { email, password: DEMO.password },
  })
  if (!response.ok()) throw new Error(`The demo's owner cannot sign in: ${response.status()}`)
}
