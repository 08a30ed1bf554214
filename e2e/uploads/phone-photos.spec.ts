import exifr from 'exifr'
import { createHash } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { MediaPage } from '../../src/shared/media/media.ts'
import { cameraPhoto } from '../../tools/measure/phone/camera-photo.ts'
import { expect, type Family, test } from '../family.ts'
import { collect, expectDrawn, expectToast, giveName, hold, MEMORIAL_APP, onDearData } from '../people.ts'
import { expectErrors } from '../world.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Sizes in bytes of the upload bodies that this page sent. */
function watchSent(page: Page): () => Promise<number> {
  const sizes: Promise<number>[] = []
  page.on('requestfinished', (request) => {
    if (/\/(?:media\/upload|uploads(?:\/[^/]+)?)$/u.test(new URL(request.url()).pathname)) {
      // `request.sizes()` counts nothing of a file.
      sizes.push(request.allHeaders().then((headers) => Number(headers['content-length'])))
    }
  })
  return async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** The stored original of the newest media item, as the owner downloads it. */
async function newest(family: Family, memorialId: string): Promise<{ mimeType: string; bytes: Buffer }> {
  const { media } = await family.owner.call<MediaPage>('GET', `/api/memorials/${memorialId}/media`)
  const [first] = media
  const answer = await family.owner.send('GET', `/media/stream/${first?.id}?original=1`)
  return { mimeType: first?.mimeType ?? '', bytes: Buffer.from(await answer.arrayBuffer()) }
}

/** Size in pixels, and the colour 100 pixels from the top left, as a browser renders it. */
function shown(page: Page, bytes: Buffer, type: string) {
  return page.evaluate(
    async ([base64, mimeType]) => {
      const image = new Image()
      image.src = `data:${mimeType};base64,${base64}`
      await image.decode()
      const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 })
      const context = canvas.getContext('2d')!
      context.drawImage(image, -100, -100)
      const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data
      const { naturalWidth: width, naturalHeight: height } = image
      return { width, height, isRed: red > 150 && green < 60 && blue < 60 }
    },
    [bytes.toString('base64'), type] as const,
  )
}

test('a photo is sent small, upright and without metadata, or whole on request', async ({ family }) => {
  const { memorial, inviteLink } = await family.invited()
  const page = await family.visitorPage(360)
  const photo = { name: 'IMG_2041.jpg', mimeType: 'image/jpeg', buffer: await cameraPhoto(page) }
  expect(photo.buffer.length).toBeGreaterThan(3.9 * 1024 * 1024)
  expect(await exifr.gps(photo.buffer)).toMatchObject({ longitude: 31.05 })
  expect(await shown(page, photo.buffer, 'image/jpeg')).toEqual({ width: 3024, height: 4032, isRed: true })

  const sent = watchSent(page)
  await page.goto(inviteLink)
  await page.getByLabel('Add photos').setInputFiles(photo)
  const row = page.getByRole('list', { name: 'Files on their way' }).getByRole('listitem')
  await page.getByLabel('Your name').fill('Rutendo Dube')
  await expect(row).toContainText(/IMG_2041\.jpg4(?:\.\d)? MB → [3-6]\d\d kB · Waiting/u)
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Media Uploaded')
  await expect.poll(sent).toBeGreaterThan(0)
  expect(await sent()).toBeLessThanOrEqual(700_000)
  const small = await newest(family, memorial.id)
  expect(small.mimeType).toBe('image/webp')
  for (const trace of ['Exif', 'EXIF', 'XMP', 'Nhaka Test Camera']) {
    expect(small.bytes.includes(trace)).toBe(false)
  }
  expect(await shown(page, small.bytes, small.mimeType)).toEqual({ width: 1536, height: 2048, isRed: true })

  await page.getByLabel('Keep originals').check()
  await page.getByLabel('Add photos').setInputFiles(photo)
  await expect(row).toContainText(/IMG_2041\.jpg\s*4(?:\.\d)? MB · Sent/u)
  const whole = await newest(family, memorial.id)
  expect(whole.mimeType).toBe('image/jpeg')
  expect(sha256(whole.bytes)).toBe(sha256(photo.buffer))
  await page.reload()
  await expect(page.getByLabel('Keep originals')).toBeChecked()
})

test('a photo is shrunk while the app is on its way, and only once', async ({ family }) => {
  const { inviteLink } = await family.invited()
  const page = await onDearData(await family.visitorPage(360))
  const buffer = await cameraPhoto(page)
  await page.addInitScript(() => {
    const { toBlob } = HTMLCanvasElement.prototype
    HTMLCanvasElement.prototype.toBlob = function (...values) {
      performance.mark('encoded')
      toBlob.apply(this, values)
    }
  })
  const encoded = () => page.evaluate(() => performance.getEntriesByName('encoded').length)
  const release = await hold(page, MEMORIAL_APP)
  await page.goto(inviteLink, { waitUntil: 'networkidle' })
  await page.getByLabel('Add photos').setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer })
  await expect.poll(encoded).toBe(1)
  release()
  await giveName(page, 'Rutendo Dube')
  await expectToast(page, 'Media Uploaded')
  expect(await encoded()).toBe(1)
})

