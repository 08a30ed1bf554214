import type { Locator } from '@playwright/test'
import type { MemorialView } from '../../src/shared/memorials/memorials.ts'
import { files } from '../files.ts'
import { expect, test } from '../family.ts'
import { collect, expectDrawn, expectToast, giveName, hold } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

for (const width of [360, 1280]) {
  test(`the header links to home and to the dashboard (sign-in first), at ${width} px`, async ({
    page,
    demo,
  }) => {
    await page.setViewportSize({ width, height: 740 })
    const requested = collect(page, (request) => new URL(request.url()).pathname)
    await page.goto('/dashboard')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Login')
    expect(requested).not.toContain('/api/dashboard')

    await demo.signIn(page, 'owner')
    const press = async (name: string) => {
      const header = page.getByRole('banner')
      if (width === 360) await header.getByRole('button', { name: 'Menu' }).click()
      await header.getByRole('link', { name, exact: true }).click()
    }
    await page.goto('/faq')
    await press('Dashboard')
    await expect(page).toHaveURL('/dashboard')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('My Memorials')
    await expect.poll(() => requested).toContain('/api/dashboard')
    await press('Home')
    await expect(page).toHaveURL('/')
  })
}

test.use({ viewport: { width: 360, height: 740 } })

test('the small print says what the product promises', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('main')).toContainText('Take the plaque’s file to any engraver')
  await expect(page.getByRole('region', { name: 'Cookies' })).toContainText(
    'We use cookies only for what you do here, such as signing in or opening your invitation.',
  )
  await page.goto('/terms')
  for (const promise of [
    'the person with an account who made the memorial',
    'a second memorial costs the fee a second time',
    'A memorial in public viewing is locked',
    'remove anything anyone has added',
    'If you ask us for one, we answer with a price, and nothing is ordered until you accept it.',
    'delete the memorial, or ask us to. It is hidden at once, can be brought back for 30 days',
  ])
    await expect(page.getByRole('main')).toContainText(promise)
})

test('a memorial has its four sections, and two more for the owner', async ({ page, demo }) => {
  const sections = async () => (await page.getByRole('main').locator('section > h2').allTextContents()).sort()
  await page.goto(`/m/${demo.publicSlug}`)
  await expect(page.getByRole('heading', { name: 'Gallery' })).toBeVisible()
  await expect.poll(sections).toEqual(['Funeral Details', 'Gallery', 'Guestbook', 'Life Story'])
  await demo.open(page, 'owner', `/memorial/${demo.publicId}`)
  await expect(page.getByRole('heading', { name: 'Share Memorial' })).toBeVisible()
  await expect
    .poll(sections)
    .toEqual(['Funeral Details', 'Gallery', 'Guestbook', 'Life Story', 'Location', 'Share Memorial'])
})

test('a relative gives only a name and is welcomed, and an upload shows its progress', async ({ family }) => {
  const { inviteLink } = await family.invited()
  const page = await family.visitorPage(360)
  const sessions = collect(page, (request) =>
    request.url().endsWith('/session') ? request.postDataJSON() : undefined,
  )
  const letGo = await hold(page, '**/media/upload')
  await page.goto(inviteLink)
  await page.getByLabel('Add photos').setInputFiles(files.photoOfRelative)
  await giveName(page, 'Farai Chikomo')
  await expectToast(page, 'Welcome!')
  expect(sessions).toEqual([
    { displayName: 'Guest Visitor', email: '' },
    { displayName: 'Farai Chikomo', email: '' },
  ])
  const row = page.getByRole('list', { name: 'Files on their way' }).getByRole('listitem')
  await expect(row).toContainText(/of \d+ kB · \d+ % · Sending/u)
  await expect(row.getByRole('progressbar')).toBeVisible()
  letGo()
  await expectToast(page, 'Media Uploaded')
  await expect(row.getByRole('progressbar')).toHaveCount(0)
})

