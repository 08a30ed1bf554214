import type { Page } from '@playwright/test'
import { violationsWithoutScript } from '../accessible.ts'
import { expect, test, type Family } from '../family.ts'
import { files } from '../files.ts'
import {
  appStarted,
  collect,
  expectDrawn,
  expectEnhanced,
  expectNoSidewaysScroll,
  giveName,
  hold,
  letPressesWait,
  onDearData,
  postMessage,
  MEMORIAL_APP,
} from '../people.ts'
import { expectErrors } from '../world.ts'

const MESSAGE = 'Zororai murugare.'
const SMALL_SCRIPT = /\/assets\/personal-(?!screens)[^/]+\.js$/u

async function invited(family: Family) {
  const made = await family.invited()
  const { id } = made.memorial
  await family.owner.call('PATCH', `/api/memorials/${id}`, { lifeStory: '<p>She taught half of Mutare.</p>' })
  await family.addPhoto(id, 'At the gate')
  await family.owner.call('POST', `/api/memorials/${id}/comments`, { body: MESSAGE })
  return made
}

const heading = (page: Page) => page.getByRole('heading', { level: 1, name: 'Sekai Ndlovu' })

/** Where the visible parts of the page are. */
const places = (page: Page) =>
  page
    .locator('h1, h2, main button, main label, main textarea, main li, main figure, footer')
    .evaluateAll((all) =>
      all.map((part) => {
        const { x, y, width, height } = part.getBoundingClientRect()
        return [x, y + scrollY, width, height].map(Math.round).join(' ')
      }),
    )

for (const width of [360, 1280]) {
  test(`without script an invitation shows the memorial, at ${width} px`, async ({
    browser,
    world,
    family,
  }) => {
    const { inviteLink } = await invited(family)
    const context = await browser.newContext({
      baseURL: world.url,
      javaScriptEnabled: false,
      viewport: { width, height: 740 },
    })
    const page = await context.newPage()
    await page.goto(inviteLink)
    await expect(heading(page)).toBeVisible()
    await expect(page.getByText('She taught half of Mutare.')).toBeVisible()
    await expect(page.getByText(MESSAGE)).toBeVisible()
    const photo = page.getByRole('img', { name: 'At the gate' })
    await photo.scrollIntoViewIfNeeded()
    await expect.poll(async () => (await photo.boundingBox())?.width).toBeGreaterThan(90)
    await expectNoSidewaysScroll(page)
    expect(await violationsWithoutScript(browser, page)).toEqual([])
    await context.close()
  })
}

test('where data are dear, a guest reads without the app, and the address has no link', async ({
  family,
}) => {
  const { memorial, inviteLink, token } = await invited(family)
  const page = await onDearData(await family.visitorPage(360))
  const scripts = collect(page, (request) => (MEMORIAL_APP.test(request.url()) ? request.url() : undefined))
  await page.goto(inviteLink, { waitUntil: 'networkidle' })
  await expect(page).toHaveURL(`/memorial/${memorial.id}`)
  await expect(page).toHaveTitle(/^Sekai Ndlovu.* · Keeping Legacies Alive$/u)
  await expect(heading(page)).toBeVisible()
  expect(scripts).toEqual([])
  // The session that this made opens the page without the link.
  const asked = collect(page, (request) => (request.url().includes(token) ? request.url() : undefined))
  await page.reload({ waitUntil: 'networkidle' })
  await expect(page.getByText(MESSAGE)).toBeVisible()
  expect([scripts, asked]).toEqual([[], []])
  await page.getByRole('button', { name: 'Add a photo, a voice message or a few words' }).click()
  await expect(page.getByRole('dialog', { name: 'What would you like to add?' })).toBeVisible()
})

