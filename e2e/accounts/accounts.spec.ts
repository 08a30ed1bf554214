import type { Page } from '@playwright/test'
import { account, DEMO } from '../../tools/operate/seed.ts'
import { signIn } from '../accounts-by-api.ts'
import { expectNoSidewaysScroll, expectToast, fail, hold, linkIn } from '../people.ts'
import { expect, test } from '../family.ts'
import { expectErrors, refusedWith } from '../world.ts'

test.use({ viewport: { width: 360, height: 740 } })

const DROPPED = /net::ERR_FAILED/u
const PASSWORD = 'sunbird-over-chimanimani'
const FILL_ALL = 'Please fill in all fields'
const MISMATCH = 'Passwords do not match'
const TOO_SHORT = 'Password must be at least 8 characters long'
const NETWORK =
  "We're having trouble connecting right now. Please check your internet connection and try again"

type Values = Record<string, string>

/** Fills in the fields with these labels, and presses the form's button. */
async function submit(page: Page, button: string, values: Values): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    await page.getByRole('textbox', { name: label, exact: true }).fill(value)
  }
  await page.getByRole('main').getByRole('button', { name: button }).click()
}

const person = (values: Values = {}): Values => ({
  'First name': 'Rudo',
  'Last name': 'Moyo',
  Email: 'rudo@family.test',
  Password: PASSWORD,
  'Confirm password': PASSWORD,
  ...values,
})
const newPassword = (one: string, two: string): Values => ({
  'New password': one,
  'Confirm new password': two,
})

const FORMS = [
  {
    path: '/login',
    button: 'Login',
    call: '**/api/auth/login',
    values: { Email: 'rudo@family.test', Password: PASSWORD },
    wrong: [
      [{}, FILL_ALL],
      [{ Email: 'rudo@family.test' }, FILL_ALL],
      [{ Email: '', Password: PASSWORD }, FILL_ALL],
    ] as [Values, string][],
    title: 'Login failed',
    fallback:
      "We're having trouble signing you in right now. Please check your email and password, then try again. If the problem continues, please contact support for further assistance.",
  },
  {
    path: '/register',
    button: 'Create account',
    call: '**/api/auth/register',
    values: person(),
    wrong: [
      [{}, FILL_ALL],
      ...Object.keys(person()).map((label): [Values, string] => [person({ [label]: '' }), FILL_ALL]),
      [person({ 'Confirm password': 'another-one' }), MISMATCH],
      [person({ Password: 'seven77', 'Confirm password': 'seven77' }), TOO_SHORT],
      [person({ Email: 'rudo' }), 'Please enter a valid email address'],
    ] as [Values, string][],
    title: 'Registration failed',
    fallback: "We're having trouble creating your account right now.",
  },
  {
    path: '/forgot-password',
    button: 'Send reset link',
    call: '**/api/auth/forgot-password',
    values: { Email: 'rudo@family.test' },
    wrong: [
      [{}, 'Please enter your email address'],
      [{ Email: ' ' }, 'Please enter your email address'],
    ] as [Values, string][],
    title: 'Failed to send reset email',
    fallback: "We're having trouble sending the reset email right now.",
  },
  {
    path: '/reset-password/some-token',
    button: 'Set new password',
    call: '**/api/auth/reset-password',
    values: newPassword(PASSWORD, PASSWORD),
    wrong: [
      [{}, FILL_ALL],
      [newPassword(PASSWORD, ''), FILL_ALL],
      [newPassword('', PASSWORD), FILL_ALL],
      [newPassword(PASSWORD, 'another-one'), MISMATCH],
      [newPassword('seven77', 'seven77'), TOO_SHORT],
    ] as [Values, string][],
    title: 'Password reset failed',
    fallback:
      "We're having trouble resetting your password right now. Your link may have expired: please request a new one and try again.",
  },
]

