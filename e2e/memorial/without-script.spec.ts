import type { Browser, Page } from '@playwright/test'
import { violationsWithoutScript } from '../accessible.ts'
import { expect, test } from '../family.ts'
import { files } from '../files.ts'
import {
  appStarted,
  expectEnhanced,
  expectNoSidewaysScroll,
  MEMORIAL_APP,
  onDearData,
  postMessage,
} from '../people.ts'
import { expectErrors, refusedWith, type World } from '../world.ts'

async function opened(browser: Browser, world: World, width: number): Promise<Page> {
  const context = await browser.newContext({
    baseURL: world.url,
    javaScriptEnabled: false,
    viewport: { width, height: 740 },
  })
  return context.newPage()
}

for (const width of [360, 1280]) {
  test(`without script a relative adds words, photos and a recording, at ${width} px`, async ({
    browser,
    world,
    family,
  }) => {
    const { inviteLink } = await family.invited()
    expectErrors(refusedWith(400))
    const page = await opened(browser, world, width)
    await page.goto(inviteLink)
    await expect(page.getByRole('button', { name: /^Add a photo, a voice/u })).toBeHidden()
    await page.getByRole('link', { name: 'A few words' }).click()
    const words = page.locator('form', { has: page.getByLabel('Write a message') })
    await expect(words).toBeInViewport()

    // Without a name: the page asks for it, and the words stay.
    await words.getByLabel('Write a message').fill('She taught me to whistle.\nGo well.')
    await words.getByRole('button', { name: 'Post message' }).click()
    const name = words.getByLabel('Your name')
    await expect(name).toHaveAccessibleDescription(/Please enter your name/u)
    await expect(words.getByLabel('Write a message')).toHaveValue('She taught me to whistle.\nGo well.')
    await expect(words).toBeInViewport()
    expect(await violationsWithoutScript(browser, page)).toEqual([])
    await name.fill('Farai Chikomo')
    await words.getByRole('button', { name: 'Post message' }).click()

    await expect(page.getByText('Thank you. The family can see your message now.')).toBeInViewport()
    await expect(page.getByRole('listitem').filter({ hasText: 'She taught me to whistle.' })).toBeVisible()
    await expect(page.getByText('The family sees your name as Farai Chikomo.')).toBeVisible()

    await page.getByRole('link', { name: 'Photos, a video or a recording' }).click()
    const upload = page.locator('form', { has: page.getByLabel('Add photos') })
    await expect(upload).toBeInViewport()
    await upload.getByLabel('Add photos').setInputFiles([files.photoWithGps, files.photoRotated])
    await upload.getByLabel('Add a recording').setInputFiles(files.voiceNote)
    await upload.getByRole('button', { name: 'Send these files' }).click()
    // Playwright's search for text skips what is in `noscript`.
    const thanks = upload.getByRole('status')
    await expect(thanks).toHaveText(/Thank you. The family can see your 2 photos and voice message now.$/u)
    await expect(thanks).toBeInViewport()
    await expect(page.getByRole('link', { name: /^Photo \d of 2, added by Farai Chikomo/u })).toHaveCount(2)

    // A file of another type is refused, with its name and the rule.
    await upload
      .getByLabel('Add photos')
      .setInputFiles({ name: 'scan.png', mimeType: 'image/png', buffer: Buffer.from('%PDF-1.7') })
    await upload.getByRole('button', { name: 'Send these files' }).click()
    await expect(upload.getByRole('alert')).toHaveText(/^scan\.png: /u)
    await expect(upload).toBeInViewport()
    await expectNoSidewaysScroll(page)
    expect(await violationsWithoutScript(browser, page)).toEqual([])
    await page.context().close()
  })
}

