import type { Page } from '@playwright/test'
import { withoutScriptMessages } from '../../src/shared/messages.ts'
import { DEMO, type SeededDemo } from '../../tools/operate/seed.ts'
import { expectNoSidewaysScroll, fillCard, hold, logIn } from '../people.ts'
import { expect, expectErrors, refusedWith, test, type World } from '../world.ts'

/** The path, the heading that it shows, and the final path if it redirects. */
type Row = [path: string, heading: string, endsAt?: string]

const EVERYBODY: Row[] = [
  ['/contact', 'Contact support'],
  ['/request-removal', 'Ask us to remove something'],
  ['/report?item=com_00000000000000000000', 'Report this message'],
  ['/faq', 'Questions and answers'],
  ['/about', 'Built with love in Zimbabwe'],
  ['/terms', 'Terms of service'],
  ['/privacy', 'Privacy policy'],
  ['/verify-email/no-such-token', 'Email not confirmed'],
  ['/forgot-password', 'Forgot your password?'],
  ['/reset-password', 'Invalid Reset Link'],
  ['/reset-password/some-token', 'Set a new password'],
  ['/confirm-email/some-token', 'Confirm this email address?'],
  ['/undo-email/some-token', 'Undo the change of address?'],
  ['/no-such-page', 'Page Not Found'],
  ['/dashboard/no-such-page', 'Page Not Found'],
  ['/m/nobody-aaaaaa', 'Memorial Not Found'],
  ['/m/nobody-aaaaaa/more', 'Memorial Not Found'],
  ['/memorial/mem_unknown', 'Memorial Not Found'],
  ['/memorial/mem_unknown/more', 'Memorial Not Found'],
]

function slugOf({ db }: World, id: string): Promise<string | null> {
  return db.prepare('SELECT slug FROM memorials WHERE id = ?').bind(id).first<string>('slug')
}

const login = (next: string): string => `/login?next=${encodeURIComponent(next)}`

function anonymousRows(demo: SeededDemo): Row[] {
  return [
    ...EVERYBODY,
    ['/', 'A lasting place for their story'],
    ['/login', 'Login'],
    ['/register', 'Create an account'],
    ...['/dashboard', '/create-memorial', `/create-memorial/${demo.draftId}?step=2`, '/create-memorial/a/b']
      .concat('/checkout', `/checkout?memorialId=${demo.draftId}`)
      .map((path): Row => [path, 'Login', login(path)]),
    [`/m/${demo.publicSlug}`, 'Tendai Rudo Moyo'],
    [`/memorial/${demo.publicId}`, 'Tendai Rudo Moyo'],
    [`/memorial/${demo.draftId}`, 'Private Memorial'],
    [`/memorial/${demo.inviteId}`, 'Access Denied'],
    ['/admin', 'Authentication Required'],
    ['/invite/no-such-token', 'This invitation no longer works.', '/'],
    [new URL(demo.inviteLink).pathname, 'Josiah Chikomo', `/memorial/${demo.inviteId}`],
  ]
}

function ownerRows(demo: SeededDemo): Row[] {
  return [
    ...EVERYBODY,
    ['/', 'My Memorials'],
    ['/dashboard', 'My Memorials'],
    ['/login', 'My Memorials', '/dashboard'],
    ['/login?next=%2Ffaq', 'Questions and answers', '/faq'],
    ['/register', 'My Memorials', '/dashboard'],
    ['/create-memorial', 'Tribute Builder'],
    [`/create-memorial/${demo.draftId}?step=2`, 'Tribute Builder'],
    ['/create-memorial/a/b', 'Memorial Not Found'],
    ['/checkout', 'Memorial Payment'],
    [`/checkout?memorialId=${demo.draftId}`, 'Memorial Payment'],
    [`/m/${demo.publicSlug}`, 'Tendai Rudo Moyo'],
    [`/memorial/${demo.draftId}`, 'Grace Ndlovu'],
    ['/admin', 'Access Denied'],
    ['/invite/no-such-token', 'This invitation no longer works.', '/'],
    [new URL(demo.inviteLink).pathname, 'Josiah Chikomo', `/memorial/${demo.inviteId}`],
  ]
}

/** Opens every path on a phone, then checks the same screen on a desktop. */
async function expectRows(page: Page, url: string, rows: Row[]): Promise<void> {
  for (const [path, heading, endsAt = path] of rows) {
    await page.setViewportSize({ width: 360, height: 640 })
    await page.goto(`${url}${path}`)
    const seen = page.getByRole('heading', { level: 1 })
    await expect(seen, path).toHaveText(heading)
    await expect(page, path).toHaveURL(`${url}${endsAt}`)
    await expectNoSidewaysScroll(page)
    await page.setViewportSize({ width: 1280, height: 800 })
    await expect(seen, path).toBeVisible()
    await expectNoSidewaysScroll(page)
  }
}

