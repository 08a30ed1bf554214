import type { Page } from '@playwright/test'
import type { Memorial } from '../../src/shared/memorials/memorials.ts'
import { files } from '../files.ts'
import { expect, type Family, test } from '../family.ts'
import { appStarted, expectDrawn, expectEnhanced, expectToast, openWithCalls, pressMore } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const LONG_STORY = Array.from(
  { length: 9 },
  (_, index) =>
    `<p>Chapter ${index + 1}. ${'She walked behind the cattle before she walked to school. '.repeat(5)}</p>`,
).join('')

/** Denies access to the clipboard, or records what the page writes to it. */
async function withClipboard(page: Page, kind: 'denied' | 'kept'): Promise<void> {
  await page.addInitScript((isDenied) => {
    navigator.clipboard.writeText = async (text) => {
      if (isDenied) throw new DOMException('Write permission denied.', 'NotAllowedError')
      document.documentElement.dataset['clipboard'] = text
    }
  }, kind === 'denied')
}

function saveStory(family: Family, memorial: Memorial, lifeStory: string): Promise<Memorial> {
  return family.owner.call('PATCH', `/api/memorials/${memorial.id}`, { lifeStory })
}

for (const width of [360, 1280]) {
  test(`long stories expand and long names are smaller, at ${width} px`, async ({ family }) => {
    const short = await family.memorial('LOCKED')
    const long = await family.memorial('LOCKED', { honoureeFullName: 'Sekai Nyasha Chipo Mukanganwi-Ndlovu' })
    await saveStory(family, long, LONG_STORY)
    const page = await family.visitorPage(width)
    const bar = page.getByRole('navigation', { name: 'On this page' })
    const nameSize = () =>
      page.getByRole('heading', { level: 1 }).evaluate((name) => getComputedStyle(name).fontSize)
    await page.goto(`/m/${short.slug}`)
    await expect(page.getByText('No photos yet.')).toBeVisible()
    await expect(bar).toHaveCount(0)
    expect(await nameSize()).toBe(width === 360 ? '34px' : '56px')

    await page.goto(`/m/${long.slug}`)
    await expect(bar.getByRole('link')).toHaveText(['Life Story', 'Gallery', 'Guestbook'])
    expect(await nameSize()).toBe(width === 360 ? '28px' : '44px')
    await expect(page.getByText('Chapter 9.')).toBeHidden()
    await expectEnhanced(page)
    const more = page.getByRole('button', { name: 'Read the whole story' })
    const lastShown = page.getByText(/^Chapter 3\./u)
    await more.focus()
    const before = (await lastShown.boundingBox())?.y
    await page.keyboard.press('Enter')
    await expect(page.getByText('Chapter 9.')).toBeVisible()
    const less = page.getByRole('button', { name: 'Show less' })
    await expect(less).toBeFocused()
    expect((await lastShown.boundingBox())?.y).toBe(before)
    await less.press('Enter')
    await expect(more).toBeInViewport()
    await bar.getByRole('link', { name: 'Guestbook' }).click()
    await expect(page.getByRole('heading', { name: 'Guestbook' })).toBeInViewport()
    await page.context().close()
  })
}

const width = 360

test('each reason why a memorial is not visible has its own message and a link home', async ({ family }) => {
  expectErrors(refusedWith(403), refusedWith(404))
  const [hidden, invited] = [await family.memorial(), await family.memorial('INVITE')]
  const page = await family.visitorPage(width)
  for (const [path, title] of [
    [`/memorial/${hidden.id}`, 'Private Memorial'],
    [`/m/${hidden.slug}`, 'Private Memorial'],
    [`/memorial/${invited.id}`, 'Access Denied'],
    [`/m/${invited.slug}`, 'Access Denied'],
    ['/memorial/mem_00000000000000000000', 'Memorial Not Found'],
    ['/m/nobody-aaaaaa', 'Memorial Not Found'],
  ] as const) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    await expect(page.getByText(hidden.honoureeFullName)).toHaveCount(0)
    await page.getByRole('link', { name: 'Return Home' }).click()
    await expect(page).toHaveURL('/')
  }
  await page.goto(`/memorial/${invited.id}`)
  await expect(page.getByRole('alert')).toHaveText(/kept for family and friends. Ask the family for their/u)
})

