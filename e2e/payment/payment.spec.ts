import { signIn, newOwner } from '../by-call.ts'
import { fillCard } from '../people.ts'
import { expect, test } from '../world.ts'

test('a 3-D Secure card pays if the bank approves, and not if it declines', async ({ page, world }) => {
  const { email } = await newOwner(world, 'secure')
  await signIn(page, world, email)
  await page.goto(`${world.url}/checkout`)
  await expect(page.getByRole('heading', { name: 'Memorial Payment' })).toBeVisible()

  await fillCard(page, '4000 0025 0000 3155')
  await page.getByRole('button', { name: 'Pay $60.00 Now' }).click()
  const bank = page.frameLocator('iframe[title="3-D Secure test"]')
  await bank.getByRole('button', { name: 'Fail authentication' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Payment Failed' })).toContainText(
    'We are unable to authenticate your payment method.',
  )
  expect(await world.paidBy(email)).toBe(0)

  await fillCard(page, '4000 0025 0000 3155')
  await page.getByRole('button', { name: 'Pay $60.00 Now' }).click()
  await bank.getByRole('button', { name: 'Complete authentication' }).click()
  await expect(page).toHaveURL(/\/dashboard\?payment=success&paymentId=pay_/u)
  await expect(page.getByText('Your memorial has been activated.').first()).toBeVisible()
  expect(await world.paidBy(email)).toBe(1)
})

test('a URL that claims a payment proves nothing', async ({ page, world }) => {
  const { email } = await newOwner(world, 'forger')
  await signIn(page, world, email)
  await page.goto(`${world.url}/dashboard?payment=success&paymentId=pay_forged`)
  await expect(page.getByText('No memorials yet')).toBeVisible()
  await expect(page.getByText('Payment Successful!')).toHaveCount(0)
})
