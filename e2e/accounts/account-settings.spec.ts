import { readFile } from 'node:fs/promises'
import { PASSWORD } from '../accounts-by-api.ts'
import { expectAccessible } from '../accessible.ts'
import { expect, test } from '../family.ts'
import { expectNoSidewaysScroll, expectToast, logIn, saved } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

test.use({ viewport: { width: 360, height: 740 } })

test('people change their name and password, and sign out everywhere', async ({ page, family }) => {
  expectErrors(refusedWith(400))
  await family.open(page, '/dashboard')
  const account = page.getByRole('region', { name: 'Your account' })

  await account.getByText('Change your name').click()
  await account.getByLabel('First name').fill('')
  await account.getByRole('button', { name: 'Save name' }).click()
  await expect(account.getByRole('alert')).toContainText('Please fill in all fields')
  await account.getByLabel('First name').fill('Tariro')
  await account.getByRole('button', { name: 'Save name' }).click()
  await expect(page.getByText('Welcome back, Tariro')).toBeVisible()

  await account.getByText('Change your password').click()
  const type = async (label: string, text: string) =>
    account.getByRole('textbox', { name: label, exact: true }).fill(text)
  const change = account.getByRole('button', { name: 'Change password' })
  await type('Current password', 'not-the-password')
  await type('New password', 'msasa-leaves-in-spring')
  await type('Confirm new password', 'msasa-leaves-in-autumn')
  await change.click()
  await expect(account.getByRole('alert')).toContainText('Passwords do not match')
  await type('Confirm new password', 'msasa-leaves-in-spring')
  await change.click()
  await expect(account.getByRole('alert')).toContainText('That password is wrong')
  await type('Current password', PASSWORD)
  await change.click()
  await expectToast(page, 'Your password has been changed.')

  await account.getByText('Sign out on every device').click()
  await account.getByRole('button', { name: 'Sign out everywhere' }).click()
  await expectToast(page, 'You have been logged out on every device.')
  await expect(page).toHaveURL('/')
  await page.goto('/login')
  await logIn(page, family.email, 'msasa-leaves-in-spring')
  await expect(page).toHaveURL('/dashboard')
})

test('people see where they are signed in, and sign out one device or all others', async ({
  page,
  family,
  browser,
}) => {
  expectErrors(refusedWith(401))
  const phones = await Promise.all(
    ['Android 14; Mobile', 'X11; Linux x86_64', 'Windows NT 10.0'].map(async (system) => {
      const userAgent = `Mozilla/5.0 (${system}; rv:127.0) Gecko/20100101 Firefox/127.0`
      const context = await browser.newContext({ userAgent })
      const other = await context.newPage()
      await other.goto('/login')
      await logIn(other, family.email, PASSWORD)
      await expect(other).toHaveURL('/dashboard')
      return other
    }),
  )
  await family.open(page, '/dashboard')
  const account = page.getByRole('region', { name: 'Your account' })
  await account.getByText('Where you’re signed in').click()
  const devices = account.getByRole('listitem')
  await expect(devices.first()).toContainText('This one')
  await expect(devices.first().getByRole('button')).toHaveCount(0)
  await expectNoSidewaysScroll(page)
  await expectAccessible(page, 'the list of devices')

  await account.getByRole('button', { name: /End this one.*Firefox on Android/u }).click()
  const said = account.getByText('That device is signed out.')
  await expect(said).toBeVisible()
  await expect(account.getByRole('status')).toBeFocused()
  await expect(account.getByText('Firefox on Android')).toHaveCount(0)
  await phones[0]!.reload()
  await expect(phones[0]!).toHaveURL(/\/login/u)
  await phones[1]!.reload()
  await expect(phones[1]!.getByRole('heading', { name: 'My Memorials' })).toBeVisible()

  await account.getByRole('button', { name: 'End all others' }).click()
  await expect(account.getByText('Every other device is signed out.')).toBeVisible()
  await expect(account.getByText('You’re not signed in anywhere else.')).toBeVisible()
  await expect(devices).toHaveCount(1)
  for (const other of phones.slice(1)) {
    await other.reload()
    await expect(other).toHaveURL(/\/login/u)
    await other.context().close()
  }
  await page.reload()
  await expect(page.getByRole('heading', { name: 'My Memorials' })).toBeVisible()
})