for (const { path, button, call, values, wrong, title, fallback } of FORMS) {
  test(`${path} validates the form before it sends anything`, async ({ page }) => {
    const sent: string[] = []
    await page.route(call, (route) => {
      sent.push(route.request().url())
      return route.abort()
    })
    await page.goto(path)
    for (const [typed, message] of wrong) {
      await submit(page, button, typed)
      await expect(page.getByRole('alert')).toContainText(message)
      await expect(page.getByRole('alert')).toBeFocused()
      // An empty field has words of its own.
      const words = message === FILL_ALL ? /Please enter/u : new RegExp(message, 'u')
      await expect(page.locator('[aria-invalid="true"]').first()).toHaveAccessibleDescription(words)
    }
    await expectNoSidewaysScroll(page)
    expect(sent).toEqual([])
  })

  test(`${path} shows a failure and keeps the input`, async ({ page }) => {
    expectErrors(refusedWith(500), DROPPED)
    await page.goto(path)
    for (const [body, message] of [
      ['dropped', NETWORK],
      ['', fallback],
      ['{"message":"The house is full today."}', 'The house is full today.'],
    ] as const) {
      await page.route(call, fail(body))
      await submit(page, button, values)
      await expect(page.getByRole('alert')).toContainText(title)
      await expect(page.getByRole('alert')).toContainText(message)
      for (const [label, value] of Object.entries(values)) {
        await expect(page.getByRole('textbox', { name: label, exact: true })).toHaveValue(value)
      }
      await page.unroute(call)
    }
    await expectNoSidewaysScroll(page)
  })
}

test('an empty registration names each field, and each error goes once it is mended', async ({ page }) => {
  await page.goto('/register')
  await submit(page, 'Create account', {})
  const alert = page.getByRole('alert')
  await expect(alert).toContainText(FILL_ALL)
  await expect(alert.getByRole('listitem')).toHaveText([
    'Please enter your first name',
    'Please enter your last name',
    'Please enter your email address',
    'Please enter a password',
    'Please enter the password again',
  ])
  await alert.getByRole('link', { name: 'Please enter your email address' }).click()
  const email = page.getByLabel('Email')
  await expect(email).toBeFocused()
  await page.keyboard.type('r')
  await expect(email).not.toHaveAttribute('aria-invalid')
  await expect(alert.getByRole('listitem')).toHaveCount(4)
  // The focus stays where the person types.
  await expect(email).toBeFocused()

  await submit(page, 'Create account', person({ Email: 'rudo' }))
  await expect(alert).toContainText('Please enter a valid email address')
  await email.fill('rudo@family')
  await expect(email).toHaveAttribute('aria-invalid', 'true')
  await email.fill('rudo@family.test')
  await expect(email).not.toHaveAttribute('aria-invalid')
  await expect(alert).toHaveCount(0)
})

test('/verify-email shows progress, then why it failed', async ({ page }) => {
  expectErrors(refusedWith(500), refusedWith(410), DROPPED)
  const call = '**/api/auth/verify-email/*'
  for (const [body, message] of [
    ['dropped', NETWORK],
    ['', "We're having trouble verifying your email right now."],
    ['{"message":"The house is full today."}', 'The house is full today.'],
  ] as const) {
    const answer = await hold(page, call, fail(body))
    await page.goto('/verify-email/some-token')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Confirming your email')
    answer()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Email not confirmed')
    await expect(page.getByRole('alert')).toContainText(message)
    await page.unroute(call)
  }
  await page.goto('/verify-email/some-token')
  await expect(page.getByRole('alert')).toContainText('This link has been used or has expired.')
  const main = page.getByRole('main')
  await expect(main.getByRole('link', { name: 'Try Signing In' })).toHaveAttribute('href', '/login')
  await expect(main.getByRole('link', { name: 'Back to Home' })).toHaveAttribute('href', '/')
})

