import type { AdminMemorialPage, SystemState } from '../../src/shared/admin/admin.ts'
import { ProductClient } from '../../tools/operate/local/product-client.ts'
import { DEMO } from '../../tools/operate/seed.ts'
import { expectAccessible } from '../accessible.ts'
import { closeToasts, dropUntilReload, expectToast, figure, hold, logIn, tab } from '../people.ts'
import { expect, test } from '../family.ts'
import { expectErrors, refusedWith } from '../world.ts'

// The demo has an admin, and data for every tab.
test.beforeEach(({ demo }) => expect(demo.publicId).toMatch(/^mem_/u))

test('only the admin role opens the console', async ({ page, family, demo }) => {
  expectErrors(refusedWith(403), /ApiError: 403/u)
  await page.goto('/admin?tab=system')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Authentication Required')
  await page.getByRole('main').getByRole('link', { name: 'Login' }).click()
  await logIn(page, DEMO.admin.email)
  await expectToast(page, 'Welcome back!')
  await expect(page).toHaveURL('/admin?tab=system')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('One more step')
  // They would lie over the footer.
  await closeToasts(page)
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expectAccessible(page, 'the second factor of the console')
  await demo.giveCode(page)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Admin Console')
  await expect(page).toHaveTitle('System · Admin Console · Keeping Legacies Alive')

  await family.open(page, '/admin')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Access Denied')
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { name: 'My Memorials' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Admin Console' })).toBeHidden()

  // Even if the browser believes that the user is an admin, the server refuses.
  await page.route('**/api/auth/user', async (route) => {
    const answer = await route.fetch({ maxRetries: 3 })
    await route.fulfill({ response: answer, json: { ...(await answer.json()), isAdmin: true } })
  })
  await page.goto('/admin')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Access Denied')
})

test('an admin whose session has ended signs in again and is back in the console', async ({ page, demo }) => {
  expectErrors(refusedWith(401), refusedWith(403), /ApiError: 40[13]/u)
  await demo.open(page, 'admin', '/admin')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Admin Console')
  // Otherwise what is still loading closes the console before a press does.
  await expect(page.getByRole('tabpanel').locator('[aria-busy=true]')).toHaveCount(0)
  await page.context().clearCookies()
  await tab(page, 'Payments').click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Authentication Required')
  await page.getByRole('main').getByRole('link', { name: 'Login' }).click()
  await logIn(page, DEMO.admin.email)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('One more step')
  await demo.giveCode(page)
  await expect(page).toHaveURL('/admin?tab=payments')
  await expect(page.getByRole('tabpanel').getByText(/^\d+ payments/u)).toBeVisible()
})

test('arrow keys move between tabs, Enter opens one, and tabs are in URL and history', async ({
  page,
  demo,
}) => {
  await demo.open(page, 'admin', '/dashboard')
  await page.getByRole('link', { name: 'Admin Console' }).click()
  await expect(page.getByRole('tab')).toHaveText([
    'Overview',
    'Memorials',
    'Payments',
    'Invite Tokens',
    'System',
  ])
  await expect(page.getByRole('tabpanel', { name: 'Overview' })).toContainText('Recent Activity')

  await page.getByRole('heading', { name: 'Admin Console' }).focus()
  await page.keyboard.press('Tab')
  await expect(tab(page, 'Overview')).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(tab(page, 'System')).toBeFocused()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect(tab(page, 'Payments')).toBeFocused()
  // Focus alone does not open a tab.
  await expect(tab(page, 'Overview')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/admin?tab=payments')
  await expect(page.getByRole('tabpanel', { name: 'Payments' })).toBeVisible()
  await expect(tab(page, 'Payments')).toBeFocused()
  await page.keyboard.press('End')
  await page.keyboard.press('Space')
  await expect(page.getByRole('heading', { name: 'System Health' })).toBeVisible()
  await page.reload()
  await expect(tab(page, 'System')).toHaveAttribute('aria-selected', 'true')
  await page.goBack()
  await expect(tab(page, 'Payments')).toHaveAttribute('aria-selected', 'true')
  await page.goBack()
  await expect(tab(page, 'Overview')).toHaveAttribute('aria-selected', 'true')
})

for (const width of [360, 1280]) {
  test(`every tab shows the stored data, at ${width} px`, async ({ page, world, demo, family }) => {
    const memorial = await family.memorial('PRIVATE', { honoureeFullName: `Sekai Dube ${width}` })
    const [sender, subject] = [`tariro-${width}@family.example`, `Plaque ${width}`]
    const visitor = new ProductClient(world.url, `198.51.100.${width % 255}`)
    await visitor.call('POST', '/api/contact', {
      email: sender,
      subject,
      message: 'To Bulawayo?',
    })
    await world.db
      .prepare("UPDATE payments SET refund_reason = 'memorial_already_paid' WHERE memorial_id = ?")
      .bind(memorial.id)
      .run()
    const counted = await world.db
      .prepare("SELECT count(*) AS amount FROM memorials WHERE status IN ('DRAFT', 'ACTIVE')")
      .first<number>('amount')

    // Each check has four seconds to answer: a busy machine may need another try.
    await page.route('**/api/admin/system', async (route) => {
      for (let tries = 1; ; tries++) {
        const response = await route.fetch({ maxRetries: 3 })
        const { checks, operations, leftovers } = (await response.json()) as SystemState
        const database = checks.find(({ part }) => part === 'database')
        if ((database?.status === 'ok' && operations && leftovers) || tries === 10)
          return route.fulfill({ response })
      }
    })
    await page.setViewportSize({ width, height: 800 })
    await demo.open(page, 'admin', '/admin')
    await expect(page.getByRole('tabpanel').getByRole('term')).toHaveText([
      'Total Memorials',
      'Active Memorials',
      'Paid Memorials',
      'Available Tokens',
    ])
    await expect(figure(page, 'Total Memorials')).toHaveText(String(counted))
    const activity = page.getByRole('region', { name: 'Recent Activity' }).getByRole('listitem')
    await expect(activity.first()).toContainText(`A memorial was started for Sekai Dube ${width}.`)
    await expect(activity.first()).toContainText('Just now')
    await expect(activity.nth(1)).toContainText(`A payment came in for Sekai Dube ${width}.`)
    const todo = page.getByRole('region', { name: 'To do' })
    await expect(todo.getByRole('link', { name: 'Refunds due' })).toHaveText(/[1-9]\d*$/u)
    const chart = page.getByRole('figure', { name: 'Memorials' })
    await expect(chart.getByRole('img')).toHaveAccessibleName(/^\d+ in 90 days\. Most on \d+ [A-Z]/u)
    await expect(page.getByRole('link', { name: `Sekai Dube ${width}` }).first()).toHaveAttribute(
      'href',
      `/memorial/${memorial.id}`,
    )

    await world.db
      .prepare('UPDATE memorials SET honouree_full_name = ? WHERE id = ?')
      .bind(`Sekai M. Dube ${width}`, memorial.id)
      .run()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(activity.first()).toContainText(`Sekai M. Dube ${width}`)
    await world.db
      .prepare('UPDATE memorials SET honouree_full_name = ? WHERE id = ?')
      .bind(`Sekai Dube ${width}`, memorial.id)
      .run()

    await tab(page, 'Memorials').click()
    const row = (name: string) => page.locator('tr, li').filter({ hasText: name })
    // Tests in the same world make memorials of this name, too.
    const tendai = row('Tendai Rudo Moyo').filter({ hasText: DEMO.owner.email })
    await expect(tendai).toContainText('Public')
    await expect(tendai).toContainText('Paid')
    await expect(tendai).toContainText(DEMO.owner.email)
    await expect(tendai.getByText(/^\d+ [A-Z][a-z]+ 20\d\d$/u)).toHaveCount(2)
    await expect(tendai.locator('img')).toHaveCount(1)
    await expect(row('Josiah Chikomo')).toContainText('Invite-Only')
    const mine = row(`Sekai Dube ${width}`)
    await expect(mine).toContainText('Private')
    // Without a photo the card shows the initials of the first and last name.
    await expect(mine.getByText(`S${String(width)[0]}`, { exact: true })).toBeVisible()
    await expect(mine.locator('img')).toHaveCount(0)
    await expect(mine.getByText(/^\d+ [A-Z][a-z]+ 20\d\d$/u)).toHaveCount(1)
    await expect(tendai.getByRole('link', { name: 'View Tendai Rudo Moyo' })).toHaveAttribute(
      'href',
      `/memorial/${demo.publicId}`,
    )
    await expect(tendai.getByRole('link', { name: 'Edit Tendai Rudo Moyo' })).toHaveAttribute(
      'href',
      `/create-memorial/${demo.publicId}`,
    )
    await expect(page.getByRole('table')).toHaveCount(width === 1280 ? 1 : 0)

    await tab(page, 'Payments').click()
    const paid = row(family.email)
    for (const text of [`Sekai Dube ${width}`, '$60.00', 'Paid', 'Card', 'The memorial was paid for twice']) {
      await expect(paid).toContainText(text)
    }
    await page.getByRole('searchbox', { name: 'Search payments' }).fill('nobody at all')
    await expect(page.getByText('No payments found')).toBeVisible()

    await tab(page, 'System').click()
    const card = (name: string) => page.getByRole('region', { name })
    await expect(card('Database Status')).toContainText(/Working\s*Answered in \d+ ms\./u)
    await expect(card('System Health').getByRole('listitem')).toHaveCount(8)
    await expect(card('Scheduled jobs').getByRole('listitem')).not.toHaveCount(0)
    await expect(card('Scheduled jobs')).toContainText('Fetches events from Stripe that never arrived.')
    await expect(card('Queues')).toContainText('Photo resizing')
    await expect(card('Clean-up').getByRole('listitem')).toHaveCount(4)
    await expect(card('Clean-up')).toContainText('Uploads in progress')
    const wanted = `One more ${width}`
    await visitor.call('POST', '/api/contact', {
      email: sender,
      subject: wanted,
      message: 'Thank you',
    })
    await expect(card('Messages from the contact form')).toContainText(subject)
    await page.getByRole('button', { name: 'Check again' }).click()
    await expect(card('Messages from the contact form')).toContainText(wanted)
    await card('Messages from the contact form').getByText(subject).click()
    await expect(card('Messages from the contact form')).toContainText('To Bulawayo?')
    await expect(page.getByRole('link', { name: `Reply to ${sender}` })).toHaveAttribute(
      'href',
      `mailto:tariro-${width}%40family.example?subject=Re%3A%20Plaque%20${width}`,
    )
    await page.unrouteAll({ behavior: 'wait' })
  })
}

test('the memorial list shows placeholders, and its search is debounced until Enter', async ({
  page,
  world,
  demo,
}) => {
  await demo.signIn(page, 'admin')
  const letGo = await hold(page, /\/api\/admin\/memorials/u)
  await page.goto('/admin?tab=memorials')
  const panel = page.getByRole('tabpanel')
  await expect(panel.getByText('Loading memorials')).toBeAttached()
  await expect(panel.locator('[aria-busy=true] > [aria-hidden=true]')).toHaveCount(5)
  letGo()
  await expect(panel.getByRole('row').nth(1)).toBeVisible()
  await expect(panel.locator('[aria-busy=true]')).toHaveCount(0)
  await page.unrouteAll()

  const requested: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/api/admin/memorials') requested.push(searchParams.get('search') ?? '')
  })
  const box = page.getByRole('searchbox', { name: 'Search memorials' })
  await expect(box).toHaveAttribute('placeholder', 'Search by name, owner, or email')
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await box.pressSequentially('josiah')
  await page.clock.runFor(299)
  // Another request has completed, so an unwanted request would have been seen by now.
  await page.evaluate(async () => (await fetch('/api/config')).text())
  expect(requested).toEqual([])
  await page.clock.runFor(1)
  await expect.poll(() => requested).toEqual(['josiah'])
  await expect(page).toHaveURL('/admin?tab=memorials&search=josiah')
  await box.fill('nobody of this name')
  await box.press('Enter')
  await expect.poll(() => requested).toEqual(['josiah', 'nobody of this name'])
  await page.clock.resume()
  await expect(panel.getByText('No memorials found')).toBeVisible()
  await expect(panel.getByRole('status')).toHaveText('0 memorials')
  await box.fill(DEMO.owner.email.toUpperCase())
  await expect(panel.getByRole('row', { name: /Tendai Rudo Moyo/u })).toBeVisible()
  expect(requested).toEqual(['josiah', 'nobody of this name', DEMO.owner.email.toUpperCase()])

  await world.db
    .prepare("UPDATE memorials SET honouree_full_name = 'Tendai R. Moyo' WHERE id = ?")
    .bind(demo.publicId)
    .run()
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(panel.getByRole('row', { name: /Tendai R\. Moyo/u })).toBeVisible()
  await world.db
    .prepare("UPDATE memorials SET honouree_full_name = 'Tendai Rudo Moyo' WHERE id = ?")
    .bind(demo.publicId)
    .run()
})

