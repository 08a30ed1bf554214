import type { Page } from '@playwright/test'
import type { MediaPage } from '../../src/shared/media.ts'
import { expect, expectToast, visitorPage, test } from '../family.ts'

const FIXTURES = 'test/fixtures/'
const rowOf = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Files on their way' }).getByRole('listitem').filter({ hasText: name })

test('a file that is too long or not of its declared type is refused before sending', async ({
  browser,
  family,
  expectErrors,
}) => {
  // The trace recorder requests unreadable images again, and the page's policy blocks it.
  expectErrors(/^Connecting to 'blob:/u)
  const { inviteLink } = await family.invited()
  const page = await visitorPage(browser, 360)
  const sent: string[] = []
  page.on('request', (request) => {
    if (/\/(?:media\/upload|uploads)$/u.test(request.url())) sent.push(request.url())
  })
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
  await page.context().close()
})

test('the family adds a long video, and each video gets its own poster', async ({
  browser,
  world,
  family,
}) => {
  const memorial = await family.memorial()
  const page = await family.ownerPage(browser, 1280)
  await page.goto(`${world.url}/memorial/${memorial.id}`)
  await page.getByLabel('Add a video').setInputFiles(`${FIXTURES}video-too-long.mp4`)
  await expectToast(page, 'Media Uploaded')
  const first = async () => {
    const { media } = await family.owner.call<MediaPage>('GET', `/api/memorials/${memorial.id}/media`)
    return media[0]
  }
  await expect.poll(async () => (await first())?.thumbnailPath).toContain('thumbnail=1')
  const poster = page.locator(`img[src*="${(await first())?.id}"]`).first()
  await expect.poll(() => poster.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  await page.context().close()
})
