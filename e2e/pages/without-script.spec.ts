import type { Browser, Page } from '@playwright/test'
import { messages } from '../../src/shared/messages.ts'
import { account, DEMO } from '../../tools/operate/seed.ts'
import { violationsWithoutScript } from '../accessible.ts'
import { appStarted, expectNoSidewaysScroll, hold, linkIn } from '../people.ts'
import { expect, expectErrors, fromOwnAddress, refusedWith, test, type World } from '../world.ts'

const PASSWORD = 'sunbird-over-chimanimani'
const WIDTHS = [360, 1280] as const

/** A browser whose script is switched off. */
async function withoutScript(browser: Browser, world: World, width: number): Promise<Page> {
  const context = await browser.newContext({
    extraHTTPHeaders: fromOwnAddress(),
    baseURL: world.url,
    javaScriptEnabled: false,
    viewport: { width, height: 740 },
  })
  return context.newPage()
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

/** Checks the page as it is, and its bytes in a browser whose script is on: axe needs one. */
async function expectSound(page: Page, browser: Browser, name: string): Promise<void> {
  await expect(heading(page, name)).toBeVisible()
  await expect(page).toHaveTitle(/ · Keeping Legacies Alive$/u)
  await expectNoSidewaysScroll(page)
  expect(await violationsWithoutScript(browser, page), name).toEqual([])
}

async function fill(page: Page, values: Record<string, string>, button: string): Promise<void> {
  for (const [label, value] of Object.entries(values))
    await page.getByRole('textbox', { name: label, exact: true }).fill(value)
  await page.getByRole('main').getByRole('button', { name: button }).click()
}

for (const width of WIDTHS) {
  test(`script off, ${width} px: register, confirm from the mail, and sign in`, async ({
    browser,
    world,
  }) => {
    expectErrors(refusedWith(400), refusedWith(401))
    const email = `ruvimbo${width}@family.test`
    const page = await withoutScript(browser, world, width)
    await page.goto('/register?next=%2Ffaq')
    await expectSound(page, browser, 'Create an account')
    const person = { 'First name': 'Ruvimbo', 'Last name': 'Moyo', Email: email, Password: PASSWORD }
    await fill(page, { ...person, 'Confirm password': 'another-one' }, 'Create account')
    await expect(page.getByRole('alert')).toContainText(messages.password.mismatch)
    await expect(page.getByLabel('Email')).toHaveValue(email)
    await expect(page.getByRole('textbox', { name: 'Password', exact: true })).toHaveValue('')
    await expectSound(page, browser, 'Create an account')
    await fill(page, { Password: PASSWORD, 'Confirm password': PASSWORD }, 'Create account')
    await expect(page.getByRole('status').first()).toContainText(messages.register.success)
    await expectSound(page, browser, 'Login')

    const link = linkIn(await world.mailTo(email, /confirm/iu))
    await page.goto(link)
    await expectSound(page, browser, 'Confirming your email')
    await page.getByRole('button', { name: 'Confirm my email' }).click()
    await expect(page.getByRole('main')).toContainText(messages.verify.success)
    await expectSound(page, browser, 'Email confirmed')
    await page.goto('/login?next=%2Ffaq')
    await fill(page, { Email: email, Password: 'not this one' }, 'Login')
    await expect(page.getByRole('alert')).toContainText(messages.login.invalid)
    await expect(page.getByLabel('Email')).toHaveValue(email)
    await expectSound(page, browser, 'Login')
    await fill(page, { Password: PASSWORD }, 'Login')
    await expect(page).toHaveURL('/faq')
    expect((await page.request.get('/api/auth/user', { maxRetries: 3 })).status()).toBe(200)
    await page.context().close()
  })

  test(`script off, ${width} px: set a new password with the link in the mail`, async ({
    browser,
    world,
  }) => {
    expectErrors(refusedWith(400), refusedWith(410))
    const email = `tariro${width}@family.test`
    await account(world.url, world.sandboxUrl, { email, firstName: 'Tariro', lastName: 'Dube' })
    const page = await withoutScript(browser, world, width)
    await page.goto('/login')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await expectSound(page, browser, 'Forgot your password?')
    await fill(page, { Email: email }, 'Send reset link')
    await expect(page.getByRole('main')).toContainText(messages.forgot.sent)
    await expectSound(page, browser, 'Check Your Email')
    await page.goto(linkIn(await world.mailTo(email, /password/iu)))
    const wrong = { 'New password': 'short', 'Confirm new password': 'short' }
    await fill(page, wrong, 'Set new password')
    await expect(page.getByRole('alert')).toContainText(messages.password.tooShort)
    await expectSound(page, browser, 'Set a new password')
    await fill(page, { 'New password': PASSWORD, 'Confirm new password': PASSWORD }, 'Set new password')
    await expect(page.getByRole('main')).toContainText(messages.reset.success)
    await expectSound(page, browser, 'Password Reset Complete')
    await page.getByRole('link', { name: 'Go to Login' }).click()
    await fill(page, { Email: email, Password: PASSWORD }, 'Login')
    await expect(page).toHaveURL('/dashboard')
    await page.context().close()
  })

  test(`script off, ${width} px: read the answers, and write to support`, async ({ browser, world }) => {
    expectErrors(refusedWith(400), refusedWith(404))
    const page = await withoutScript(browser, world, width)
    await page.goto('/no-such-page')
    await expectSound(page, browser, 'Page Not Found')
    await page.getByRole('contentinfo').getByRole('link', { name: 'FAQ' }).click()
    await expectSound(page, browser, 'Questions and answers')
    await page.getByText('Is there a monthly fee?').click()
    await expect(page.getByText('once for each memorial, and nothing after that')).toBeVisible()
    for (const [path, name] of [
      ['/about', 'Built with love in Zimbabwe'],
      ['/terms', 'Terms of service'],
      ['/privacy', 'Privacy policy'],
      ['/memorial/a/b', messages.memorial.notFoundTitle],
      ['/request-removal', messages.contact.removalTitle],
    ] as const) {
      await page.goto(path)
      await expectSound(page, browser, name)
    }
    await page.goto('/contact')
    await fill(page, { Email: 'chipo@family.test', Subject: 'A question' }, 'Send message')
    await expect(page.getByRole('alert')).toContainText(messages.contact.messageRequired)
    await expect(page.getByLabel('Subject')).toHaveValue('A question')
    await expectSound(page, browser, 'Contact support')
    await fill(page, { Message: 'Where is the grave?' }, 'Send message')
    await expect(page.getByRole('main')).toContainText(messages.contact.sentText)
    await expectSound(page, browser, messages.contact.sentTitle)
    await page.getByRole('button', { name: 'Send Another Message' }).click()
    await expect(heading(page, 'Contact support')).toBeVisible()
    await page.context().close()
  })
}

/** Holds back the script of the app, or all script, until released. */
async function holdScript(page: Page, files: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(files, async (route) => {
    await promise
    await route.continue().catch(() => null)
  })
  return resolve
}

/** Where the visible parts of a form are. */
const places = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('h1, main input, main textarea, main button, footer')].map((part) => {
      const { x, y, width, height } = part.getBoundingClientRect()
      return [x, y, width, height].map(Math.round).join(' ')
    }),
  )

