import type { Page } from '@playwright/test'
import { newOwner, signIn } from '../accounts-by-api.ts'
import { expectAccessible } from '../accessible.ts'
import { expect, test, type Family } from '../family.ts'
import { expectNoSidewaysScroll, expectToast, fillCard } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const CARD = '4242 4242 4242 4242'
const COUSIN = { name: 'Tapiwa Moyo', email: 'tapiwa' }

test.use({ viewport: { width: 360, height: 740 } })

const payButton = (page: Page) => page.getByRole('button', { name: 'Pay $60.00 Now' })
const newAddress = (name: string) => `${name}-${Date.now()}@leeds.test`

/** The owner makes a link at the checkout of a new draft. */
async function makeLink(page: Page, family: Family): Promise<{ id: string; url: string }> {
  const { id } = await family.draft({ honoureeFullName: 'Gogo Moyo' })
  await family.open(page, `/checkout?memorialId=${id}`)
  // By keyboard: the sandbox's card field is higher than Stripe's, and moves what stands below from under a mouse while it loads.
  await page.locator('summary', { hasText: 'Ask somebody else to pay' }).press('Enter')
  await page.getByRole('checkbox', { name: /^Show the name and portrait/u }).check()
  await page.getByRole('button', { name: 'Make the link' }).click()
  const whatsApp = await page.getByRole('link', { name: 'Send with WhatsApp' }).getAttribute('href')
  const text = new URL(whatsApp ?? '').searchParams.get('text') ?? ''
  expect(text).toMatch(/^\S+ asks you to give Gogo Moyo’s memorial: US\$60, once\. http/u)
  return { id, url: text.slice(text.indexOf('http')) }
}

async function sayWhoPays(page: Page, email: string, name = COUSIN.name): Promise<void> {
  await page.getByLabel('Your name').fill(name)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Go on to pay' }).click()
}

test('a cousin pays by card with the link, and the family thanks them', async ({ page, family }) => {
  const { id, url } = await makeLink(page, family)
  await expectAccessible(page, 'link made', [360])
  await expectNoSidewaysScroll(page)

  const cousin = await family.visitorPage(360, url)
  await expect(
    cousin.getByRole('heading', { level: 1, name: /asks you to give Gogo Moyo’s memorial: US\$60, once$/u }),
  ).toBeVisible()
  await expectAccessible(cousin, 'link opened', [360])
  await cousin.getByRole('button', { name: 'Go on to pay' }).click()
  await expect(cousin.getByRole('alert')).toContainText('Please enter your name')
  const email = newAddress(COUSIN.email)
  await sayWhoPays(cousin, email)
  await fillCard(cousin, CARD)
  await expectAccessible(cousin, 'card', [360])
  await payButton(cousin).click()
  await expect(cousin.getByText('This has been paid for')).toBeVisible()
  await expectNoSidewaysScroll(cousin)
  const receipt = await family.world.mailTo(email, /receipt/iu)
  expect(receipt.text).toContain('For: the memorial of Gogo Moyo')

  // A second person finds it paid.
  await cousin.reload()
  await expect(cousin.getByText('This has been paid for')).toBeVisible()

  const notice = await family.world.mailTo(family.email, /has paid/u)
  expect(notice.text).toContain('Tapiwa Moyo has paid $60.00 for you.')
  await page.goto('/dashboard')
  await expect(page.getByText(/^Tapiwa Moyo has paid for (?:you|the memorial of Gogo Moyo)$/u)).toBeVisible()
  await page.getByRole('button', { name: 'Say thank you' }).click()
  await expectAccessible(page, 'thanks', [360])
  await page.getByLabel('Your words').fill('Dear Tapiwa, she would have laughed at the price.')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expectToast(page, 'Your thanks are on their way.')
  await expect(page.getByText(/^Tapiwa Moyo has paid for (?:you|the memorial of Gogo Moyo)$/u)).toHaveCount(0)
  const thanks = await family.world.mailTo(email, /thank you/iu)
  expect(thanks.text).toContain('she would have laughed at the price')
  await page.goto(`/checkout?memorialId=${id}`)
  await expect(page.getByText('Tapiwa Moyo has paid. There is nothing more to pay.')).toBeVisible()
})

test('a cousin’s phone pays, also after the page was left, and an ended link says so', async ({
  page,
  family,
}) => {
  const { url } = await makeLink(page, family)
  const cousin = await family.visitorPage(360, url)
  await sayWhoPays(cousin, newAddress(COUSIN.email))
  await cousin.getByRole('tab', { name: /^Mobile money or Zimbabwean bank/u }).click()
  const phone = `077${String(Math.floor(2_000_000 + Math.random() * 7_900_000))}`
  await cousin.getByLabel('The number that pays').fill(phone)
  await cousin.getByRole('button', { name: 'Pay US$60 with EcoCash' }).click()
  const waiting = cousin.getByText(`Look at your phone ${phone.slice(0, 3)} … ${phone.slice(-3)}`)
  await expect(waiting).toBeVisible()
  await cousin.goto('/about')
  await cousin.goto(url)
  await expect(waiting).toBeVisible()
  const screen = await cousin.context().newPage()
  await screen.goto(`${family.world.sandboxUrl}/phone`)
  await screen
    .getByRole('listitem')
    .filter({ hasText: phone })
    .getByRole('button', { name: 'Right PIN' })
    .click()
  await expect(cousin.getByText('This has been paid for')).toBeVisible()

  const other = await makeLink(page, family)
  await page.getByRole('button', { name: 'End this link' }).click()
  await expect(page.getByRole('button', { name: 'Make the link' })).toBeVisible()
  await cousin.goto(other.url)
  await expect(cousin.getByText('This link has ended')).toBeVisible()
  await expectAccessible(cousin, 'ended', [360])
})

