import type { Locator, Page } from '@playwright/test'
import type { Memorial } from '../../src/shared/memorials/memorials.ts'
import type { PaymentIntent } from '../../src/shared/payments/payments.ts'
import { messages } from '../../src/shared/messages.ts'
import { pay } from '../../tools/operate/seed.ts'
import { newOwner, TENDAI } from '../accounts-by-api.ts'
import { expect, test } from '../family.ts'
import { collect, expectNoSidewaysScroll, expectToast, fillCard, hold } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const CARD = '4242 4242 4242 4242'
const payButton = (page: Page) => page.getByRole('button', { name: 'Pay $60.00 Now' })
const refusal = (page: Page) => page.getByRole('main').getByRole('alert')

/** Distance from the top of the page, in CSS pixels. */
const placeOnPage = (part: Locator) =>
  part.evaluate((element) => element.getBoundingClientRect().top + scrollY)

test.use({ viewport: { width: 360, height: 740 } })

test('paying for a memorial activates it and opens it, and nobody can pay twice', async ({
  page,
  family,
}) => {
  expectErrors(refusedWith(409))
  const memorial = await family.draft()
  await family.signIn(page)
  const address = `${family.world.url}/checkout?memorialId=${memorial.id}`
  const second = await page.context().newPage()
  await second.goto(address)
  await fillCard(second, CARD)

  await page.goto(address)
  await expect(page.getByRole('heading', { level: 1, name: 'Memorial Payment' })).toBeVisible()
  await expect(page.getByText(`For the memorial of ${TENDAI.honoureeFullName}`)).toBeVisible()
  await expect(page.getByText('$60', { exact: true })).toBeVisible()
  for (const inclusion of [
    'Lifetime hosting',
    'Unlimited photos and videos',
    'Family and friends collaboration',
    'Privacy controls',
    'Digital funeral programs',
    'QR codes',
  ]) {
    await expect(page.getByRole('listitem').filter({ hasText: inclusion })).toBeVisible()
  }
  await fillCard(page, CARD)
  // Delayed until the test has seen the button, because "processing" is short.
  const intent = /create-payment-intent$/u
  const requested = collect(page, (request) => (intent.test(request.url()) ? request.url() : undefined))
  const letThrough = await hold(page, intent)
  await payButton(page).dblclick()
  const busy = page.getByRole('button', { name: 'Processing Payment...' })
  await expect(busy).toBeDisabled()
  await busy.dispatchEvent('click')
  letThrough()
  await expectToast(page, 'Payment Successful!', 'Your memorial has been activated.')
  await expect(page).toHaveURL(
    new RegExp(String.raw`/memorial/${memorial.id}\?payment=success&paymentId=pay_\w+$`, 'u'),
  )
  await expect(page.getByRole('main')).toContainText('Your memorial has been activated.')
  expect(requested).toHaveLength(1)
  expect(await family.world.paidBy(family.email)).toBe(1)
  const after = await family.owner.call<{ memorial: Memorial }>('GET', `/api/memorials/${memorial.id}`)
  expect(after.memorial).toMatchObject({ isPaid: true, status: 'ACTIVE' })

  // The other tab still shows the form.
  await payButton(second).click()
  await expect(second.getByRole('main')).toContainText(messages.payment.alreadyPaid)
  await expect(second.getByRole('link', { name: 'Open the memorial' })).toBeVisible()
  await expect(payButton(second)).toHaveCount(0)
  await second.reload()
  await expect(second.getByRole('main')).toContainText(messages.payment.alreadyPaid)
  expect(await family.world.paidBy(family.email)).toBe(1)
})

