import type { Payment } from '../../src/shared/payments/payments.ts'
import { dropUntilReload, expectNoSidewaysScroll, expectToast, hold } from '../people.ts'
import { DAY_MS } from '../../src/shared/limits.ts'
import { expect, test } from '../family.ts'
import { expectErrors } from '../world.ts'

test.use({ viewport: { width: 360, height: 740 } })

test('a user without a memorial is welcomed and invited to create one', async ({ page, demo }) => {
  await demo.signIn(page, 'admin')
  const main = page.getByRole('main')
  await page.goto('/dashboard')
  await expect(main.getByRole('heading', { level: 1 })).toHaveText('My Memorials')
  await expect(main).toContainText('Welcome back, Chipo')
  await expect(main.getByRole('heading', { level: 2 }).first()).toHaveText('No memorials yet')
  for (const name of ['Create Memorial', 'Create Your First Memorial']) {
    const link = main.getByRole('link', { name, exact: true })
    await expect(link).toBeVisible()
    await expect(link).toHaveAttribute('href', '/create-memorial')
  }
  await expectNoSidewaysScroll(page)
})

test('three placeholder cards show while the memorials load', async ({ page, demo }) => {
  await demo.signIn(page, 'owner')
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 740 })
    const answer = await hold(page, '**/api/dashboard')
    await page.goto('/dashboard')
    const cards = page.getByRole('main').locator('[aria-busy="true"] > [aria-hidden="true"]')
    await expect(cards).toHaveCount(3)
    await expect(page.getByRole('main').getByText('Loading your memorials')).toBeAttached()
    await expect(page.getByRole('link', { name: 'Create Memorial' })).toBeVisible()
    answer()
    await expect(cards).toHaveCount(0)
    await expect(page.getByRole('article')).toHaveCount(3)
    await page.unroute('**/api/dashboard')
  }
})

test('Unable to Load Dashboard offers Try Again, which reloads the page', async ({ page, demo }) => {
  expectErrors(/net::ERR_FAILED/u)
  await demo.signIn(page, 'owner')
  const reloadBy = await dropUntilReload(page, '**/api/dashboard')
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Unable to Load Dashboard')
  await expect(page.getByRole('main')).toContainText('Your memorials are safe.')
  await reloadBy(() => page.getByRole('button', { name: 'Try Again' }).click())
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My Memorials')
  await expect(page.getByRole('article')).toHaveCount(3)
})

test('a card shows name, visibility and date; only a public memorial can be shared', async ({
  page,
  world,
  demo,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await demo.signIn(page, 'owner')
  const cards = page.getByRole('article')
  const rows = [
    { name: 'Tendai Rudo Moyo', id: demo.publicId, title: '“She taught half of Mutare to read.”' },
    { name: 'Josiah Chikomo', id: demo.inviteId, title: '“He could mend anything but a promise' },
    { name: 'Grace Ndlovu', id: demo.draftId, title: '“She never let anybody eat alone.”' },
  ]
  const seen = [
    'LockedAnyone with the link can see it',
    'UnlockedPeople with your link can see it and add to it',
    'LockedOnly you can see it',
  ]
  const today = /\d{1,2} [A-Z][a-z]+ \d{4}/u.source
  await page.goto('/dashboard')
  await expect(cards).toHaveCount(3)
  const icons: string[] = []
  for (const [index, { name, id, title }] of rows.entries()) {
    const card = cards.filter({ has: page.getByRole('heading', { name }) })
    await expect(card).toContainText(title)
    await expect(card).toContainText(seen[index] ?? '')
    await expect(card.getByText(new RegExp(`^Created ${today}$`, 'u'))).toBeVisible()
    await expect(card.getByRole('link', { name: `View ${name}` })).toHaveAttribute('href', `/memorial/${id}`)
    icons.push((await card.locator('svg path').getAttribute('d')) ?? '')
  }
  expect(new Set(icons).size, 'each setting has its own icon').toBe(3)
  await expect(page.getByText(new RegExp(`^Published ${today}$`, 'u'))).toHaveCount(1)
  await expect(cards.getByRole('button', { name: /^Share/u })).toHaveCount(1)
  await expectNoSidewaysScroll(page)

  await cards.getByRole('button', { name: 'Share Tendai Rudo Moyo' }).click()
  await expectToast(page, 'Link copied: Memorial link has been copied to clipboard')
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toBe(`${world.url}/m/${demo.publicSlug}`)

  // Without clipboard access the page shows the link to copy by hand.
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))
  })
  await cards.getByRole('button', { name: 'Share Tendai Rudo Moyo' }).click()
  await expectToast(page, 'Copy Failed', `/m/${demo.publicSlug}`)
})

