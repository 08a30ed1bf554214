import type { Page } from '@playwright/test'
import {
  AGE_MIN,
  CLAIM_UNDONE_MS,
  COMMENT_MAX,
  CONTRIBUTOR_QUOTA,
  DELETED_RESTORABLE_MS,
  DRAFT_EXPIRES_MS,
  DRAFT_MAX_BYTES,
  DAY_MS,
  DELETION_REQUEST_DAYS,
  LET_IN_KEPT_MS,
  LIABILITY_USD,
  PRICE_CENTS,
  PRICE_TEXT,
  SESSION_ABSOLUTE_MS,
  SESSION_EXPIRES_MS,
  SUCCESSORS_MAX,
  TAKE_BACK_MS,
  UNVERIFIED_ACCOUNT_EXPIRES_MS,
} from '../../src/shared/limits.ts'
import { formatBytes } from '../../src/shared/messages.ts'
import { DEMO } from '../../tools/operate/seed.ts'
import { expectDrawn, expectNoSidewaysScroll, fail, hold } from '../people.ts'
import { expect, expectErrors, refusedWith, test } from '../world.ts'

const DROPPED = /net::ERR_FAILED/u

test.use({ viewport: { width: 360, height: 740 } })

async function fillContact(page: Page, email: string, subject: string, message: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Subject').fill(subject)
  await page.getByLabel('Message').fill(message)
  await page.getByRole('button', { name: 'Send message' }).click()
}

test('the contact form shows field and server errors and keeps the input', async ({ page }) => {
  expectErrors(refusedWith(500), DROPPED)
  const main = page.getByRole('main')
  await page.goto('/contact')
  await expect(main).toContainText('50 characters left')
  await expect(main).toContainText('2000 characters left')
  await fillContact(page, 'rudo', '', ' ')
  const summary = page.getByRole('alert')
  await expect(summary).toBeFocused()
  await expect(summary.getByRole('listitem')).toHaveText([
    'Please enter a valid email address',
    'Subject is required',
    'Message is required',
  ])
  await summary.getByRole('link', { name: 'Subject is required' }).click()
  await expect(page.getByLabel('Subject')).toBeFocused()
  await expect(page.getByLabel('Subject')).toHaveAccessibleDescription('Subject is required')
  await fillContact(page, 'rudo@family.test', 'x'.repeat(51), 'y'.repeat(2001))
  await expect(summary.getByRole('listitem')).toHaveText([
    'Subject must be 50 characters or less',
    'Message must be 2000 characters or less',
  ])
  await expect(main.getByText('1 character too many')).toHaveCount(2)
  await expectNoSidewaysScroll(page)

  const failures: [answer: string, text: string][] = [
    ['dropped', "We're having trouble connecting right now."],
    ['', 'Please try again later.'],
    ['{"message":"The letterbox is full."}', 'The letterbox is full.'],
  ]
  for (const [body, text] of failures) {
    await page.route('**/api/contact', fail(body))
    await fillContact(page, 'rudo@family.test', 'A plaque', 'May we have it in Shona?')
    await expect(summary).toContainText('Failed to Send Message')
    await expect(summary).toContainText(text)
    await expect(summary).toBeFocused()
    // The page says it.
    await expect(page.getByTestId('toast')).toHaveCount(0)
    await expect(page.getByLabel('Message')).toHaveValue('May we have it in Shona?')
    await page.unroute('**/api/contact')
  }
})

