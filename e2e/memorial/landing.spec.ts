import { expect, test } from '../family.ts'
import { collect, expectDrawn, expectNoSidewaysScroll } from '../people.ts'

const HEADING = 'A lasting place for their story'
const SECTIONS = ['What’s in a memorial', 'One price, paid once', 'Questions'] as const

for (const width of [360, 1280]) {
  test(`the landing page works without JavaScript, at ${width} px`, async ({ browser, demo }) => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height: 740 } })
    const page = await context.newPage()
    await page.goto('/')
    await expect(page).toHaveTitle(/ · Keeping Legacies Alive$/u)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(HEADING)
    for (const name of SECTIONS) await expect(page.getByRole('heading', { name })).toBeVisible()
    for (const picture of await page.getByRole('main').getByRole('img').all()) {
      await expectDrawn(picture)
    }
    await page.getByText('Who can see the memorial?').click()
    await expect(page.getByText('You decide, and you can change it at any time.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Menu' })).toBeHidden()
    await expect(page.getByRole('region', { name: 'Cookies' })).toBeHidden()
    const header = page.getByRole('banner')
    for (const name of ['Home', 'Support', 'Login'])
      await expect(header.getByRole('link', { name, exact: true })).toBeVisible()
    const links = await page
      .locator('a[href^="/"]')
      .evaluateAll((all) => [...new Set(all.map((link) => link.getAttribute('href') ?? ''))])
    expect(links.length).toBeGreaterThan(7)
    for (const link of links)
      expect([link, (await page.request.get(link, { maxRetries: 3 })).status()]).toEqual([link, 200])
    await expectNoSidewaysScroll(page)
    await page.getByRole('link', { name: 'See an example' }).click()
    await expect(page).toHaveURL(`/m/${demo.publicSlug}`)
    await page.goBack()
    await page.getByRole('link', { name: 'Create a Memorial' }).click()
    await expect(page).toHaveURL('/register')
    await context.close()
  })
}

test("on a phone the landing page's small script works without the app", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const requested = collect(page, (request) => new URL(request.url()).pathname)
  await page.goto('/#privacy')
  await expect(page.getByText('You decide, and you can change it at any time.')).toBeVisible()
  const menu = page.getByRole('button', { name: 'Menu' })
  const panel = page.getByRole('navigation', { name: 'Menu' })
  await menu.click()
  await expect(panel.getByRole('link', { name: 'Login' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await expect(menu).toBeFocused()
  const notice = page.getByRole('region', { name: 'Cookies' })
  await notice.getByRole('button', { name: 'Accept' }).click()
  await expect(notice).toBeHidden()
  await page.reload({ waitUntil: 'networkidle' })
  await expect(menu).toBeVisible()
  await expect(notice).toBeHidden()
  expect(requested.filter((path) => /^\/api\/|\/assets\/(?:index|libraries|app)-/u.test(path))).toEqual([])
  await menu.click()
  await panel.getByRole('link', { name: 'Login' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Login')
})

test('a signed-in user sees the dashboard at /, never the landing page first', async ({ page, family }) => {
  await family.signIn(page)
  await page.addInitScript(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    new MutationObserver(() => {
      const heading = document.querySelector('h1')?.textContent
      if (heading && !seen.includes(heading)) seen.push(heading)
    }).observe(document, { childList: true, subtree: true })
  })
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My Memorials')
  expect(await page.evaluate(() => Reflect.get(window, 'seen'))).toEqual(['My Memorials'])
})

test('a landing page opened before signing in gives way to the dashboard', async ({ page, family }) => {
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(HEADING)
  const fromMemory = () =>
    page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  const requested = page.waitForResponse((answer) => answer.request().method() === 'HEAD')
  await fromMemory()
  expect((await requested).headers()['server-timing']).toBe('no-session')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(HEADING)
  await family.open(page, '/faq')
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My Memorials')
  // Leaves first: a pending call of the dashboard would fail without its cookie.
  await page.goto('about:blank')
  await page.context().clearCookies()
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(HEADING)
  await family.signIn(page)
  await fromMemory()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My Memorials')
})

test('the low-data landing page has no scripts or fonts and can be switched off', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 740 })
  await page.goto('/')
  const loaded = collect(page, (request) => request.resourceType())
  await page.getByRole('button', { name: 'Use less data' }).click()
  await expect(page.getByRole('button', { name: 'Show everything' })).toBeVisible()
  await expect(page).toHaveURL('/')
  loaded.length = 0
  await page.reload({ waitUntil: 'networkidle' })
  expect(loaded.filter((type) => /^(?:script|font|fetch|xhr)$/u.test(type))).toEqual([])
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(HEADING)
  await page.getByRole('button', { name: 'Show everything' }).click()
  await expect(page.getByRole('button', { name: 'Use less data' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('img')).toHaveCount(3)
})
