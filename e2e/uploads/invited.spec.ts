import type { Page } from '@playwright/test'
import type { MediaPage } from '../../src/shared/media/media.ts'
import { messages } from '../../src/shared/messages.ts'
import { DATA_SAVER } from '../../src/shared/pages/pages.ts'
import { hashOf, videoOf } from '../../tools/measure/killed-upload.ts'
import type { ProductClient } from '../../tools/operate/local/product-client.ts'
import { expectAccessible } from '../accessible.ts'
import { files } from '../files.ts'
import { expect, test } from '../family.ts'
import { closeToasts, collect, expectToast, giveName, postMessage, toast } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const MB = 1024 * 1024

const INVITATION = 'Add a photo, a voice message or a few words'

/** Opens the invitation below the name, and presses one of its choices. */
async function choose(page: Page, what: string): Promise<void> {
  await page.getByRole('button', { name: INVITATION }).click()
  await page
    .getByRole('dialog', { name: 'What would you like to add?' })
    .getByRole('button', { name: what })
    .click()
}

for (const width of [360, 1280]) {
  test(`an invitation leads from the name to photo, voice and words, at ${width} px`, async ({ family }) => {
    const { memorial, inviteLink } = await family.invited()
    const page = await family.visitorPage(width, inviteLink)
    await expect(page.getByRole('heading', { level: 1, name: memorial.honoureeFullName })).toBeVisible()
    await expect(page.getByText('You’re invited to add to this memorial.')).toBeInViewport()

    await choose(page, 'A few words')
    await expect(page.getByLabel('Write a message')).toBeFocused()
    await expect(page.getByLabel('Write a message')).toBeInViewport()
    await choose(page, 'A voice message')
    const recorder = page.getByRole('dialog', { name: 'Record your voice' })
    await recorder.getByRole('button', { name: 'Not now' }).click()
    await expect(page.getByRole('button', { name: 'Record your voice' })).toBeFocused()
    const chooser = page.waitForEvent('filechooser')
    await choose(page, 'Photos')
    await (await chooser).setFiles(files.photoOfRelative)
    await giveName(page, 'Farai Chikomo')
    await expectToast(page, 'Media Uploaded', 'Thank you. The family can see your photo now.')

    await family.setPrivacy(memorial.id, 'LOCKED')
    await page.reload()
    await expect(page.getByRole('heading', { name: 'Guestbook' })).toBeVisible()
    await expect(page.getByRole('button', { name: INVITATION })).toHaveCount(0)
  })
}

test('files that are chosen together get one thank-you, and a message its own', async ({ family }) => {
  const { memorial, token } = await family.invited()
  const page = await family.visitorPage(360, `/invite/${token}`)
  await page.getByLabel('Add photos').setInputFiles([files.photoWithGps, files.photoOfRelative])
  await expect(page.locator('[aria-live=polite]', { hasText: '2 photos chosen' })).toBeAttached()
  await giveName(page, 'Farai Chikomo')
  await expectToast(page, 'Media Uploaded', 'Thank you. The family can see your 2 photos now.')
  await closeToasts(page)

  const shown: string[] = []
  await page.exposeFunction('shown', (text: string) => shown.push(text))
  await page.evaluate(() => {
    new MutationObserver(() => {
      const text = document.querySelector('[data-testid="toast"]')?.textContent
      if (text) (window as unknown as { shown: (text: string) => void }).shown(text)
    }).observe(document.body, { childList: true, subtree: true, characterData: true })
  })
  const sent = collect(page, (request) =>
    request.url().endsWith('/media/upload') ? request.url() : undefined,
  )
  // The second choice joins what is still on its way.
  await page.route(/media\/upload$/u, async (route) => {
    await expect(page.getByRole('list', { name: 'Files on their way' }).getByRole('listitem')).toHaveCount(2)
    await route.continue()
  })
  await page.getByLabel('Add photos').setInputFiles(files.photoRotated)
  await page.getByLabel('Add a recording').setInputFiles(files.voiceNote)
  await expectToast(page, 'Media Uploaded', 'The family can see your photo and voice message now.')
  expect(sent).toHaveLength(2)
  await expect.poll(() => new Set(shown.filter((text) => text.includes('Media Uploaded'))).size).toBe(1)

  await postMessage(page, 'He taught me to whistle.')
  await expectToast(page, 'Message Posted', 'Thank you. The family can see your message now.')
  const owner = await family.ownerPage(360, `/memorial/${memorial.id}`)
  await expect(owner.getByRole('button', { name: INVITATION })).toHaveCount(0)
  await postMessage(owner, 'Thank you all.')
  await expectToast(owner, 'Message Posted')
  await expect(toast(owner)).not.toContainText('The family')
})