test('a message to support is sent, stored and confirmed, and another can be sent', async ({
  page,
  world,
}) => {
  await page.goto('/contact')
  const letGo = await hold(page, '**/api/contact')
  const subject = 'A plaque, asked for on a phone'
  await fillContact(page, 'rudo@family.test', subject, 'May we have it in Shona?')
  await expect(page.getByRole('button', { name: 'Sending …' })).toBeDisabled()
  letGo()
  const text = "Your message has been sent successfully. We'll get back to you soon."
  await expect(page.getByTestId('toast')).toHaveText(`Message Sent${text}Close`)
  await expect(page.getByRole('heading', { name: 'Message Sent' })).toBeFocused()
  await expect(page.getByRole('main')).toContainText(text)
  const stored = await world.db
    .prepare('SELECT email, message FROM contact_messages WHERE subject = ?')
    .bind(subject)
    .first()
  expect(stored).toEqual({ email: 'rudo@family.test', message: 'May we have it in Shona?' })
  await page.getByRole('button', { name: 'Send Another Message' }).click()
  await expect(page.getByRole('heading', { name: 'Contact support' })).toBeFocused()
  await expect(page.getByLabel('Subject')).toHaveValue('')
  await page.unroute('**/api/contact')
})

test('who has no session asks for a removal, and learns nothing about the memorial', async ({
  page,
  world,
  demo,
}) => {
  expectErrors(refusedWith(500))
  await page.goto(`/m/${demo.publicSlug}`)
  await page.getByRole('link', { name: 'Ask us to remove it' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Ask us to remove something' })).toBeVisible()
  // Before the small script is there, the browser sends the form itself.
  await page.waitForLoadState()
  const memorial = page.getByLabel('Which memorial?')
  const address = `${new URL(world.url).host}/m/${demo.publicSlug}`
  await expect(memorial).toHaveValue(address)
  await expectNoSidewaysScroll(page)
  const sendButton = page.getByRole('button', { name: 'Send request' })
  await sendButton.click()
  await expect(page.getByRole('main')).toContainText('Please say what should be removed')
  const email = 'chipo.asks@family.test'
  const what = page.getByLabel('What should be removed?')
  const sent = page.getByRole('heading', { name: 'Request sent' })
  await what.fill('The photo at the church.\nIt was never his.')
  await page.getByLabel('Why?').selectOption('Something is wrong or hurts')
  await page.getByLabel('Email').fill(email)
  await page.route('**/api/contact', (route) => route.fulfill({ status: 500, body: '' }), { times: 1 })
  await sendButton.click()
  await expect(page.getByRole('alert')).toHaveText('Your request wasn’t sentPlease try again later.')
  await sendButton.click()
  await expect(sent).toBeFocused()
  const answer = await page.getByRole('main').textContent()

  await page.goto('/request-removal?memorial=nobody-aaaaaa')
  await what.fill('My message.')
  await page.getByLabel('Email').fill(email)
  await sendButton.click()
  await expect(sent).toBeFocused()
  expect(await page.getByRole('main').textContent()).toBe(answer)
  const { results } = await world.db
    .prepare('SELECT subject, message FROM contact_messages WHERE email = ? ORDER BY created_at')
    .bind(email)
    .all()
  const subject = 'Please remove something'
  expect(results).toEqual([
    {
      subject,
      message: `Memorial: ${address}\nReason: Something is wrong or hurts\n\nThe photo at the church.\nIt was never his.`,
    },
    { subject, message: `Memorial: ${new URL(world.url).host}/m/nobody-aaaaaa\n\nMy message.` },
  ])
})

test('the landing page links to its pages and shows three images and six features', async ({
  page,
  world,
}) => {
  const hosts = new Set<string>()
  page.on('request', (request) => hosts.add(new URL(request.url()).origin))
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 740 })
    await page.goto('/')
    const main = page.getByRole('main')
    await expect(main.getByRole('link', { name: 'Create a Memorial' })).toHaveAttribute('href', '/register')
    await expect(main.getByRole('link', { name: 'Learn More' })).toHaveAttribute('href', '/about')
    await expect(main.getByRole('link', { name: 'Get Started Today' })).toHaveAttribute('href', '/login')
    await expect(main.getByRole('link', { name: 'Begin a memorial' })).toHaveAttribute('href', '/login')
    await expect(main.getByRole('region', { name: 'What’s in a memorial' }).getByRole('heading')).toHaveText([
      'What’s in a memorial',
      'You decide who sees it',
      'A code on the stone',
      'The funeral, for everyone',
      'Their life story',
      'Photos, voices and messages',
      'Kept for good',
    ])
    const pricing = main.getByRole('region', { name: 'One price, paid once' })
    await expect(pricing).toContainText(`${PRICE_TEXT}Introductory Offer`)
    await expect(pricing.getByRole('listitem')).toHaveText([
      'Complete setup',
      'Unlimited contributors by invitation',
      'Photo, video and audio sharing',
      'QR code for the grave',
      'Permanent preservation',
      'Privacy controls',
    ])
    const pictures = main.getByRole('img')
    await expect(pictures).toHaveCount(3)
    for (const picture of await pictures.all()) {
      await expectDrawn(picture)
    }
    await expectNoSidewaysScroll(page)
  }
  expect([...hosts], 'nothing is loaded from another company').toEqual([world.url])
})

