import type { Locator } from '@playwright/test'
import { PASSWORD } from '../accounts-by-api.ts'
import { linkIn } from '../people.ts'
import { expect, test } from '../family.ts'

/** From the landing page, without an account, to WhatsApp with the invitation. One tap for each field, too. */
const MAX_TAPS = 25

test(`sharing a new memorial takes at most ${MAX_TAPS} taps and fields`, async ({ world, family }) => {
  const page = await family.visitorPage(360, '/')
  const taps: string[] = []
  const tap = async (control: Locator) => {
    taps.push(await control.innerText())
    await control.click()
  }
  const press = (name: string) => tap(page.getByRole('button', { name }))
  const follow = (name: string) => tap(page.getByRole('link', { name }).first())
  const fill = async (field: Locator, text: string) => {
    taps.push(text)
    await field.fill(text)
  }
  const email = 'taps@family.test'
  const password = (name: string) => page.getByRole('textbox', { name, exact: true })

  await follow('Create a Memorial')
  await fill(page.getByLabel('First name'), 'Rudo')
  await fill(page.getByLabel('Last name'), 'Moyo')
  await fill(page.getByLabel('Email'), email)
  await fill(password('Password'), PASSWORD)
  await fill(password('Confirm password'), PASSWORD)
  await press('Create account')
  // The browser itself sends the form if the press is quicker than the small script, and comes to an address with a question.
  await expect(page).toHaveURL(({ pathname }) => pathname === '/login')
  const mail = await world.mailTo(email, /confirm/iu)
  taps.push('the link in the mail')
  await page.goto(linkIn(mail))
  await follow('Sign In Now')
  await fill(page.getByLabel('Email'), email)
  await fill(password('Password'), PASSWORD)
  await tap(page.getByRole('main').getByRole('button', { name: 'Login' }))
  await follow('Create Your First Memorial')
  await press('Start with the name')
  await fill(page.getByLabel('Full name'), 'Tendai Rudo Moyo')
  await press('Next')
  for (const step of [3, 4, 5]) {
    await expect(page.getByText(`Step ${step} of 6`)).toBeVisible()
    await press('Skip for now')
  }

  // The memorial is paid for where it is shared, and the link follows at once.
  taps.push('Invite-only')
  await page.getByRole('radio', { name: /^Invite-only/u }).check()
  const card = page.frameLocator('iframe[title="Secure card payment input frame"]')
  await fill(card.getByLabel('Card number'), '4242 4242 4242 4242')
  await fill(card.getByLabel('Expiry (MM / YY)'), '12 / 39')
  await fill(card.getByLabel('CVC'), '123')
  await press('Pay $60.00 Now')
  await expect(page.getByRole('heading', { name: 'It is ready. Send it to the family' })).toBeVisible()
  const whatsApp = page.getByRole('link', { name: 'Send with WhatsApp' })
  await expect(whatsApp).toHaveAttribute('href', /%2Finvite%2F/u)
  await expect(whatsApp).toBeInViewport()
  await expect(page.getByRole('radio', { name: /^Invite-only/u })).toBeFocused()
  taps.push('Send with WhatsApp')
  expect(taps.length, taps.join(', ')).toBeLessThanOrEqual(MAX_TAPS)

  // It is paid for and shared, so the step is done.
  await page.locator('[aria-controls=wizard-steps]').click()
  const steps = page.getByRole('navigation', { name: 'Steps' })
  for (const name of ['Payment', 'Privacy & Sharing'])
    await expect(steps.getByRole('button', { name })).toContainText('Done')
})
