import { copyFileSync, mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { messages } from '../../src/shared/messages.ts'
import { expectAccessible } from '../accessible.ts'
import { files } from '../files.ts'
import { expect, test } from '../family.ts'
import {
  appStarted,
  collect,
  expectDrawn,
  expectToast,
  giveName,
  openUnwritten,
  postMessage,
  pressMore,
  toast,
} from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const MB = 1024 * 1024

/** What this browser stores about a memorial's invitation. */
function storedSession(page: Page, memorialId: string): Promise<{ displayName: string } | null> {
  return page.evaluate(
    (key) => JSON.parse(localStorage.getItem(key) ?? 'null') as { displayName: string } | null,
    `contributor-session:${memorialId}`,
  )
}

test('who gives a name for a message isn’t asked again for a photo still being checked', async ({
  family,
}) => {
  const { inviteLink } = await family.invited()
  const page = await family.visitorPage(360)
  await page.addInitScript(() => {
    const decode = window.createImageBitmap.bind(window)
    const { promise, resolve } = Promise.withResolvers<void>()
    const createImageBitmap = async (file: Blob, options: ImageBitmapOptions) => {
      await promise
      return decode(file, options)
    }
    Object.assign(window, { createImageBitmap, goOn: resolve })
  })
  await page.goto(inviteLink)
  await page.getByLabel('Add photos').setInputFiles(files.photoWithGps)
  await postMessage(page, 'Go well.')
  await giveName(page, 'Farai Chikomo')
  await expect(page.getByRole('listitem').filter({ hasText: 'Go well.' })).toContainText('Farai Chikomo')
  await page.evaluate(() => (window as unknown as { goOn: () => void }).goOn())
  await expect(page.getByRole('link', { name: /^Photo 1 of 1, added by Farai Chikomo/u })).toBeVisible()
})

test('a guest gives a name with the first message and is recognised afterwards', async ({ family }) => {
  const { memorial, inviteLink } = await family.invited()
  await family.owner.call('POST', `/api/memorials/${memorial.id}/comments`, { body: 'Thank you all.' })
  const page = await family.visitorPage(360)
  const requested: string[] = []
  page.on('framenavigated', (frame) => requested.push(frame.url()))
  await page.goto(inviteLink)
  await expect(page.getByRole('heading', { level: 1, name: memorial.honoureeFullName })).toBeVisible()
  await expect(page).toHaveURL(`/memorial/${memorial.id}`)
  expect(requested).toContain(
    `${family.world.url}/memorial/${memorial.id}?invite=${inviteLink.split('/').at(-1)}`,
  )
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(await storedSession(page, memorial.id)).toMatchObject({ displayName: 'Guest Visitor' })
  await expect(
    page.getByText('You can add 10 photos, 1 video (up to 5 minutes) and 1 recording (up to 10 minutes).'),
  ).toBeVisible()
  for (const name of ['Edit Memorial', 'Share Memorial', 'Location']) {
    await expect(page.getByText(name, { exact: true })).toHaveCount(0)
  }

  await postMessage(page, 'She taught me to whistle.')
  const dialog = page.getByRole('dialog', { name: 'What name should the family see?' })
  const name = dialog.getByLabel('Your name')
  await expect(name).toBeFocused()
  await expect(dialog.getByText('The family may make this page public.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Please enter your name')).toBeVisible()
  await name.fill('x'.repeat(101))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('This must be 100 characters or less')).toBeVisible()
  await expect(page.getByLabel('Write a message')).toHaveValue('She taught me to whistle.')
  await name.fill('Farai Chikomo')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Message Posted')
  const own = page.getByRole('listitem').filter({ hasText: 'She taught me to whistle.' })
  await expect(own).toContainText('Farai Chikomo · Just now')
  expect(await storedSession(page, memorial.id)).toMatchObject({ displayName: 'Farai Chikomo' })

  await page.reload()
  await expect(page.getByText('The family sees your name as Farai Chikomo.')).toBeVisible()
  await postMessage(page, 'And to wait.')
  await expect(page.getByRole('listitem').filter({ hasText: 'And to wait.' })).toContainText('Farai')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  const others = page.getByRole('listitem').filter({ hasText: 'Thank you all.' })
  await expect(others.getByRole('button', { name: /^More/u })).toHaveCount(0)
  await pressMore(own, /^More: message/u, 'Delete the message of Farai Chikomo')
  await expectToast(page, 'Removed.')
  await expect(page.getByRole('region', { name: 'Removed' })).toContainText('She taught me to whistle.')

  await family.setPrivacy(memorial.id, 'LOCKED')
  await page.reload()
  await expect(page.getByText('And to wait.')).toBeVisible()
  for (const control of ['Write a message', 'Add photos', 'Add a video', 'Add a recording']) {
    await expect(page.getByLabel(control)).toHaveCount(0)
  }
  await expect(page.getByRole('button', { name: /^Restore/u })).toHaveCount(0)
  await expect(page.getByText('You can still remove what you added.')).toBeVisible()

  const stranger = await family.visitorPage(360)
  for (const one of [stranger, page]) await one.goto(`${family.world.url}/m/${memorial.slug}`)
  const message = page.getByRole('listitem').filter({ hasText: 'And to wait.' })
  await pressMore(message, /^More: message/u, 'Delete the message of Farai Chikomo')
  const asked = page.getByRole('dialog', { name: 'Remove this from the page?' })
  await expect(asked.getByRole('button', { name: 'Keep it' })).toBeFocused()
  await asked.getByRole('button', { name: 'Remove' }).click()
  await expectToast(page, 'Removed.')
  await expect(toast(page).getByRole('button', { name: 'Undo' })).toHaveCount(0)
  await expect(page.getByText('And to wait.')).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^More/u })).toHaveCount(0)
  // Who has added nothing loads nothing for it.
  await expect(appStarted(stranger)).toHaveCount(0)
})