test('lists load page by page, and Back leads to the previous page', async ({ page, world, demo }) => {
  await world.db.batch(
    Array.from({ length: 22 }, (_, index) =>
      world.db
        .prepare(
          `INSERT INTO memorials (id, owner_id, slug, honouree_full_name, created_at, updated_at)
           SELECT ?, owner_id, ?, ?, ?, 1 FROM memorials WHERE id = ?`,
        )
        .bind(`mem_paged${index}`, `paged-${index}`, `Paged Person ${index}`, index, demo.publicId),
    ),
  )
  await world.db.batch(
    Array.from({ length: 21 }, (_, index) =>
      world.db
        .prepare(
          `INSERT INTO contact_messages (id, email, subject, message, created_at)
           VALUES (?, 'a@b.example', ?, 'Good day', ?)`,
        )
        .bind(`msg_paged${String(index).padStart(2, '0')}`, `Old subject ${index}`, index),
    ),
  )
  await demo.open(page, 'admin', '/admin?tab=memorials&search=paged+person')
  const count = page.getByRole('tabpanel').getByRole('status')
  const rows = page.getByRole('row')
  await expect(count).toHaveText('22 memorials, page 1 of 2')
  await expect(rows).toHaveCount(21)
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(count).toHaveText('22 memorials, page 2 of 2')
  await expect(count).toBeFocused()
  await expect(rows).toHaveCount(3)
  await page.goBack()
  await expect(count).toHaveText('22 memorials, page 1 of 2')
  await page.goto('/admin?tab=memorials&search=paged+person&page=9')
  await page.getByRole('button', { name: 'Previous page' }).click()
  await expect(count).toHaveText('22 memorials, page 2 of 2')

  await tab(page, 'System').click()
  const letters = page.getByRole('region', { name: 'Messages from the contact form' })
  await expect(letters.getByRole('listitem')).toHaveCount(20)
  await letters.getByRole('button', { name: 'Load more messages' }).click()
  await expect(letters.getByText('Old subject 0', { exact: true })).toBeVisible()
  await expect(letters.getByRole('button', { name: 'Load more messages' })).toBeHidden()
  await expect(letters.getByRole('listitem').nth(20)).toBeFocused()
  await world.db.prepare("DELETE FROM memorials WHERE id LIKE 'mem_paged%'").run()
})