test('a shared memorial’s card sends it, WhatsApp first; a draft’s shows its next step', async ({
  page,
  demo,
}) => {
  // No headless browser has a share sheet.
  await page.addInitScript(() => {
    navigator.share = (data) => {
      document.documentElement.dataset['shared'] = data?.url ?? ''
      return Promise.resolve()
    }
  })
  await demo.signIn(page, 'owner')
  await page.goto('/dashboard')
  const send = (name: string) => page.getByRole('button', { name: `Send it to the family: ${name}` })
  const dialog = page.getByRole('dialog', { name: 'Send it to the family' })
  for (const [name, link] of [
    ['Josiah Chikomo', demo.inviteLink],
    ['Tendai Rudo Moyo', `/m/${demo.publicSlug}`],
  ] as const) {
    await send(name).click()
    const whatsApp = dialog.getByRole('link').first()
    await expect(whatsApp).toHaveText('Send with WhatsApp')
    await expect(whatsApp).toHaveAttribute('href', /^https:\/\/wa\.me\//u)
    const sent = async () => decodeURIComponent((await whatsApp.getAttribute('href')) ?? '')
    await expect.poll(sent).toContain(link)
    await dialog.getByRole('button', { name: 'Send with another app' }).click()
    await expect.poll(() => page.locator('html').getAttribute('data-shared')).toContain(link)
    await expectNoSidewaysScroll(page)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect(send(name)).toBeFocused()
  }
  await expect(send('Grace Ndlovu')).toHaveCount(0)
  await expect(page.getByRole('link', { name: /^Next: / })).toHaveText('Next: funeral details')
})

test('an unknown privacy setting is shown as Unknown', async ({ page, demo }) => {
  await demo.signIn(page, 'owner')
  await page.route('**/api/dashboard', async (route) => {
    const answer = (await (await route.fetch({ maxRetries: 3 })).json()) as {
      memorials: { id: string; privacy: string }[]
    }
    for (const memorial of answer.memorials) if (memorial.id === demo.inviteId) memorial.privacy = 'FAMILY'
    await route.fulfill({ json: answer })
  })
  await page.goto('/dashboard')
  const card = page.getByRole('article').filter({ hasText: 'Josiah Chikomo' })
  await expect(card).toContainText('Unknown')
  await expect(card.getByRole('link', { name: 'View Josiah Chikomo' })).toBeVisible()
})

test('a card says when an unused unpaid memorial is removed, until its owner opens it', async ({
  page,
  world,
  family,
}) => {
  const draft = await family.draft()
  const at = Date.now() - DAY_MS
  await world.db.prepare('UPDATE memorials SET updated_at = 1 WHERE id = ?').bind(draft.id).run()
  await world.db
    .prepare(
      `INSERT INTO mails (id, kind, recipient, subject_id, status, created_at)
       VALUES ('mail_ending', 'draft-ending', ?, ?, 'SENT', ?)`,
    )
    .bind(family.email, draft.id, at)
    .run()
  await family.open(page, '/dashboard')
  const card = page.getByRole('article')
  await expect(card).toContainText('Not paid for yet. We’ll remove it on')
  await expect(card.locator('time').last()).toHaveAttribute(
    'datetime',
    new Date(at + 30 * DAY_MS).toISOString(),
  )
  await expectNoSidewaysScroll(page)
  const seen = page.waitForResponse(/\/seen$/u)
  await card.getByRole('link', { name: /^View/u }).click()
  await seen
  await page.goto('/dashboard')
  await expect(card).toBeVisible()
  await expect(card).not.toContainText('remove it')
})

test('after a payment the dashboard confirms it, and leads on if there is no memorial', async ({
  page,
  demo,
}) => {
  await demo.signIn(page, 'owner')
  const answer = await page.request.get('/api/user/payments', { maxRetries: 3 })
  const { payments } = (await answer.json()) as { payments: Payment[] }
  const paid = payments.find((payment) => payment.memorialId === demo.publicId)
  expect(paid?.status).toBe('PAID')
  const arrival = page.getByRole('status').filter({ hasText: 'Payment Successful!' })
  await page.goto(`/dashboard?payment=success&paymentId=${paid?.id}`)
  await expect(arrival).toContainText('Your memorial has been activated.')
  await expect(arrival.getByRole('link')).toHaveCount(0)
  await page.route('**/api/user/payments', (route) =>
    route.fulfill({ json: { payments: [{ ...paid, memorialId: null, isCredit: true }] } }),
  )
  await page.reload()
  await expect(arrival.getByRole('link', { name: 'Begin the memorial' })).toHaveAttribute(
    'href',
    '/create-memorial',
  )
  await expectNoSidewaysScroll(page)
  await page.unroute('**/api/user/payments')
})
