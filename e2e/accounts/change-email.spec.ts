import type { Page } from '@playwright/test'
import { expectAccessible } from '../accessible.ts'
import { newOwner, PASSWORD } from '../accounts-by-api.ts'
import { expect, test, type Family } from '../family.ts'
import { expectNoSidewaysScroll, linkIn, logIn } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

test.use({ viewport: { width: 360, height: 740 } })

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

/** Asks for this address on the dashboard. */
async function askFor(page: Page, family: Family, email: string): Promise<void> {
  await family.open(page, '/dashboard')
  const account = page.getByRole('region', { name: 'Your account' })
  await account.getByText('Change your email address').click()
  await account.getByRole('button', { name: 'Change email address' }).click()
  await expect(account.getByRole('alert')).toContainText('Please fill in all fields')
  await account.getByLabel('New email address').fill(email)
  await account.getByRole('textbox', { name: 'Your password' }).first().fill(PASSWORD)
  await account.getByRole('button', { name: 'Change email address' }).click()
  await expect(account.getByRole('status')).toContainText('We’ve sent an email to each address.')
  await expect(account.getByRole('status')).toBeFocused()
}

test('people change their address from two mailboxes, and the old one undoes it', async ({
  page,
  family,
}) => {
  expectErrors(refusedWith(401), refusedWith(410))
  const email = `new-${Date.now()}@family.test`
  await askFor(page, family, email)
  await expectAccessible(page, 'the form for another address')

  // On a phone that nobody is signed in on.
  const phone = await family.visitorPage(360)
  await phone.goto(linkIn(await family.world.mailTo(email, /confirm your new email/u)))
  await expect(heading(phone, 'Confirm this email address?')).toBeVisible()
  await expectAccessible(phone, 'confirming an address')
  await phone.getByRole('button', { name: 'Confirm this address' }).click()
  await expect(heading(phone, 'This address is confirmed')).toBeFocused()
  await expectNoSidewaysScroll(phone)

  await page.goto(linkIn(await family.world.mailTo(family.email, /Is your email address changing/u)))
  await page.getByRole('button', { name: 'Confirm this address' }).click()
  await expect(heading(page, 'Your email address is changed')).toBeVisible()
  await page.getByRole('link', { name: 'Go to my memorials' }).click()
  await expect(page.getByText(`Signed in as ${email}.`)).toBeVisible()

  const undo = linkIn(await family.world.mailTo(family.email, /Your email address was changed/u))
  await phone.goto(undo)
  await expect(heading(phone, 'Undo the change of address?')).toBeVisible()
  await expectAccessible(phone, 'undoing a change')
  await phone.getByRole('button', { name: 'Undo the change' }).click()
  await expect(heading(phone, 'Your address is back')).toBeVisible()
  await page.reload()
  await expect(page).toHaveURL(/\/login/u)
  await phone.goto(undo)
  await phone.getByRole('button', { name: 'Undo the change' }).click()
  await expect(phone.getByRole('main')).toContainText('This change has already been undone.')

  await phone.goto(linkIn(await family.world.mailTo(family.email, /Choose a new password/u)))
  await phone.getByRole('textbox', { name: 'New password', exact: true }).fill('msasa-leaves-in-spring')
  await phone.getByRole('textbox', { name: 'Confirm new password' }).fill('msasa-leaves-in-spring')
  await phone.getByRole('button', { name: 'Set new password' }).click()
  await expect(heading(phone, 'Password Reset Complete')).toBeVisible()
  await phone.goto('/login')
  await logIn(phone, family.email, 'msasa-leaves-in-spring')
  await expect(phone).toHaveURL('/dashboard')
})

test('the screen says the same of an address that has an account', async ({ page, family, world }) => {
  const { email: other } = await newOwner(world, `other-${Date.now()}`)
  await askFor(page, family, other)
  const mail = await family.world.mailTo(other, /This address has an account/u)
  expect(mail.text).not.toContain('/confirm-email/')
})
