import { collect, hold, openUnwritten } from '../people.ts'
import { expect, expectErrors, refusedWith, test, type World } from '../world.ts'

/** The server writes it. If it can't, the app opens and asks. */
const OWN_MEMORIAL = /\/memorial\/mem_/u
const WAITING = 'This is taking longer than usual. Your connection may be slow.'

async function slugOf({ db }: Pick<World, 'db'>, id: string): Promise<{ slug: string; name: string }> {
  const found = await db
    .prepare('SELECT slug, honouree_full_name AS name FROM memorials WHERE id = ?')
    .bind(id)
    .first<{ slug: string; name: string }>()
  if (!found) throw new Error('the memorial of the demo is there')
  return found
}

test('a slow screen shows nothing, then a skeleton, then a message with Retry', async ({
  page,
  world,
  demo,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const { publicId, inviteId } = demo
  // The server renders a public one completely.
  const invited = await slugOf(world, inviteId)
  const screens = [
    [`/m/${invited.slug}`, `**/api/memorial/${invited.slug}`, 'Loading the memorial', invited.name],
    ['/dashboard', '**/api/dashboard', 'Loading your memorials', 'My Memorials'],
    [`/memorial/${publicId}`, `**/api/memorials/${publicId}`, 'Loading the memorial', 'Tendai Rudo Moyo'],
    [`/create-memorial/${publicId}`, `**/api/memorials/${publicId}`, 'Loading', 'Tribute Builder'],
  ] as const
  await demo.signIn(page, 'owner')
  await openUnwritten(page, OWN_MEMORIAL)
  let hour = Date.now()
  await page.clock.install({ time: hour })
  for (const [path, call, label, name] of screens) {
    const answer = await hold(page, call)
    const requested = collect(page, (request) => (request.url().endsWith(call.slice(2)) ? call : undefined))
    hour += 3_600_000
    await page.clock.pauseAt(hour)
    await page.goto(path)
    const busy = page.getByRole('main').locator('[aria-busy="true"]').filter({ visible: true })
    const shape = busy.locator('[aria-hidden="true"]').first()
    await expect(busy).toBeAttached()
    await page.clock.runFor(150)
    await expect(busy).toBeAttached()
    await expect(shape).toHaveCount(0)
    // The clock is frozen, except for the time that the screen needs to send its request.
    await expect
      .poll(
        async () => {
          await page.clock.runFor(20)
          return requested.length
        },
        { message: path, intervals: [50] },
      )
      .toBe(1)
    await page.clock.runFor(250)
    await expect(shape).toBeVisible()
    await expect(busy.getByRole('status')).toHaveText(label)
    await expect(busy.getByText(WAITING)).toHaveCount(0)
    await page.clock.runFor(8000)
    await expect(busy.getByText(WAITING)).toBeVisible()
    await page.clock.resume()
    await busy.getByRole('button', { name: 'Retry' }).click()
    await expect.poll(() => requested.length, `${path} is asked for again`).toBe(2)
    answer()
    await expect(busy).toHaveCount(0)
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    await page.unroute(call)
  }
})

test('a screen that fails to load says so, and Try Again loads it', async ({ page, world, demo }) => {
  expectErrors(refusedWith(500))
  await page.setViewportSize({ width: 360, height: 740 })
  const { publicId, inviteId } = demo
  const invited = await slugOf(world, inviteId)
  const failed = 'Unable to Load Memorial'
  await demo.signIn(page, 'owner')
  await openUnwritten(page, OWN_MEMORIAL)
  for (const [path, call, problem, name] of [
    [`/m/${invited.slug}`, `**/api/memorial/${invited.slug}`, failed, invited.name],
    [`/memorial/${publicId}`, `**/api/memorials/${publicId}`, failed, 'Tendai Rudo Moyo'],
    [`/create-memorial/${publicId}`, `**/api/memorials/${publicId}`, failed, 'Tribute Builder'],
    ['/dashboard', '**/api/dashboard', 'Unable to Load Dashboard', 'My Memorials'],
  ] as const) {
    await page.route(call, (route) => route.fulfill({ status: 500, body: 'upstream: D1_ERROR' }))
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1, name: problem }), path).toBeVisible()
    await expect(page.getByText('D1_ERROR')).toHaveCount(0)
    await page.unroute(call)
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByRole('heading', { level: 1, name }), path).toBeVisible()
  }
})

