import { PASSWORD } from '../accounts-by-api.ts'
import { expectAccessible } from '../accessible.ts'
import { codeAt, fromBase32, stepAt } from '../../src/worker/features/passkeys/totp.ts'
import { expect, test } from '../family.ts'
import { logIn } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

test('a new admin sets up an authenticator app before the console opens', async ({ page, family }) => {
  expectErrors(refusedWith(403), /ApiError: 403/u)
  await family.world.db.prepare("UPDATE users SET role = 'ADMIN' WHERE email = ?").bind(family.email).run()
  await page.goto('/login?next=%2Fadmin')
  await logIn(page, family.email, PASSWORD)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('One more step')
  await expect(page.getByText('You have neither yet.')).toBeVisible()
  // They have given their password a moment ago; later, they are asked.
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
  const secret = await page.locator('main code').textContent()
  await expect(page.getByRole('img', { name: /A code for your authenticator app/u })).toBeVisible()
  await expectAccessible(page, 'setting up an authenticator app')
  const code = codeAt(fromBase32((secret ?? '').replaceAll(' ', '')), stepAt(Date.now()))
  await page.getByLabel('Code that the app shows').fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Admin Console')
  await expect(page.getByRole('tabpanel').locator('dl').first()).toBeVisible()
  await family.world.mailTo(family.email, /An authenticator app was added/u)

  // Back to what the account was, for the tests that count admins.
  await family.world.db.prepare("UPDATE users SET role = 'USER' WHERE email = ?").bind(family.email).run()
})
