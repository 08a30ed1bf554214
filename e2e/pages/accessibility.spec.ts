import type { Locator, Page } from '@playwright/test'
import { ProductClient, waitForMail } from '../../tools/operate/local/product-client.ts'
import { DEMO } from '../../tools/operate/seed.ts'
import { expectAccessible, expectWholeWords } from '../accessible.ts'
import { files } from '../files.ts'
import { expect, test } from '../family.ts'
import { appStarted, expectToast, hold, linkIn, logIn, postMessage } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

/** Opens a screen, waits for its heading, and runs all accessibility checks. */
async function expectScreen(page: Page, address: string, name: string): Promise<void> {
  await page.goto(address)
  await expect(heading(page, name)).toBeVisible()
  await page.waitForLoadState('networkidle')
  await expectAccessible(page, new URL(page.url()).pathname)
}

test('public pages are accessible', async ({ page, demo }) => {
  expectErrors(refusedWith(404), refusedWith(403))
  for (const [path, name] of [
    ['/about', 'Built with love in Zimbabwe'],
    ['/terms', 'Terms of service'],
    ['/privacy', 'Privacy policy'],
    ['/no-such-page', 'Page Not Found'],
    ['/m/nobody-aaaaaa', 'Memorial Not Found'],
    [`/memorial/${demo.draftId}`, 'Private Memorial'],
    [`/memorial/${demo.inviteId}`, 'Access Denied'],
  ] as const)
    await expectScreen(page, path, name)

  await page.goto('/faq')
  await page.getByText('What can be added?').click()
  await expect(page.getByText('A life story, photos, videos')).toBeVisible()
  await expectAccessible(page, 'FAQ with an answer open')

  await page.setViewportSize({ width: 320, height: 720 })
  await page.goto('/')
  await expect(heading(page, 'A lasting place for their story')).toBeVisible()
  await page.getByRole('button', { name: 'Menu' }).click()
  await expectAccessible(page, 'home with the menu open', [320])
  await page.getByRole('button', { name: 'Close menu' }).click()
  await expectAccessible(page, 'home with the cookie notice')
  await page.getByRole('button', { name: 'Dismiss' }).click()

  await expectScreen(page, '/invite/no-such-token', 'This invitation no longer works.')

  await page.goto('/contact')
  await page.getByLabel('Email').fill('farai@family.example')
  await page.getByLabel('Subject').fill('A question')
  await page.getByLabel('Message').fill('Where is the grave?')
  await page.getByRole('button', { name: 'Send message' }).click()
  const toast = page.getByTestId('toast')
  // The toast stays while it has the focus.
  await toast.getByRole('button', { name: 'Close' }).focus()
  await expect(toast).toContainText('Message Sent')
  await expectAccessible(page, 'a notification')
  await expect(toast).toBeVisible()

  await expectScreen(page, `/m/${demo.publicSlug}`, 'Tendai Rudo Moyo')
  await page.getByRole('link', { name: /^Photo 1 of/u }).click()
  await expect(page.getByRole('dialog', { name: 'Photo' })).toBeVisible()
  await expectAccessible(page, 'photo viewer')
})