test('an owner deletes a memorial by typing its name, and restores it', async ({ page, family }) => {
  expectErrors(refusedWith(400))
  const { id } = await family.draft({ honoureeFullName: 'Josiah Ncube' })
  await family.open(page, `/memorial/${id}`)
  await page.getByRole('button', { name: 'Delete this memorial' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete the memorial for Josiah Ncube?' })
  await dialog.getByRole('textbox').fill('Josiah')
  await dialog.getByRole('button', { name: 'Delete memorial' }).click()
  await expect(dialog).toContainText('The name does not match. Nothing was deleted.')
  await dialog.getByRole('textbox').fill('Josiah Ncube')
  await dialog.getByRole('button', { name: 'Delete memorial' }).click()
  await expect(page).toHaveURL('/dashboard')
  await expect(page.getByText('No memorials yet')).toBeVisible()

  const deleted = page.getByRole('region', { name: 'Deleted memorials' })
  await deleted.getByRole('button', { name: /Bring it back.*Josiah Ncube/u }).click()
  await expectToast(page, 'The memorial is back, as it was.')
  await expect(deleted).toHaveCount(0)
  await expect(page.getByRole('link', { name: /View/u })).toBeVisible()
})

test('people download their data, delete their account and restore it by signing in', async ({
  page,
  family,
}) => {
  expectErrors(refusedWith(400))
  for (const honoureeFullName of ['Josiah Ncube', 'Tendai Moyo']) await family.draft({ honoureeFullName })
  await family.open(page, '/dashboard')
  const account = page.getByRole('region', { name: 'Your account' })
  await account.getByText('Download a copy of your data').click()
  const download = await saved(page, account.getByRole('link', { name: 'Download a copy' }).click())
  expect(download.suggestedFilename()).toMatch(/^my-account-[\d-]+\.json$/u)
  const copy = JSON.parse(await readFile(await download.path(), 'utf8')) as {
    account: { email: string }
    memorials: unknown[]
  }
  expect([copy.account.email, copy.memorials.length]).toEqual([family.email, 2])

  await account.getByText('Delete your account').click()
  await expect(account).toContainText('This deletes your account and your 2 memorials')
  await expect(account.getByRole('listitem')).toHaveText(['Tendai Moyo', 'Josiah Ncube'])
  const remove = account.getByRole('button', { name: 'Delete my account' })
  await remove.click()
  await expect(account.getByRole('alert')).toContainText('Please fill in all fields')
  const password = account.getByRole('textbox', { name: 'Your password' })
  await password.fill('not-the-password')
  await remove.click()
  await expect(account.getByRole('alert')).toContainText('That password is wrong')
  await password.fill(PASSWORD)
  await remove.click()
  await expect(page).toHaveURL('/login')
  await expect(page.getByRole('main')).toContainText('Your account was deleted.')
  await expect(page.getByRole('main')).toContainText('If you change your mind, sign in here before')
  await expectNoSidewaysScroll(page)
  const mail = await family.world.mailTo(family.email, /account was deleted/iu)
  expect(mail.text).toContain('Your account and its memorials are deleted.')

  await logIn(page, family.email)
  await expectToast(page, 'Welcome back. Your account is here again')
  await expect(page).toHaveURL('/dashboard')
  await expect(page.getByRole('link', { name: /View/u })).toHaveCount(2)
})

test('deleting an account asks what becomes of a memorial that a keeper looks after', async ({
  page,
  family,
}) => {
  expectErrors(refusedWith(404))
  const memorial = await family.memorial()
  await family.draft({ honoureeFullName: 'Josiah Ncube' })
  const phone = await family.visitorPage(360)
  const { name, email = '' } = await family.keeper(phone, memorial.id)
  await family.open(page, '/dashboard')
  const account = page.getByRole('region', { name: 'Your account' })
  await account.getByText('Delete your account').click()
  const question = account.getByRole('group', { name: 'What becomes of the memorial of Sekai Ndlovu?' })
  const remove = account.getByRole('button', { name: 'Delete my account' })
  await account.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD)
  await remove.click()
  await expect(account.getByRole('alert')).toContainText('Please choose what becomes of each memorial')
  await expectAccessible(page, 'the deletion of an account with a keeper')
  await question.getByRole('radio', { name: 'It’s deleted with my account' }).check()
  await expect(account.getByRole('listitem')).toHaveText(['Josiah Ncube', 'Sekai Ndlovu'])
  await question.getByRole('radio', { name: `${name} gets it, at once` }).check()
  await expect(account.getByRole('listitem')).toHaveText(['Josiah Ncube'])
  await expect(account).toContainText('Whoever gets a memorial keeps it.')
  await expectNoSidewaysScroll(page)
  await remove.click()
  await expect(page).toHaveURL('/login')
  const mail = await family.world.mailTo(email, /A memorial is yours now/u)
  expect(mail.text).toContain('left the memorial of Sekai Ndlovu to you')
  await phone.goto(`/memorial/${memorial.id}`)
  await expect(phone.getByRole('button', { name: 'Delete this memorial' })).toBeVisible()
})

test('the registration form links to the terms that users agree to', async ({ page }) => {
  await page.goto('/register')
  const message = page.getByText('By creating an account you agree to the terms')
  await expect(message).toContainText(`and the privacy policy`)
  await expect(message).toContainText('and confirm that you are 18 or older')
  await expect(message.getByRole('link', { name: /^terms/u })).toHaveAttribute('href', '/terms')
  await expect(message.getByRole('link', { name: /^privacy policy/u })).toHaveAttribute('href', '/privacy')
})
