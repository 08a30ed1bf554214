import { DEMO } from '../../tools/operate/seed.ts'
import { logIn, openWithCalls } from '../people.ts'
import { expect, expectErrors, test } from '../world.ts'

test('the photo viewer works by keyboard; Esc and Back focus the photo last shown', async ({
  page,
  demo,
}) => {
  await page.goto(`/m/${demo.publicSlug}`)
  const photo = (number: number) => page.getByRole('link', { name: `Photo ${number} of 12` })
  const viewer = page.getByRole('dialog', { name: 'Photo' })
  await photo(2).press('Enter')
  await expect(viewer).toContainText('2 of 12')
  await expect(viewer.getByRole('button', { name: 'Close' })).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(viewer).toContainText('3 of 12')
  await page.keyboard.press('Escape')
  await expect(viewer).toBeHidden()
  await expect(photo(3)).toBeFocused()
  await photo(3).press('Enter')
  await expect(viewer).toContainText('3 of 12')
  await page.goBack()
  await expect(viewer).toBeHidden()
  await expect(photo(3)).toBeFocused()
  await page.getByRole('button', { name: 'See all 12' }).press('Enter')
  await expect(photo(7)).toBeFocused()
})

test('a dialog and the menu return the focus to what opened them', async ({ page, demo }) => {
  await page.goto('/login')
  await logIn(page, DEMO.owner.email)
  await expect(page.getByRole('heading', { name: 'My Memorials' })).toBeFocused()
  await page.goto(`/memorial/${demo.draftId}`)
  const opener = page.getByRole('button', { name: 'QR code' })
  await opener.press('Enter')
  await expect(page.getByRole('dialog', { name: 'QR code for the gravestone' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(opener).toBeFocused()

  await page.setViewportSize({ width: 360, height: 640 })
  const menu = page.getByRole('button', { name: 'Menu' })
  await menu.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('navigation', { name: 'Menu' }).getByText('Home')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(menu).toBeFocused()
  await expect(page.getByRole('navigation', { name: 'Menu' })).toBeHidden()
})

test('after signing out every screen treats the user as a visitor at once', async ({ page, demo }) => {
  // A picture that still loads is refused after the sign-out.
  expectErrors(/with a status of 403 .*\/media\//u)
  await page.goto('/login')
  await logIn(page, DEMO.owner.email)
  await expect(page.getByRole('heading', { name: 'My Memorials' })).toBeVisible()
  for (const path of ['/', '/dashboard', `/memorial/${demo.draftId}`]) {
    // A pending call would fail and log a console error.
    await openWithCalls(page, path, /\/api\/(?:dashboard|memorials\/[^/]+\/held)$/u)
    await page.getByRole('button', { name: 'Logout' }).click()
    await expect(page.getByRole('heading', { name: 'A lasting place for their story' })).toBeVisible()
    await expect(page).toHaveURL('/')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Login' }).click()
    await logIn(page, DEMO.owner.email)
    await expect(page.getByRole('heading', { name: 'My Memorials' })).toBeVisible()
  }
})

test('signing in on the way to a payment leads to the card form', async ({ page, demo }) => {
  for (const screen of ['/create-memorial', `/checkout?memorialId=${demo.draftId}`]) {
    // Leaves first: a pending call would fail without the cookies.
    await page.goto('about:blank')
    await page.context().clearCookies()
    await page.goto(`/login?next=${encodeURIComponent(screen)}`)
    await logIn(page, DEMO.owner.email)
    await expect(
      page.frameLocator('iframe[title="Secure card payment input frame"]').getByLabel('Card number'),
    ).toBeVisible()
    await expect(page).toHaveURL(screen)
  }
})

test('a screen whose code fails to load says so, and opens once the network is back', async ({
  page,
  demo,
}) => {
  expectErrors(/ERR_INTERNET_DISCONNECTED/u, /Unable to preload CSS/u)
  // Without a session, each page is a document of its own. The texts are one file of script.
  await demo.open(page, 'owner', '/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My Memorials')
  await page.waitForLoadState('networkidle')
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Terms' }).click()
  await expect(page.getByRole('heading', { name: 'This page could not be opened' })).toBeFocused()
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My Memorials')
  await page.getByRole('link', { name: 'Terms' }).click()
  await expect(page.getByRole('heading', { name: 'This page could not be opened' })).toBeVisible()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(page.getByRole('heading', { name: 'Terms of service' })).toBeVisible()
})