test('the app moves nothing when it arrives, and loads no image again', async ({ family }) => {
  const { inviteLink } = await invited(family)
  const page = await onDearData(await family.visitorPage(360))
  const images = collect(page, (request) => (request.resourceType() === 'image' ? request.url() : undefined))
  await page.goto(inviteLink, { waitUntil: 'networkidle' })
  // It writes the times as this place has them.
  await expectEnhanced(page)
  const photo = page.getByRole('img', { name: 'At the gate' })
  await expectDrawn(photo)
  const [before, loaded] = [await places(page), [...images]]
  await page.getByRole('button', { name: 'Post message' }).dispatchEvent('pointerover')
  await expect(appStarted(page)).toBeAttached()
  await expectDrawn(photo)
  expect(await places(page)).toEqual(before)
  expect(images).toEqual(loaded)
})

test('a phone that sleeps while the app takes over still shows the memorial', async ({ family }) => {
  const { memorial } = await invited(family)
  const page = await family.ownerPage(360)
  const asked = collect(
    page,
    (request) => request.url().endsWith(`/api/memorials/${memorial.id}`) || undefined,
  )
  await page.addInitScript(() => {
    const wait = window.setTimeout
    // The time for which the app keeps data that nothing shows passes before React takes its first step.
    const sleep = (run: () => void, ms: number) => (ms === 300_000 ? queueMicrotask(run) : wait(run, ms))
    Object.assign(window, { setTimeout: sleep })
  })
  await page.goto(`/memorial/${memorial.id}`)
  await expect(appStarted(page)).toBeAttached()
  await expect(page.getByText(MESSAGE)).toBeVisible()
  expect(asked).toEqual([])
})

test('the app takes over each viewer’s page as it is, in another time zone', async ({
  browser,
  world,
  family,
}) => {
  const { memorial, inviteLink, token } = await invited(family)
  const path = `/memorial/${memorial.id}`
  // The owner has looked, and somebody has added something since.
  await family.owner.call('POST', `/api/memorials/${memorial.id}/seen`)
  const farai = await family.relative(token, 'Farai Chikomo')
  await farai.call('POST', `/api/memorials/${memorial.id}/comments`, { body: 'She taught me to whistle.' })
  for (const who of ['owner', 'contributor', 'guest'] as const) {
    const context = await browser.newContext({ baseURL: world.url, timezoneId: 'Africa/Harare' })
    await letPressesWait(context)
    const page = await context.newPage()
    if (who === 'owner') await family.signIn(page)
    else await page.goto(inviteLink)
    if (who === 'contributor') {
      await postMessage(page, 'Go well.')
      await giveName(page, 'Rudo Banda')
      await expect(page.getByText('The family sees your name as Rudo Banda.')).toBeVisible()
    }
    await expect(page).toHaveURL(who === 'owner' ? /./u : path)
    const release = await hold(page, MEMORIAL_APP)
    await page.goto(path, { waitUntil: 'domcontentloaded' })
    const marked = await page.locator('body *').evaluateAll((all) => {
      for (const element of all) element.toggleAttribute('data-before', true)
      return all.filter(({ localName }) => localName !== 'script').length
    })
    release()
    await expect(appStarted(page)).toBeAttached()
    await page.waitForLoadState('networkidle')
    const kept = await page.locator('body [data-before]:not(script)').count()
    expect([who, kept]).toEqual([who, marked])
    await context.close()
  }
})

test('while the app is on its way no word, choice, file or press is lost', async ({ family }) => {
  const { inviteLink } = await invited(family)
  const page = await onDearData(await family.visitorPage(360, undefined, { sendsPlainForms: true }))
  const release = await hold(page, MEMORIAL_APP)
  await page.goto(inviteLink)
  const message = page.getByLabel('Write a message')
  await message.fill('She taught me to whistle.')
  await page.getByLabel('Keep originals').check()
  await page.getByLabel('Add photos').setInputFiles(files.photoWithGps)
  const post = page.getByRole('button', { name: 'Post message' })
  await post.click()
  await expect(post).toHaveAttribute('aria-busy', 'true')
  await message.press('End')
  await message.pressSequentially(' Go well.')
  // Longer than a form without files would wait for the app.
  await page.waitForTimeout(6500)
  await expect(post).toHaveAttribute('aria-busy', 'true')
  await expect(appStarted(page)).toHaveCount(0)
  release()
  await giveName(page, 'Farai Chikomo')
  await expect(
    page.getByRole('listitem').filter({ hasText: 'She taught me to whistle. Go well.' }),
  ).toBeVisible()
  await expect(page.getByRole('link', { name: /^Photo \d of 2, added by Farai Chikomo/u })).toBeVisible()
  await expect(page.getByLabel('Keep originals')).toBeChecked()
})