test('incomplete steps can be skipped, and the list says which are done or skipped', async ({
  page,
  demo,
}) => {
  await demo.signIn(page, 'owner')
  const writes = collect(page, (request) =>
    request.method() !== 'GET' ? `${request.method()} ${request.url()}` : undefined,
  )
  const skip = page.getByRole('button', { name: 'Skip for now' })
  /** The button on the right of the bottom bar. */
  const onward = page.locator('form > :last-of-type').getByRole('button').last()
  await page.goto(`/create-memorial/${demo.draftId}?step=0`)
  await page.getByRole('button', { name: 'Start with the name' }).click()
  await expect(page.getByText('Step 2 of 6')).toBeVisible()
  await expect(onward).toHaveText('Next')
  await expect(skip).toHaveCount(0)
  await page.goto(`/create-memorial/${demo.draftId}?step=2`)
  for (const step of [3, 4]) {
    await expect(page.getByText(`Step ${step} of 6`)).toBeVisible()
    await expect(onward).toHaveText('Skip for now')
    await skip.click()
  }
  await expect(page.getByText('Step 5 of 6')).toBeVisible()
  await page.locator('[aria-controls=wizard-steps]').click()
  await expect(page.getByRole('navigation', { name: 'Steps' }).getByRole('listitem')).toContainText([
    'Skipped',
    'Done',
    'Skipped',
    'Skipped',
    'To do',
    'To do',
  ])
  await page.goto('/dashboard')
  await page.getByRole('link', { name: 'Next: life story and photos, for Grace Ndlovu' }).click()
  await expect(page.getByText('Step 5 of 6')).toBeVisible()
  await skip.click()
  await expect(page.getByText('Step 6 of 6')).toBeVisible()
  await expect(onward).toHaveText('Finish and keep it private')
  expect(writes.filter((write) => !write.endsWith('/location/qr'))).toEqual([])
})

test('funeral, location and sharing are beside the story, or below it on a phone', async ({ page, demo }) => {
  await demo.signIn(page, 'owner')
  await page.goto(`/memorial/${demo.publicId}`)
  const side = page.getByRole('complementary', { name: 'Details' })
  for (const name of ['Location', 'Share Memorial'])
    await expect(side.getByRole('heading', { name })).toBeVisible()
  const story = page.getByRole('region', { name: 'Life Story' })
  const funeral = page.getByRole('region', { name: 'Funeral Details' })
  await expect(funeral.getByText('Funeral, 6 June 2026')).toBeVisible()
  const gallery = page.getByRole('region', { name: 'Gallery' })
  const boxOf = (part: Locator) =>
    part.evaluate((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect()
      return { left, right, top, bottom }
    })
  const boxes = async () => ({
    past: await boxOf(funeral),
    tools: await boxOf(side),
    text: await boxOf(story),
    photos: await boxOf(gallery),
  })
  // Repeated, because what loads may move the parts between two measurements.
  for (const width of [768, 1024, 1280, 1600]) {
    await page.setViewportSize({ width, height: 800 })
    await expect(async () => {
      const { past, tools, text, photos } = await boxes()
      expect(past.left).toBeGreaterThan(text.right)
      expect(past.top).toBeLessThan(text.top + 100)
      expect([tools.left, tools.right]).toEqual([past.left, past.right])
      expect(tools.top).toBeGreaterThan(past.bottom)
      expect([photos.left, photos.right]).toEqual([text.left, past.right])
      expect(photos.top).toBeGreaterThan(tools.bottom)
    }).toPass({ timeout: 60_000 })
  }
  await page.setViewportSize({ width: 360, height: 740 })
  await expect(async () => {
    const { past, tools, text, photos } = await boxes()
    expect(past.top).toBeGreaterThan(text.bottom)
    expect(photos.top).toBeGreaterThan(past.bottom)
    expect(tools.top).toBeGreaterThan(photos.bottom)
  }).toPass({ timeout: 60_000 })
})

test('cards that are much longer than the story are below it on a wide screen', async ({ family }) => {
  const memorial = await family.memorial()
  const api = `/api/memorials/${memorial.id}`
  await family.owner.call('PATCH', api, { lifeStory: '<p>She stayed.</p>' })
  await family.owner.call('POST', `${api}/funeral-events`, { title: 'Burial', dateTime: '2020-06-06T10:00' })
  await family.owner.call('PUT', `${api}/location`, { label: 'Mutare', latitude: -18.97, longitude: 32.67 })
  const page = await family.ownerPage(1280, `/memorial/${memorial.id}`)
  // Repeated, because what loads may move the parts between two measurements.
  await expect(async () => {
    const story = await page.getByRole('region', { name: 'Life Story' }).boundingBox()
    const cards = await page.getByRole('complementary', { name: 'Details' }).boundingBox()
    const gallery = await page.getByRole('region', { name: 'Gallery' }).boundingBox()
    expect(cards?.y).toBeGreaterThan((story?.y ?? 0) + (story?.height ?? 0))
    expect(gallery?.y).toBeGreaterThan((cards?.y ?? 0) + (cards?.height ?? 0))
  }).toPass({ timeout: 60_000 })
})

