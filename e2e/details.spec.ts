import { DEMO } from '../scripts/seed.ts'
import { enter } from './by-call.ts'
import { refusedWith } from './console.ts'
import { expect, expectToast, strangerPage, test } from './family.ts'
import { files } from './files.ts'

for (const width of [360, 1280]) {
  test(`small print says what the product promises, at ${width}`, async ({ page, world }) => {
    await page.setViewportSize({ width, height: 740 })
    await page.goto(world.url)
    await expect(page.getByRole('main')).toContainText('Plaques are currently shipped to Zimbabwe')
    await expect(page.getByRole('region', { name: 'Cookies' })).toContainText(
      'We use one cookie to keep you signed in. No tracking.',
    )
    await page.goto(`${world.url}/terms`)
    for (const promise of [
      'the person with an account who made the memorial',
      'a second memorial costs the fee a second time',
      'A memorial in public viewing is locked',
      'delete anything that was added, by whomever',
      'delete the memorial, or ask us to. It is hidden at once, can be brought back for 30 days',
    ])
      await expect(page.getByRole('main')).toContainText(promise)
  })

  test(`the sections of a memorial bear the names of the spec, and two of them are the owner's, at ${width}`, async ({
    page,
    world,
    demo,
  }) => {
    await page.setViewportSize({ width, height: 740 })
    const sections = async () =>
      (await page.getByRole('main').locator('section > h2').allTextContents()).sort()
    await page.goto(`${world.url}/m/${demo.publicSlug}`)
    await expect(page.getByRole('heading', { name: 'Gallery' })).toBeVisible()
    expect(await sections()).toEqual(['Funeral Details', 'Gallery', 'Guestbook', 'Life Story'])
    await enter(page, world, DEMO.owner.email)
    await page.goto(`${world.url}/memorial/${demo.publicId}`)
    await expect(page.getByRole('heading', { name: 'Share Memorial' })).toBeVisible()
    expect(await sections()).toEqual([
      'Funeral Details',
      'Gallery',
      'Guestbook',
      'Life Story',
      'Location',
      'Share Memorial',
    ])
  })

  test(`the header leads home and to the dashboard, which asks for nothing while nobody is signed in, at ${width}`, async ({
    page,
    world,
    demo,
  }) => {
    expect(demo.draftId).toMatch(/^mem_/u)
    await page.setViewportSize({ width, height: 740 })
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(`${world.url}/dashboard`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Login')
    expect(asked).not.toContain('/api/dashboard')

    await enter(page, world, DEMO.owner.email)
    const press = async (name: string) => {
      const header = page.getByRole('banner')
      if (width === 360) await header.getByRole('button', { name: 'Menu' }).click()
      await header.getByRole('link', { name, exact: true }).click()
    }
    await page.goto(`${world.url}/faq`)
    await press('Dashboard')
    await expect(page).toHaveURL(`${world.url}/dashboard`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('My Memorials')
    expect(asked).toContain('/api/dashboard')
    await press('Home')
    await expect(page).toHaveURL(`${world.url}/`)
  })

  test(`a relative's name goes alone, is welcomed, and a file shows how far it has come, at ${width}`, async ({
    browser,
    family,
  }) => {
    const { inviteLink } = await family.invited()
    const page = await strangerPage(browser, width)
    const sessions: unknown[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/session')) sessions.push(request.postDataJSON())
    })
    let letGo = (): void => undefined
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route('**/media/upload', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(inviteLink)
    await page.getByLabel('Add photos').setInputFiles(files.photoOfRelative)
    await page.getByLabel('Your name').fill('Farai Chikomo')
    await page.getByRole('button', { name: 'Save' }).click()
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
    await page.context().close()
  })

  test(`every step before the last can be skipped, and nothing is changed by it, at ${width}`, async ({
    page,
    world,
    demo,
  }) => {
    await page.setViewportSize({ width, height: 740 })
    await enter(page, world, DEMO.owner.email)
    const writes: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') writes.push(`${request.method()} ${request.url()}`)
    })
    await page.goto(`${world.url}/create-memorial/${demo.draftId}?step=0`)
    for (const step of [1, 2, 3, 4, 5]) {
      await expect(page.getByText(`Step ${step} of 6`)).toBeVisible()
      await page.getByRole('button', { name: 'Skip for now' }).click()
    }
    await expect(page.getByText('Step 6 of 6')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Skip for now' })).toHaveCount(0)
    expect(writes.filter((write) => !write.endsWith('/location/qr'))).toEqual([])
  })
}

test('on a wide screen the place and the ways to share stand beside the story, and below it on a phone', async ({
  page,
  world,
  demo,
}) => {
  await enter(page, world, DEMO.owner.email)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`${world.url}/memorial/${demo.publicId}`)
  const side = page.getByRole('complementary', { name: 'Details' })
  for (const name of ['Location', 'Share Memorial'])
    await expect(side.getByRole('heading', { name })).toBeVisible()
  const story = page.getByRole('region', { name: 'Life Story' })
  const boxes = async () => ({ tools: await side.boundingBox(), story: await story.boundingBox() })
  const wide = await boxes()
  expect(wide.tools?.x).toBeGreaterThan((wide.story?.x ?? 0) + (wide.story?.width ?? 0) - 1)
  expect(wide.tools?.y).toBeLessThan((wide.story?.y ?? 0) + 100)
  await page.setViewportSize({ width: 360, height: 740 })
  const narrow = await boxes()
  expect(narrow.tools?.y).toBeGreaterThan((narrow.story?.y ?? 0) + (narrow.story?.height ?? 0))
})

