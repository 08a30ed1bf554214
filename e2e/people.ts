import { expect, type Page } from '@playwright/test'
import type { Mail } from './world.ts'

let signedUp = 0

type MailTo = (address: string, subject: RegExp) => Promise<Mail>

/** Registers on screen, opens the link in the mail, and signs in. Ends on the dashboard. */
export async function signUp(page: Page, url: string, mailTo: MailTo, email: string): Promise<void> {
  const password = 'sunbird-over-chimanimani'
  await page.goto(`${url}/register`)
  await page.getByLabel('First name').fill('Rudo')
  await page.getByLabel('Last name').fill('Moyo')
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(password)
  await page.getByRole('textbox', { name: 'Confirm password' }).fill(password)
  // Each sign-up has its own IP address, because the product sends at most five mails a minute for each.
  signedUp += 1
  const ip = `198.51.100.${signedUp}`
  await page.route('**/api/auth/register', (route) =>
    route.continue({ headers: { ...route.request().headers(), 'CF-Connecting-IP': ip } }),
  )
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page).toHaveURL(`${url}/login`)
  await expect(page.getByRole('main')).toContainText(
    'Registration successful! Please check your email to verify your account before logging in.',
  )

  const mail = await mailTo(email, /confirm/iu)
  const link = /https?:\/\/\S+\/verify-email\/[\w-]+/u.exec(mail.text)?.[0]
  expect(link, 'the mail contains a link to this site').toContain(`${url}/verify-email/`)
  await page.goto(link ?? '')
  await page.getByRole('link', { name: 'Sign In Now' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('main').getByRole('button', { name: 'Login' }).click()
  await expect(page).toHaveURL(`${url}/dashboard`)
  await expect(page.getByRole('heading', { name: 'My Memorials' })).toBeVisible()
}

/** Expects that the screen does not scroll sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(overflow, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(0)
}

/** Types a card number into the payment provider's frame. */
export async function fillCard(page: Page, number: string): Promise<void> {
  const frame = page.frameLocator('iframe[title="Secure card payment input frame"]')
  await frame.getByLabel('Card number').fill(number)
  await frame.getByLabel('Expiry (MM / YY)').fill('12 / 39')
  await frame.getByLabel('CVC').fill('123')
}
