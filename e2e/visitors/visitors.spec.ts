import type { ContributorPage } from '../../src/shared/invites/contributors.ts'
import { RATE_LIMITS } from '../../src/shared/limits.ts'
import { expectAccessible, violationsWithoutScript } from '../accessible.ts'
import { expect, test } from '../family.ts'
import { appStarted, expectNoSidewaysScroll } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const WORDS = 'She taught me to whistle.\nGo well.'

for (const width of [360, 1280]) {
  test(`the family shows everyone what a stranger wrote without script, at ${width} px`, async ({
    browser,
    world,
    family,
  }) => {
    expectErrors(refusedWith(400))
    const { memorial } = await family.openToVisitors('APPROVED')
    const context = await browser.newContext({
      baseURL: world.url,
      javaScriptEnabled: false,
      viewport: { width, height: 740 },
    })
    const page = await context.newPage()
    await page.goto(`/m/${memorial.slug}`)
    expect(await violationsWithoutScript(browser, page)).toEqual([])
    await page.getByLabel('Leave a message').fill(WORDS + 'x'.repeat(2000))
    await page.getByLabel('Your name').fill('Farai Chikomo')
    await page.getByLabel('How did you know each other?').fill('Her pupil')
    await page.getByRole('button', { name: 'Leave this message' }).click()

    await expect(page.getByRole('alert')).toContainText('A message can have up to 2,000 characters')
    await expect(page.getByLabel('Your name')).toHaveValue('Farai Chikomo')
    expect(await violationsWithoutScript(browser, page)).toEqual([])
    await page.getByLabel('Leave a message').fill(WORDS)
    await page.getByRole('button', { name: 'Leave this message' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your words for Sekai Ndlovu')
    await expect(page.getByRole('status')).toHaveText(
      'Thank you. The family reads it first. Come back to this page on this phone to see what became of it.',
    )
    await expect(page.getByRole('listitem').filter({ hasText: 'She taught me to whistle.' })).toContainText(
      'Waiting for the family',
    )
    await expectNoSidewaysScroll(page)
    expect(await violationsWithoutScript(browser, page)).toEqual([])

    const reader = await family.visitorPage(width, `/m/${memorial.slug}`)
    await expect(reader.getByText('No messages yet.')).toBeVisible()
    await family.owner.call('POST', `/api/memorials/${memorial.id}/held/show`, {})
    await page.getByRole('link', { name: 'Back to the memorial' }).click()
    await expect(page.locator('#messages').getByText('She taught me to whistle.')).toBeVisible()
    await page.getByRole('link', { name: 'See what you left before' }).click()
    await expect(page.getByText('On the memorial’s page')).toBeVisible()
    await page.getByRole('button', { name: /^Take back/u }).click()
    await expect(page.getByRole('status')).toHaveText('Your words are taken back.')
    await page.goto(`/m/${memorial.slug}`)
    await expect(page.getByText('No messages yet.')).toBeVisible()
    await context.close()
  })
}

test('with script, an impatient visitor leaves one message by the browser’s own form', async ({ family }) => {
  const { memorial } = await family.openToVisitors('AT_ONCE')
  const page = await family.visitorPage(360, `/m/${memorial.slug}`)
  await page.getByLabel('Leave a message').fill(WORDS)
  await page.getByLabel('Your name').fill('Farai Chikomo')
  await page.getByRole('button', { name: 'Leave this message' }).dblclick()
  await expect(page.getByRole('status')).toHaveText('Thank you. Your words are on the page.')
  await expectAccessible(page, 'a visitor’s words')
  await page.getByLabel('Leave a message').fill('Zororai murugare.')
  await page.getByLabel('Your name').fill('Chipo')
  await page.getByRole('button', { name: 'Leave this message' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Zororai' })).toContainText('Chipo')
  await page.getByRole('link', { name: 'Back to the memorial' }).click()
  await expect(page.locator('#messages > ul').getByRole('listitem')).toHaveCount(2)
})

test('signed in, another family’s owner leaves words in the same form', async ({ family, page, demo }) => {
  const { memorial } = await family.openToVisitors('AT_ONCE')
  await demo.open(page, 'owner', `/m/${memorial.slug}`)
  await page.getByLabel('Leave a message').fill(WORDS)
  await page.getByLabel('Your name').fill('Rudo')
  await page.getByRole('button', { name: 'Leave this message' }).click()
  await expect(page.getByRole('status')).toHaveText('Thank you. Your words are on the page.')
  await page.getByRole('button', { name: /^Take back/u }).click()
  await expect(page.getByRole('status')).toHaveText('Your words are taken back.')
})

test('only a blocked visitor still reads their own words on the memorial’s page', async ({ family }) => {
  const { memorial } = await family.openToVisitors('AT_ONCE')
  const path = `/m/${memorial.slug}`
  const page = await family.visitorPage(360, path)
  await page.getByLabel('Leave a message').fill(WORDS)
  await page.getByLabel('Your name').fill('Farai Chikomo')
  await page.getByRole('button', { name: 'Leave this message' }).click()
  await expect(page.getByRole('status')).toContainText('Your words are on the page.')
  // Its small script notes that this device has left words.
  await page.waitForLoadState()
  const api = `/api/memorials/${memorial.id}/contributors`
  const { contributors } = await family.owner.call<ContributorPage>('GET', api)
  await family.owner.call('POST', `${api}/${contributors[0]?.id}/block`)

  const reader = await family.visitorPage(360, path)
  await expect(reader.getByText('No messages yet.')).toBeVisible()
  await page.getByRole('link', { name: 'Back to the memorial' }).click()
  await expect(page.locator('#messages').getByText('She taught me to whistle.')).toBeVisible()
  await expect(page.locator('#messages').getByText('The family looks at new things first')).toHaveCount(0)
  await page.goto(`${path}/words`)
  await expect(page.getByText('On the memorial’s page')).toBeVisible()
  await page.getByRole('button', { name: /^Take back/u }).click()
  await expect(page.getByRole('status')).toHaveText('Your words are taken back.')
  // Its small script forgets that this device has left words.
  await page.waitForLoadState()
  await page.goto(path)
  await page.waitForLoadState('networkidle')
  await expect(appStarted(page)).toHaveCount(0)
  await expect(page.getByText('No messages yet.')).toBeVisible()
})

test('in a burst a visitor’s browser frees their words by itself', async ({ family }) => {
  const { memorial } = await family.openToVisitors('AT_ONCE')
  for (let n = 0; n < RATE_LIMITS.visitorBurst.limit; n++)
    await family.leave(memorial.slug, { name: `Person ${n}`, body: `Words ${n}` })
  const leave = async (options: { javaScriptEnabled?: boolean }) => {
    const page = await family.visitorPage(360, `${family.world.url}/m/${memorial.slug}`, options)
    await page.getByLabel('Leave a message').fill(WORDS)
    await page.getByLabel('Your name').fill('Farai Chikomo')
    await page.getByRole('button', { name: 'Leave this message' }).click()
    return page.getByRole('listitem').filter({ hasText: 'She taught me to whistle.' })
  }
  const written = await leave({ javaScriptEnabled: false })
  await expect(written).toContainText('Waiting for the family')
  await expect(await leave({})).toContainText('On the memorial’s page')
  // Without script nothing is proven, so the family decides.
  await written.page().reload()
  await expect(written).toContainText('Waiting for the family')
  const reader = await family.visitorPage(360, `/m/${memorial.slug}`)
  await expect(reader.locator('#messages').getByText('She taught me to whistle.')).toHaveCount(1)
})