test('registering leads to login with a message and remembers the requested page', async ({ page }) => {
  expectErrors(refusedWith(403))
  const email = 'nyasha@family.test'
  await page.goto('/register?next=%2Ffaq')
  await expect(page.getByRole('link', { name: /Login$/u }).last()).toHaveAttribute(
    'href',
    '/login?next=%2Ffaq',
  )
  const request = page.waitForRequest('**/api/auth/register')
  await submit(page, 'Create account', person({ Email: email }))
  expect((await request).postDataJSON()).toEqual({
    firstName: 'Rudo',
    lastName: 'Moyo',
    email,
    password: PASSWORD,
  })
  const message = 'Registration successful! Please check your email to verify your account before logging in.'
  await expectToast(page, message)
  await expect(page).toHaveURL('/login?next=%2Ffaq')
  await expect(page.getByRole('main').getByRole('status')).toContainText(message)
  await expect(page.getByLabel('Email')).toHaveValue(email)

  // The address is not confirmed yet. The page says so and offers a new link.
  await submit(page, 'Login', { Password: PASSWORD })
  await expect(page.getByRole('alert')).toContainText('Please confirm your email address first.')
  await page.getByRole('button', { name: 'Send a new link' }).click()
  await expect(page.getByRole('main')).toContainText(
    'If this address is waiting to be confirmed, we have sent a new link.',
  )
})

test('after the link in the mail, the login form knows the address', async ({ page, browser, world }) => {
  const email = 'tsitsi@family.test'
  await page.goto('/register')
  await submit(page, 'Create account', person({ Email: email }))
  await expect(page).toHaveURL('/login')
  // A mail app opens the link in a tab of its own.
  const tab = await page.context().newPage()
  const link = linkIn(await world.mailTo(email, /confirm/iu))
  await tab.goto(link)
  await tab.getByRole('link', { name: 'Sign In Now' }).click()
  await expect(tab).toHaveURL('/login')
  await expect(tab.getByLabel('Email')).toHaveValue(email)
  // The link alone tells nobody whose it is.
  const elsewhere = await browser.newPage()
  await elsewhere.goto(link)
  await elsewhere.getByRole('link', { name: 'Sign In Now' }).click()
  await expect(elsewhere.getByLabel('Email')).toHaveValue('')
  await submit(tab, 'Login', { Password: PASSWORD })
  await expect(tab.getByRole('heading', { level: 1 })).toHaveText('My Memorials')
  const stored = await tab.evaluate(() => JSON.stringify(localStorage))
  expect(stored).not.toContain(email)
})

test('signing in greets the user, and signing out works even when its request fails', async ({
  page,
  family,
}) => {
  // 403: a dashboard picture that is still loading when the user signs out.
  expectErrors(refusedWith(500), refusedWith(403), DROPPED)
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 740 })
    await page.goto('/login')
    const main = page.getByRole('main')
    await expect(main.getByRole('link', { name: 'Forgot your password?' })).toHaveAttribute(
      'href',
      '/forgot-password',
    )
    await expect(main.getByRole('link', { name: 'Create an account' })).toHaveAttribute('href', '/register')
    await expect(main.getByRole('link', { name: 'Back to Home' })).toHaveAttribute('href', '/')
    await submit(page, 'Login', { Email: family.email, Password: DEMO.password })
    await expectToast(page, 'Welcome back! You have been logged in successfully.')
    await expect(page).toHaveURL('/dashboard')
    const logout = async () => {
      const menu = page.getByRole('banner').getByRole('button', { name: 'Menu' })
      if (width === 360) await menu.click()
      await page.getByRole('banner').getByRole('button', { name: 'Logout' }).click()
    }
    for (const refuse of [true, false]) {
      await page.route('**/api/auth/logout', (route) =>
        refuse ? route.fulfill({ status: 500 }) : route.abort(),
      )
      await page.goto('/faq')
      await expect(page.getByRole('heading', { name: 'Questions and answers' })).toBeVisible()
      await logout()
      await expectToast(page, 'Logout failed')
      await expect(page).toHaveURL('/')
      await page.unroute('**/api/auth/logout')
    }
    await page.goto('/dashboard')
    // The page has its data: a call after the logout would fail.
    await expect(page.getByText('No memorials yet')).toBeVisible()
    await logout()
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('heading', { name: 'A lasting place for their story' })).toBeVisible()
  }
})

