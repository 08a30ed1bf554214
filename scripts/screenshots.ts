import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium, devices } from '@playwright/test'
import { BROWSER_ARGS, requireBrowser } from './lib/browser.ts'
import { build } from './lib/build.ts'
import { startStack } from './lib/stack.ts'
import { seedDemo } from './seed.ts'

/** Takes the README's pictures of the demo's public memorial, on a phone and on a desktop, into docs/images. */
const OUT = resolve(import.meta.dirname, '../docs/images')
mkdirSync(OUT, { recursive: true })
build()
const state = mkdtempSync(join(tmpdir(), 'nhaka-screenshots-'))
const stack = await startStack({ port: 0, sandboxPort: 0, state })
const browser = await chromium.launch({ executablePath: requireBrowser(), args: BROWSER_ARGS })
try {
  const demo = await seedDemo(stack)
  const shots = [
    { name: 'phone', viewport: { width: 360, height: 780 }, deviceScaleFactor: 2, isMobile: true },
    { name: 'desktop', viewport: { width: 1280, height: 860 }, deviceScaleFactor: 1, isMobile: false },
  ]
  for (const { name, ...options } of shots) {
    const context = await browser.newContext({
      ...devices['Desktop Chrome'],
      ...options,
      colorScheme: 'light',
    })
    await context.addInitScript(() => localStorage.setItem('cookie-consent', 'dismissed'))
    const page = await context.newPage()
    await page.goto(`${stack.url}/m/${demo.publicSlug}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    // The first visit may show the fallback face (font-display: optional); the second has the fonts at hand.
    await page.reload()
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: join(OUT, `${name}.png`) })
    console.log(`docs/images/${name}.png`)
    await context.close()
  }
} finally {
  await browser.close()
  await stack.close()
  rmSync(state, { recursive: true, force: true })
}
