import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Page } from '@playwright/test'
import type { Media, MediaUploaded } from '../../src/shared/media/media.ts'
import { expectAccessible } from '../accessible.ts'
import { files } from '../files.ts'
import { expect, type Family, test } from '../family.ts'
import { collect, expectDrawn, expectEnhanced, expectPlaying, hold, play } from '../people.ts'
import { expectErrors } from '../world.ts'
import { filmWith, placeBoxes } from '../../test/films.ts'
import { fragmentedFilm } from '../../test/fragmented-films.ts'
import { SECRETS, taggedFile } from '../../test/tagged-files.ts'
import { PLACE, TIMED_DATA } from '../../test/timed-data.ts'

const FIXTURES = resolve(import.meta.dirname, '../../test/fixtures')
const AVI = resolve(FIXTURES, 'video-2s.avi')

async function add(family: Family, id: string, file: string, type: Media['type'], mimeType: string) {
  const path = `/api/memorials/${id}/media/upload`
  return (await family.owner.upload<MediaUploaded>(path, file, mimeType, { type })).media
}

test('a video shows poster, size and length, and loads and plays only when asked', async ({ family }) => {
  const memorial = await family.memorial()
  const video = await add(family, memorial.id, files.video, 'VIDEO', 'video/mp4')
  const poster = new Uint8Array(readFileSync(files.photoOfRelative))
  const put = await family.owner.send('PUT', `/api/media/${video.id}/poster`, poster)
  expect(put.status).toBe(200)
  await family.setPrivacy(memorial.id, 'LOCKED')

  const page = await family.visitorPage(360)
  const requested: string[] = []
  page.on('request', (request) =>
    requested.push(new URL(request.url()).pathname + new URL(request.url()).search),
  )
  await page.goto(`/m/${memorial.slug}`)
  await expectEnhanced(page)
  const start = page.getByRole('button', { name: /^Play video · \d.* (?:kB|MB) · \d+ s: .+$/u })
  await start.scrollIntoViewIfNeeded()
  const picture = page.locator('figure img')
  await expectDrawn(picture)
  expect(requested.filter((path) => path === `/media/stream/${video.id}`)).toEqual([])
  const before = await page.locator('figure').boundingBox()
  await start.press('Enter')
  const player = page.locator('video')
  await expect(player).toBeFocused()
  await expectPlaying(player)
  await expect(picture).toBeHidden()
  const after = await page.locator('figure').boundingBox()
  expect([after?.width, after?.height]).toEqual([before?.width, before?.height])
})

test('a file that the browser cannot play says so, and downloads under its own name', async ({ family }) => {
  const memorial = await family.memorial()
  await add(family, memorial.id, AVI, 'VIDEO', 'video/x-msvideo')
  const page = await family.ownerPage(360, `/memorial/${memorial.id}`)
  const save = page.getByRole('link', { name: /^Save video/u })
  await save.scrollIntoViewIfNeeded()
  await expect(page.getByText(/^This browser cannot play this video\. Save it \(\d+ kB\)/u)).toBeVisible()
  await expectAccessible(page, 'a video that does not play')
  const download = page.waitForEvent('download')
  await save.click()
  expect((await download).suggestedFilename()).toBe('video-2s.avi')
})

test('a video that fails in the player offers a download', async ({ family }) => {
  expectErrors(/Failed to load resource/u)
  const memorial = await family.memorial()
  const video = await add(family, memorial.id, files.video, 'VIDEO', 'video/mp4')
  const page = await family.ownerPage(1280)
  await page.route(`**/media/stream/${video.id}`, (route) =>
    route.fulfill({ body: 'no film', contentType: 'video/mp4' }),
  )
  await page.goto(`/memorial/${memorial.id}`)
  await page.getByRole('button', { name: /^Play video/u }).click()
  await expect(page.getByRole('link', { name: /^Save video/u })).toBeVisible()
})

test('a recording plays as Ogg where supported, and Safari gets a copy it can play', async ({ family }) => {
  const memorial = await family.memorial()
  const recording = await add(family, memorial.id, files.voiceNote, 'AUDIO', 'audio/ogg')
  const page = await family.ownerPage(360)
  const requested = collect(page, (request) => new URL(request.url()).search)
  await page.goto(`/memorial/${memorial.id}`)
  const player = page.locator('audio')
  await player.scrollIntoViewIfNeeded()
  await play(player)
  expect(new URL(await player.evaluate((element: HTMLAudioElement) => element.currentSrc)).search).toBe('')
  const sources = await player
    .locator('source')
    .evaluateAll((all) => all.map((one) => one.getAttribute('src')))
  expect(sources).toEqual([`/media/stream/${recording.id}`, `/media/stream/${recording.id}?as=caf`])
  expect(requested).not.toContain('?as=caf')
})