test('a failed request shows an error, and Try Again reloads the page', async ({ page, demo }) => {
  expectErrors(/net::ERR_FAILED/u, /NetworkError/u)
  await demo.signIn(page, 'admin')
  const reloadBy = await dropUntilReload(page, '**/api/admin/stats')
  await page.goto('/admin')
  await expect(page.getByRole('heading', { name: 'Unable to Load Admin Data' })).toBeVisible()
  await expect(tab(page, 'Overview')).toBeVisible()
  await reloadBy(() => page.getByRole('button', { name: 'Try Again' }).click())
  await expect(figure(page, 'Total Memorials')).toHaveText(/^\d+$/u)
})

test('an empty list of payments says what it will show', async ({ page, demo }) => {
  await demo.signIn(page, 'admin')
  await page.route('**/api/admin/payments*', (route) =>
    route.fulfill({ json: { payments: [], page: 1, pageSize: 20, total: 0, hasMore: false } }),
  )
  await page.goto('/admin?tab=payments')
  await expect(page.getByRole('tabpanel')).toContainText('Payment history will be displayed here')
  await expect(page.getByRole('tabpanel')).toContainText('local-payment transactions')
})

test('the console is accessible in both schemes, and nothing scrolls sideways', async ({ page, demo }) => {
  const title = page.getByRole('heading', { level: 1 })
  await page.goto('/admin')
  await expect(title).toHaveText('Authentication Required')
  await expectAccessible(page, '/admin for nobody')
  // The content behind the dialog is inert while it is open.
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await demo.signIn(page, 'admin')
  // The longest words that a row can say.
  await page.route('**/api/admin/memorials?*', async (route) => {
    const response = await route.fetch({ maxRetries: 3 })
    const json = (await response.json()) as AdminMemorialPage
    for (const memorial of json.memorials) {
      memorial.status = 'DELETED'
      memorial.owner.suspendedAt = memorial.createdAt
    }
    await route.fulfill({ response, json })
  })
  for (const name of ['overview', 'memorials', 'payments', 'invite-tokens', 'system']) {
    await page.goto(`/admin?tab=${name}`)
    await expect(title).toHaveText('Admin Console')
    await expect(page.getByRole('tabpanel').locator('[aria-busy=true]')).toHaveCount(0)
    await page.waitForLoadState('networkidle')
    await expectAccessible(page, name)
  }
  await page.unrouteAll({ behavior: 'wait' })
  await page.goto(`/admin?tab=memorials&search=${DEMO.owner.email}`)
  const more = page.getByRole('button', { name: 'More for Tendai Rudo Moyo' })
  await more.click()
  await expectAccessible(page, 'the menu of a memorial', [320])
  // It stands where it opened, and the page has changed its width since.
  await page.keyboard.press('Escape')
  await more.click()
  await page.getByRole('button', { name: 'Remove memorial' }).click()
  await expectAccessible(page, 'the question before a memorial is removed', [320])
})
