import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import type { MediaPage } from '../../src/shared/media/media.ts'
import type { Memorial } from '../../src/shared/memorials/memorials.ts'
import { expect, test } from '../family.ts'
import { closeToasts, expectToast, toast } from '../people.ts'
import { openDraft, stepTitle, writeStory } from '../wizard-screen.ts'
import { expectErrors, refusedWith } from '../world.ts'

const MB = 1024 * 1024
const FIXTURES = 'test/fixtures/'
/** The trace recorder requests an unreadable image again, and the page's policy blocks it. */
const TRACE = /^Connecting to 'blob:/u
const place = (page: Page, name: string | RegExp) => page.getByRole('region', { name })

/** Chooses a file of this size without writing one to disk: the page creates it from empty blocks. */
async function chooseLarge(
  page: Page,
  label: string,
  name: string,
  type: string,
  size: number,
): Promise<void> {
  await page.getByLabel(label, { exact: true }).evaluate(
    (input, file) => {
      const block = new Uint8Array(1024 * 1024)
      const parts = Array.from({ length: Math.ceil(file.size / block.length) }, (_, index) =>
        block.subarray(0, Math.min(block.length, file.size - index * block.length)),
      )
      const transfer = new DataTransfer()
      transfer.items.add(new File(parts, file.name, { type: file.type }))
      ;(input as HTMLInputElement).files = transfer.files
      input.dispatchEvent(new Event('change', { bubbles: true }))
    },
    { name, type, size },
  )
}

/** Expects the toast, and the same text next to the file input. */
async function expectRefusal(page: Page, stays: string | RegExp, title: string, text: string): Promise<void> {
  await expectToast(page, title, text)
  await expect(place(page, stays)).toContainText(text)
  await closeToasts(page)
}

test.use({ viewport: { width: 360, height: 740 } })

test('the media step accepts files of the right type and size, and explains refusals', async ({
  page,
  family,
}) => {
  await openDraft(page, family, 4)

  const image = 'Please select a valid image file (JPEG, PNG, or WebP)'
  const video = 'Please select a valid video file (MP4, MOV, or WebM)'
  const audio = 'Please select a valid audio file (MP3, M4A, or WAV)'
  for (const [label, stays, wrong, message] of [
    ['Choose the main photo', 'Main photo', 'programme.pdf', image],
    ['Choose photos', /^More photos/u, 'video-2s.mp4', image],
    ['Choose a video', 'Video', 'photo.png', video],
    ['Choose a recording', 'Audio', 'programme.pdf', audio],
  ] as const) {
    await page.getByLabel(label, { exact: true }).setInputFiles(FIXTURES + wrong)
    await expectRefusal(page, stays, 'Invalid File', message)
  }
  for (const [label, stays, name, type, max, message] of [
    [
      'Choose the main photo',
      'Main photo',
      'a.jpg',
      'image/jpeg',
      50,
      'Image file size must be less than 50MB',
    ],
    ['Choose photos', /^More photos/u, 'b.webp', 'image/webp', 50, 'Image file size must be less than 50MB'],
    ['Choose a video', 'Video', 'c.mp4', 'video/mp4', 100, 'Video file size must be less than 100MB'],
    ['Choose a recording', 'Audio', 'd.mp3', 'audio/mpeg', 50, 'Audio file size must be less than 50MB'],
  ] as const) {
    await chooseLarge(page, label, name, type, max * MB + 1)
    await expectRefusal(page, stays, 'File Too Large', message)
  }

  // Each supported type is accepted unchanged.
  const accepted = {
    'Choose photos': ['photo-gps.jpg', 'photo.png', 'photo.webp'],
    'Choose a video': ['video-2s.mp4', 'video-2s.mov', 'video-2s.webm', 'video-2s.avi'],
    'Choose a recording': ['audio-2s.mp3', 'audio-2s.m4a', 'audio-2s.aac', 'audio-2s.wav'],
  }
  for (const [label, names] of Object.entries(accepted)) {
    await page.getByLabel(label, { exact: true }).setInputFiles(names.map((name) => FIXTURES + name))
    for (const name of names) await expect(page.getByText(name, { exact: true })).toBeVisible()
  }
  await expect(page.getByText('0 of 11 sent')).toBeVisible()

  // The limit is twenty photos besides the main one: three are pending, so seventeen more fit.
  const many = Array.from({ length: 18 }, (_, index) => ({
    name: `p${index}.png`,
    mimeType: 'image/png',
    buffer: readFileSync(`${FIXTURES}photo.png`),
  }))
  await page.getByLabel('Choose photos').setInputFiles(many)
  await expectRefusal(page, /^More photos/u, 'Too Many Photos', 'You can only add 17 more photos')
  await expect(place(page, /^More photos/u)).toContainText('p17.png: You can only add 17 more photos')
  await page.getByLabel('Choose photos').setInputFiles(FIXTURES + 'photo.png')
  await expectRefusal(page, /^More photos/u, 'Too Many Photos', 'You can only add 0 more photos')
})