test('the seven questions open by keyboard, one at a time, and have links', async ({ page }) => {
  await page.goto('/faq')
  const questions = page.locator('details')
  await expect(questions.locator('summary')).toHaveText([
    'Is there a monthly fee?',
    'How long does the plaque last?',
    'Do people need an app?',
    'What can be added?',
    'Who can see the memorial?',
    'Can we use it for a church service?',
    'What happens when technology changes?',
  ])
  await questions.nth(0).locator('summary').press('Enter')
  await expect(questions.nth(0)).toContainText(`You pay US${PRICE_TEXT} once for each memorial`)
  await expect(questions.nth(0).getByRole('paragraph')).toBeVisible()
  await questions.nth(3).locator('summary').press('Enter')
  await expect(questions.nth(3)).toContainText(
    'Each invited person can add up to 10 photos, one video of up to 5 minutes and one recording of up to 10 minutes',
  )
  await expect(questions.nth(0).getByRole('paragraph')).toBeHidden()
  await expect(page.getByRole('link', { name: /^Email support@/u })).toHaveAttribute(
    'href',
    /^mailto:support@/u,
  )
  await page.goto('/faq#church')
  await expect(page.locator('#church').getByRole('paragraph')).toBeVisible()
  await expectNoSidewaysScroll(page)
})

test('about names the four pillars', async ({ page }) => {
  await page.goto('/about')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Built with love in Zimbabwe')
  await expect(page.locator('dt')).toHaveText(['Respect', 'Simplicity', 'Permanence', 'Family'])
})

test("the terms and the privacy policy state the product's actual limits", async ({ page }) => {
  const days = (ms: number) => ms / DAY_MS
  const { images, audio, video } = CONTRIBUTOR_QUOTA
  const promises = {
    terms: [
      'Effective 29 September 2025',
      `${PRICE_CENTS / 100} US dollars, paid once`,
      'The fee is not refundable',
      'Lifetime hosting',
      `at least ${AGE_MIN} years old`,
      `the greater of ${LIABILITY_USD} US dollars or the amount that you have paid us`,
      `up to ${images.max} images`,
      `${audio.max} audio file of up to ${audio.maxDurationSec / 60} minutes`,
      `${video.max} video file of up to ${video.maxDurationSec / 60} minutes`,
      `up to ${COMMENT_MAX.toLocaleString('en-GB')} characters each`,
      'a random code (a UUID)',
      `holds up to ${formatBytes(DRAFT_MAX_BYTES)}. If you do not use it for ${days(DRAFT_EXPIRES_MS)} days`,
      `brought back for ${days(DELETED_RESTORABLE_MS)} days`,
      'we may remove content, delete a memorial, suspend access to an account, or replace an invitation link. No refund is due',
      'the law of South Africa, and the courts in Cape Town',
      `For ${days(TAKE_BACK_MS)} days the former owner can take it back`,
      `name up to ${SUCCESSORS_MAX} people who may take it over`,
      `For ${days(CLAIM_UNDONE_MS)} days the former owner can take it back`,
    ],
    privacy: [
      'Effective 28 September 2025',
      `we delete within ${DELETION_REQUEST_DAYS} days of the request`,
      `people aged ${AGE_MIN} and over`,
      `${days(SESSION_EXPIRES_MS)} days after your last visit and ${days(SESSION_ABSOLUTE_MS)} days at most`,
      `removed after ${days(UNVERIFIED_ACCOUNT_EXPIRES_MS)} days`,
      `we delete them after ${days(LET_IN_KEPT_MS)} days`,
      'Cloudflare hosts',
      'Stripe takes card payments',
      'MailChannels delivers our emails',
      'the law of South Africa',
      'the courts in Cape Town',
    ],
  }
  for (const [name, text] of Object.entries(promises)) {
    await page.goto(`/${name}`)
    for (const promise of text) await expect(page.getByRole('main')).toContainText(promise)
  }
  await page.goto('/terms#liability')
  await expect(page.getByRole('heading', { name: /Liability$/u })).toBeInViewport()
})