test('without a portrait the cover photo stands for the memorial, on its card and its page', async ({
  browser,
  world,
  family,
}) => {
  const memorial = await family.memorial()
  const { id } = await family.addPhoto(memorial.id)
  await family.owner.call('PATCH', `/api/memorials/${memorial.id}`, { coverMediaId: id })
  const page = await family.ownerPage(browser, 360)
  for (const [path, selector] of [
    ['/dashboard', 'article img'],
    [`/memorial/${memorial.id}`, 'img[alt^="Portrait of"]'],
  ] as const) {
    await page.goto(world.url + path)
    const picture = page.locator(`${selector}[src^="/media/stream/${id}?"]`)
    await picture.scrollIntoViewIfNeeded()
    await expect
      .poll(() => picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth))
      .toBeGreaterThan(0)
  }
  await page.context().close()
})

test('the badge of a private memorial has a grey icon, that of one open to the invited is green', async ({
  page,
  world,
  demo,
}) => {
  expect(demo.draftId).toMatch(/^mem_/u)
  await enter(page, world, DEMO.owner.email)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(`${world.url}/dashboard`)
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

test('words kept on the device are thrown away only by somebody who was asked', async ({
  browser,
  world,
  family,
}) => {
  const { id } = await family.memorial()
  const page = await family.ownerPage(browser, 360)
  const title = page.getByLabel('One sentence about them')
  await page.goto(`${world.url}/create-memorial/${id}?step=1`)
  await title.fill('She knew every bird by its call.')
  await expect(page.getByText(/Saved on this/u)).toBeVisible()
  await page.reload()
  const discard = page.getByRole('button', { name: 'Go back to what is saved' })
  await discard.click()
  await page.getByRole('button', { name: 'Keep it' }).click()
  await expect(title).toHaveValue('She knew every bird by its call.')
  await discard.click()
  await page.getByRole('button', { name: 'Throw them away' }).click()
  await expect(title).toHaveValue('She fed whoever came to the gate.')
  await page.context().close()
})

test('the step of the funeral is left only when the programme has arrived', async ({
  browser,
  world,
  family,
  expectErrors,
}) => {
  expectErrors(refusedWith(415))
  const { id } = await family.memorial()
  await family.owner.call('PUT', `/api/memorials/${id}/funeral`, { dateTime: '2031-06-07T10:00' })
  const page = await family.ownerPage(browser, 360)
  let letGo = (): void => undefined
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route(/funeral-program$/u, async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${world.url}/create-memorial/${id}?step=2`)
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
  await page.context().close()
})

test('the owner reads what Lock and Unlock will do, and is led on to sharing after paying', async ({
  browser,
  world,
  family,
}) => {
  const memorial = await family.memorial()
  const page = await family.ownerPage(browser, 360)
  const paid = await family.owner.call<{ payments: { id: string; memorialId: string | null }[] }>(
    'GET',
    '/api/user/payments',
  )
  const paymentId = paid.payments.find((payment) => payment.memorialId === memorial.id)?.id ?? ''
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.goto(`${world.url}/memorial/${memorial.id}?payment=success&paymentId=${paymentId}`)
  await expect(page.getByRole('link', { name: 'Share it with the family' })).toHaveAttribute(
    'href',
    `/create-memorial/${memorial.id}?step=5`,
  )
  await expect(button('Unlock')).toHaveAccessibleDescription(/opens it to people with your invitation/u)
  await button('Unlock').click()
  await expect(button('Lock')).toHaveAccessibleDescription(/makes it public/u)
  await expect(page.getByRole('link', { name: 'Share it with the family' })).toHaveCount(0)
  await button('Lock').click()
  await expect(button('Unlock to Invite')).toHaveAccessibleDescription(/closes it to the public/u)
  await page.context().close()
})

test('nobody is asked to recommend us beside a memorial', async ({ page, world, demo }) => {
  const others = page.getByRole('list', { name: 'Tell others about us' })
  await page.goto(`${world.url}/m/${demo.publicSlug}`)
  await expect(page.getByRole('contentinfo').getByRole('link', { name: 'Terms' })).toBeVisible()
  await expect(others).toHaveCount(0)
  await page.goto(`${world.url}/about`)
  await expect(others).toBeVisible()
})