for (const width of [360, 1280]) {
  test(`the checkout is readable before the app, which moves nothing, at ${width} px`, async ({
    page,
    family,
  }) => {
    const memorial = await family.draft()
    await family.signIn(page)
    await page.setViewportSize({ width, height: 740 })
    const letThrough = await hold(page, /\/assets\/.*\.js$/u)
    await page.goto(`/checkout?memorialId=${memorial.id}`, { waitUntil: 'commit' })
    const title = page.getByRole('heading', { level: 1, name: 'Memorial Payment' })
    await expect(title).toBeVisible()
    const inclusion = page.getByRole('listitem').filter({ hasText: 'Digital funeral programs' })
    // Parsed to the end, with the styles there.
    await expect.poll(() => page.evaluate(() => document.readyState)).toBe('interactive')
    const places = () => Promise.all([title, inclusion].map(placeOnPage))
    await page.evaluate(() => document.fonts.ready.then(() => null))
    const before = await places()
    letThrough()
    await expect(page.getByText(`For the memorial of ${TENDAI.honoureeFullName}`)).toBeVisible()
    await fillCard(page, CARD)
    expect(await places()).toEqual(before)
    await expect(payButton(page)).toBeEnabled()
  })
}

test('without script the checkout says what paying needs', async ({ browser, family }) => {
  const context = await browser.newContext({ baseURL: family.world.url, javaScriptEnabled: false })
  const page = await context.newPage()
  await family.signIn(page)
  await page.goto('/checkout')
  await expect(page.getByRole('heading', { level: 1, name: 'Memorial Payment' })).toBeVisible()
  await expect(page.getByRole('status')).toHaveText(/This page needs JavaScript/u)
})

test('paying without a memorial leads to the dashboard, and the payment is a credit', async ({
  page,
  family,
}) => {
  await family.open(page, '/checkout')
  await fillCard(page, CARD)
  await payButton(page).click()
  await expectToast(page, 'Payment Successful!')
  await expect(page).toHaveURL(/\/dashboard\?payment=success&paymentId=pay_\w+$/u)
  await expect(page.getByRole('main')).toContainText('Your memorial has been activated.')
  await page.goto('/checkout')
  await expect(page.getByRole('main')).toContainText(messages.payment.creditWaiting)
  await expect(payButton(page)).toHaveCount(0)
  await page.getByRole('link', { name: 'Create the memorial' }).click()
  await expect(page.getByRole('heading', { name: 'Basic Information' })).toBeVisible()
})