test('a photo is sent unchanged where the browser adds noise to a canvas', async ({ family }) => {
  const { memorial, inviteLink } = await family.invited()
  const page = await family.visitorPage(360)
  const buffer = await cameraPhoto(page)
  await page.addInitScript(() => {
    CanvasRenderingContext2D.prototype.getImageData = (_x, _y, width, height) => {
      const noise = new ImageData(width, height)
      return new ImageData(
        noise.data.map((_, at) => (at * 37) % 256),
        width,
        height,
      )
    }
  })
  await page.goto(inviteLink)
  await page.getByLabel('Add photos').setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer })
  await giveName(page, 'Rutendo Dube')
  await expectToast(page, 'Media Uploaded')
  expect(sha256((await newest(family, memorial.id)).bytes)).toBe(sha256(buffer))
})

test('a photo above the limit is accepted as a smaller copy and refused as an original', async ({
  family,
}) => {
  const { memorial, inviteLink } = await family.invited()
  const page = await family.visitorPage(1280)
  const camera = await cameraPhoto(page)
  // Phones append a second image, or a video, to the first.
  const buffer = Buffer.concat([camera, Buffer.alloc(16 * 1024 * 1024 - camera.length)])
  await page.goto(inviteLink)
  await page.getByLabel('Keep originals').check()
  await page.getByLabel('Add photos').setInputFiles({ name: 'moving.jpg', mimeType: 'image/jpeg', buffer })
  await expectToast(page, 'File Too Large', 'File size (16 MB) exceeds the maximum allowed size (15 MB)')
  const rows = page.getByRole('list', { name: 'Files on their way' })
  await expect(rows).toContainText('Without “Keep originals” a smaller copy can be sent.')
  await page.getByLabel('Keep originals').uncheck()
  await page.getByLabel('Add photos').setInputFiles({ name: 'again.jpg', mimeType: 'image/jpeg', buffer })
  await giveName(page, 'Rutendo Dube')
  await expectToast(page, 'Media Uploaded')
  expect((await newest(family, memorial.id)).bytes.length).toBeLessThanOrEqual(700_000)
})

test('the wizard shows file sizes, and the choice applies to all pending files', async ({ family }) => {
  const memorial = await family.memorial()
  const page = await family.ownerPage(360)
  const buffer = await cameraPhoto(page)
  await page.goto(`/create-memorial/${memorial.id}?step=4`)
  await page.getByLabel('Choose photos').setInputFiles([
    { name: 'one.jpg', mimeType: 'image/jpeg', buffer },
    { name: 'two.jpg', mimeType: 'image/jpeg', buffer },
  ])
  await expect(page.locator('[aria-live=polite]', { hasText: '2 photos chosen' })).toBeAttached()
  const photos = page.getByRole('region', { name: /^More photos/u })
  await expect(photos.getByText(/^4(?:\.\d)? MB → [3-6]\d\d kB · Ready to send$/u)).toHaveCount(2)
  const keep = page.getByLabel(/^Keep originals \(uses about (?:8|9)(?:\.\d)? MB\)$/u)
  await keep.check()
  await expect(photos.getByText(/^4(?:\.\d)? MB · Ready to send$/u)).toHaveCount(2)
  await keep.uncheck()
  await page.getByRole('button', { name: 'Send these files now' }).click()
  await expectToast(page, 'Media Uploaded')
  const { media } = await family.owner.call<MediaPage>('GET', `/api/memorials/${memorial.id}/media`)
  expect(media.map(({ mimeType, width, height }) => ({ mimeType, width, height }))).toEqual([
    { mimeType: 'image/webp', width: 1536, height: 2048 },
    { mimeType: 'image/webp', width: 1536, height: 2048 },
  ])
})

const FIXTURES = 'test/fixtures/'
const rowOf = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Files on their way' }).getByRole('listitem').filter({ hasText: name })

test('a file that is too long or not of its declared type is refused before sending', async ({ family }) => {
  // The trace recorder requests unreadable images again, and the page's policy blocks it.
  expectErrors(/^Connecting to 'blob:/u)
  const { inviteLink } = await family.invited()
  const page = await family.visitorPage(360)
  const sent = collect(page, (request) =>
    /\/(?:media\/upload|uploads)$/u.test(request.url()) ? request.url() : undefined,
  )
  await page.goto(inviteLink)
  for (const [label, name, text] of [
    [
      'Add a video',
      'video-too-long.mp4',
      'This video is longer than 5 minutes. Please choose a shorter one.',
    ],
    [
      'Add a recording',
      'audio-too-long.mp3',
      'This recording is longer than 10 minutes. Please choose a shorter one.',
    ],
    ['Add photos', 'html-disguised.png', 'Please select a valid image file'],
    ['Add photos', 'svg-disguised.jpg', 'Please select a valid image file'],
  ] as const) {
    await page.getByLabel(label).setInputFiles(FIXTURES + name)
    await expectToast(page, 'Invalid File', text)
    await expect(rowOf(page, name)).toContainText(`Not sent${text}`)
    await expect(rowOf(page, name).getByRole('button', { name: 'Try again' })).toHaveCount(0)
  }
  expect(sent).toEqual([])
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('the family adds a long video, and each video gets its own poster', async ({ family }) => {
  const memorial = await family.memorial()
  const page = await family.ownerPage(1280, `/memorial/${memorial.id}`)
  await page.getByLabel('Add a video').setInputFiles(`${FIXTURES}video-too-long.mp4`)
  await expectToast(page, 'Media Uploaded')
  const first = async () => {
    const { media } = await family.owner.call<MediaPage>('GET', `/api/memorials/${memorial.id}/media`)
    return media[0]
  }
  await expect.poll(async () => (await first())?.thumbnailPath).toContain('thumbnail=1')
  const poster = page.locator(`img[src*="${(await first())?.id}"]`).first()
  await expectDrawn(poster)
})