test('when the owner changes the privacy, the add buttons change with it', async ({ family }) => {
  const memorial = await family.memorial()
  const page = await family.ownerPage(width, `/memorial/${memorial.id}`)
  await expect(page.getByRole('link', { name: 'Edit Memorial' })).toHaveAttribute(
    'href',
    `/create-memorial/${memorial.id}`,
  )
  for (const [button, after, line] of [
    ['Unlock', 'Unlocked', 'People with your link can see it and add to it'],
    ['Lock', 'Locked', 'Anyone with the link can see it'],
    ['Unlock to Invite', 'Unlocked', 'People with your link can see it and add to it'],
  ] as const) {
    await page.getByRole('button', { name: button, exact: true }).click()
    if (button === 'Lock') await page.getByRole('button', { name: 'Make it public' }).click()
    await expectToast(page, 'Privacy Updated')
    await expect(page.getByText(after, { exact: true })).toBeVisible()
    await expect(page.getByText(line)).toBeVisible()
    const controls = after === 'Locked' ? 0 : 1
    await expect(page.getByLabel('Write a message')).toHaveCount(controls)
    await expect(page.getByLabel('Add photos')).toHaveCount(controls)
    await expect(page.getByLabel('Add a portrait')).toHaveCount(controls)
  }
})

test('Lock asks before it makes a memorial public, and Undo takes it back', async ({ family }) => {
  const memorial = await family.memorial('INVITE')
  const page = await family.ownerPage(width, `/memorial/${memorial.id}`)
  const lock = page.getByRole('button', { name: 'Lock', exact: true })
  const question = page.getByRole('dialog', { name: 'Make this memorial public?' })
  await lock.press('Enter')
  await expect(question).toContainText('Anyone with the link can see it. Nobody can add to it.')
  await expect(question.getByRole('button', { name: 'Not now' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(lock).toBeFocused()
  await lock.press('Enter')
  await question.getByRole('button', { name: 'Make it public' }).press('Enter')
  await expectToast(page, 'Privacy Updated', 'This memorial is now public.')
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await expectToast(page, 'Privacy Updated', 'This memorial is now invite-only.')
  await expect(lock).toBeFocused()
})

for (const place of ['page', 'card']) {
  test(`"Who can see this" on a memorial's ${place} shows and sets all settings`, async ({ family }) => {
    expectErrors(refusedWith(402))
    const [paid, unpaid] = [await family.memorial(), await family.draft()]
    const page = await family.ownerPage(width)
    const choose = async ({ id, honoureeFullName }: Memorial, name: RegExp, answer?: string) => {
      await page.goto(place === 'card' ? '/dashboard' : `/memorial/${id}`)
      const opener = page.getByRole('button', { name: `Who can see this memorial of ${honoureeFullName}` })
      await opener.click()
      await expect(page.getByRole('radio', { name: /^Private \(now\)|^Invite-only \(now\)/u })).toBeFocused()
      await page.getByRole('radio', { name }).check()
      await page.getByRole('button', { name: 'Save' }).click()
      if (answer) await page.getByRole('button', { name: answer }).click()
      await expect(opener).toBeFocused()
    }
    await choose(unpaid, /^Public/u, 'Make it public')
    const pay = page.getByRole('link', { name: 'Pay for this memorial' })
    await expect(pay).toHaveAttribute('href', `/checkout?memorialId=${unpaid.id}`)
    await choose(paid, /^Invite-only/u)
    await expect(page.getByText('People with your link can see it and add to it')).toBeVisible()
    await choose(paid, /^Public/u, 'Not now')
    await choose(paid, /^Public/u, 'Make it public')
    await expectToast(page, 'Privacy Updated', 'This memorial is now public.')
    await expect(page.getByText('Anyone with the link can see it', { exact: true })).toBeVisible()
  })
}

test('only a link that works can be copied, and a private memorial has no share button', async ({
  family,
}) => {
  const memorial = await family.memorial()
  const path = `${family.world.url}/memorial/${memorial.id}`
  const publicLink = `${family.world.url}/m/${memorial.slug}`
  const page = await family.ownerPage(width)
  await withClipboard(page, 'kept')
  await page.goto(path)
  const share = page.getByRole('region', { name: 'Share Memorial' })
  const copied = () => page.locator('html').getAttribute('data-clipboard')
  const cannotCopy = 'Cannot copy link: Memorial must be locked to generate a public link'

  // The reason is visible once, and describes the button that it disables.
  const expectDisabled = async (name: string, reason: string) => {
    const button = share.getByRole('button', { name })
    await expect(button).toBeDisabled()
    await expect(button).toHaveAccessibleDescription(reason)
    await expect(share.getByText(reason)).toHaveCount(1)
  }
  const notPublic = 'Memorial must be public to share on social media'
  for (const network of ['WhatsApp', 'Facebook']) await expectDisabled(network, notPublic)
  await expectDisabled('Copy public link', cannotCopy)
  await share.getByRole('button', { name: 'Copy public link' }).press('Enter')
  await expectToast(page, 'Cannot Share', cannotCopy)
  await share.getByRole('button', { name: 'QR code' }).click()
  await expect(page.getByRole('img', { name: `QR code of ${publicLink}` })).toBeVisible()
  await page.keyboard.press('Escape')

  await family.setPrivacy(memorial.id, 'INVITE')
  await page.reload()
  await expectDisabled('Copy public link', cannotCopy)
  await share.getByRole('button', { name: 'Copy invitation link' }).click()
  await expectToast(page, 'Copied')
  const invitation = await share.getByLabel('Invitation link').inputValue()
  expect(await copied()).toBe(invitation)
  // The invitation is a secret: it goes into private messages, never to a public network.
  await expectDisabled('Facebook', notPublic)
  await expect(share.getByRole('link')).toHaveText(['Send with WhatsApp', 'SMS', 'Email'])

  await family.setPrivacy(memorial.id, 'LOCKED')
  await page.reload()
  await expect(share.getByText(notPublic)).toHaveCount(0)
  await share.getByRole('button', { name: 'Copy public link' }).click()
  await expectToast(page, 'Link copied: Memorial link has been copied to clipboard')
  expect(await copied()).toBe(publicLink)
  for (const [network, host] of [
    ['WhatsApp', 'https://wa.me/'],
    ['Facebook', 'https://www.facebook.com/'],
  ] as const) {
    const href = await share.getByRole('link', { name: network }).getAttribute('href')
    expect(href?.startsWith(host)).toBe(true)
    expect(decodeURIComponent(href ?? '')).toContain(publicLink)
  }
  await page.context().close()

  const denied = await family.ownerPage(width)
  await withClipboard(denied, 'denied')
  await denied.goto(path)
  await denied.getByRole('button', { name: 'Copy public link' }).click()
  await expectToast(denied, 'Copy Failed')
  await denied.context().close()

  const visitor = await family.visitorPage(width, publicLink)
  await expect(visitor.getByRole('heading', { level: 1 })).toBeVisible()
  for (const name of ['Share Memorial', 'Edit Memorial', 'Unlock to Invite']) {
    await expect(visitor.getByText(name, { exact: true })).toHaveCount(0)
  }
})

test('the location shows a map, or text if that fails, and only to those allowed', async ({ family }) => {
  expectErrors(/ERR_FAILED/u)
  const memorial = await family.memorial('LOCKED')
  const api = `/api/memorials/${memorial.id}`
  await family.owner.call('PUT', `${api}/location`, {
    label: 'Yeovil Cemetery',
    latitude: -18.9707,
    longitude: 32.6709,
  })
  const page = await family.ownerPage(width)
  const card = (of: Page) => of.getByRole('region', { name: 'Location' })
  await page.goto(`/memorial/${memorial.id}`)
  const picture = card(page).getByRole('img', { name: 'Map of Yeovil Cemetery' })
  await picture.scrollIntoViewIfNeeded()
  const drawn = () => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)
  await expect.poll(drawn).toBe(600)
  const link = card(page).getByRole('link', { name: 'Yeovil Cemetery' })
  await expect(link).toHaveAttribute('href', 'https://www.google.com/maps?q=-18.970700,32.670900&z=14')
  await expect(card(page).getByRole('link', { name: 'Open in OpenStreetMap' })).toHaveAttribute(
    'href',
    'https://www.openstreetmap.org/?mlat=-18.970700&mlon=32.670900#map=14/-18.970700/32.670900',
  )

  await page.route('**/location/map', (route) => route.abort())
  await page.reload()
  await link.scrollIntoViewIfNeeded()
  await expect(picture).toHaveCount(0)
  await expect(link).toHaveText('Yeovil Cemetery-18.970700, 32.670900')
  await page.context().close()

  const visitor = await family.visitorPage(width, `/m/${memorial.slug}`)
  await expect(visitor.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(card(visitor)).toHaveCount(0)
  await family.owner.call('PATCH', api, { showLocation: true })
  await visitor.reload()
  await expect(card(visitor)).toContainText('-18.970700, 32.670900')
  await card(visitor).scrollIntoViewIfNeeded()
  await expect(card(visitor).getByRole('img')).toBeVisible()
})

test('an upcoming funeral is before the story, and a past one is one line after it', async ({ family }) => {
  const memorial = await family.memorial('LOCKED')
  const api = `/api/memorials/${memorial.id}`
  await saveStory(family, memorial, '<p>She stayed.</p>')
  const page = await family.visitorPage(width)
  const order = () =>
    page.evaluate(() => {
      const ids = [...document.querySelectorAll('main section[id]')].map(({ id }) => id)
      return ids.filter((id) => ['funeral', 'story'].includes(id))
    })
  const show = async () => {
    await page.goto(`/m/${memorial.slug}`)
    await expect(page.getByText('She stayed.')).toBeVisible()
  }
  await show()
  expect(await order()).toEqual(['story'])
  await expect(page.getByText('Funeral Details')).toHaveCount(0)

  const past = { title: 'Body viewing', dateTime: '2020-06-06T10:00' }
  await family.owner.call('POST', `${api}/funeral-events`, past)
  await show()
  expect(await order()).toEqual(['story', 'funeral'])
  const details = page.getByRole('region', { name: 'Funeral Details' })
  const tookPlace = details.getByText('Took place on Saturday 6 June 2020, 10:00, Harare time')
  await expect(tookPlace).toBeHidden()
  await details.getByText('Funeral, 6 June 2020', { exact: true }).click()
  await expect(tookPlace).toBeVisible()
  await expect(details.getByRole('link', { name: 'Add to calendar' })).toHaveCount(0)

  const ahead = { title: 'Tombstone unveiling', dateTime: '2032-06-05T10:00', city: 'Mutare' }
  await family.owner.call('POST', `${api}/funeral-events`, ahead)
  await show()
  expect(await order()).toEqual(['funeral', 'story'])
  await expect(details.getByRole('heading', { level: 3 })).toHaveText(['Tombstone unveiling'])
  await details.getByText('Funeral, 6 June 2020', { exact: true }).click()
  await expect(details.getByRole('heading', { level: 3 })).toHaveText(['Tombstone unveiling', 'Body viewing'])
  await expect(details.getByRole('link', { name: 'Add to calendar' })).toHaveCount(1)
  await expect(details.getByRole('link', { name: 'Directions' })).toHaveAttribute('href', /Mutare/u)
})

test('every photo is counted, opens uncropped, zooms, and closes to its thumbnail', async ({ family }) => {
  const memorial = await family.memorial()
  const api = `/api/memorials/${memorial.id}`
  await family.owner.upload(`${api}/media/upload`, files.voiceNote, 'audio/ogg', { type: 'AUDIO' })
  const photo = await family.addPhoto(memorial.id, 'Her kitchen')
  // More than one page of media, so that the recording is on the second page.
  await family.world.db
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 64)
       INSERT INTO media (id, memorial_id, type, mime_type, size, width, height, original_file_name, object_key, has_thumbnail, created_at)
       SELECT id || n.i, memorial_id, type, mime_type, size, width, height, original_file_name, object_key, has_thumbnail, created_at + n.i
       FROM media, n WHERE id = ?`,
    )
    .bind(photo.id)
    .run()
  const page = await family.ownerPage(width, `/memorial/${memorial.id}`)
  await page.getByRole('heading', { name: 'Gallery' }).scrollIntoViewIfNeeded()
  await expect(page.getByRole('button', { name: 'See all 65' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Voices' })).toBeVisible()

  // The URL opens an item on the second page, with a request of its own.
  await page.goto(`/memorial/${memorial.id}?photo=${photo.id}`)
  const viewer = page.getByRole('dialog', { name: 'Photo' })
  await expect(viewer).toContainText('65 of 65')
  await expect(viewer).toContainText('Her kitchen')
  await expect(viewer).toContainText('Added by the family')
  await viewer.getByRole('button', { name: 'Previous' }).click()
  await expect(viewer).toContainText('64 of 65')
  await viewer.getByRole('button', { name: 'Next' }).click()
  await expect(viewer).toContainText('65 of 65')

  const image = viewer.getByRole('img')
  const shownWidth = async () => Math.round((await image.boundingBox())?.width ?? 0)
  await expectDrawn(image)
  await expect(viewer.getByRole('button', { name: 'Zoom out' })).toHaveAttribute('aria-disabled', 'true')
  await viewer.getByRole('button', { name: 'Zoom in' }).click()
  await page.keyboard.press('+')
  await expect(viewer).toContainText('65 of 65 · 200 %')
  await expect.poll(shownWidth).toBe(width * 2)
  // The centre stays in the centre: half of the photo overflows on the left.
  await expect.poll(async () => Math.round((await image.boundingBox())?.x ?? 0)).toBe(-width / 2)
  const stage = viewer.getByRole('group', { name: 'Enlarged photo' })
  await stage.focus()
  const scrolled = () => stage.evaluate((element) => element.scrollLeft)
  const middle = await scrolled()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(scrolled).toBeLessThan(middle)
  await expect(viewer).toContainText('65 of 65')
  await viewer.getByRole('button', { name: 'Zoom out' }).click()
  await page.keyboard.press('-')
  await expect(viewer).not.toContainText('%')
  await expect.poll(shownWidth).toBeLessThanOrEqual(width)

  await viewer.getByRole('button', { name: 'Close' }).click()
  await expect(viewer).toBeHidden()
  await expect(page).toHaveURL(`/memorial/${memorial.id}`)
  // It has no thumbnail yet.
  await expect(page.getByRole('heading', { name: 'Gallery' })).toBeFocused()
  await page.getByRole('button', { name: 'See all 65' }).click()
  await page.getByRole('button', { name: 'Show more photos' }).click()
  await expect(page.getByText('65 of 65 photos shown')).toBeVisible()
  await page.locator(`#photo-${photo.id}`).press('Enter')
  await expect(page).toHaveURL(`/memorial/${memorial.id}?photo=${photo.id}`)
  await page.goBack()
  await expect(viewer).toBeHidden()
  await expect(page.locator(`#photo-${photo.id}`)).toBeFocused()
})

test('the owner changes the portrait and deletes media', async ({ family }) => {
  const memorial = await family.memorial()
  const page = await family.ownerPage(width, `/memorial/${memorial.id}`)
  const choose = page.getByLabel('Add a portrait')
  await choose.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
  await expectToast(page, 'Invalid File', 'Please select an image file')
  const large = Buffer.alloc(15 * 1024 * 1024 + 1)
  await choose.setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer: large })
  await expectToast(page, 'File Too Large', 'Please select an image smaller than 15MB')
  await choose.setInputFiles(files.photoRotated)
  await expectToast(page, 'Upload Successful')
  const portrait = page.getByRole('img', { name: `Portrait of ${memorial.honoureeFullName}` })
  await expectDrawn(portrait)
  await expect(page.getByLabel('Change portrait')).toBeAttached()

  await page.getByLabel('Add a recording').setInputFiles(files.voiceNote)
  await expectToast(page, 'Media Uploaded')
  const voices = page.getByRole('heading', { name: 'Voices' })
  const removed = page.getByRole('region', { name: 'Removed' })
  await pressMore(page, /^More: Recording/u, 'Delete recording')
  await expectToast(page, 'Removed.', 'Undo')
  // The notification stays while it has the focus.
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.focus()
  await expect(voices).toHaveCount(0)
  await expect(page.getByText('No photos yet.')).toBeVisible()
  await expect(removed).toContainText('Recording added by the family')
  // Screen readers are told of the button, too.
  await expect(page.locator('[aria-live=polite]', { hasText: /^Removed\.\s+Undo$/u })).toBeAttached()
  await undo.click()
  await expect(voices).toBeVisible()
  await expect(removed).toHaveCount(0)

  await pressMore(page, /^More: Recording/u, 'Delete recording')
  await removed.getByRole('button', { name: 'Delete for good' }).click()
  const question = page.getByRole('dialog', {
    name: 'Are you sure you want to delete this media? This action cannot be undone.',
  })
  await question.getByRole('button', { name: 'Delete for good' }).click()
  await expectToast(page, 'Deleted for good.')
  await expect(removed).toContainText('Nothing is left here.')
})