test('the footer links to help, terms and sharing without third-party files', async ({ page, world }) => {
  await page.goto('/about')
  const footer = page.getByRole('contentinfo')
  await expect(footer).toContainText('Keeping Legacies Alive')
  for (const name of ['FAQ', 'Privacy', 'Terms', 'Contact']) {
    await expect(footer.getByRole('link', { name })).toHaveAttribute('href', `/${name.toLowerCase()}`)
  }
  const home = encodeURIComponent(`${world.url}/`)
  const whatsApp = footer.getByRole('link', { name: 'Share on WhatsApp (opens in a new tab)' })
  await expect(whatsApp).toHaveAttribute('href', new RegExp(`^https://wa\\.me/\\?text=.+${home}$`, 'u'))
  const facebook = footer.getByRole('link', { name: 'Share on Facebook (opens in a new tab)' })
  await expect(facebook).toHaveAttribute('href', `https://www.facebook.com/sharer/sharer.php?u=${home}`)
  for (const link of [whatsApp, facebook]) {
    await expect(link).toHaveAttribute('target', '_blank')
    await expect(link).toHaveAttribute('rel', 'noopener')
  }
})

test('the cookie notice remembers the answer, and covers no focused element', async ({ page, demo }) => {
  await page.goto('/login')
  const notice = page.getByRole('region', { name: 'Cookies' })
  await expect(notice.getByRole('link', { name: 'Privacy policy' })).toHaveAttribute('href', '/privacy')
  for (const [button, answer] of [
    ['Accept', 'accepted'],
    ['Dismiss', 'dismissed'],
  ] as const) {
    await notice.getByRole('button', { name: button }).click()
    await expect(notice).toHaveCount(0)
    expect(await page.evaluate(() => localStorage.getItem('cookie-consent'))).toBe(answer)
    await page.reload()
    await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
    await expect(notice).toHaveCount(0)
    await page.evaluate(() => localStorage.clear())
    await page.reload()
    await expect(notice).toHaveCount(1)
  }

  const screens: [path: string, mainAction: string][] = [
    ['/login', 'Login'],
    [`/m/${demo.publicSlug}`, 'Play'],
    [`/create-memorial/${demo.draftId}?step=1`, 'Next'],
  ]
  for (const [path, action] of screens) {
    // Requests of the screen before would fail without its cookies.
    await page.goto('about:blank')
    await demo.signIn(page, 'owner')
    if (path === '/login') await page.context().clearCookies()
    for (const [width, height] of [
      [360, 640],
      [960, 700],
      [1280, 800],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.goto(path)
      await expect(page.getByRole('main').getByRole('button', { name: action }).first()).toBeVisible()
      await expect(notice).toHaveCount(1)
      for (const percent of [100, 200])
        await expect
          .poll(() => focusedUnderNotice(page, percent), `${path} at ${width}, ${percent} %`)
          .toEqual([])
      // At the end of the page, the notice is below the footer.
      // The page may still grow while its parts arrive.
      await expect(async () => {
        await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
        const [footer, bar] = [await page.getByRole('contentinfo').boundingBox(), await notice.boundingBox()]
        expect((footer?.y ?? 0) + (footer?.height ?? 0)).toBeLessThanOrEqual((bar?.y ?? 0) + 1)
      }).toPass()
    }
  }
})

/** Focusable elements outside the notice that it covers while they have the focus, at this root font size. */
async function focusedUnderNotice(page: Page, percent: number): Promise<string[]> {
  return page.evaluate((size) => {
    document.documentElement.style.fontSize = `${size}%`
    const notice = document.querySelector('section[aria-label="Cookies"]')
    const controls = document.querySelectorAll<HTMLElement>(
      'main a[href], main button, main input, main textarea, main select, main summary, footer a',
    )
    const covered: string[] = []
    for (const control of controls) {
      control.focus()
      if (!notice || document.activeElement !== control) continue
      const [one, other] = [control.getBoundingClientRect(), notice.getBoundingClientRect()]
      const isUnder = one.bottom > other.top + 1 && one.top < other.bottom - 1 && one.height < other.top
      if (isUnder) covered.push(control.outerHTML.slice(0, 120))
    }
    return covered
  }, percent)
}

test('the phone menu opens, moves the focus and closes by keyboard', async ({ page }) => {
  await page.goto('/about')
  const toggle = page.getByRole('banner').getByRole('button', { name: 'Menu' })
  const links = page.getByRole('navigation', { name: 'Menu' }).getByRole('link')
  await expect(toggle).toHaveAttribute('aria-expanded', 'false')
  await expect(links).toHaveCount(0)
  await toggle.press('Enter')
  await expect(links).toHaveText(['Home', 'Support', 'Login'])
  await page.keyboard.press('Tab')
  await expect(links.first()).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(links).toHaveCount(0)
  await expect(toggle).toBeFocused()
  await page.keyboard.press('Enter')
  await links.filter({ hasText: 'Support' }).press('Enter')
  await expect(page).toHaveURL('/contact')
  await expect(links).toHaveCount(0)
})

test('the header greets by first name, else email, else User, and a long name fits', async ({
  page,
  demo,
}) => {
  await demo.signIn(page, 'owner')
  const long = 'Nyaradzo-Tapiwanashe'.repeat(5)
  const names = [
    ['Rudo', DEMO.owner.email, 'Rudo'],
    ['', DEMO.owner.email, DEMO.owner.email],
    ['', '', 'User'],
    [long, DEMO.owner.email, long],
  ]
  for (const [firstName, email, greeting] of names) {
    await page.route('**/api/auth/user', (route) =>
      route.fulfill({ json: { id: 'usr_1', email, firstName, lastName: '', isAdmin: false } }),
    )
    await page.setViewportSize({ width: 360, height: 640 })
    await page.goto('/about')
    const header = page.getByRole('banner')
    await header.getByRole('button', { name: 'Menu' }).click()
    const menu = header.getByRole('navigation', { name: 'Menu' })
    await expect(menu.getByRole('listitem')).toHaveText([
      'Home',
      'Dashboard',
      'Support',
      greeting ?? '',
      'Logout',
    ])
    await expectNoSidewaysScroll(page)
    for (const width of [768, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      const items = header.getByRole('navigation', { name: 'Main' }).getByRole('listitem')
      await expect(items).toHaveText(['Home', 'Dashboard', 'Support', greeting ?? '', 'Logout'])
      await expectNoSidewaysScroll(page)
      const boxes = await items.evaluateAll((list) =>
        list.map((item) => item.getBoundingClientRect()).map(({ left, right }) => ({ left, right })),
      )
      const overlaps = boxes.filter(
        (box, index) => index > 0 && box.left < (boxes[index - 1]?.right ?? 0) - 1,
      )
      expect(overlaps, `${greeting} at ${width}`).toEqual([])
    }
    await page.unroute('**/api/auth/user')
  }
})
