import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { Payment } from '../../src/shared/payments/payments.ts'
import { freePort } from '../../tools/operate/local/free-port.ts'
import { endWorld, killRuntime, startWorld } from '../../tools/measure/restartable-world.ts'
import { account, DEMO } from '../../tools/operate/seed.ts'
import { expectAccessible } from '../accessible.ts'
import { TENDAI } from '../accounts-by-api.ts'
import { expect, test, type Family } from '../family.ts'
import { expectNoSidewaysScroll, expectToast, hold, keepToasts, logIn } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

test.use({ viewport: { width: 360, height: 740 } })

const localTab = (page: Page) => page.getByRole('tab', { name: /^Mobile money or Zimbabwean bank/u })
const number = (page: Page) => page.getByLabel('The number that pays')

/** A number of EcoCash that no other test of this run uses. */
const newPhone = () => `077${String(Math.floor(2_000_000 + Math.random() * 7_900_000))}`

/** Opens the payment of a new draft at the tab for local payments. */
async function openLocal(page: Page, family: Family): Promise<{ id: string; address: string }> {
  const { id } = await family.draft()
  const address = `/checkout?memorialId=${id}`
  await family.open(page, address)
  await localTab(page).click()
  return { id, address }
}

async function askPhone(page: Page, phone: string, method = 'EcoCash'): Promise<void> {
  await page.getByRole('radio', { name: method }).check()
  await number(page).fill(phone)
  await page.getByRole('button', { name: `Pay US$60 with ${method}` }).click()
}

/** Presses a button on the payer's phone. */
async function onPhone(page: Page, family: Family, phone: string, button: string): Promise<void> {
  const screen = await page.context().newPage()
  const answer = screen.getByRole('listitem').filter({ hasText: phone }).getByRole('button', { name: button })
  // The request may still be on its way.
  await expect
    .poll(async () => {
      await screen.goto(`${family.world.sandboxUrl}/phone`)
      return answer.count()
    })
    .toBe(1)
  // After a close during the navigation, Chromium sometimes answered nothing more, and the test hung.
  await Promise.all([screen.waitForEvent('load'), answer.click()])
  await screen.close()
}

/** Cancels a payment at Paynow, without its phone. */
async function endAtPaynow(family: Family, reference: string): Promise<void> {
  const body = JSON.stringify({ reference, action: 'cancel' })
  await fetch(`${family.world.sandboxUrl}/test/paynow`, { method: 'POST', body })
  await expect
    .poll(async () => {
      const { payments } = await family.owner.call<{ payments: Payment[] }>('GET', '/api/user/payments')
      return payments.find(({ id }) => id === reference)?.status
    })
    .toBe('FAILED')
}

const expectPaid = async (page: Page, id: string) => {
  await expect(page).toHaveURL(new RegExp(String.raw`/memorial/${id}\?payment=success&paymentId=pay_`, 'u'))
  await expect(page.getByText('Your memorial has been activated.').first()).toBeVisible()
}
const waitingFor = (page: Page, phone: string) =>
  page.getByText(`Look at your phone ${phone.slice(0, 3)} … ${phone.slice(-3)} and enter your PIN`)
const fault = (family: Family, mode: string, match?: string, service = 'paynow') =>
  fetch(`${family.world.sandboxUrl}/faults`, {
    method: 'POST',
    body: JSON.stringify({ service, mode, match }),
  })