test('without a portrait the card and the page show the cover photo', async ({ family }) => {
  const memorial = await family.memorial()
  const { id } = await family.addPhoto(memorial.id)
  await family.owner.call('PATCH', `/api/memorials/${memorial.id}`, { coverMediaId: id })
  const page = await family.ownerPage(360)
  for (const [path, selector] of [
    ['/dashboard', 'article img'],
    [`/memorial/${memorial.id}`, 'img[alt^="Portrait of"]'],
  ] as const) {
    await page.goto(path)
    const picture = page.locator(`${selector}[src^="/media/stream/${id}?"]`)
    await expectDrawn(picture)
  }
})

test('the privacy badge is grey for a private memorial and green for an invited one', async ({
  page,
  demo,
}) => {
  await demo.signIn(page, 'owner')
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/dashboard')
  const inkOf = async (name: string) => {
    const icon = page.getByRole('article').filter({ hasText: name }).locator('svg')
    const color = await icon.evaluate((svg) => getComputedStyle(svg).color)
    const [red = 0, green = 0, blue = 0] = (color.match(/\d+/gu) ?? []).map(Number)
    return { red, green, blue }
  }
  const grey = await inkOf('Grace Ndlovu')
  expect(Math.max(grey.red, grey.green, grey.blue) - Math.min(grey.red, grey.green, grey.blue)).toBeLessThan(
    24,
  )
  const open = await inkOf('Josiah Chikomo')
  expect(open.green - Math.max(open.red, open.blue)).toBeGreaterThan(20)
})

test('a local draft is discarded only after a confirmation', async ({ family }) => {
  const { id } = await family.memorial()
  const page = await family.ownerPage(360)
  const title = page.getByLabel('One sentence about them')
  await page.goto(`/create-memorial/${id}?step=1`)
  await title.fill('She knew every bird by its call.')
  await expect(page.getByText(/Saved on this/u)).toBeVisible()
  await page.reload()
  const discard = page.getByRole('button', { name: 'Discard them', exact: true })
  await discard.click()
  await page.getByRole('button', { name: 'Keep it' }).click()
  await expect(title).toHaveValue('She knew every bird by its call.')
  await discard.click()
  await page.getByRole('button', { name: 'Yes, discard them' }).click()
  await expect(title).toHaveValue('She fed whoever came to the gate.')
})

test('Next leaves the funeral step only after the programme is uploaded', async ({ family }) => {
  expectErrors(refusedWith(415))
  const { id } = await family.memorial()
  await family.owner.call('PUT', `/api/memorials/${id}/funeral`, { dateTime: '2031-06-07T10:00' })
  const page = await family.ownerPage(360)
  const letGo = await hold(page, /funeral-program$/u)
  await page.goto(`/create-memorial/${id}?step=2`)
  const sent = page.waitForRequest(/funeral-program$/u)
  await page.getByLabel('Choose the programme (PDF)').setInputFiles({
    name: 'programme.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('not a programme'),
  })
  await sent
  await page.getByRole('button', { name: 'Next' }).click()
  letGo()
  await expectToast(page, 'Upload Failed')
  await expect(page.getByText('Step 3 of 6')).toBeVisible()

  await page.getByRole('button', { name: 'Next' }).click()
  await expect(page.getByText('Step 4 of 6')).toBeVisible()
})

test('a press on Next counts even if the button moves during the press', async ({ family }) => {
  const { id } = await family.memorial()
  const page = await family.ownerPage(1280, `/create-memorial/${id}?step=3`)
  await page.getByLabel('Latitude').fill('-18.9707')
  await page.getByLabel('Longitude').fill('32.6709')
  const next = page.getByRole('button', { name: 'Next' })
  // The code above the button comes late, and moves it.
  await expect(page.getByRole('img', { name: /^QR code/u })).toBeVisible()
  await next.scrollIntoViewIfNeeded()
  const { x, y } = await centreOf(next)
  await page.mouse.move(x, y)
  await page.mouse.down()
  // Content that loads above the button, here a block as tall as a photo.
  await page.locator('section', { has: page.locator('form') }).evaluate((step) => {
    document.documentElement.style.overflowAnchor = 'none'
    step.style.paddingTop = '200px'
  })
  expect((await centreOf(next)).y).toBeGreaterThan(y + 100)
  await page.mouse.up()
  await expect(page.getByText('Step 5 of 6')).toBeVisible()

  // Dragging the pointer away still cancels a press. The editor comes late, too.
  await expect(page.getByRole('textbox', { name: 'Life story' })).toBeVisible()
  const previous = page.getByRole('button', { name: 'Previous' })
  await previous.scrollIntoViewIfNeeded()
  const from = await centreOf(previous)
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + 10, from.y - 150, { steps: 3 })
  await page.mouse.up()
  await previous.press('Enter')
  await expect(page.getByText('Step 4 of 6')).toBeVisible()
})