test('the main photo becomes the cover, and only failed files are retried', async ({ page, family }) => {
  expectErrors(refusedWith(409), refusedWith(415), TRACE)
  const id = await openDraft(page, family, 4)
  await writeStory(page, 'She taught.')
  await page.getByLabel('Choose the main photo').setInputFiles(`${FIXTURES}photo-gps.jpg`)
  await page.getByLabel('Choose a recording').setInputFiles(`${FIXTURES}voice-note-2s.ogg`)
  await page.route(
    /media\/upload$/u,
    (route) =>
      route.request().postDataBuffer()?.includes('AUDIO')
        ? route.fulfill({ status: 409, body: '' })
        : route.fallback(),
    { times: 2 },
  )
  await page.getByRole('button', { name: 'Next' }).click()
  await expectToast(page, 'Upload Failed', 'Failed to save life story or upload media')
  await expect(place(page, 'Audio')).toContainText('Not sent')
  const { memorial } = await family.owner.call<{ memorial: Memorial }>('GET', `/api/memorials/${id}`)
  const { media } = await family.owner.call<MediaPage>('GET', `/api/memorials/${id}/media`)
  expect(media.map(({ type }) => type)).toEqual(['IMAGE'])
  expect(memorial).toMatchObject({ coverMediaId: media[0]?.id, lifeStory: '<p>She taught.</p>' })

  await page.getByRole('button', { name: 'Next' }).click()
  await expectToast(page, 'Media Uploaded')
  await expect(page.getByRole('heading', { name: 'Privacy & Sharing' })).toBeFocused()

  // A file that is a photo only by its name is not sent.
  await page.getByRole('button', { name: 'Previous' }).click()
  // The placeholder behind a thumbnail is as large as the thumbnail.
  await expect(place(page, 'On the memorial now').locator('img')).toHaveCSS('background-size', 'cover')
  await page.getByLabel('Choose photos').setInputFiles(`${FIXTURES}html-disguised.png`)
  await expectRefusal(
    page,
    /^More photos/u,
    'Invalid File',
    'Please select a valid image file (JPEG, PNG, or WebP)',
  )
  await expect(page.getByRole('button', { name: 'Send these files now' })).toHaveCount(0)
})

test('the portrait is an image under 15 MB, and is sent with the name or immediately', async ({
  page,
  family,
}) => {
  expectErrors(refusedWith(400), TRACE)
  await family.open(page, '/create-memorial?step=1')
  const choose = page.getByLabel('Choose a portrait')
  const refusal = async (title: string, text: string) => {
    await expectToast(page, title, text)
    await expect(page.getByRole('main').getByText(text)).toBeVisible()
  }
  await choose.setInputFiles(`${FIXTURES}programme.pdf`)
  await refusal('Invalid File', 'Please select an image file')
  await chooseLarge(page, 'Choose a portrait', 'a.jpg', 'image/jpeg', 15 * MB + 1)
  await refusal('File Too Large', 'Please select an image smaller than 15MB')

  await choose.setInputFiles(`${FIXTURES}html-disguised.png`)
  await refusal('Invalid File', 'Please select an image file')

  await page.getByLabel('Full name').fill('Tendai Moyo')
  await choose.setInputFiles(`${FIXTURES}photo-truncated.jpg`)
  await expect(page.getByText('It will be sent when you press Next.')).toBeVisible()
  // A wrong file doesn't take its place.
  await page.getByLabel('Choose another portrait').setInputFiles(`${FIXTURES}html-disguised.png`)
  await refusal('Invalid File', 'Please select an image file')
  await page.getByRole('button', { name: 'Next' }).click()
  await expectToast(page, 'The name is saved, but the portrait didn’t upload. Please try again.')
  await page.getByLabel('Choose another portrait').setInputFiles(`${FIXTURES}photo-gps.jpg`)
  await expectToast(page, 'Upload Successful')
  const id = /mem_\w+/u.exec(page.url())?.[0] ?? ''
  const { memorial } = await family.owner.call<{ memorial: Memorial }>('GET', `/api/memorials/${id}`)
  expect(memorial).toMatchObject({
    honoureeFullName: 'Tendai Moyo',
    profileMediaId: expect.stringMatching(/^med_/u),
  })
})

