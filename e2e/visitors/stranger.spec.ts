import type { Page } from '@playwright/test'
import { expect, type Family, test } from '../family.ts'
import type { Comment } from '../../src/shared/comments/comments.ts'
import { appStarted, collect, expectEnhanced, expectNoSidewaysScroll } from '../people.ts'

const REACT = /\/assets\/(?:index|libraries|app)-/u

/** A public memorial with a message that its owner likes. */
async function liked(family: Family) {
  const memorial = await family.memorial('PRIVATE', { honoureeFullName: 'Ten<b>dai Moyo' })
  const path = `/api/memorials/${memorial.id}/comments`
  const { comment } = await family.owner.call<{ comment: Comment }>('POST', path, { body: 'Rest well.' })
  await family.owner.call('POST', path, { body: 'Nobody liked this.' })
  await family.owner.call('POST', `/api/comments/${comment.id}/like`)
  for (let photo = 0; photo < 7; photo++) await family.addPhoto(memorial.id)
  await family.setPrivacy(memorial.id, 'LOCKED')
  return { memorial, address: `${family.world.url}/m/${memorial.slug}` }
}

/** As a press on something that needs the app does. */
async function loadApp(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'See all 7' }).dispatchEvent('pointerdown')
  await expect(appStarted(page)).toBeAttached()
}

const INVITATION = 'Knew Ten<b>dai? Ask the family for their invitation to add your own.'

test('without a script a visitor reads how to take part, and shares by WhatsApp', async ({
  browser,
  family,
}) => {
  const { address } = await liked(family)
  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 320, height: 740 },
  })
  const page = await context.newPage()
  await page.goto(address)
  const messages = page.getByRole('region', { name: 'Guestbook' }).getByRole('listitem')
  await expect(messages.filter({ hasText: 'Rest well.' })).toContainText('1 like')
  await expect(messages.filter({ hasText: 'Nobody liked' })).not.toContainText(/\d like/u)
  await expect(page.getByRole('button', { name: /^Like/u })).toHaveCount(0)
  await expect(page.getByText(INVITATION)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Share', exact: true })).toHaveAttribute(
    'href',
    `https://wa.me/?text=${encodeURIComponent(`Ten<b>dai Moyo: ${address}`)}`,
  )
  await expectNoSidewaysScroll(page)
  await context.close()
})

test('Share opens the device’s sharing or copies the link, with and without the app', async ({ family }) => {
  const { address } = await liked(family)
  const page = await family.visitorPage(360)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const apps = collect(page, (request) => (REACT.test(request.url()) ? request.url() : undefined))
  await page.addInitScript(() => {
    const { searchParams } = new URL(location.href)
    const share = async (data: ShareData) => {
      document.documentElement.dataset['shared'] = data.url
    }
    Object.defineProperty(navigator, 'share', { value: searchParams.has('phone') ? share : undefined })
  })
  const link = page.getByRole('link', { name: 'Share', exact: true })
  for (const isApp of [false, true]) {
    await page.goto(`${address}?phone`)
    await expectEnhanced(page)
    if (isApp) await loadApp(page)
    await link.click()
    await expect(page.locator('html')).toHaveAttribute('data-shared', address)
    await page.goto(address)
    await expectEnhanced(page)
    if (isApp) await loadApp(page)
    await page.evaluate(() => navigator.clipboard.writeText(''))
    await link.click()
    await expect(page.getByRole('status').filter({ hasText: 'Link copied' })).toBeVisible()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address)
    if (!isApp) expect(apps).toEqual([])
  }
})

test('a press before the page has painted starts the app', async ({ family }) => {
  const { address } = await liked(family)
  const page = await family.visitorPage(360)
  await page.addInitScript(() => {
    const paint = window.requestAnimationFrame
    const waiting: FrameRequestCallback[] = []
    window.requestAnimationFrame = (callback) => waiting.push(callback)
    const goOn = () => {
      window.requestAnimationFrame = paint
      for (const callback of waiting) paint(callback)
    }
    Object.assign(window, { goOn })
  })
  await page.goto(address)
  const all = page.getByRole('button', { name: 'See all 7' })
  await all.dispatchEvent('click')
  await page.evaluate('goOn()')
  await expect(appStarted(page)).toBeAttached()
  await expect(all).toHaveCount(0)
})

test('whoever is signed in may like a message of a public memorial', async ({ family }) => {
  const { memorial } = await liked(family)
  const page = await family.ownerPage(360, `/m/${memorial.slug}`)
  const message = page.getByRole('listitem').filter({ hasText: 'Nobody liked this.' })
  await message.getByRole('button', { name: /^Like/u }).click()
  await expect(message.getByRole('button', { name: /^Like/u })).toHaveText(/1$/u)
  await expect(page.getByText(INVITATION)).toHaveCount(0)
})
