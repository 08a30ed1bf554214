import type { BrowserContext, Page } from '@playwright/test'
import { expectAccessible } from '../accessible.ts'
import { PASSWORD } from '../accounts-by-api.ts'
import { expect, test } from '../family.ts'
import { expectNoSidewaysScroll, expectToast, linkIn, logIn } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

test.use({ viewport: { width: 360, height: 740 } })

/** A phone that checks who is there and keeps passkeys; `isUser`: its owner unlocks it when asked. */
async function addPhone(page: Page, isUser = true) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: isUser,
      automaticPresenceSimulation: true,
    },
  })
  return {
    unlock: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

const accountOf = (page: Page) => page.getByRole('region', { name: 'Your account' })

/** Opens the list of passkeys, and confirms by password. */
async function openKeys(page: Page) {
  const account = accountOf(page)
  await account.getByText('Passkeys and printed codes').click()
  await account.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD)
  await account.getByRole('button', { name: 'Continue' }).click()
  await expect(account.getByRole('button', { name: 'Add a passkey' })).toBeVisible()
  return account
}

const signOut = (context: BrowserContext) => context.clearCookies({ name: 'session' })

test('people add a passkey, sign in with it, rename and remove it', async ({ page, family, browser }) => {
  expectErrors(refusedWith(400), refusedWith(401))
  await addPhone(page)
  await family.open(page, '/dashboard')
  const account = accountOf(page)
  await account.getByText('Passkeys and printed codes').click()
  await expect(account.getByText('You have no passkey yet.')).toBeVisible()
  await account.getByRole('textbox', { name: 'Your password' }).fill('not-the-password')
  await account.getByRole('button', { name: 'Continue' }).click()
  await expect(account.getByRole('alert')).toContainText('That password is wrong')
  await expect(account.getByRole('button', { name: 'Add a passkey' })).toBeHidden()
  await account.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD)
  await account.getByRole('button', { name: 'Continue' }).click()

  await account.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(account.getByRole('status')).toContainText('Your passkey is ready.')
  await expect(account.getByRole('status')).toBeFocused()
  await expect(account.getByText(/^Added .*, not used yet$/u)).toBeVisible()
  await family.world.mailTo(family.email, /A passkey was added/u)
  await expectAccessible(page, 'the passkeys of an account')
  await page.setViewportSize({ width: 360, height: 740 })

  // The same device adds no second one.
  await account.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(account.getByRole('alert')).toContainText(
    'This device has a passkey for your account already.',
  )

  await account.getByRole('button', { name: /^Rename the passkey/u }).click()
  await account.getByLabel('Name of the passkey').fill('Rudo’s phone')
  await account.getByRole('button', { name: 'Save name' }).click()
  await expect(account.getByRole('status')).toContainText('The name is saved.')
  await expect(account.getByText('Rudo’s phone', { exact: true })).toBeVisible()

  await signOut(page.context())
  await page.goto('/login')
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expectToast(page, 'Welcome back!')
  await expect(page).toHaveURL('/dashboard')
  await account.getByText('Passkeys and printed codes').click()
  await expect(account.getByText(/^Added .*, last used /u)).toBeVisible()

  await account.getByRole('button', { name: 'Remove the passkey Rudo’s phone' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove it' }).click()
  await expect(account.getByRole('status')).toContainText('It no longer signs you in.')
  await expect(account.getByText('You have no passkey yet.')).toBeVisible()
  await signOut(page.context())
  await page.goto('/login')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByRole('alert')).toContainText('We don’t know this passkey.')
  await logIn(page, family.email, PASSWORD)
  await expect(page).toHaveURL('/dashboard')

  // Without script, the page says what it can't do.
  const plain = await browser.newContext({ javaScriptEnabled: false, baseURL: family.world.url })
  const withoutScript = await plain.newPage()
  await withoutScript.goto('/login')
  await expect(withoutScript.getByText('Passkeys need JavaScript')).toBeVisible()
  await expect(withoutScript.getByRole('button', { name: 'Sign in with a passkey' })).toBeHidden()
  await plain.close()
})

test('whoever doesn’t unlock the phone gets no further, and may try again', async ({ page, family }) => {
  const phone = await addPhone(page)
  await family.open(page, '/dashboard')
  const account = await openKeys(page)
  await account.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(account.getByRole('status')).toContainText('Your passkey is ready.')
  // The list has loaded again: without a session it couldn't.
  await expect(account.getByText(/^Added .*, not used yet$/u)).toBeVisible()
  await signOut(page.context())
  await page.goto('/login?next=%2Ffaq')
  await phone.unlock(false)
  const button = page.getByRole('button', { name: 'Sign in with a passkey' })
  await button.click()
  await expect(page.getByRole('alert')).toContainText('It was cancelled, or it took too long.')
  await expect(page).toHaveURL(/\/login/u)
  await phone.unlock(true)
  await button.click()
  await expect(page).toHaveURL('/faq')

  // A passkey also confirms that it's them.
  await family.world.db.prepare('UPDATE sessions SET confirmed_at = 0').run()
  await page.goto('/dashboard')
  await account.getByText('Passkeys and printed codes').click()
  await account.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(account.getByRole('button', { name: 'Add a passkey' })).toBeVisible()
})