test('on a small phone with text at 200 %, no word is broken or cut', async ({ page, demo, family }) => {
  await page.goto('/')
  await expectWholeWords(page, 'landing page')
  await page.goto('/request-removal')
  await expect(heading(page, 'Ask us to remove something')).toBeVisible()
  await expectWholeWords(page, 'asking for a removal')
  await page.goto(`/m/${demo.publicSlug}`)
  await expectWholeWords(page, 'public memorial')

  const { memorial, token } = await family.invited()
  const names = ['Bartholomew Chikomo-Ndlovu of Chimanimani', 'Tsitsi Dangarembizi']
  for (const name of names) {
    const relative = await family.relative(token, name)
    const path = `/api/memorials/${memorial.id}/media/upload`
    await relative.upload(path, files.photoOfRelative, 'image/jpeg', { type: 'IMAGE' })
  }
  await family.open(page, `/memorial/${memorial.id}`)
  // A choice made before the app is here is not seen.
  await expect(appStarted(page)).toBeAttached()
  const gallery = page.getByRole('region', { name: 'Gallery' })
  const filter = gallery.getByLabel('Added by', { exact: true })
  await filter.selectOption(names[0] ?? '')
  await expect(gallery.getByRole('listitem')).toHaveText([names[0] ?? ''])
  await expectWholeWords(page, 'owner’s memorial')
  const cut = (part: Locator) => part.evaluate((element) => element.scrollHeight - element.clientHeight)
  expect([await cut(filter), await cut(gallery.getByText(names[0] ?? '').last())]).toEqual([0, 0])
  await page.getByRole('button', { name: 'Delete this memorial' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectWholeWords(page, 'dialog for deleting')

  for (const step of [1, 2, 3, 4, 5, 6]) {
    await page.goto(`/create-memorial/${memorial.id}?step=${step}`)
    await expect(heading(page, 'Tribute Builder')).toBeVisible()
    await page.waitForLoadState('networkidle')
    await expectWholeWords(page, `builder, step ${step}`)
  }
})

test('memorials and pages of the app are accessible without JavaScript', async ({ page, world, demo }) => {
  const devtools = await page.context().newCDPSession(page)
  // axe is a script itself, so it is injected after the page has rendered without scripts.
  const scripts = (value: 'off' | 'on') =>
    devtools.send('Emulation.setScriptExecutionDisabled', { value: value === 'off' })
  const address = `${world.url}/m/${demo.publicSlug}`
  await page.goto(address)
  const photo = (await page.getByRole('link', { name: /^Photo 1 of/u }).getAttribute('href')) ?? ''
  for (const [link, shown] of [
    ['', page.getByText('She sang alto at St Agnes')],
    ['?photos=all#photos', page.getByText('12 of 12 photos shown')],
    [photo, page.getByRole('region', { name: 'Photo', exact: true })],
  ] as const) {
    await scripts('off')
    await page.goto(new URL(link, address).href)
    await expect(shown).toBeVisible()
    await scripts('on')
    await expectAccessible(page, `memorial without JavaScript: ${link}`, [1280, 360])
    await expect(page.locator('html')).toHaveAttribute('data-portrait')
  }
  await scripts('off')
  // Without a session, the server writes the page.
  await page.context().addCookies([{ name: 'session', value: 'ended', url: world.url }])
  await page.goto('/invite/x')
  await expect(page.locator('#without-script h1')).toBeVisible()
  await scripts('on')
  await expectAccessible(page, 'an invitation without JavaScript', [1280, 360])
})

test('sign-up, sign-in and contact are accessible in each of their views', async ({ page, world }) => {
  expectErrors(refusedWith(401), refusedWith(403), refusedWith(410))
  const email = 'views@family.test'
  const visitor = new ProductClient(world.url)
  await visitor.call('POST', '/api/auth/register', {
    email,
    firstName: 'Rudo',
    lastName: 'Moyo',
    password: DEMO.password,
  })
  const { text } = await waitForMail(world.sandboxUrl, email)
  const verifyLink = /https?:\/\/\S+\/verify-email\/[\w-]+/u.exec(text)?.[0] ?? ''

  await expectScreen(page, '/register', 'Create an account')
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await expectAccessible(page, 'register with errors')

  await page.goto('/login')
  await expect(heading(page, 'Login')).toBeVisible()
  await logIn(page, email)
  await expect(page.getByRole('button', { name: 'Send a new link' })).toBeVisible()
  await expectAccessible(page, 'login of an address that is not confirmed')

  const answer = await hold(page, '**/api/auth/verify-email/*')
  await page.goto(verifyLink)
  await expect(heading(page, 'Confirming your email')).toBeVisible()
  await expectAccessible(page, 'verify, loading')
  answer()
  // Another browser registered. After a while, the screen before has a button of the same name.
  await expect(heading(page, 'Confirm your email')).toBeVisible()
  const confirm = page.getByRole('button', { name: 'Confirm my email' })
  await confirm.click()
  await expect(page.getByRole('alert')).toBeVisible()
  await expectAccessible(page, 'verify, with errors')
  await page.getByLabel('First name').fill('Rudo')
  await page.getByLabel('Last name').fill('Moyo')
  await page.getByRole('textbox', { name: 'Password' }).fill(DEMO.password)
  await confirm.click()
  await expect(page.getByRole('link', { name: 'Sign In Now' })).toBeVisible()
  await expectAccessible(page, 'verify, success')
  await page.goto('/verify-email/no-such-token')
  await expect(page.getByRole('link', { name: 'Try Signing In' })).toBeVisible()
  await expectAccessible(page, 'verify, error')

  await page.goto('/forgot-password')
  await expect(heading(page, 'Forgot your password?')).toBeVisible()
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await expectAccessible(page, 'forgot password with an error')
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await expect(heading(page, 'Check Your Email')).toBeVisible()
  await expectAccessible(page, 'forgot password, sent')

  const reset = await world.mailTo(email, /password/iu)
  const resetLink = linkIn(reset)
  await expectScreen(page, '/reset-password', 'Invalid Reset Link')
  await expectScreen(page, resetLink, 'Set a new password')
  await page.getByRole('textbox', { name: 'New password', exact: true }).fill(DEMO.password)
  await page.getByRole('textbox', { name: 'Confirm new password' }).fill(DEMO.password)
  await page.getByRole('button', { name: 'Set new password' }).click()
  await expect(heading(page, 'Password Reset Complete')).toBeVisible()
  await expectAccessible(page, 'reset, done')

  await page.goto('/contact')
  await page.getByRole('button', { name: 'Send message' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await expectAccessible(page, 'contact with errors')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Subject').fill('A plaque')
  await page.getByRole('textbox', { name: 'Message' }).fill('How long does it take to Mutare?')
  await page.getByRole('button', { name: 'Send message' }).click()
  await expect(page.getByRole('button', { name: 'Send Another Message' })).toBeVisible()
  await expectAccessible(page, 'contact, sent')
})

test('the screens of an invited relative are accessible', async ({ page, demo }) => {
  await page.goto(demo.inviteLink)
  await expect(heading(page, 'Josiah Chikomo')).toBeVisible()
  await page.waitForLoadState('networkidle')
  await expectAccessible(page, 'memorial of an invited relative')
  await postMessage(page, 'He lent my father his best plane.')
  await expect(page.getByRole('dialog', { name: 'What name should the family see?' })).toBeVisible()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Please enter your name')).toBeVisible()
  await expectAccessible(page, 'name prompt with its error')
})

test("the owner's screens and dialogs are accessible", async ({ page, demo }) => {
  await demo.signIn(page, 'owner')
  for (const [path, name] of [
    ['/dashboard', 'My Memorials'],
    ['/checkout', 'Memorial Payment'],
    [`/checkout?memorialId=${demo.draftId}`, 'Memorial Payment'],
    [`/checkout?memorialId=${demo.publicId}`, 'Memorial Payment'],
    [`/memorial/${demo.publicId}`, 'Tendai Rudo Moyo'],
    [`/memorial/${demo.draftId}/plaque`, 'Plaque for the grave'],
    [`/memorial/${demo.draftId}`, 'Grace Ndlovu'],
    [`/memorial/${demo.inviteId}`, 'Josiah Chikomo'],
  ] as const)
    await expectScreen(page, path, name)

  const asks = page.getByRole('dialog')
  const stays = () => page.getByRole('button', { name: 'Keep it' }).click()
  await page
    .getByRole('button', { name: /^More: message/u })
    .first()
    .click()
  await page.getByRole('button', { name: /^Delete the message of/u }).click()
  await expectToast(page, 'Removed.')
  await expectAccessible(page, 'a removed message')
  await page.getByRole('button', { name: /^Delete for good/u }).click()
  await expect(asks).toBeVisible()
  await expectAccessible(page, 'delete a message for good')
  await stays()
  await page.getByRole('button', { name: /^Restore/u }).click()
  await page.getByRole('link', { name: /^Photo 1 of/u }).click()
  const viewer = page.getByRole('dialog', { name: 'Photo' })
  await viewer.getByRole('button', { name: /^More/u }).click()
  await expect(viewer.getByRole('button', { name: 'Delete photo' })).toBeVisible()
  await expectAccessible(page, 'more about a photo')
  await viewer.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Delete this memorial' }).click()
  await expect(asks).toBeVisible()
  await expectAccessible(page, 'delete the memorial')
  await page.keyboard.press('Escape')
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 720 })
    await page.getByRole('button', { name: 'Make a new link' }).click()
    await expect(asks).toBeVisible()
    await expectAccessible(page, 'make a new link', [width])
    await stays()
    await page.getByRole('button', { name: 'QR code' }).click()
    await expect(asks).toContainText('QR code for the gravestone')
    await expectAccessible(page, 'QR code', [width])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Who can see this/u }).click()
    await expect(asks).toBeVisible()
    await expectAccessible(page, 'who can see this', [width])
    await page.keyboard.press('Escape')
  }
})

test('every step of the wizard is accessible, new and editing', async ({ page, demo, family }) => {
  await family.signIn(page)
  await expectScreen(page, '/dashboard', 'My Memorials')
  for (const step of [0, 1, 2, 3, 4, 5])
    await expectScreen(page, `/create-memorial?step=${step}`, 'Tribute Builder')

  await demo.signIn(page, 'owner')
  for (const step of [0, 1, 2, 3, 4, 5])
    await expectScreen(page, `/create-memorial/${demo.publicId}?step=${step}`, 'Tribute Builder')
})
