import type { Route } from '@playwright/test'
import type { Memorial } from '../../src/shared/memorials/memorials.ts'
import { expect, type Family, test } from '../family.ts'
import {
  appStarted,
  collect,
  expectDrawn,
  expectEnhanced,
  expectPlaying,
  hold,
  logIn,
  MEMORIAL_APP,
} from '../people.ts'
import { expectErrors, type World } from '../world.ts'

const REACT = /\/assets\/(?:index|libraries|app)-/u

/** Creates a public memorial with 25 messages. */
async function talkedAbout(family: Family, { db }: Pick<World, 'db'>): Promise<Memorial> {
  const memorial = await family.memorial('LOCKED')
  await db
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25)
       INSERT INTO comments (id, memorial_id, body, author_user_id, created_at)
       SELECT 'com_' || substr(memorials.id, 5) || n.i, memorials.id, 'Message ' || n.i, owner_id, n.i FROM memorials, n WHERE memorials.id = ?`,
    )
    .bind(memorial.id)
    .run()
  return memorial
}

for (const width of [360, 1280]) {
  test(`without JavaScript all of a public memorial can be read, at ${width} px`, async ({
    browser,
    world,
    demo,
    family,
  }) => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width, height: 740 },
    })
    const page = await context.newPage()
    const address = `${world.url}/m/${demo.publicSlug}`
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tendai Rudo Moyo')
    for (const name of ['Life Story', 'Gallery', 'Guestbook', 'Funeral Details'])
      await expect(page.getByRole('heading', { name, exact: true })).toBeAttached()
    await expect(page.getByText('She sang alto at St Agnes')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Support' }).first()).toBeVisible()

    await page.getByRole('button', { name: 'See all 12' }).click()
    const photos = page.getByRole('link', { name: /^Photo \d+ of 12/u })
    await expect(photos).toHaveCount(12)
    for (let at = 0; at < 12; at++) {
      await photos.nth(at).click()
      const still = page.getByRole('region', { name: 'Photo', exact: true })
      const image = still.getByRole('img')
      await expect(image).toBeVisible()
      await expectDrawn(image)
      await still.getByRole('link', { name: 'Close' }).click()
      await expect(still).toHaveCount(0)
    }

    await page.goto(address)
    await page.getByText('Funeral, 6 June 2026').click()
    const programme = page.getByRole('link', { name: /^Programme/u })
    const file = await page.request.get((await programme.getAttribute('href')) ?? '', { maxRetries: 3 })
    expect([file.status(), file.headers()['content-type']]).toEqual([200, 'application/pdf'])
    await expect(page.locator('video')).toHaveAttribute('controls')
    await expect(page.getByRole('button', { name: /^Play video/u })).toHaveCount(0)

    await page.goto(`/m/${(await talkedAbout(family, world)).slug}`)
    const messages = page.getByRole('region', { name: 'Guestbook' }).getByRole('listitem')
    await expect(messages).toHaveCount(20)
    await page.getByRole('button', { name: 'Load More Messages' }).click()
    await expect(messages).toHaveCount(5)
    await expect(page.getByRole('button', { name: 'Load More Messages' })).toHaveCount(0)
    await context.close()
  })

  test(`the app loads only after a touch and shifts nothing on the page, at ${width} px`, async ({
    browser,
    demo,
  }) => {
    const context = await browser.newContext({ viewport: { width, height: 740 } })
    const page = await context.newPage()
    const scripts = collect(page, (request) =>
      request.resourceType() === 'script' || request.url().includes('/api/') ? request.url() : undefined,
    )
    await page.goto(`/m/${demo.publicSlug}`, { waitUntil: 'networkidle' })
    expect(scripts.filter((url) => REACT.test(url) || url.includes('/api/'))).toEqual([])
    // Visible images have loaded, so that a pending one makes no difference.
    await page.getByRole('heading', { name: 'Guestbook' }).scrollIntoViewIfNeeded()
    await page.evaluate(async () => {
      for (const image of document.images) image.loading = 'eager'
      await Promise.all([...document.images].map((image) => image.decode()))
    })
    const shot = () => page.screenshot({ animations: 'disabled', caret: 'hide' })
    const text = () => page.locator('body').innerText()
    // The bar marks the section in view a frame later.
    let before = await shot()
    await expect
      .poll(async () => {
        const last = before
        before = await shot()
        return before.equals(last)
      })
      .toBe(true)
    const textBefore = await text()
    await page.getByRole('button', { name: 'See all 12' }).dispatchEvent('pointerdown')
    await expect(appStarted(page)).toBeAttached()
    expect(scripts.filter((url) => REACT.test(url))).not.toEqual([])
    expect(await text()).toBe(textBefore)
    await expect.poll(async () => before.equals(await shot())).toBe(true)
    await context.close()
  })
}

for (const width of [360, 1280]) {
  test(`the face of name and headings moves nothing when it comes, at ${width} px`, async ({
    browser,
    demo,
  }) => {
    const context = await browser.newContext({ viewport: { width, height: 740 } })
    const page = await context.newPage()
    const letGo = await hold(page, /source-serif-4-latin-600/u)
    await page.goto(`/m/${demo.publicSlug}`, { waitUntil: 'domcontentloaded' })
    await expect(page.locator('html[data-portrait]')).toHaveCount(0)
    // The small script fills in local times.
    await expectEnhanced(page)
    const isHere = () => page.evaluate(() => document.fonts.check('1em Headings'))
    const headings = () =>
      page.locator('h1, main h2:not(.visually-hidden)').evaluateAll((all) =>
        all.map((heading) => {
          const { top, height } = heading.getBoundingClientRect()
          const text = document.createRange()
          text.selectNodeContents(heading)
          return { place: [Math.round(top), Math.round(height)], width: text.getBoundingClientRect().width }
        }),
      )
    expect(await isHere()).toBe(false)
    const before = await headings()
    letGo()
    await page.evaluate(() => document.fonts.load('1em Headings'))
    expect(await isHere()).toBe(true)
    const after = await headings()
    expect(after.map(({ place }) => place)).toEqual(before.map(({ place }) => place))
    // The stand-in is scaled: unscaled it is a tenth wider or narrower.
    for (const [index, { width: wide }] of after.entries())
      expect(Math.abs(wide / (before[index]?.width ?? 0) - 1)).toBeLessThan(0.06)
    // The app has the same face for its headings and the wordmark.
    await page.goto('/faq', { waitUntil: 'networkidle' })
    await expect.poll(isHere).toBe(true)
    for (const one of [
      page.getByRole('heading', { level: 1 }),
      page.getByRole('banner').getByRole('link').first(),
    ])
      await expect(one).toHaveCSS('font-family', /^"?Headings"?,/u)
    await context.close()
  })
}

test('a public memorial seen before a login shows the login, and later its end', async ({ page, family }) => {
  const { slug } = await family.memorial('LOCKED')
  const link = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
  await page.goto(`/m/${slug}`)
  await link('Login').click()
  await logIn(page, family.email)
  await expect(link('Dashboard')).toBeVisible()
  for (const visit of [() => page.goto(`/m/${slug}`), () => page.reload()]) {
    await visit()
    await expect(link('Dashboard')).toBeVisible()
  }
  // Leaves first: a pending call of the page would fail without its cookie.
  await page.goto('about:blank')
  await page.context().clearCookies()
  await page.goto(`/m/${slug}`)
  await expect(link('Login')).toBeVisible()
  await expectEnhanced(page)

  // As the Back button does with a page that it restores from memory.
  await family.signIn(page)
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await expect(link('Dashboard')).toBeVisible()
})

test('the small script handles menu, story, jump bar and video without the app', async ({ page, demo }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const apps = collect(page, (request) => (REACT.test(request.url()) ? request.url() : undefined))
  await page.goto(`/m/${demo.publicSlug}`)
  await expectEnhanced(page)
  const menu = page.getByRole('button', { name: 'Menu' })
  await menu.click()
  await expect(page.getByRole('navigation', { name: 'Menu' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Close menu' })).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('navigation', { name: 'Menu' })).toBeHidden()
  await expect(menu).toBeFocused()
  const jump = page.getByRole('navigation', { name: 'On this page' })
  await jump.getByRole('link', { name: 'Guestbook' }).click()
  await expect(jump.getByRole('link', { name: 'Guestbook' })).toHaveAttribute('aria-current', 'true')
  await page.getByRole('button', { name: /^Play video/u }).click()
  const video = page.locator('video')
  await expectPlaying(video)
  await expect(video).toHaveAttribute('controls')
  expect(apps).toEqual([])
})

test('actions that need the app wait for it, and run once it has loaded', async ({
  page,
  world,
  demo,
  family,
}) => {
  const address = `${world.url}/m/${(await talkedAbout(family, world)).slug}`
  await page.goto(address)
  await page.getByRole('button', { name: 'Load More Messages' }).click()
  await expect(page.getByRole('region', { name: 'Guestbook' }).getByRole('listitem')).toHaveCount(25)
  await expect(page).toHaveURL(address)
  await page.goto(`/m/${demo.publicSlug}`)
  await page.getByRole('button', { name: 'See all 12' }).click()
  await expect(page.getByRole('link', { name: /^Photo \d+ of 12/u })).toHaveCount(12)
  await page.goto(`/m/${demo.publicSlug}`)
  await page.getByRole('link', { name: /^Photo 2 of 12/u }).click()
  await expect(page.getByRole('dialog', { name: 'Photo' })).toContainText('2 of 12')
})

test('photos requested before the app loads have their space reserved', async ({ page, demo }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const letGo = await hold(page, MEMORIAL_APP)
  await page.goto(`/m/${demo.publicSlug}`)
  const below = page.getByRole('heading', { name: 'Guestbook' })
  const top = async () =>
    Math.round(await below.evaluate((node) => node.getBoundingClientRect().top + window.scrollY))
  const before = await top()
  const all = page.getByRole('button', { name: 'See all 12' })
  await all.click()
  await expect(all).toHaveAttribute('aria-busy', 'true')
  const pressed = await top()
  letGo()
  await expect(page.getByRole('link', { name: /^Photo \d+ of 12/u })).toHaveCount(12)
  await expect(page.getByText('12 of 12 photos shown')).toBeVisible()
  expect(pressed).toBeGreaterThan(before + 100)
  expect(await top()).toBe(pressed)
  await expect(page.getByRole('link', { name: 'Photo 7 of 12' })).toBeFocused()
})

test('if the app fails to load, a press falls back to the plain page', async ({ page, demo }) => {
  expectErrors(/ERR_FAILED/u, /with a status of 500 /u)
  const failures = [
    [MEMORIAL_APP, (route: Route) => route.abort()],
    [/\/api\/memorial\//u, (route: Route) => route.fulfill({ status: 500, body: 'no' })],
  ] as const
  for (const [address, fail] of failures) {
    await page.route(address, fail)
    await page.goto(`/m/${demo.publicSlug}`)
    await page.getByRole('button', { name: 'See all 12' }).click()
    await expect(page).toHaveURL(/\?photos=all#photos$/u)
    await expect(page.getByRole('link', { name: /^Photo \d+ of 12/u })).toHaveCount(12)
    await page.unroute(address)
  }
})

test('the low-data memorial page has no scripts or fonts and can be switched off', async ({
  browser,
  demo,
}) => {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
  const page = await context.newPage()
  await page.goto(`/m/${demo.publicSlug}`)
  const loaded = collect(page, (request) => `${request.resourceType()} ${request.url()}`)
  await page.getByRole('button', { name: 'Use less data' }).click()
  await expect(page.getByRole('button', { name: 'Show everything' })).toBeVisible()
  await expect(page).toHaveURL(`/m/${demo.publicSlug}`)
  await page.waitForLoadState()
  loaded.length = 0
  await page.reload({ waitUntil: 'networkidle' })
  expect(loaded.filter((line) => /^(?:script|font|fetch|xhr) /u.test(line))).toEqual([])
  expect(loaded.filter((line) => line.startsWith('image ') && line.includes('/media/'))).toHaveLength(1)
  await page.getByRole('button', { name: /^12 photos, about .*Show$/u }).click()
  await expect(page.getByRole('link', { name: /^Photo \d+ of 12/u })).toHaveCount(12)
  await page.getByRole('button', { name: 'Show everything' }).click()
  await expect(page.getByRole('button', { name: 'Use less data' })).toBeVisible()
})

test('no other image loads before the portrait has arrived', async ({ browser, demo }) => {
  // Tall enough that all photos are visible.
  const context = await browser.newContext({ viewport: { width: 360, height: 4000 } })
  const page = await context.newPage()
  const requested: string[] = []
  let letGo = (): void => undefined
  const blocked = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route('**/media/stream/**', async (route) => {
    requested.push(route.request().url())
    if (requested.length === 1) await blocked
    await route.continue()
  })
  // The styles let the others wait for three seconds at most.
  await page.addInitScript(() => {
    const pause = () => {
      for (const animation of document.getAnimations()) animation.pause()
      requestAnimationFrame(pause)
    }
    requestAnimationFrame(pause)
  })
  await page.goto(`/m/${demo.publicSlug}`, { waitUntil: 'domcontentloaded' })
  const portrait = page.getByRole('img', { name: 'Portrait of Tendai Rudo Moyo' })
  await expect(portrait).toBeVisible()
  await expect.poll(() => requested.length).toBeGreaterThan(0)
  for (let frame = 0; frame < 10; frame++)
    await page.evaluate(() => new Promise((resolve) => void requestAnimationFrame(resolve)))
  expect(requested).toHaveLength(1)
  letGo()
  await expect.poll(() => requested.length).toBeGreaterThan(6)
})