test('a wrong file is refused with the rule of its kind before a byte is sent', async ({ family }) => {
  const { inviteLink } = await family.invited()
  const page = await family.visitorPage(360)
  const sent = collect(page, (request) =>
    request.url().includes('/media/upload') ? request.url() : undefined,
  )
  await page.goto(inviteLink)
  const text = { name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear Sekai') }
  for (const [label, kind] of [
    ['Add photos', 'image'],
    ['Add a video', 'video'],
    ['Add a recording', 'audio'],
  ] as const) {
    await page.getByLabel(label).setInputFiles(text)
    await expectToast(page, 'Invalid File', `Please select a valid ${kind} file`)
  }

  // Otherwise the photo would be compressed and accepted.
  await page.getByLabel('Keep originals').check()
  const folder = mkdtempSync(join(tmpdir(), 'nhaka-large-'))
  for (const [label, name, size, expected] of [
    ['Add photos', 'a.jpg', 16, 'File size (16 MB) exceeds the maximum allowed size (15 MB)'],
    ['Add a video', 'a.mp4', 251, 'File size (251 MB) exceeds the maximum allowed size (250 MB)'],
    ['Add a recording', 'a.mp3', 51, 'File size (51 MB) exceeds the maximum allowed size (50 MB)'],
  ] as const) {
    const file = join(folder, name)
    // Starts like a photo, so that the page can display it.
    copyFileSync(files.photoWithGps, file)
    truncateSync(file, size * MB)
    await page.getByLabel(label).setInputFiles(file)
    await expectToast(page, 'File Too Large', expected)
  }

  const gif = atob('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7')
  const drop = async (name: string, type: string, size: number) => {
    const dataTransfer = await page.evaluateHandle(
      ([fileName, mimeType, start, bytes]) => {
        const content = Uint8Array.from(start.padEnd(bytes), (letter) => letter.charCodeAt(0))
        const data = new DataTransfer()
        data.items.add(new File([content], fileName, { type: mimeType }))
        return data
      },
      [name, type, gif, size] as const,
    )
    await page.getByTestId('drop-zone').dispatchEvent('drop', { dataTransfer })
  }
  await drop('a.zip', 'application/zip', 100)
  await expectToast(page, 'Invalid File', 'Please select a valid image/video/audio file')
  await drop('a.zip', 'application/zip', 11 * MB)
  await expectToast(page, 'File Too Large', 'File size (11 MB) exceeds the maximum allowed size (10 MB)')
  await drop('a.gif', 'image/gif', 100)
  await expectToast(page, 'Invalid File', 'Please select a valid image file')
  await drop('a.mkv', 'video/x-matroska', 100)
  await expectToast(page, 'Invalid File', 'Please select a valid video file')
  expect(sent).toEqual([])
  await expect(page.getByRole('dialog')).toHaveCount(0)
  rmSync(folder, { recursive: true })
})

test("a guest's first file asks for a name, is counted, and only they can delete it", async ({ family }) => {
  // The poster of the first video may come after the video was deleted.
  expectErrors(refusedWith(500), /with a status of 404 .*\/poster$/u)
  const { memorial, inviteLink } = await family.invited()
  await family.addPhoto(memorial.id, 'By the owner')
  const page = await family.visitorPage(360, inviteLink)
  await page.getByLabel('Add photos').setInputFiles(files.photoWithGps)
  await giveName(page, 'Rutendo Dube')
  await expectToast(page, 'Media Uploaded')
  const photo = page.getByRole('link', { name: 'Photo 1 of 2, added by Rutendo Dube' })
  await expect(photo).toBeVisible()
  await expect(page.getByText('You have added 1 photo.')).toBeVisible()

  await page.getByLabel('Add a video').setInputFiles(files.video)
  await expectToast(page, 'Media Uploaded')
  await expect(page.getByText('You have added 1 photo and 1 video.')).toBeVisible()
  // The button says that there was only one, and a second one is refused until the first is deleted.
  const add = page.getByLabel('Add a video')
  await expect(add).toHaveAccessibleDescription(messages.media.allAdded.VIDEO)
  await expect(page.getByLabel('Add photos')).not.toHaveAccessibleDescription(messages.media.allAdded.VIDEO)
  await expectAccessible(page, 'one video added', [320])
  await add.press('Enter')
  await expectToast(page, 'Upload Failed', 'You can add one video of up to 5 minutes to a memorial')
  await add.setInputFiles(files.video)
  const refused = page
    .getByRole('list', { name: 'Files on their way' })
    .getByRole('listitem')
    .filter({ hasText: 'You can add one video of up to 5 minutes to a memorial' })
  await expect(refused).toBeVisible()
  await expect(refused.getByRole('button', { name: 'Try again' })).toHaveCount(0)
  await pressMore(page, /^More: Video/u, 'Delete video')
  await expectToast(page, 'Removed.')
  await expect(add).not.toHaveAccessibleDescription(messages.media.allAdded.VIDEO)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expectToast(page, 'Media Uploaded')

  await page.getByRole('link', { name: /By the owner/u }).click()
  const viewer = page.getByRole('dialog', { name: 'Photo' })
  await expect(viewer).toContainText('By the owner')
  await expect(viewer.getByRole('button', { name: /^More/u })).toHaveCount(0)
  await viewer.getByRole('button', { name: 'Previous' }).click()
  await expect(viewer).toContainText('Added by Rutendo Dube')
  const remove = () => pressMore(viewer, /^More: Photo/u, 'Delete photo')
  await page.route('**/api/media/*', (route) => route.fulfill({ status: 500, body: '' }))
  await remove()
  await expectToast(page, 'Delete Failed')
  await page.unroute('**/api/media/*')
  await remove()
  await expect(viewer).toBeHidden()
  await expect(page.getByRole('link', { name: /^Photo 1 of 1/u })).toBeVisible()
  await expect(page.getByText('You have added 1 video.')).toBeVisible()
})

test('an invitation that does not open says only why, also after a reload', async ({ family }) => {
  expectErrors(refusedWith(404), refusedWith(403), refusedWith(429))
  const { memorial, inviteLink } = await family.invited()
  const page = await family.visitorPage(360)
  const main = page.getByRole('main')
  const expectReason = async (address: string, reason: string) => {
    await page.goto(address)
    await expect(page).toHaveURL('/')
    await expect(main).toHaveText(reason)
  }
  const start = 'Go to the start page'
  const ended = `This invitation no longer works.Ask the family for a new link.${start}`
  await expectReason('/invite/00000000-0000-4000-8000-000000000000', ended)
  await page.reload()
  await expect(main).toHaveText(ended)
  const title = page.getByRole('heading', { level: 1 })
  await expect(title).toBeFocused()
  await expect(page).toHaveTitle('This invitation no longer works. · Keeping Legacies Alive')
  await main.getByRole('link', { name: start }).click()
  await expect(page).toHaveURL('/')
  await expect(title).toHaveText('A lasting place for their story')
  await expect(title).toBeFocused()
  await family.setPrivacy(memorial.id, 'PRIVATE')
  await expectReason(inviteLink, `Private Memorial${messages.invite.privateText}${start}`)
  await family.setPrivacy(memorial.id, 'INVITE')

  // The page could not be written: the app opens, and its call fails too.
  await openUnwritten(page, inviteLink)
  await page.route('**/api/invite/*', (route) => route.fulfill({ status: 429, json: {} }))
  await expectReason(inviteLink, `Access ErrorAsk the family for a new link.Try Again${start}`)
  await page.unrouteAll()
  await page.getByRole('link', { name: 'Try Again' }).click()
  await expect(page.getByRole('heading', { level: 1, name: memorial.honoureeFullName })).toBeVisible()

  await family.owner.call('POST', `/api/memorials/${memorial.id}/invite-link/rotate`)
  await expectReason(inviteLink, ended)
})

test('a failed guest session shows an Access Error, and the page stays readable', async ({ family }) => {
  expectErrors(refusedWith(429))
  const { memorial, inviteLink } = await family.invited()
  await family.owner.call('POST', `/api/memorials/${memorial.id}/comments`, { body: 'Thank you all.' })
  const photo = await family.addPhoto(memorial.id)
  const page = await family.visitorPage(1280)
  await page.route('**/api/invite/*/session', (route) =>
    route.fulfill({
      status: 429,
      json: {
        message: 'Too many tries. Please wait a minute.',
        code: 'too_many_requests',
      },
    }),
  )
  // The notification may have gone before the photo has loaded.
  await page.goto(inviteLink, { waitUntil: 'commit' })
  await expectToast(page, 'Access Error', 'Too many tries. Please wait a minute.')
  await expect(page.getByRole('heading', { level: 1, name: memorial.honoureeFullName })).toBeVisible()
  await expect(page.getByText('Thank you all.')).toBeVisible()
  await expectDrawn(page.locator(`#photo-${photo.id} img`))
})