test('a payment that waits is used for a draft, and nobody is asked to pay again', async ({
  page,
  family,
}) => {
  const first = await family.draft()
  const second = await family.draft({ honoureeFullName: 'Sekai Ndlovu' })
  await pay(family.owner, family.world.sandboxUrl)
  await family.open(page, '/dashboard')
  const waiting = page.getByRole('status').filter({ hasText: messages.payment.creditTitle })
  await expect(waiting.getByRole('button', { name: `Use it for ${first.honoureeFullName}` })).toBeVisible()
  await expect(waiting.getByRole('link', { name: 'Begin another memorial' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Pay $60' })).toHaveCount(0)
  await expectNoSidewaysScroll(page)
  await page.goto(`/checkout?memorialId=${first.id}`)
  await expect(waiting).toBeVisible()
  await expect(payButton(page)).toHaveCount(0)

  await page.goto('/dashboard')
  await waiting.getByRole('button', { name: 'Use it for Sekai Ndlovu' }).click()
  await expectToast(page, messages.payment.creditTitle, messages.payment.creditUsed)
  await expect(page).toHaveURL(new RegExp(`/memorial/${second.id}[?]payment=success`, 'u'))
  await expect(page.getByRole('main')).toContainText('Your memorial has been activated.')

  // The other draft has to be paid for now. Sharing uses another payment that waits.
  await page.goto(`/create-memorial/${first.id}?step=5`)
  await page.getByRole('radio', { name: /^Invite-only/u }).check()
  await expect(payButton(page)).toBeVisible()
  await pay(family.owner, family.world.sandboxUrl)
  await page.reload()
  await expect(waiting).toContainText(messages.payment.creditForShared)
  await page.getByRole('radio', { name: /^Invite-only/u }).check()
  await expectToast(page, 'Privacy Updated', messages.payment.creditUsed)
  await expect(payButton(page)).toHaveCount(0)
  expect(await family.world.paidBy(family.email)).toBe(2)
})

test('the tenth declined card closes the payment, kindly, and another card can pay', async ({
  page,
  family,
}) => {
  expectErrors(refusedWith(402))
  const intent = await family.owner.call<PaymentIntent>('POST', '/api/stripe/create-payment-intent', {})
  const path = `/v1/payment_intents/${intent.clientSecret.split('_secret_')[0]}/confirm`
  const body = new URLSearchParams({
    key: 'pk_test_sandbox',
    client_secret: intent.clientSecret,
    payment_method: 'pm_card_chargeDeclined',
  })
  for (let attempt = 0; attempt < 9; attempt += 1)
    await fetch(`${family.world.sandboxUrl}${path}`, { method: 'POST', body })
  await family.open(page, '/checkout')
  await fillCard(page, '4000 0000 0000 0002')
  await payButton(page).click()
  await expect(refusal(page)).toContainText(messages.payment.tooManyDeclines)
  await expect(refusal(page)).toContainText('No money was taken.')
  await fillCard(page, CARD)
  await payButton(page).click()
  await expect(page).toHaveURL(/\/dashboard\?payment=success/u)
  expect(await family.world.paidBy(family.email)).toBe(1)
})

test('a payment error says what failed and whether money was taken', async ({ page, world, family }) => {
  expectErrors(refusedWith(500), refusedWith(402), /ERR_FAILED/u)
  await family.signIn(page)

  // The provider's script fails to load, so the form cannot be submitted.
  const script = /\/v3\/?(?:stripe\.js)?$|stripe\.js/u
  await page.route(script, (route) => route.abort())
  await page.goto('/checkout')
  await expect(refusal(page)).toContainText(messages.payment.formFailed)
  await expect(payButton(page)).toHaveCount(0)
  await page.unroute(script)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(payButton(page)).toBeVisible()

  // The bank declines the card.
  await fillCard(page, '4000 0000 0000 0002')
  await payButton(page).click()
  await expectToast(page, 'Payment Failed')
  await expect(refusal(page)).toContainText('Your card was declined.')
  await expect(refusal(page)).toContainText('No money was taken.')

  // Our server fails without a message.
  await page.route(/create-payment-intent$/u, (route) => route.fulfill({ status: 500, body: '' }), {
    times: 1,
  })
  await payButton(page).click()
  await expectToast(page, 'Payment Error')
  await expect(refusal(page)).toContainText('Something went wrong. Please try again.')
  await expect(refusal(page)).toContainText('No money was taken.')

  // Something in this browser removed the card field.
  await page.locator('iframe[title="Secure card payment input frame"]').evaluate((frame) => frame.remove())
  await payButton(page).click()
  await expectToast(page, 'Payment Error')
  await expect(refusal(page)).toContainText('Card element not found')
  expect(await world.paidBy(family.email)).toBe(0)
})

test('mobile money and Zimbabwean banking can be chosen beside the card', async ({ page, family }) => {
  await family.signIn(page)
  for (const path of ['/checkout', '/create-memorial']) {
    await page.goto(path)
    await expect(page.getByRole('tab', { name: 'Credit Card' })).toHaveAttribute('aria-selected', 'true')
    const local = page.getByRole('tab', { name: /^Mobile money or Zimbabwean bank/u })
    await local.click()
    await expect(local).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByRole('button', { name: 'Pay US$60 with EcoCash' })).toBeVisible()
    await expect(payButton(page)).toBeHidden()
    await local.press('ArrowLeft')
    await expect(page.getByRole('tab', { name: 'Credit Card' })).toBeFocused()
    await expect(payButton(page)).toBeVisible()
    await expect(page.getByRole('link', { name: 'Contact support' })).toHaveAttribute('href', '/contact')
  }
  // The payment step of the wizard shows what the user pays for.
  await expect(page.getByRole('heading', { name: 'Complete Your Memorial' })).toBeVisible()
  for (const text of [
    '$60',
    'Introductory Offer',
    'One-time payment. No recurring fees.',
    '5-step wizard',
    'Unlimited contributors',
    'Photo, video and audio sharing',
    'QR code for the gravestone',
    'Funeral details with calendar integration',
    'Privacy controls: Private, Invite-only or Public',
    'Permanent preservation',
  ]) {
    await expect(page.getByText(text, { exact: true })).toBeVisible()
  }
})

test("nobody can pay for another person's memorial, or for one that does not exist", async ({
  page,
  family,
}) => {
  expectErrors(refusedWith(403), refusedWith(404))
  const { owner } = await newOwner(family.world, 'somebody')
  const theirs = await owner.call<Memorial>('POST', '/api/memorials', TENDAI)
  await family.signIn(page)
  for (const [id, heading] of [
    [theirs.id, 'Private Memorial'],
    ['mem_nothing', 'Memorial Not Found'],
  ] as const) {
    for (const path of [`/checkout?memorialId=${id}`, `/create-memorial/${id}`]) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
      await expect(page.getByText(TENDAI.honoureeFullName)).toHaveCount(0)
      await expect(page.getByRole('link', { name: 'Return Home' })).toBeVisible()
    }
  }
  const body = JSON.stringify({ memorialId: theirs.id })
  const headers = { 'Content-Type': 'application/json' }
  const refused = await family.owner.send('POST', '/api/stripe/create-payment-intent', body, headers)
  expect(refused.status).toBe(404)
})

test("the page after paying shows success only for the user's own paid payment", async ({ page, family }) => {
  const { owner: other } = await newOwner(family.world, 'other-payer')
  const notMine = await pay(other, family.world.sandboxUrl)
  const memorial = await family.memorial()
  const { payments } = await family.owner.call<{ payments: { id: string }[] }>('GET', '/api/user/payments')
  await family.signIn(page)
  const success = page.getByRole('main').getByText('Payment Successful!')
  for (const screen of ['/dashboard', `/memorial/${memorial.id}`]) {
    await page.goto(`${screen}?payment=success&paymentId=${payments[0]?.id}`)
    await expect(success).toBeVisible()
    const known = page.waitForResponse('**/api/user/payments')
    await page.goto(`${screen}?payment=success&paymentId=${notMine}`)
    await expect(page.getByText(memorial.honoureeFullName).first()).toBeVisible()
    await known
    await page.waitForLoadState('networkidle')
    await expect(success).toHaveCount(0)
  }
})

test('a 3-D Secure card pays if the bank approves, and not if it declines', async ({ page, family }) => {
  // The provider allows no headers but its own where the browser asks it about the payment.
  await page.context().setExtraHTTPHeaders({})
  await family.open(page, '/checkout')
  await expect(page.getByRole('heading', { name: 'Memorial Payment' })).toBeVisible()

  await fillCard(page, '4000 0025 0000 3155')
  await payButton(page).click()
  const bank = page.frameLocator('iframe[title="3-D Secure test"]')
  // Its script writes the amount, and listens.
  await expect(bank.getByText('$60.00')).toBeVisible()
  await bank.getByRole('button', { name: 'Fail authentication' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Payment Failed' })).toContainText(
    'We are unable to authenticate your payment method.',
  )
  expect(await family.world.paidBy(family.email)).toBe(0)

  await fillCard(page, '4000 0025 0000 3155')
  await payButton(page).click()
  await expect(bank.getByText('$60.00')).toBeVisible()
  await bank.getByRole('button', { name: 'Complete authentication' }).click()
  await expect(page).toHaveURL(/\/dashboard\?payment=success&paymentId=pay_/u)
  await expect(page.getByText('Your memorial has been activated.').first()).toBeVisible()
  expect(await family.world.paidBy(family.email)).toBe(1)
})

test('a URL that claims a payment proves nothing', async ({ page, family }) => {
  const known = page.waitForResponse('**/api/user/payments')
  await family.open(page, '/dashboard?payment=success&paymentId=pay_forged')
  await expect(page.getByText('No memorials yet')).toBeVisible()
  await known
  await expect(page.getByText('Payment Successful!')).toHaveCount(0)
})