const REFUSALS = [refusedWith(401), refusedWith(403), refusedWith(404), refusedWith(410)]

test('every path shows a visitor what the route table says', async ({ page, world, demo }) => {
  expectErrors(...REFUSALS)
  await expectRows(page, world.url, anonymousRows(demo))
})

test('every path shows a signed-in owner what the route table says', async ({ page, world, demo }) => {
  expectErrors(...REFUSALS)
  await demo.signIn(page, 'owner')
  await expectRows(page, world.url, ownerRows(demo))
})

test('without a script, a page of the app says what to do', async ({ browser, world }) => {
  const page = await browser.newPage({ javaScriptEnabled: false })
  // Without a session, the server writes the page.
  await page.context().addCookies([{ name: 'session', value: 'ended', url: world.url }])
  await page.goto(`${world.url}/invite/no-such-token`)
  await expect(page.locator('noscript p:visible')).toContainText('ask the family for a new link')
  await page.close()
})

for (const { lost, javaScriptEnabled } of [
  { lost: 'is switched off', javaScriptEnabled: false },
  { lost: 'does not arrive', javaScriptEnabled: true },
]) {
  test(`a memorial that is not public says so kindly if the script ${lost}`, async ({
    browser,
    demo,
    world,
  }) => {
    expectErrors(/ERR_FAILED/u)
    const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 320, height: 740 } })
    const page = await context.newPage()
    await page.route('**/assets/*.js', (route) => route.abort())
    const said: string[] = []
    for (const slug of [await slugOf(world, demo.inviteId), 'nobody-aaaaaa']) {
      await page.goto(`${world.url}/m/${slug}`)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(withoutScriptMessages.memorialTitle)
      await expect(page.getByText('open the link they sent you')).toBeVisible()
      said.push(await page.locator('body').innerText())
      await expectNoSidewaysScroll(page)
    }
    expect(said[0]).toBe(said[1])
    await page.getByRole('link', { name: 'Return Home' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('A lasting place for their story')
    await context.close()
  })
}

test('with a script, the words for browsers without one are never shown', async ({ page, world, demo }) => {
  expectErrors(...REFUSALS)
  await page.addInitScript(() => {
    Object.assign(window, { framesSeen: 0 })
    const look = () => {
      const words = document.querySelector('#without-script')
      // After ten seconds a script counts as lost, and on a busy machine it may come later.
      if (performance.now() < 10_000 && words?.checkVisibility({ visibilityProperty: true }))
        Reflect.set(window, 'framesSeen', 1 + Number(Reflect.get(window, 'framesSeen')))
      requestAnimationFrame(look)
    }
    look()
  })
  for (const path of [`/m/${await slugOf(world, demo.inviteId)}`, '/m/nobody-aaaaaa', '/faq']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('#without-script')).toHaveCount(0)
    expect(await page.evaluate(() => Reflect.get(window, 'framesSeen')), path).toBe(0)
  }
})

test('after a redirect to sign in the user returns to the same path and query', async ({ page, demo }) => {
  await page.context().clearCookies()
  await page.setViewportSize({ width: 360, height: 740 })
  const path = `/checkout?memorialId=${demo.draftId}`
  await page.goto(path)
  await expect(page.getByRole('link', { name: 'Create an account' })).toHaveAttribute(
    'href',
    `/register?next=${encodeURIComponent(path)}`,
  )
  await logIn(page, DEMO.owner.email)
  await expect(page).toHaveURL(path)
  await expect(page.getByRole('heading', { name: 'Memorial Payment' })).toBeVisible()
  await expect(page.getByText('For the memorial of Grace Ndlovu')).toBeVisible()
  // The card form may load here, because the screen loaded as a new document.
  await fillCard(page, '4242 4242 4242 4242')
})

test('Page Not Found waits until the current user is known', async ({ page, demo }) => {
  expectErrors(refusedWith(404))
  await demo.signIn(page, 'admin')
  const answer = await hold(page, '**/api/auth/user')
  const request = page.waitForRequest('**/api/auth/user')
  await page.goto('/no-such-page')
  await request
  await expect(page.getByRole('contentinfo')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Page Not Found' })).toHaveCount(0)
  answer()
  await expect(page.getByRole('heading', { name: 'Page Not Found' })).toBeVisible()
})

test('a failed request for the current user does not redirect to sign in', async ({ page, world, demo }) => {
  expectErrors(refusedWith(500))
  await demo.signIn(page, 'owner')
  await page.route('**/api/auth/user', async (route) => route.fulfill({ status: 500, body: '' }))
  for (const path of ['/dashboard', '/admin']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { name: 'This page could not be opened' })).toBeVisible()
    expect(page.url()).toBe(world.url + path)
  }
  await page.unroute('**/api/auth/user')
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { name: 'My Memorials' })).toBeVisible()
})