test('a portrait chosen right before Next is sent, and a wrong one keeps the step open', async ({
  page,
  family,
}) => {
  // A cheap phone checks a photo for seconds.
  await page.addInitScript(() => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const read = Blob.prototype.arrayBuffer
    Blob.prototype.arrayBuffer = async function () {
      await promise
      return read.call(this)
    }
    Object.assign(window, { goOn: resolve })
  })
  const goOn = () => page.evaluate('goOn()')
  await family.open(page, '/create-memorial?step=1')
  const next = page.getByRole('button', { name: 'Next' })
  await page.getByLabel('Full name').fill('Tendai Moyo')
  const choose = page.getByLabel('Choose a portrait')
  await choose.setInputFiles(`${FIXTURES}html-disguised.png`)
  await next.click()
  await expect(next).toHaveAttribute('aria-disabled', 'true')
  await goOn()
  await expectToast(page, 'Invalid File', 'Please select an image file')
  await expect(page.getByRole('main').getByText('Please select an image file')).toBeVisible()
  await expect(page).toHaveURL('/create-memorial?step=1')

  await page.reload()
  await choose.setInputFiles(`${FIXTURES}photo-gps.jpg`)
  await next.click()
  await expect(next).toHaveAttribute('aria-disabled', 'true')
  await goOn()
  await expect(stepTitle(page, 'Funeral Service Details')).toBeVisible()
  const id = /mem_\w+/u.exec(page.url())?.[0] ?? ''
  const { memorial } = await family.owner.call<{ memorial: Memorial }>('GET', `/api/memorials/${id}`)
  expect(memorial.profileMediaId).toMatch(/^med_/u)
})

test('the funeral programme is a PDF under 15 MB of a saved service', async ({ page, family }) => {
  expectErrors(refusedWith(500), refusedWith(415))
  const id = await openDraft(page, family, 2)
  const label = 'Choose the programme (PDF)'
  await page.getByLabel(label).setInputFiles(`${FIXTURES}photo.png`)
  await expectRefusal(page, 'Service 1', 'Invalid File', 'Only PDF files are allowed for funeral programs')
  await chooseLarge(page, label, 'a.pdf', 'application/pdf', 15 * MB + 1)
  await expectRefusal(page, 'Service 1', 'File Too Large', 'Please select a PDF file smaller than 15MB')

  // Told once above the step, with the focus, and once at the field.
  await page.getByLabel(label).setInputFiles(`${FIXTURES}programme.pdf`)
  const summary = page.getByRole('main').getByRole('alert')
  await expect(summary).toBeFocused()
  await expect(summary).toContainText('Save the date and time of the service first, then add its programme')
  await expect(toast(page)).toHaveCount(0)
  await expect(page.getByLabel('Date and time in Harare')).toHaveAccessibleDescription(
    /Date and time is required/u,
  )
  await page.getByLabel('Date and time in Harare').fill('2031-06-07T10:00')
  const upload = /funeral-program$/u
  await page.route(upload, (route) => route.fulfill({ status: 500, body: '' }), { times: 1 })
  await page.getByLabel(label).setInputFiles(`${FIXTURES}programme.pdf`)
  await expectToast(page, 'Upload Failed', 'Failed to upload funeral program')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expectToast(page, 'Upload Successful')
  await expect(page.getByText('programme.pdf · ')).toBeVisible()
  const served = await page.request.get(`/api/memorials/${id}/funeral-program`, { maxRetries: 3 })
  expect(await served.body()).toEqual(readFileSync(`${FIXTURES}programme.pdf`))

  await page.getByLabel('Replace the programme').setInputFiles(`${FIXTURES}not-a-pdf.pdf`)
  await expectToast(page, 'Only PDF files are allowed for funeral programs')
})

test('saved photos show their captions, six at first, and open one at a time', async ({ page, family }) => {
  const memorial = await family.memorial()
  for (let photo = 1; photo <= 8; photo++)
    await family.addPhoto(memorial.id, photo === 2 ? undefined : `At the gate, ${photo}`)
  await family.open(page, `/create-memorial/${memorial.id}?step=4`)
  const saved = place(page, 'On the memorial now')
  const rows = saved.getByRole('listitem')
  await expect(rows).toHaveCount(6)
  await expect(rows.first()).toContainText('At the gate, 8')
  await expect(rows.first().getByLabel('Caption')).toBeHidden()
  await saved.getByRole('button', { name: 'Show all 8' }).click()
  await expect(rows).toHaveCount(8)
  await expect(rows.nth(6).locator('summary')).toBeFocused()
  await expect(rows.nth(6)).toContainText('No caption yet')
  await expect(saved).not.toContainText(/\.jpe?g/u)

  await page.keyboard.press('Enter')
  const caption = rows.nth(6).getByLabel('Caption')
  await caption.fill('At her gate')
  await caption.blur()
  await expect(rows.nth(6)).toContainText('At her gate')
})