test('words arrive with every script lost; a refused page stays as it is until then', async ({ family }) => {
  const { inviteLink } = await family.invited()
  expectErrors(refusedWith(400), /ERR_FAILED/u)
  const page = await family.visitorPage(360)
  const scripts = /\.js$/u
  await page.route(scripts, (route) => route.abort())
  await page.goto(inviteLink)
  const message = page.getByLabel('Write a message')
  const post = page.getByRole('button', { name: 'Post message' })
  const name = page.getByLabel('Your name')
  await message.fill('She taught me to whistle.')
  await post.click()
  await expect(name).toHaveAccessibleDescription(/Please enter your name/u)
  await expect(message).toHaveValue('She taught me to whistle.')
  await page.unroute(scripts)
  const answered = page.waitForEvent('framenavigated')
  await post.click()
  // The answer looks like the page before it.
  await answered
  await expect(name).toHaveAccessibleDescription(/Please enter your name/u)
  await expectEnhanced(page)
  // The app would take the field of the name away, and what is in it.
  const sentOrLoaded = page.waitForRequest(
    (request) => request.method() === 'POST' || MEMORIAL_APP.test(request.url()),
  )
  await page.getByText('Add photos').hover()
  await name.fill('Farai Chikomo')
  await post.click()
  expect((await sentOrLoaded).method()).toBe('POST')
  await expect(page.getByText('Thank you. The family can see your message now.')).toBeVisible()
  await expect(appStarted(page)).toHaveCount(1)
  await expect(message).toHaveValue('')
  await expect(page).toHaveURL(({ search }) => search === '')

  // The app writes as the person whom the form has named.
  await postMessage(page, 'And to sing.')
  await expect(page.getByRole('listitem').filter({ hasText: 'And to sing.' })).toContainText('Farai Chikomo')
  await expect(page.getByRole('listitem').filter({ hasText: 'whistle' })).toHaveCount(1)
})

test('where the app is lost, the small script lets the browser send the words', async ({ family }) => {
  const { inviteLink } = await family.invited()
  expectErrors(refusedWith(400), /ERR_FAILED/u)
  const page = await onDearData(await family.visitorPage(360))
  await page.route(MEMORIAL_APP, (route) => route.abort())
  await page.goto(inviteLink)
  const message = page.getByLabel('Write a message')
  await message.fill('She taught me to whistle.')
  await page.getByRole('button', { name: 'Post message' }).click()
  await page.getByLabel('Your name').fill('Farai Chikomo')
  await expect(message).toHaveValue('She taught me to whistle.')
  await page.getByRole('button', { name: 'Post message' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'whistle' })).toContainText('Farai Chikomo')
  await expect(message).toHaveValue('')
})

test('a guest’s session never replaces the one with a name, however late it comes', async ({ family }) => {
  const { inviteLink } = await family.invited()
  expectErrors(refusedWith(400), /ERR_FAILED/u)
  const page = await onDearData(await family.visitorPage(360))
  await page.route(MEMORIAL_APP, (route) => route.abort())
  const isNamed = Promise.withResolvers<void>()
  await page.route('**/api/invite/*/session', async (route, request) => {
    // Not `route.fetch`, which would give the browser the cookie at once.
    const { 'content-length': _, ...headers } = await request.allHeaders()
    const answer = await fetch(request.url(), { method: 'POST', headers, body: request.postData() })
    await isNamed.promise
    const cookie = answer.headers.getSetCookie().join('\n')
    await route.fulfill({
      status: answer.status,
      headers: { 'Set-Cookie': cookie },
      body: await answer.text(),
    })
  })
  await page.goto(inviteLink)
  await page.getByLabel('Write a message').fill('She taught me to whistle.')
  const post = page.getByRole('button', { name: 'Post message' })
  await post.click()
  await page.getByLabel('Your name').fill('Farai Chikomo')
  page.on('request', (request) => {
    // The browser has the cookie of the session with a name.
    if (request.redirectedFrom()) isNamed.resolve()
  })
  await post.click()
  const thanks = page.getByText('Thank you. The family can see your message now.')
  await expect(thanks).toBeVisible()
  await page.reload()
  await expect(page.getByText('The family sees your name as Farai Chikomo.')).toBeVisible()
})