test('contributors describe their photos, and screen readers get the description', async ({ family }) => {
  const { memorial, token } = await family.invited()
  await family.addPhoto(memorial.id)
  const page = await family.visitorPage(360, `/memorial/${memorial.id}?invite=${token}`)
  await page.getByRole('button', { name: 'Add photos' }).scrollIntoViewIfNeeded()
  await page.locator('input[type=file]').first().setInputFiles(files.photoRotated)
  const asks = page.getByRole('dialog')
  await asks.getByRole('textbox').fill('Farai')
  await asks.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Add a caption' }).click()
  const captionDialog = page.getByRole('dialog', { name: 'Add a caption' })
  await expectAccessible(page, 'asking for a caption', [320])
  await captionDialog.getByLabel('Caption').fill('At the gate, 1974')
  await captionDialog.getByLabel('What does this photo show?').fill('A woman opens a gate and laughs')
  await captionDialog.getByRole('button', { name: 'Save' }).click()
  await expect(captionDialog).toBeHidden()
  await expect(page.getByRole('img', { name: 'A woman opens a gate and laughs' })).toBeVisible()

  // Only on their own photos: the family's photo has no such button.
  await page.getByRole('link', { name: /At the gate, 1974$/u }).click()
  const viewer = page.getByRole('dialog', { name: 'Photo' })
  await expect(viewer.getByText('At the gate, 1974')).toBeVisible()
  await viewer.getByRole('button', { name: 'Edit caption' }).click()
  await page.getByRole('dialog', { name: 'Edit caption' }).getByLabel('Caption').fill('At her gate, 1974')
  await page.keyboard.press('Enter')
  await expect(viewer.getByText('At her gate, 1974')).toBeVisible()
  await viewer.getByRole('button', { name: 'Next' }).click()
  await expect(viewer.getByText('2 of 2')).toBeVisible()
  await expect(viewer.getByRole('button', { name: /caption$/u })).toHaveCount(0)
})

test('a photo shows a placeholder at once, which disappears when it has loaded', async ({ family }) => {
  const memorial = await family.memorial()
  const photo = await family.addPhoto(memorial.id)
  await family.owner.call('PATCH', `/api/memorials/${memorial.id}`, { coverMediaId: photo.id })
  const page = await family.ownerPage(360)
  const resume = await hold(page, '**/media/stream/**')
  await page.goto(`/memorial/${memorial.id}`, { waitUntil: 'domcontentloaded' })
  const images = [
    page.getByRole('img', { name: 'Portrait of Sekai Ndlovu' }),
    page.getByRole('img', { name: 'Photo added by the family' }),
  ]
  for (const picture of images) {
    await picture.scrollIntoViewIfNeeded()
    await expect(picture).toHaveCSS('background-image', /^url\("data:image\/webp;base64,/u)
    expect((await picture.boundingBox())?.height).toBeGreaterThan(100)
  }
  resume()
  for (const picture of images) await expect(picture).toHaveCSS('background-image', 'none')
})

/** Adds a player for this media item to the page, and waits until it plays. Returns width, length and error. */
async function playAlone(page: Page, id: string): Promise<unknown[]> {
  await page.evaluate((source) => {
    document.body.prepend(Object.assign(document.createElement('video'), { src: `/media/stream/${source}` }))
  }, id)
  const player = page.locator('video').first()
  await play(player)
  return player.evaluate((film: HTMLVideoElement) => [film.videoWidth, film.duration, film.error])
}

async function servedBytes(page: Page, id: string): Promise<Buffer> {
  return (
    await page.context().request.get(new URL(`/media/stream/${id}`, page.url()).href, { maxRetries: 3 })
  ).body()
}

test('films from which positions were removed play in the browser', async ({ family }) => {
  const [mp4, mov] = ['video-2s.mp4', 'video-2s.mov'].map((name) => readFileSync(resolve(FIXTURES, name)))
  if (!mp4 || !mov) throw new Error('no fixtures')
  const all = Object.values(TIMED_DATA)
  const films = [
    ...all.map((track) => filmWith(mp4, [track])),
    filmWith(mov, all, { movieLast: true, ...placeBoxes(PLACE.text) }),
    fragmentedFilm(mp4, all),
  ]
  const memorial = await family.memorial()
  const page = await family.ownerPage(360, `/memorial/${memorial.id}`)
  for (const [index, { bytes, clean }] of films.entries()) {
    const path = test.info().outputPath(`film-${index}.mp4`)
    writeFileSync(path, bytes)
    const { id } = await add(family, memorial.id, path, 'VIDEO', 'video/mp4')
    expect((await servedBytes(page, id)).equals(clean)).toBe(true)
    expect(await playAlone(page, id)).toEqual([320, expect.closeTo(2, 0), null])
  }
})

test('recordings and films without their tags play in the browser', async ({ family }) => {
  const memorial = await family.memorial()
  const page = await family.ownerPage(360, `/memorial/${memorial.id}`)
  for (const [name, type, width] of [
    ['audio-2s.mp3', 'AUDIO', 0],
    ['audio-2s.aac', 'AUDIO', 0],
    ['audio-2s.wav', 'AUDIO', 0],
    ['voice-note-2s.ogg', 'AUDIO', 0],
    ['video-2s.webm', 'VIDEO', 320],
  ] as const) {
    const path = test.info().outputPath(name)
    writeFileSync(path, taggedFile(name, readFileSync(resolve(FIXTURES, name))))
    const { id } = await add(family, memorial.id, path, type, 'application/octet-stream')
    expect((await servedBytes(page, id)).toString('latin1')).not.toMatch(SECRETS)
    expect(await playAlone(page, id)).toEqual([width, expect.closeTo(2, 0), null])
  }
})