test('ten codes are printed, and one lets its owner in without password and mailbox', async ({
  page,
  family,
}) => {
  expectErrors(refusedWith(401))
  await family.open(page, '/dashboard')
  const account = await openKeys(page)
  await expect(account.getByText('You have no codes yet.')).toBeVisible()
  await account.getByRole('button', { name: 'Make ten codes' }).click()
  await expect(account.getByRole('status')).toContainText('Here are your ten codes.')
  await expect(account.locator('ol code')).toHaveCount(10)
  const codes = await account.locator('ol code').allTextContents()
  expect(codes).toHaveLength(10)
  await expectAccessible(page, 'new codes')

  // On paper there are the codes, how to use them, and nothing else.
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('heading', { name: 'My Memorials' })).toBeHidden()
  const sheet = page.locator('body > div[aria-hidden="true"]')
  await expect(sheet).toContainText(`For the account ${family.email}`)
  await expect(sheet).toContainText(`${family.world.url}/printed-code`)
  for (const code of codes) await expect(sheet.getByText(code, { exact: true })).toBeVisible()
  await page.emulateMedia({ media: 'screen' })
  await account.getByRole('button', { name: 'I’ve kept them' }).click()
  await expect(account.getByText(/^10 codes are left of those from/u)).toBeVisible()
  await expect(page.getByText(codes[0] ?? '')).toHaveCount(0)

  const phone = await family.visitorPage(360)
  await phone.goto('/login')
  await phone.getByRole('link', { name: 'Use a printed code' }).click()
  await phone.getByLabel('Email').fill(family.email)
  await phone.getByLabel('Printed code').fill('ABCD-EFGH-JKMN-PQRS')
  await phone.getByRole('textbox', { name: 'New password' }).fill('msasa-leaves-in-spring')
  await phone.getByRole('button', { name: 'Sign in' }).click()
  await expect(phone.getByRole('alert')).toContainText('don’t go together')
  await expectAccessible(phone, 'a printed code')
  await phone.getByLabel('Printed code').fill(codes[0]?.toLowerCase() ?? '')
  await phone.getByRole('button', { name: 'Sign in' }).click()
  await expect(phone.getByRole('heading', { level: 1, name: 'You’re signed in' })).toBeFocused()
  await family.world.mailTo(family.email, /A printed code was used/u)

  // Another code stands for the mailbox that is lost.
  await phone.getByRole('link', { name: 'Go to my memorials' }).click()
  const own = accountOf(phone)
  const next = `next-${Date.now()}@family.test`
  await own.getByText('Change your email address').click()
  await own.getByLabel('New email address').fill(next)
  await own.getByRole('textbox', { name: 'Your password' }).first().fill('msasa-leaves-in-spring')
  await own.getByLabel('Printed code, if you can’t open your old mailbox').fill(codes[1] ?? '')
  await own.getByRole('button', { name: 'Change email address' }).click()
  await expect(own.getByRole('status')).toContainText('We’ve sent an email to the new address.')
  await phone.goto(linkIn(await family.world.mailTo(next, /confirm your new email/u)))
  await phone.getByRole('button', { name: 'Confirm this address' }).click()
  await expect(phone.getByRole('heading', { name: 'Your email address is changed' })).toBeVisible()
})

test('a printed code works without script', async ({ page, family, browser }) => {
  await family.open(page, '/dashboard')
  const account = await openKeys(page)
  await account.getByRole('button', { name: 'Make ten codes' }).click()
  const code = (await account.locator('ol code').first().textContent()) ?? ''
  const plain = await browser.newContext({ javaScriptEnabled: false, baseURL: family.world.url })
  const phone = await plain.newPage()
  await phone.goto('/printed-code')
  await phone.getByLabel('Email').fill(family.email)
  await phone.getByLabel('Printed code').fill(code)
  await phone.getByRole('textbox', { name: 'New password' }).fill('msasa-leaves-in-spring')
  await phone.getByRole('button', { name: 'Sign in' }).click()
  await expect(phone).toHaveURL('/dashboard')
  expect((await plain.cookies()).map(({ name }) => name)).toContain('session')
  await plain.close()
})