test('every screen opened by a link focuses its heading and has its own title', async ({ page, demo }) => {
  const titles = new Set<string>()
  async function expectArrival(name: string): Promise<void> {
    await expect(page.getByRole('heading', { level: 1, name })).toBeFocused()
    expect(await page.evaluate(() => window.scrollY), name).toBe(0)
    const title = await page.title()
    expect(title).toMatch(/^\S.* · Keeping Legacies Alive$/u)
    expect(titles, title).not.toContain(title)
    titles.add(title)
  }
  const main = page.getByRole('main')
  const footer = page.getByRole('navigation', { name: 'Footer' })
  const header = page.getByRole('navigation', { name: 'Main' })
  await page.goto('/register')
  await expect(page.getByRole('heading', { level: 1, name: 'Create an account' })).toBeVisible()
  for (const [place, link, name] of [
    [header, 'Home', 'A lasting place for their story'],
    [main, 'Learn More', 'Built with love in Zimbabwe'],
    [footer, 'FAQ', 'Questions and answers'],
    [footer, 'Privacy', 'Privacy policy'],
    [footer, 'Terms', 'Terms of service'],
    [header, 'Support', 'Contact support'],
    [header, 'Login', 'Login'],
    [main, 'Forgot your password?', 'Forgot your password?'],
  ] as const) {
    await place.getByRole('link', { name: link }).click()
    await expectArrival(name)
  }
  await main.getByRole('link', { name: 'Back to Login' }).click()
  await main.getByRole('link', { name: 'Create an account' }).click()
  await expectArrival('Create an account')

  await demo.open(page, 'owner', '/contact')
  await header.getByRole('link', { name: 'Dashboard' }).click()
  await expectArrival('My Memorials')
  await main.getByRole('link', { name: 'View Josiah Chikomo' }).click()
  await expectArrival('Josiah Chikomo')
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1, name: 'My Memorials' })).toBeFocused()
})

test('a link pressed before the first screen has come leads to a heading with focus', async ({
  page,
  demo,
}) => {
  await demo.signIn(page, 'owner')
  const screen = /\/assets\/account-screens-[^/]*\.js$/u
  const letGo = await hold(page, screen)
  await Promise.all([page.waitForRequest(screen), page.goto('/contact', { waitUntil: 'commit' })])
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Dashboard' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'My Memorials' })).toBeFocused()
  letGo()
})

test('offline another screen says that it could not open, and opens later', async ({ page, demo }) => {
  expectErrors(/ERR_INTERNET_DISCONNECTED/u, /Unable to preload CSS/u, /dynamically imported module/u)
  // Without a session, each page is a document of its own.
  await demo.open(page, 'owner', '/dashboard')
  await expect(page.getByRole('article')).toHaveCount(3)
  await page.waitForLoadState('networkidle')
  const footer = page.getByRole('navigation', { name: 'Footer' })
  for (const [link, name] of [
    ['Contact', 'Contact support'],
    ['FAQ', 'Questions and answers'],
  ] as const) {
    await page.context().setOffline(true)
    await footer.getByRole('link', { name: link }).click()
    const failed = page.getByRole('heading', { level: 1, name: 'This page could not be opened' })
    await expect(failed).toBeFocused()
    await expect(page.getByRole('alert')).toContainText('Nothing is lost.')
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Try Again' }).click()
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    await expect(failed).toHaveCount(0)
  }
  // The texts come in one file.
  await page.context().setOffline(true)
  await footer.getByRole('link', { name: 'Terms' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Terms of service' })).toBeVisible()
})