test('a tap on Next counts even if the button moves under the finger', async ({ family }) => {
  const { id } = await family.memorial()
  const page = await family.ownerPage(360, `/create-memorial/${id}?step=3`)
  await page.getByLabel('Latitude').fill('-18.9707')
  await page.getByLabel('Longitude').fill('32.6709')
  const next = page.getByRole('button', { name: 'Next' })
  await next.scrollIntoViewIfNeeded()
  const { x, y } = await centreOf(next)
  const finger = await page.context().newCDPSession(page)
  await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
  // The bar with the button is at the bottom of the screen.
  await next.evaluate((button) => (button.style.transform = 'translateY(-100px)'))
  expect((await centreOf(next)).y).toBeLessThan(y - 50)
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await expect(page.getByText('Step 5 of 6')).toBeVisible()
})

test('pressing Next during a programme upload saves a new service only once', async ({ family }) => {
  const { id } = await family.memorial()
  await family.owner.call('PUT', `/api/memorials/${id}/funeral`, { dateTime: '2031-06-07T10:00' })
  const page = await family.ownerPage(360)
  const letGo = await hold(page, /funeral-events$/u)
  await page.goto(`/create-memorial/${id}?step=2`)
  await page.getByRole('button', { name: 'Add another service' }).click()
  const second = page.getByRole('region', { name: 'Service 2' })
  await second.getByLabel('Date and time in Harare').fill('2031-06-08T10:00')
  const saving = page.waitForRequest(/funeral-events$/u)
  await second.getByLabel('Choose the programme (PDF)').setInputFiles(files.programme)
  await saving
  await page.getByRole('button', { name: 'Next' }).click()
  letGo()
  await expect(page.getByText('Step 4 of 6')).toBeVisible()
  const { funeralEvents } = await family.owner.call<MemorialView>('GET', `/api/memorials/${id}`)
  expect(funeralEvents.map(({ programFileName }) => programFileName)).toEqual([null, 'programme.pdf'])
})

async function centreOf(element: Locator): Promise<{ x: number; y: number }> {
  const box = await element.boundingBox()
  if (!box) throw new Error('The element is not visible')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

test('the page explains Lock and Unlock, and paying leads the owner to sharing', async ({ family }) => {
  const memorial = await family.memorial()
  const page = await family.ownerPage(360)
  const paid = await family.owner.call<{ payments: { id: string; memorialId: string | null }[] }>(
    'GET',
    '/api/user/payments',
  )
  const paymentId = paid.payments.find((payment) => payment.memorialId === memorial.id)?.id ?? ''
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.goto(`/memorial/${memorial.id}?payment=success&paymentId=${paymentId}`)
  await expect(page.getByRole('link', { name: 'Share it with the family' })).toHaveAttribute(
    'href',
    `/create-memorial/${memorial.id}?step=5`,
  )
  await expect(button('Unlock')).toHaveAccessibleDescription(/opens it to people with your invitation/u)
  await button('Unlock').click()
  await expect(button('Lock')).toHaveAccessibleDescription(/makes it public/u)
  await expect(page.getByRole('link', { name: 'Share it with the family' })).toHaveCount(0)
  await button('Lock').click()
  await button('Make it public').click()
  await expect(button('Unlock to Invite')).toHaveAccessibleDescription(/closes the page to the public/u)
})

test('a memorial page does not ask visitors to recommend the product', async ({ page, demo }) => {
  const others = page.getByRole('list', { name: 'Tell others about us' })
  await page.goto(`/m/${demo.publicSlug}`)
  await expect(page.getByRole('contentinfo').getByRole('link', { name: 'Terms' })).toBeVisible()
  await expect(others).toHaveCount(0)
  await page.goto('/about')
  await expect(others).toBeVisible()
})
