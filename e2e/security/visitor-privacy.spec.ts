import { watchedPage } from '../hostile.ts'
import { expect, test } from '../family.ts'
import { expectErrors } from '../world.ts'

test('a visit sends nothing to other hosts and stores only the answer about cookies', async ({
  browser,
  world,
  demo,
}) => {
  for (const [path, answer, kept] of [
    ['/', 'Dismiss', 'dismissed'],
    [`/m/${demo.publicSlug}`, 'Accept', 'accepted'],
  ] as const) {
    const { page, seen } = await watchedPage(browser, world.url)
    const stored = () =>
      page.evaluate(async () => ({
        local: { ...localStorage },
        session: Object.keys(sessionStorage),
        databases: (await indexedDB.databases()).length,
        caches: (await caches.keys()).length,
        workers: (await navigator.serviceWorker.getRegistrations()).length,
      }))
    const nothing = { local: {}, session: [], databases: 0, caches: 0, workers: 0 }
    await page.goto(path, { waitUntil: 'networkidle' })
    expect([await stored(), await page.context().cookies()]).toEqual([nothing, []])
    await page.getByRole('region', { name: 'Cookies' }).getByRole('button', { name: answer }).click()
    expect([await stored(), await page.context().cookies()]).toEqual([
      { ...nothing, local: { 'cookie-consent': kept } },
      [],
    ])
    await page.reload({ waitUntil: 'networkidle' })
    await expect(page.getByRole('main')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Cookies' })).toHaveCount(0)
    expect(seen).toEqual({ dialogs: [], foreign: [], ran: [] })
    await page.context().close()
  }
})

test('a visitor gets a cookie when they leave a message, and not before', async ({ family }) => {
  const { memorial } = await family.openToVisitors('AT_ONCE')
  const page = await family.visitorPage(360, `/m/${memorial.slug}`)
  const cookies = async () =>
    (await page.context().cookies()).map(({ name, httpOnly, sameSite, expires }) => ({
      name,
      httpOnly,
      sameSite,
      days: Math.round((expires * 1000 - Date.now()) / (24 * 3600 * 1000)),
    }))
  await page.getByRole('link', { name: 'See what you left before' }).click()
  await expect(page.getByText('There are no words from this device.')).toBeVisible()
  await page.getByLabel('Leave a message').fill('She taught me to whistle.')
  await page.getByLabel('Your name').fill('Farai Chikomo')
  expect(await cookies()).toEqual([])
  await page.getByRole('button', { name: 'Leave this message' }).click()
  await expect(page.getByRole('status')).toHaveText('Thank you. Your words are on the page.')
  expect(await cookies()).toEqual([
    { name: `contributor-${memorial.id}`, httpOnly: true, sameSite: 'Lax', days: 400 },
  ])
  await page.goto('/privacy')
  await expect(page.getByRole('main')).toContainText(
    'If you leave a message on a public memorial, and not before, one lets this browser show you what you wrote and take it back, for 400 days',
  )
})

test('the map comes from our origin, so its provider learns nothing about the visitor', async ({
  browser,
  family,
}) => {
  expectErrors(/tiles\.example/u)
  const memorial = await family.memorial()
  await family.owner.call('PUT', `/api/memorials/${memorial.id}/location`, {
    latitude: -17.829167,
    longitude: 31.052222,
  })
  const { page, seen } = await watchedPage(browser, family.world.url)
  await family.signIn(page)
  const map = page.waitForResponse(/\/location\/map/u)
  await page.goto(`/memorial/${memorial.id}`)
  const picture = page.getByRole('img', { name: /^Map of/u })
  await picture.scrollIntoViewIfNeeded()
  expect((await map).url()).toBe(`${family.world.url}/api/memorials/${memorial.id}/location/map`)
  await expect(picture).toHaveJSProperty('complete', true)
  expect(seen).toEqual({ dialogs: [], foreign: [], ran: [] })
  // The page's policy blocks every other host.
  await page.evaluate(async () => {
    const image = new Image()
    image.src = 'https://tiles.example/1/2/3.png'
    await image.decode().catch(() => undefined)
  })
  await expect.poll(() => seen.ran).toEqual(['policy: img-src https://tiles.example/1/2/3.png '])
})

test('an unexpected error is reported once, with its route, also on a public memorial', async ({
  page,
  demo,
}) => {
  expectErrors(/the drum is silent/u)
  for (const [path, screen] of [
    ['/faq', '/faq'],
    [`/m/${demo.publicSlug}`, '/m/:slug'],
  ] as const) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const sent = page.waitForRequest('**/api/client-errors')
    await page.evaluate(() => {
      for (let again = 0; again < 2; again++) {
        setTimeout(() => {
          throw new RangeError('the drum is silent in "Rest well"')
        })
      }
    })
    const request = await sent
    expect(request.postDataJSON()).toEqual({
      name: 'RangeError',
      message: 'the drum is silent in …',
      screen,
      release: expect.stringMatching(/^[\w-]+\.js$/u),
      requestId: null,
    })
    expect((await request.response())?.status()).toBe(204)
  }
})