test('a photo chosen while a pressed button waits for the app is sent with the words', async ({ family }) => {
  const { inviteLink } = await invited(family)
  const page = await onDearData(await family.visitorPage(360, undefined, { sendsPlainForms: true }))
  await page.addInitScript(() => {
    const wait = window.setTimeout
    const ends: (() => void)[] = []
    // The time for which a press waits for the app on a slow line passes when the test says so.
    const pause = (run: () => void, ms: number) => (ms === 1500 ? ends.push(run) : wait(run, ms))
    Object.assign(window, { setTimeout: pause, ends })
  })
  const release = await hold(page, MEMORIAL_APP)
  await page.goto(inviteLink)
  await page.getByLabel('Write a message').fill('She taught me to whistle.')
  await page.getByRole('button', { name: 'Post message' }).click()
  await page.getByLabel('Add photos').setInputFiles(files.photoWithGps)
  const ended = await page.evaluate(() => {
    const { ends } = window as unknown as { ends: (() => void)[] }
    for (const end of ends) end()
    return ends.length
  })
  expect(ended, 'the press that waits').toBe(1)
  release()
  await giveName(page, 'Farai Chikomo')
  await expect(page.getByRole('listitem').filter({ hasText: 'She taught me to whistle.' })).toBeVisible()
  await expect(page.getByRole('link', { name: /^Photo \d of 2, added by Farai Chikomo/u })).toBeVisible()
})

test('a file chosen before the small script ran is sent even if the line drops first', async ({ family }) => {
  expectErrors(/net::ERR_/u)
  const { inviteLink } = await invited(family)
  const page = await onDearData(await family.visitorPage(360))
  const release = await hold(page, SMALL_SCRIPT)
  await page.route('**/api/invite/*/session', (route) => route.abort(), { times: 1 })
  await page.goto(inviteLink, { waitUntil: 'commit' })
  await page.getByLabel('Add photos').setInputFiles(files.photoWithGps)
  release()
  await giveName(page, 'Farai Chikomo')
  await expect(page.getByRole('link', { name: /^Photo \d of 2, added by Farai Chikomo/u })).toBeVisible()
})

test('a list that was opened before the small script has run shows what is in it', async ({ family }) => {
  const memorial = await family.memorial('INVITE')
  const page = await family.ownerPage(360)
  const release = await hold(page, SMALL_SCRIPT)
  await page.goto(`/memorial/${memorial.id}`, { waitUntil: 'commit' })
  await page.getByText('Who looks after this memorial').click()
  await page.getByText('Messages from visitors').click()
  release()
  await expect(page.getByText('What may they do?')).toBeVisible()
  await expect(page.getByText('Visitors can only look.')).toBeVisible()
})

for (const when of ['before', 'after'] as const) {
  test(`on dear data, a file added ${when} the small script ran is sent by the app`, async ({ family }) => {
    const { inviteLink } = await invited(family)
    const page = await onDearData(await family.visitorPage(360))
    const release = await hold(page, SMALL_SCRIPT)
    await page.goto(inviteLink, { waitUntil: 'commit' })
    const add = page.getByLabel('Add photos')
    if (when === 'before') await add.setInputFiles(files.photoWithGps)
    release()
    if (when === 'after') {
      await page.waitForLoadState('networkidle')
      await expect(appStarted(page)).toHaveCount(0)
      await add.setInputFiles(files.photoWithGps)
    }
    await giveName(page, 'Farai Chikomo')
    await expect(page.getByRole('link', { name: /^Photo \d of 2, added by Farai Chikomo/u })).toBeVisible()
  })
}
