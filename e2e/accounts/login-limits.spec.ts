import type { Browser, Page } from '@playwright/test'
import { account, DEMO } from '../../tools/operate/seed.ts'
import { expectNoSidewaysScroll, letPressesWait, linkIn, logIn } from '../people.ts'
import { expect, test } from '../family.ts'
import { expectErrors, refusedWith, type World } from '../world.ts'

test.use({ viewport: { width: 360, height: 740 } })

/** A browser elsewhere, which never signed in. */
async function newPhone(browser: Browser, world: World, ip: string): Promise<Page> {
  const context = await browser.newContext({
    baseURL: world.url,
    viewport: { width: 360, height: 740 },
    extraHTTPHeaders: { 'CF-Connecting-IP': ip },
  })
  await letPressesWait(context)
  return context.newPage()
}

/** One wrong guess each from 32 networks. Returns how many were checked. */
async function guess(world: World, email: string): Promise<number> {
  let checked = 0
  for (let i = 0; i < 32; i++) {
    const { status } = await fetch(`${world.url}/api/auth/login`, {
      method: 'POST',
      headers: {
        Origin: world.url,
        'Content-Type': 'application/json',
        'CF-Connecting-IP': `198.18.0.${i}`,
      },
      body: JSON.stringify({ email, password: `wrong guess ${i}` }),
    })
    if (status === 401) checked += 1
  }
  return checked
}

const expectSignedIn = (page: Page) =>
  expect(page.getByRole('heading', { name: 'My Memorials' })).toBeVisible()

test('whoever guesses passwords waits; the owner signs in beside them, and by a reset', async ({
  browser,
  page,
  world,
}) => {
  expectErrors(refusedWith(401), refusedWith(429))
  const email = 'nyasha-guessed@family.test'
  await account(world.url, world.sandboxUrl, { email, firstName: 'Nyasha', lastName: 'Dube' })
  await page.goto('/login')
  await logIn(page, email)
  await expectSignedIn(page)
  expect(
    (await page.request.post('/api/auth/logout', { headers: { Origin: world.url }, maxRetries: 3 })).status(),
  ).toBe(200)

  expect(await guess(world, email)).toBe(30)
  const attacker = await newPhone(browser, world, '198.51.100.9')
  await attacker.goto('/login')
  await logIn(attacker, email, 'one more guess')
  const alert = attacker.getByRole('alert')
  await expect(alert).toContainText(
    /Login failed.*Too many wrong passwords were tried\. Please try again in (?:an hour|\d+ minutes)\./u,
  )
  await expect(alert).toBeFocused()

  // The owner, on the phone that signed in before.
  await page.goto('/login')
  await logIn(page, email)
  await expectSignedIn(page)

  // The owner, on a new phone: the right password waits too, and a new one doesn't.
  const phone = await newPhone(browser, world, '203.0.113.200')
  await phone.goto('/login')
  await logIn(phone, email)
  await expect(phone.getByRole('alert')).toContainText('Too many wrong passwords were tried.')
  await expectNoSidewaysScroll(phone)
  await phone.getByRole('link', { name: 'Forgot password?', exact: true }).click()
  // The login has a field of the same name.
  await expect(phone.getByRole('heading', { name: 'Forgot your password?' })).toBeVisible()
  await phone.getByRole('textbox', { name: 'Email' }).fill(email)
  await phone.getByRole('button', { name: 'Send reset link' }).click()
  await expect(phone.getByRole('heading', { name: 'Check Your Email' })).toBeVisible()
  await phone.goto(linkIn(await world.mailTo(email, /password/iu)))
  const password = `${DEMO.password}-again`
  await phone.getByRole('textbox', { name: 'New password', exact: true }).fill(password)
  await phone.getByRole('textbox', { name: 'Confirm new password' }).fill(password)
  await phone.getByRole('button', { name: 'Set new password' }).click()
  await expect(phone.getByRole('heading', { name: 'Password Reset Complete' })).toBeVisible()
  // The guessing goes on meanwhile.
  expect(await guess(world, email)).toBe(30)
  await phone.goto('/login')
  await logIn(phone, email, password)
  await expectSignedIn(phone)
})