test('an invited relative can use less data, as on a public page', async ({ family }) => {
  const { memorial, inviteLink } = await family.invited()
  await family.addPhoto(memorial.id)
  await family.addPhoto(memorial.id)
  const page = await family.visitorPage(360, inviteLink)
  const photos = page.getByRole('link', { name: /^Photo \d of 2/u })
  await expect(photos).toHaveCount(2)
  await page.getByRole('contentinfo').getByRole('button', { name: 'Use less data' }).click()
  const everything = page.getByRole('contentinfo').getByRole('button', { name: 'Show everything' })
  await expect(everything).toBeVisible()
  await expect(page).toHaveURL(`/memorial/${memorial.id}`)
  const choice = (await page.context().cookies()).find(({ name }) => name === DATA_SAVER)
  expect(choice).toMatchObject({ value: '1', path: '/', sameSite: 'Lax' })
  await expect(photos).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Menu' })).toBeVisible()
  await expectAccessible(page, 'an invited page with less data', [320])
  await page.getByRole('button', { name: /^2 photos, about .*Show$/u }).click()
  await expect(photos).toHaveCount(2)
  await expect(photos.first()).toBeFocused()
  await everything.click()
  await expect(page.getByRole('button', { name: 'Use less data' })).toBeVisible()
  await expect(photos).toHaveCount(2)
})

const rowOf = (page: Page) => page.getByRole('list', { name: 'Files on their way' }).getByRole('listitem')

/** How often the line is lost: each time, the browser waits before it tries again. */
const LOST = process.env['EXHAUSTIVE'] === '1' ? 10 : 3

test('a relative on a bus loses the line again and again, and the video arrives whole', async ({
  family,
}) => {
  expectErrors(/net::ERR_/u)
  const { memorial, inviteLink } = await family.invited()
  const page = await family.visitorPage(360, inviteLink)
  const lost: string[] = []
  let chunks = 0
  await page.route('**/uploads/*', async (route) => {
    const request = route.request()
    const isChunk = request.method() === 'PATCH'
    if (isChunk) chunks += 1
    if (!isChunk || chunks % 2 === 0 || lost.length === LOST) return route.continue()
    lost.push(request.headers()['upload-offset'] ?? '')
    return route.abort('connectionreset')
  })
  const buffer = videoOf(12 * MB)
  await page.getByLabel('Add a video').setInputFiles({ name: 'bus.mp4', mimeType: 'video/mp4', buffer })
  await giveName(page, 'Farai Chikomo')
  await expectToast(page, 'Media Uploaded')
  // Each time at another place: what had arrived was not sent again.
  expect(new Set(lost).size).toBe(LOST)
  const { media } = await family.owner.call<MediaPage>('GET', `/api/memorials/${memorial.id}/media`)
  const stored = await family.owner.send('GET', `/media/stream/${media[0]?.id}?original=1`)
  expect(hashOf(new Uint8Array(await stored.arrayBuffer()))).toBe(hashOf(buffer))
})

/** Announces a file and sends nothing of it. Returns its path. */
async function announce(person: ProductClient, memorialId: string, type: string, bytes: number) {
  const answer = await person.send('POST', `/api/memorials/${memorialId}/uploads`, undefined, {
    'Tus-Resumable': '1.0.0',
    'Upload-Length': String(bytes),
    'Upload-Metadata': `type ${btoa(type)}`,
  })
  expect(answer.status).toBe(201)
  return answer.headers.get('Location') ?? ''
}

test('a video waits while others send theirs, says so, and is sent when there is room', async ({
  family,
}) => {
  expectErrors(refusedWith(409))
  const { memorial, inviteLink, token } = await family.invited()
  const others: string[] = []
  const person = await family.relative(token, 'Cousin')
  for (let at = 0; at < 20; at++) {
    const cousin = at === 0 ? person : await family.relative(token, `Cousin ${at}`)
    others.push(await announce(cousin, memorial.id, 'VIDEO', 250 * MB))
    // With the last 120 MB of their quarter.
    if (at < 3) await announce(cousin, memorial.id, 'AUDIO', 40 * MB)
  }
  const page = await family.visitorPage(360, inviteLink)
  const whole = collect(page, (request) => (request.url().endsWith('/media/upload') ? request : undefined))
  const video = { name: 'wedding.mp4', mimeType: 'video/mp4', buffer: videoOf(0.9 * MB) }
  await page.getByLabel('Add a video').setInputFiles(video)
  await giveName(page, 'Farai Chikomo')
  await expect(rowOf(page)).toContainText('Waiting')
  await expect(rowOf(page)).toContainText(messages.media.heldByOthers)
  await expectAccessible(page, 'an upload that waits for room', [320])

  // Before there is room: the page tries again by itself.
  await rowOf(page).getByRole('button', { name: 'Pause' }).click()
  const ended = await person.send('DELETE', others[0] ?? '', undefined, { 'Tus-Resumable': '1.0.0' })
  expect(ended.status).toBe(204)
  await rowOf(page).getByRole('button', { name: 'Continue' }).click()
  await expectToast(page, 'Media Uploaded')
  // While it waits it asks for room, without sending its bytes again.
  expect(whole).toHaveLength(1)
})