test('a gift is paid first, and of two people with its letter one opens it', async ({ page, family }) => {
  expectErrors(refusedWith(410))
  await page.goto('/')
  await page.getByRole('link', { name: 'Give a memorial to somebody' }).click()
  await page.getByRole('button', { name: 'Go on to pay' }).click()
  await expect(page.getByRole('alert')).toContainText('Please enter your name')
  await expectAccessible(page, 'gift', [360])
  const email = newAddress('giver')
  await page.getByLabel('Your name').fill('Tapiwa Moyo')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('For whom').fill('Mai Chipo')
  await page.getByLabel('A few words for the letter').fill('For your mother.\nWe miss her, too.')
  await page.getByRole('button', { name: 'Go on to pay' }).click()
  await expect(page.getByRole('region', { name: 'The letter' })).toContainText('For your mother.')
  await page.getByRole('link', { name: 'Change the letter' }).click()
  await expect(page.getByLabel('For whom')).toHaveValue('Mai Chipo')
  await page.getByLabel('For whom').fill('Mai Chipo Ncube')
  await page.getByRole('button', { name: 'Go on to pay' }).click()
  await fillCard(page, CARD)
  await expect(page.getByText(email)).toBeVisible()
  await payButton(page).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Thank you. Your gift is ready.' })).toBeVisible()
  const letter = page.getByRole('region', { name: 'The letter' })
  await expect(letter).toContainText('Dear Mai Chipo Ncube,')
  await expectAccessible(page, 'letter', [360])
  await expectNoSidewaysScroll(page)
  const code = /(?:[A-Z0-9]{4}-){3}[A-Z0-9]{4}/u.exec((await letter.textContent()) ?? '')?.[0] ?? ''
  const receipt = await family.world.mailTo(email, /receipt/iu)
  expect(receipt.text).toContain(code)

  const open = async (name: string) => {
    const { email: account } = await newOwner(family.world, `${name}-${Date.now()}`)
    const recipient = await family.visitorPage(360, `/redeem/${code}`)
    await expect(
      recipient.getByRole('heading', { level: 1, name: 'Tapiwa Moyo gives you a memorial' }),
    ).toBeVisible()
    await expectAccessible(recipient, 'redeem', [360])
    await expect(recipient.getByRole('link', { name: 'Create an account' })).toHaveAttribute(
      'href',
      `/register?next=${encodeURIComponent(`/redeem/${code}`)}`,
    )
    await signIn(recipient, family.world, account)
    await recipient.goto(`/redeem/${code}`)
    const begin = recipient.getByRole('button', { name: 'Begin the memorial' })
    // The other's press would take it away from a page that is still opening.
    await expect(begin).toBeVisible()
    return { recipient, begin }
  }
  const both = await Promise.all([open('first'), open('second')])
  await Promise.all(both.map(({ begin }) => begin.click()))
  const used = 'This gift has been used. Nobody else can use it.'
  const outcomes = await Promise.all(
    both.map(async ({ recipient }) => {
      const builder = recipient.getByRole('heading', { name: 'Tribute Builder' })
      const refused = recipient.getByText(used)
      await expect(builder.or(refused).first()).toBeVisible()
      return builder.isVisible()
    }),
  )
  expect(new Set(outcomes)).toEqual(new Set([false, true]))
  const winner = both[outcomes.indexOf(true)]!.recipient
  // The payment step is done.
  await expect(winner.getByText('Step 2 of 6')).toBeVisible()
  await page.reload()
  await expect(page.getByText('Somebody has used the code.')).toBeVisible()
})

test('a code is typed from the letter, and a wrong one is answered kindly', async ({ page }) => {
  expectErrors(refusedWith(404))
  await page.goto('/redeem')
  await page.getByLabel('The code from the letter').fill('abcd')
  await page.getByRole('button', { name: 'Open it' }).click()
  await expect(page.getByRole('alert')).toContainText('four groups of four characters')
  await page.getByLabel('The code from the letter').fill('aaaa aaaa aaaa aaaa')
  await page.getByRole('button', { name: 'Open it' }).click()
  await expect(page.getByText('We don’t know this code. Please look at the letter again.')).toBeVisible()
  await expectAccessible(page, 'unknown code', [360])
})