test('a reset link works once, also while signed in, and a used one offers a new link', async ({
  page,
  world,
}) => {
  expectErrors(refusedWith(400), refusedWith(401), refusedWith(410))
  const email = 'tatenda@family.test'
  await account(world.url, world.sandboxUrl, { email, firstName: 'Tatenda', lastName: 'Dube' })
  await signIn(page, world, email)
  await page.goto('/forgot-password')
  await submit(page, 'Send reset link', { Email: email })
  await expect(page.getByRole('heading', { name: 'Check Your Email' })).toBeFocused()
  await expect(page.getByRole('main')).toContainText(
    'If an account with that email exists, we have sent a password reset link to your email address.',
  )
  const mail = await world.mailTo(email, /reset|password/iu)
  const link = linkIn(mail)

  // A rejected password does not use up the link.
  await page.goto(link)
  await submit(page, 'Set new password', newPassword('password123', 'password123'))
  await expect(page.getByRole('alert')).toContainText('This password is too common')
  await submit(page, 'Set new password', newPassword(PASSWORD, PASSWORD))
  const message = 'Password reset successful! You can now log in with your new password.'
  await expectToast(page, message)
  await expect(page.getByRole('heading', { name: 'Password Reset Complete' })).toBeFocused()
  await expect(page.getByRole('main')).toContainText(message)
  // All sessions have ended, including this one: the next page is the login form, not a dashboard that cannot load.
  await page.getByRole('link', { name: 'Go to Login' }).click()
  await expect(page.getByRole('heading', { name: 'Login', level: 1 })).toBeVisible()
  await submit(page, 'Login', { Email: email, Password: PASSWORD })
  await expect(page.getByRole('heading', { name: 'My Memorials' })).toBeVisible()

  await page.goto(link)
  await submit(page, 'Set new password', newPassword(PASSWORD, PASSWORD))
  await expect(page.getByRole('heading', { name: 'Invalid Reset Link' })).toBeFocused()
  await expect(page.getByRole('alert')).toContainText('Password reset failed')
  await expect(page.getByRole('alert')).toContainText(
    'This reset link has been used or has expired. Please request a new one.',
  )
  await expectNoSidewaysScroll(page)
  await page.getByRole('link', { name: 'Request New Reset Link' }).click()
  await expect(page).toHaveURL('/forgot-password')
  await page.context().clearCookies()
  await page.goto('/reset-password')
  await expect(page.getByRole('alert')).toContainText('Invalid reset token')
  await expect(page.getByRole('link', { name: 'Request New Reset Link' })).toHaveAttribute(
    'href',
    '/forgot-password',
  )
  await page.getByRole('link', { name: 'Back to Login' }).click()
  await expect(page).toHaveURL('/login')
})

test('a confirmation link works for a user who is signed in with another account', async ({
  page,
  world,
  demo,
}) => {
  const email = 'chenai@family.test'
  const answer = await page.request.post('/api/auth/register', {
    data: { email, password: PASSWORD, firstName: 'Chenai', lastName: 'Moyo' },
    headers: { Origin: world.url },
    maxRetries: 3,
  })
  expect(answer.status()).toBe(201)
  const mail = await world.mailTo(email, /confirm/iu)
  await demo.open(page, 'owner', linkIn(mail))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Email confirmed')
  const main = page.getByRole('main')
  await expect(main.getByRole('link', { name: 'Sign In Now' })).toHaveAttribute('href', '/login')
  await expect(main.getByRole('link', { name: 'Back to Home' })).toHaveAttribute('href', '/')
  // The current user stays signed in.
  await page.goto('/dashboard')
  await expect(page.getByRole('main')).toContainText('Welcome back, Rudo')
})