test('the public page shows at once what its owner changed on another device', async ({ family }) => {
  expectErrors(refusedWith(404))
  const memorial = await family.memorial('LOCKED')
  const publicUrl = `/m/${memorial.slug}`
  const page = await family.ownerPage(1280, publicUrl)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(memorial.honoureeFullName)
  await expect(page.getByLabel('Write a message')).toHaveCount(0)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Dashboard' }).click()
  await page.locator(`a[href="/memorial/${memorial.id}"]`).first().click()
  await page.getByRole('button', { name: 'Unlock to Invite' }).click()
  await expectToast(page, 'Privacy Updated')
  await page.goBack()
  await page.goBack()
  await expect(page).toHaveURL(publicUrl)
  await expect(page.getByLabel('Write a message')).toBeVisible()

  await page.goForward()
  await page.goForward()
  await page.getByRole('button', { name: 'Delete this memorial' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill(memorial.honoureeFullName)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete memorial' }).click()
  await expect(page.getByRole('region', { name: 'Deleted memorials' })).toBeVisible()
  await page.evaluate(() => history.go(-3))
  await expect(page).toHaveURL(publicUrl)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Memorial Not Found')
})

test('a message draft is saved for its writer only, not for others on the device', async ({ family }) => {
  const { memorial, inviteLink } = await family.invited()
  const page = await family.ownerPage(1280, `/memorial/${memorial.id}`)
  const message = page.getByLabel('Write a message')
  await expectEnhanced(page)
  await message.fill('Between us two')
  // Leaves first: the page's own calls would be refused without the cookies.
  await page.goto('about:blank')
  await page.context().clearCookies()

  await page.goto(inviteLink)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(memorial.honoureeFullName)
  await message.focus()
  await expect(appStarted(page)).toBeAttached()
  await expect(message).toHaveValue('')
  await family.signIn(page)
  await openWithCalls(page, `/memorial/${memorial.id}`, '**/held')
  await expect(message).toHaveValue('Between us two')

  // Signing out deletes the draft, even for the same user. The page's calls have ended: after it they would be refused.
  await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByTestId('toast')).toBeVisible()
  await family.signIn(page)
  await page.goto(`/memorial/${memorial.id}`)
  await expect(appStarted(page)).toBeAttached()
  await expect(message).toHaveValue('')
})

test('an unpaid memorial is visible only to its owner, who sees how to pay', async ({ family }) => {
  expectErrors(refusedWith(402))
  const draft = await family.draft({ honoureeFullName: 'Peter Banda' })
  const page = await family.ownerPage(360, `/memorial/${draft.id}`)
  await page.getByRole('button', { name: 'Unlock', exact: true }).click()
  await expect(page.getByText('This memorial is not paid for yet. Pay once to share it.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Pay for this memorial' })).toHaveAttribute(
    'href',
    `/checkout?memorialId=${draft.id}`,
  )
  await expect(page.getByText('Only you can see it', { exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Write the life story' })).toHaveAttribute(
    'href',
    `/create-memorial/${draft.id}?step=4`,
  )
})