test('what is typed before the app arrives stays, with the caret, and nothing moves', async ({ page }) => {
  const release = await holdScript(page, '**/assets/account-screens-*.js')
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/contact')
  await page.getByLabel('Email').fill('chipo@family.test')
  await page.getByLabel('Subject').fill('A question')
  const message = page.getByLabel('Message')
  await message.fill('Where is grave?')
  await message.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(9, 9))
  const before = await places(page)
  release()
  await expect(appStarted(page)).toBeAttached()
  await expect(message).toBeFocused()
  await page.keyboard.type('the ')
  await expect(message).toHaveValue('Where is the grave?')
  expect(await places(page)).toEqual(before)
  await expect(page.getByText('1981 characters left').first()).toBeVisible()
  const request = page.waitForRequest('**/api/contact')
  await page.getByRole('button', { name: 'Send message' }).click()
  expect((await request).postDataJSON()).toEqual({
    email: 'chipo@family.test',
    subject: 'A question',
    message: 'Where is the grave?',
  })
})

test('a press before the app arrives waits for it, and the app sends', async ({ page, demo }) => {
  expect(demo.publicSlug).not.toBe('')
  const release = await holdScript(page, '**/assets/account-screens-*.js')
  await page.goto('/login')
  await page.getByLabel('Email').fill(DEMO.owner.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(DEMO.password)
  const button = page.getByRole('main').getByRole('button', { name: 'Login' })
  await button.click()
  await expect(button).toHaveAttribute('aria-busy', 'true')
  const request = page.waitForRequest('**/api/auth/login')
  release()
  expect((await request).postDataJSON()).toEqual({ email: DEMO.owner.email, password: DEMO.password })
  await expect(heading(page, 'My Memorials')).toBeVisible()
})

test.describe('without the app', () => {
  test.use({ sendsPlainForms: true })
  for (const { held, files } of [
    { held: 'the app', files: '**/assets/account-screens-*.js' },
    { held: 'all script', files: '**/assets/*.js' },
  ]) {
    test(`while ${held} does not arrive, the browser sends: no word or press lost`, async ({
      page,
      world,
    }) => {
      expectErrors(refusedWith(401))
      const release = await holdScript(page, files)
      // The small script is here before the press, unless it's held too: then the page never finishes loading.
      await page.goto('/login?next=%2Ffaq', { waitUntil: held === 'the app' ? 'load' : 'commit' })
      const email = page.getByLabel('Email')
      const button = page.getByRole('main').getByRole('button', { name: 'Login' })
      await email.fill('rudo@family.test')
      await page.getByRole('textbox', { name: 'Password' }).fill('not this one')
      // The answer would take the place of the button, which this test has to see busy.
      const answer = await hold(page, /\/login\?/u)
      const posted = page.waitForRequest((request) => request.method() === 'POST')
      await button.click({ noWaitAfter: true })
      // The small script waits for the app for some seconds only. Without it, the browser has sent already.
      if (held === 'the app') await expect(button).toHaveAttribute('aria-busy', 'true')
      const request = await posted
      answer()
      expect(request.url()).toBe(`${world.url}/login?next=%2Ffaq`)
      expect(request.postData()).toBe('email=rudo%40family.test&password=not+this+one')
      await expect(page.getByRole('alert')).toContainText(messages.login.invalid)
      await expect(email).toHaveValue('rudo@family.test')
      release()
      // The app takes over the refused form as it is, and the next try.
      await email.fill('tendai@family.test')
      await expect(appStarted(page)).toBeAttached()
      await expect(email).toHaveValue('tendai@family.test')
      await expect(page.getByRole('alert')).toContainText(messages.login.failedTitle)
      await page.getByRole('textbox', { name: 'Password' }).fill('nor this')
      const call = page.waitForRequest('**/api/auth/login')
      await button.click()
      expect((await call).postDataJSON()).toEqual({ email: 'tendai@family.test', password: 'nor this' })
      await expect(page).toHaveURL('/login?next=%2Ffaq')
    })
  }
})