test('EcoCash: a number, a PIN on the phone, and the memorial is paid for', async ({ page, family }) => {
  const { id } = await openLocal(page, family)
  const phone = newPhone()
  await askPhone(page, '0712 345 678')
  await expect(page.getByText('EcoCash needs a number that begins with 077 or 078').first()).toBeVisible()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page, 'number', [360])
  await askPhone(page, `+263 ${phone.slice(1)}`)
  await expect(waitingFor(page, phone)).toBeVisible()
  await expect(page.getByText(/Nothing on the phone\? Dial \*151\*2\*7#/u)).toBeVisible()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page, 'waiting', [360])
  await onPhone(page, family, phone, 'Right PIN')
  await expectPaid(page, id)
  expect(await family.world.paidBy(family.email)).toBe(1)
  await family.world.mailTo(family.email, /receipt/iu)
})

test('a wrong PIN ends kindly, and the next try with the same number pays', async ({ page, family }) => {
  const { id, address } = await openLocal(page, family)
  const phone = newPhone()
  await askPhone(page, phone)
  await onPhone(page, family, phone, 'Wrong PIN')
  const failed = page.getByRole('alert').filter({ hasText: 'The payment was cancelled' })
  await expect(failed).toContainText('Nothing was taken.')
  await expect(failed).toContainText('EcoCash may refuse the same payment again within five minutes.')
  await expect(failed).toBeFocused()
  await failed.getByRole('button', { name: 'Try again' }).click()
  await expect(number(page)).toHaveValue(phone)
  // Who leaves and comes back is told again.
  await page.goto(address)
  await failed.getByRole('button', { name: 'Try again' }).click()
  await number(page).fill(phone)
  await page.getByRole('button', { name: 'Pay US$60 with EcoCash' }).click()
  await expect(waitingFor(page, phone)).toBeVisible()
  await onPhone(page, family, phone, 'Right PIN')
  await expectPaid(page, id)
})

test('a request that nobody answers can be left, is found again, and pays late', async ({ page, family }) => {
  const { id, address } = await openLocal(page, family)
  const phone = newPhone()
  await askPhone(page, phone)
  await page.getByText('Wrong number, or it wasn’t me').click()
  await expect(page.getByText('Don’t answer the request on that phone; it ends by itself.')).toBeVisible()
  await page.goto('/dashboard')
  // Four minutes later, by this browser's clock.
  await page.clock.install({ time: Date.now() + 240_000 })
  await page.goto(address)
  await expect(localTab(page)).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByText('Not confirmed yet')).toBeVisible()
  await expect(page.getByText(/a late payment counts/u)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send a new request' })).toBeVisible()
  // The page also looks by itself, which would take the button away.
  const letLook = await hold(page, /\/api\/payments\/[^/]+\/sync$/u)
  await onPhone(page, family, phone, 'Right PIN')
  await page.getByRole('button', { name: 'Check again' }).click()
  letLook()
  await expectPaid(page, id)
})

test('InnBucks shows a code for its app', async ({ page, family }) => {
  const { id } = await openLocal(page, family)
  const phone = newPhone()
  await askPhone(page, phone, 'InnBucks')
  await expect(page.getByText('Approve the payment in the InnBucks app')).toBeVisible()
  await expect(page.getByText(/^\d{3} \d{3} \d{3}$/u)).toBeVisible()
  await expect(page.getByRole('img', { name: 'The code as a QR code' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Open the InnBucks app' })).toHaveAttribute(
    'href',
    /^com\.innbucks\.customer:\/\/purchase\?paymentToken=\d{9}$/u,
  )
  await expectNoSidewaysScroll(page)
  await expectAccessible(page, 'innbucks', [360])
  await onPhone(page, family, phone, 'Approve')
  await expectPaid(page, id)
})

test('O’mari asks for the code of its text message', async ({ page, family }) => {
  expectErrors(refusedWith(400))
  const { id } = await openLocal(page, family)
  await askPhone(page, newPhone(), 'O’mari')
  const code = page.getByLabel('Code from the text message')
  await code.fill('999999')
  await page.getByRole('button', { name: 'Send the code' }).click()
  await expect(
    page.getByText('This code isn’t right. Please look at the text message again.').first(),
  ).toBeVisible()
  await expectAccessible(page, 'omari', [360])
  await code.fill('123456')
  await page.getByRole('button', { name: 'Send the code' }).click()
  await expectPaid(page, id)
})

test('Zimswitch is paid on Paynow’s page, and the payer returns to the memorial', async ({
  page,
  family,
}) => {
  const { id } = await openLocal(page, family)
  await page.getByRole('radio', { name: /^Zimswitch or card/u }).check()
  await expect(number(page)).toBeHidden()
  await page.getByRole('button', { name: 'Go on to Paynow' }).click()
  await expect(page).toHaveURL(/\/Payment\/ConfirmPayment\//u)
  // Back without paying: the same page is offered again.
  const paynow = page.url()
  const [unpaid] = (await family.owner.call<{ payments: Payment[] }>('GET', '/api/user/payments')).payments
  // The addresses of a return give nothing by themselves.
  await page.goto(`/memorial/${id}?payment=success&paymentId=${unpaid?.id}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText('Your memorial has been activated.')).toBeHidden()
  await page.goto(`/checkout?memorialId=${id}&paymentId=${unpaid?.id}`)
  await expect(page.getByText('Finish on Paynow’s page')).toBeVisible()
  expect(await family.world.paidBy(family.email)).toBe(0)
  await expectAccessible(page, 'paynow', [360])
  await page.getByRole('link', { name: 'Back to Paynow' }).click()
  await expect(page).toHaveURL(paynow)
  await page.getByLabel('Pay with').selectOption('zimswitch')
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await expectPaid(page, id)
})

test('while Paynow is down we send nothing twice; we learn the truth when it is back', async ({
  page,
  family,
}) => {
  const { id } = await openLocal(page, family)
  const phone = newPhone()
  // The request arrives. Its answer is lost, its post as well, and Paynow doesn't say whether it is there.
  await fault(family, 'drop', undefined, 'paynow-posts')
  await fault(family, 'drop', phone)
  await fault(family, 'fail', '/interface/trace')
  const made = page.waitForResponse('**/api/payments/mobile')
  await askPhone(page, phone)
  const payment = (await (await made).json()) as Payment
  await expect(page.getByText('We don’t know yet whether your phone got the request')).toBeVisible()
  await expect(page.getByText(/We won’t send a second one until we know/u)).toBeVisible()
  await expectAccessible(page, 'uncertain', [360])
  await onPhone(page, family, phone, 'Right PIN')
  await page.getByRole('button', { name: 'Check again' }).click()
  for (const match of [phone, '/interface/trace']) await fault(family, 'ok', match)
  await expectPaid(page, id)
  await fault(family, 'send', undefined, 'paynow-posts')
  const known = await fetch(`${family.world.sandboxUrl}/paynow?reference=${payment.id}`)
  expect(((await known.json()) as { transactions: object[] }).transactions).toHaveLength(1)
})

test('a line that drops while waiting loses nothing', async ({ page, family }) => {
  expectErrors(/ERR_INTERNET_DISCONNECTED/u)
  const { id } = await openLocal(page, family)
  const phone = newPhone()
  await askPhone(page, phone)
  await expect(waitingFor(page, phone)).toBeVisible()
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Check again' }).click()
  await expect(page.getByText('No connection. We’ll look again as soon as there is one.')).toBeVisible()
  await expect(waitingFor(page, phone)).toBeVisible()
  await page.context().setOffline(false)
  await onPhone(page, family, phone, 'Right PIN')
  await expectPaid(page, id)
})

test('the wizard reports too little money at once; a payment leads to the first step', async ({
  page,
  family,
}) => {
  await keepToasts(page)
  await family.open(page, '/create-memorial')
  await localTab(page).click()
  await askPhone(page, '0774444444')
  await expect(page.getByText('There wasn’t enough money')).toBeVisible()
  await page.getByRole('button', { name: 'Try again' }).click()
  const phone = newPhone()
  await askPhone(page, phone)
  await onPhone(page, family, phone, 'Right PIN')
  await expectToast(page, 'Payment Successful!')
  await expect(page.getByRole('heading', { name: 'Basic Information' })).toBeVisible()
})

test('who enters the PIN at once is told that it is paid', async ({ page, family }) => {
  await family.open(page, '/create-memorial')
  await localTab(page).click()
  const phone = newPhone()
  const { promise: paid, resolve: letGo } = Promise.withResolvers<void>()
  await page.route('**/api/payments/mobile', async (route) => {
    const response = await route.fetch({ maxRetries: 3 })
    await paid
    await route.fulfill({ response })
  })
  const sayPaid = await hold(page, /\/api\/payments\/[^/]+\/sync$/u)
  await askPhone(page, phone)
  await onPhone(page, family, phone, 'Right PIN')
  await expect.poll(() => family.world.paidBy(family.email)).toBe(1)
  letGo()
  await expect(waitingFor(page, phone)).toBeVisible()
  sayPaid()
  await expectToast(page, 'Payment Successful!')
  await expect(page.getByRole('heading', { name: 'Basic Information' })).toBeVisible()
})

test('a request survives a server that is killed while it waits', async ({ family }) => {
  expectErrors(/net::ERR_/u, refusedWith(500))
  const state = mkdtempSync(join(tmpdir(), 'nhaka-killed-'))
  const place = { state, port: await freePort(), sandboxPort: await freePort() }
  const url = `http://localhost:${place.port}`
  const sandboxUrl = `http://127.0.0.1:${place.sandboxPort}`
  let server = await startWorld(place)
  try {
    const who = { ...DEMO.owner, email: 'killed@family.test' }
    const owner = await account(url, sandboxUrl, who)
    const { id } = await owner.call<{ id: string }>('POST', '/api/memorials', TENDAI)
    const page = await family.visitorPage(360, `${url}/login`)
    await logIn(page, who.email)
    await expect(page).toHaveURL(/\/dashboard/u)
    await page.goto(`${url}/checkout?memorialId=${id}`)
    await localTab(page).click()
    const phone = newPhone()
    await askPhone(page, phone)
    await expect(waitingFor(page, phone)).toBeVisible()
    await killRuntime(place, server)
    server = await startWorld(place)
    const screen = await page.context().newPage()
    await screen.goto(`${sandboxUrl}/phone`)
    await screen.getByRole('button', { name: 'Right PIN' }).click()
    await expectPaid(page, id)
    await page.context().close()
  } finally {
    await endWorld(server)
    rmSync(state, { recursive: true, force: true })
  }
})

test('each way that a request can end has its sentence', async ({ page, family }) => {
  await openLocal(page, family)
  const ends = {
    refused: /The request couldn’t be sent.*please check the number and the way to pay/isu,
    expired: /Nobody answered the request.*Nothing was taken/isu,
    failed: /The payment didn’t go through.*Nothing was taken/isu,
  }
  let shown = ''
  // Paynow refuses such a request by itself, or lets it lie for two days.
  await page.route(/\/api\/payments\/(?:mobile|[^/]+\/sync)$/u, async (route) => {
    const answer = await route.fetch({ maxRetries: 3 })
    const payment = (await answer.json()) as Payment
    const local = { ...payment.local, problem: shown }
    await route.fulfill({ response: answer, json: { ...payment, status: 'FAILED', local } })
  })
  for (const [problem, sentence] of Object.entries(ends)) {
    shown = problem
    await askPhone(page, newPhone())
    const failed = page.getByRole('alert').filter({ hasText: sentence })
    await expect(failed).toBeVisible()
    // So that the next one is sent.
    const { payments } = await family.owner.call<{ payments: Payment[] }>('GET', '/api/user/payments')
    await endAtPaynow(family, payments[0]?.id ?? '')
    await failed.getByRole('button', { name: 'Try again' }).click()
  }
  await page.unrouteAll({ behavior: 'wait' })
})

/** Serves the checkout with the configuration of a product without Paynow. */
async function unsetPaynow(page: Page): Promise<void> {
  // A document that the test wrote may not load the card provider's script from this machine.
  expectErrors(/loopback/u, /\/v3\//u)
  // The document has the configuration in it.
  await page.route(/\/checkout(?:\?|$)/u, async (route) => {
    const answer = await route.fetch({ maxRetries: 3 })
    const body = (await answer.text()).replace(/(hasLocalPayments\W+(?:quot;)?\W*)true/u, '$1false')
    await route.fulfill({ response: answer, body })
  })
}

test('a request that was sent before Paynow was unset still waits on the screen', async ({
  page,
  family,
}) => {
  const { id, address } = await openLocal(page, family)
  const phone = newPhone()
  await askPhone(page, phone)
  await expect(waitingFor(page, phone)).toBeVisible()
  await unsetPaynow(page)
  await page.goto(address)
  await expect(
    page.getByRole('tab', { name: 'Mobile money or Zimbabwean bank Not available here' }),
  ).toHaveAttribute('aria-selected', 'true')
  await expect(waitingFor(page, phone)).toBeVisible()
  await onPhone(page, family, phone, 'Right PIN')
  await expectPaid(page, id)
})

test('without Paynow the tab says so', async ({ page, family }) => {
  await unsetPaynow(page)
  await family.open(page, '/checkout')
  await expect(
    page.getByRole('tab', { name: 'Mobile money or Zimbabwean bank Not available here' }),
  ).toBeVisible()
  await localTab(page).click()
  await expect(page.getByRole('tabpanel')).toContainText(
    'Mobile money and Zimbabwean banking are not available here.',
  )
})
