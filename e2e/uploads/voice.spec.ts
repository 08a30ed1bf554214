import type { Page } from '@playwright/test'
import type { MediaPage } from '../../src/shared/media/media.ts'
import { messages } from '../../src/shared/messages.ts'
import { BROWSER_ARGS, findBrowser } from '../../tools/build/lib/browser.ts'
import { expectAccessible } from '../accessible.ts'
import { expect, test } from '../family.ts'
import { expectToast, giveName, play } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const executablePath = findBrowser()
// A fake microphone that beeps, and a browser that grants permission by itself.
test.use({
  launchOptions: {
    args: [...BROWSER_ARGS, '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
    ...(executablePath ? { executablePath } : {}),
  },
})

/** Matches a recording's timer after this many seconds or more. */
const since = (seconds: number) => new RegExp(String.raw`^0:(?:0[${seconds}-9]|[1-5]\d)$`, 'u')

async function startRecording(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Record your voice' }).click()
  await page.getByRole('button', { name: 'Start recording' }).click()
}

test('a relative makes a recording, listens to it, and it is stored and plays', async ({ family }) => {
  const { memorial, inviteLink } = await family.invited()
  const page = await family.visitorPage(360, inviteLink)
  await page.getByRole('button', { name: 'Record your voice' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('It can last up to 10 minutes')
  await expectAccessible(page, 'before a recording', [360])
  await dialog.getByRole('button', { name: 'Start recording' }).click()
  const timer = dialog.getByRole('timer')
  await expect(timer).toHaveText(since(2))
  await expect(dialog).toContainText(/Recording · 9:\d\d left/u)
  await expect(dialog).toContainText('We can hear you.')
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await expect(dialog).toContainText(/Paused · 9:\d\d left/u)
  const paused = await timer.innerText()
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(timer).not.toHaveText(paused)

  // Leaving asks for confirmation, and the recording is still there.
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Leave without this recording?' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Keep it' }).click()
  await dialog.getByRole('button', { name: 'Stop' }).click()
  const player = dialog.getByLabel('Your recording')
  const length = () => player.evaluate((audio: HTMLAudioElement) => audio.duration)
  await expect.poll(length).toBeGreaterThan(2.5)
  await play(player)

  await dialog.getByRole('button', { name: 'Use this recording' }).click()
  await giveName(page, 'Rutendo Dube')
  await expectToast(page, 'Media Uploaded')
  const { media } = await family.owner.call<MediaPage>('GET', `/api/memorials/${memorial.id}/media`)
  expect(media).toMatchObject([
    {
      type: 'AUDIO',
      mimeType: 'audio/ogg',
      originalFileName: expect.stringMatching(/^Voice recording, \d+ \w+ \d{4}\.ogg$/u),
    },
  ])
  expect(media[0]?.durationSec).toBeGreaterThan(2.5)
  const recording = page.getByLabel('Recording added by Rutendo Dube', { exact: true })
  await play(recording)

  // The relative has used the one recording allowed, and the page says so before a new recording starts.
  const record = page.getByRole('button', { name: 'Record your voice' })
  await expect(record).toHaveAccessibleDescription(messages.media.allAdded.AUDIO)
  await record.click()
  await expectToast(page, 'Upload Failed', 'You can add one recording of up to 10 minutes to a memorial')
})

test('a recording stops automatically after the allowed ten minutes and loses nothing', async ({
  family,
}) => {
  // After so much time the page requests the current user again; nobody is signed in.
  expectErrors(refusedWith(401))
  const { inviteLink } = await family.invited()
  const page = await family.visitorPage(360)
  await page.clock.install()
  await page.goto(inviteLink)
  await startRecording(page)
  await expect(page.getByRole('timer')).toHaveText(since(1))
  await page.clock.fastForward('09:05')
  await expect(page.getByRole('dialog')).toContainText('Less than a minute is left')
  await page.clock.fastForward('01:00')
  await expect(page.getByRole('dialog')).toContainText('Listen before you send it (10:00')
  await expect(page.getByRole('button', { name: 'Use this recording' })).toBeVisible()
})

test('a refused microphone shows a message with another way to add a recording', async ({ family }) => {
  const { inviteLink } = await family.invited()
  const page = await family.visitorPage(360)
  await page.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = () =>
      Promise.reject(new DOMException('Permission denied', 'NotAllowedError'))
  })
  await page.goto(inviteLink)
  await startRecording(page)
  await expect(page.getByRole('alert')).toContainText('This page may not use the microphone.')
  await expect(page.getByRole('alert')).toContainText('choose “Add a recording”')
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
})

test('in the wizard a recording stays among the pending files until it is sent', async ({ family }) => {
  const memorial = await family.memorial()
  const page = await family.ownerPage(1280, `/create-memorial/${memorial.id}?step=4`)
  await startRecording(page)
  await expect(page.getByRole('timer')).toHaveText(since(1))
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Use this recording' }).click()
  const row = page.getByRole('region', { name: 'Audio' })
  await expect(row).toContainText('Voice recording')
  await expect(row).toContainText('Ready to send')
  await page.getByRole('button', { name: 'Send these files now' }).click()
  await expectToast(page, 'Media Uploaded')
})
