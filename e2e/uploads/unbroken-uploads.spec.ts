import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CDPSession, Page } from '@playwright/test'
import type { MediaPage } from '../../src/shared/media/media.ts'
import { messages } from '../../src/shared/messages.ts'
import { freePort } from '../../tools/operate/local/free-port.ts'
import { hashOf, videoOf } from '../../tools/measure/killed-upload.ts'
import { endWorld, killRuntime, startWorld } from '../../tools/measure/restartable-world.ts'
import type { ProductClient } from '../../tools/operate/local/product-client.ts'
import { account, DEMO, openToInvited, paidMemorial } from '../../tools/operate/seed.ts'
import { expectAccessible } from '../accessible.ts'
import { TENDAI } from '../accounts-by-api.ts'
import { expect, type Family, test } from '../family.ts'
import { expectToast, giveName } from '../people.ts'
import { writeStory } from '../wizard-screen.ts'
import { expectErrors, refusedWith } from '../world.ts'

const MB = 1024 * 1024
/** Upload speed in MB per second: on a busy machine, most of a video is still on its way when a test looks. */
const SLOW = 0.5
/** The browser's console errors for a lost connection. */
const CUT = /net::ERR_/u

const folder = mkdtempSync(join(tmpdir(), 'nhaka-files-'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Writes a video of this size to disk. Returns its path and SHA-256. */
function video(name: string, megabytes: number): { path: string; hash: string } {
  const bytes = videoOf(megabytes * MB)
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return { path, hash: hashOf(bytes) }
}

const sessions = new WeakMap<Page, CDPSession>()

/** Limits the page's upload speed to this many MB per second; 0 removes the limit. */
async function slowDown(page: Page, megabytes: number): Promise<void> {
  // The same session each time: another one could not lift the limit of the first.
  const devtools = sessions.get(page) ?? (await page.context().newCDPSession(page))
  sessions.set(page, devtools)
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: megabytes === 0 ? -1 : megabytes * MB,
  })
}

/** Begins to send a video of this size, slowly, as an invited relative. */
async function startUpload(family: Family, name: string, megabytes: number) {
  const { memorial, inviteLink } = await family.invited()
  const page = await family.visitorPage(360)
  return { memorial, page, ...(await sendVideo(page, inviteLink, name, megabytes)) }
}

async function sendVideo(page: Page, inviteLink: string, name: string, megabytes: number) {
  const file = video(name, megabytes)
  await page.goto(inviteLink)
  await slowDown(page, SLOW)
  await page.getByLabel('Add a video').setInputFiles(file.path)
  await giveName(page, 'Farai Chikomo')
  return file
}

const rowOf = (page: Page) => page.getByRole('list', { name: 'Files on their way' }).getByRole('listitem')

/** Waits until a good part of the file, but not all, has been sent. */
async function untilHalfWay(page: Page): Promise<void> {
  await expect(rowOf(page)).toContainText(/· [2-8]\d % ·/u)
}

/** SHA-256 of the only media item of a memorial, as its owner downloads it. */
async function storedHash(owner: ProductClient, memorialId: string): Promise<string> {
  const { media } = await owner.call<MediaPage>('GET', `/api/memorials/${memorialId}/media`)
  expect(media).toHaveLength(1)
  const answer = await owner.send('GET', `/media/stream/${media[0]?.id}?original=1`)
  return hashOf(new Uint8Array(await answer.arrayBuffer()))
}

async function expectArrived(page: Page, { owner }: Family, memorialId: string, hash: string) {
  await expectToast(page, 'Media Uploaded')
  expect(await storedHash(owner, memorialId)).toBe(hash)
}

test('a video upload continues automatically after a reload', async ({ family }) => {
  const { memorial, page, hash } = await startUpload(family, 'wedding.mp4', 12)
  await untilHalfWay(page)
  const line = page.getByText(/^0 of 1 sent · about \d+(?:\.\d)? MB left$/u)
  await expect(line).toBeAttached()
  await page.reload()
  // Below the name, far above the files.
  await expect(line).toBeVisible()
  await expect(rowOf(page)).toContainText('wedding.mp4')
  await expect(rowOf(page)).toContainText(/· [2-9]\d % ·/u)
  await slowDown(page, 0)
  await expectArrived(page, family, memorial.id, hash)
  await expect(line).toHaveCount(0)
  await page.reload()
  await expect(page.getByLabel('Add a video')).toBeVisible()
  await expect(rowOf(page)).toHaveCount(0)
})

test('a video too large to store locally asks for the same file again and resumes', async ({ family }) => {
  const other = video('other.mp4', 1)
  const { memorial, page, path, hash } = await startUpload(family, 'long wedding.mp4', 26)
  await untilHalfWay(page)
  await page.reload()
  const left = page.getByRole('list', { name: 'Not sent to the end' }).getByRole('listitem')
  await expect(left).toContainText(/^Continue sending long wedding\.mp4 \([1-9]\d* %\)/u)
  await left.getByLabel('Choose long wedding.mp4').setInputFiles(other.path)
  await expect(left.getByRole('alert')).toHaveText('That is another file. Choose long wedding.mp4.')
  await expectAccessible(page, 'an upload that was left', [320])
  await slowDown(page, 0)
  const chunk = page.waitForRequest((request) => request.method() === 'PATCH')
  await left.getByLabel('Choose long wedding.mp4').setInputFiles(path)
  expect(Number((await chunk).headers()['upload-offset'])).toBeGreaterThan(MB)
  await expectToast(page, 'Media Uploaded')
  await expect(left).toHaveCount(0)
  expect(await storedHash(family.owner, memorial.id)).toBe(hash)
})

test('a video upload pauses offline or on request, resumes, and arrives unchanged', async ({ family }) => {
  expectErrors(CUT)
  const { memorial, page, hash } = await startUpload(family, 'wedding.mp4', 12)
  await expect(rowOf(page)).toContainText(/· [1-9]\d % ·/u)
  await page.context().setOffline(true)
  await expect(rowOf(page)).toContainText('Paused')
  await expect(rowOf(page)).toContainText('We will continue when the connection is better.')
  await page.context().setOffline(false)
  await expect(rowOf(page)).toContainText('Sending')
  await rowOf(page).getByRole('button', { name: 'Pause' }).click()
  await expect(rowOf(page)).toContainText('Paused')
  await expect(rowOf(page)).not.toContainText('We will continue')
  await expectAccessible(page, 'an upload that is paused', [320])
  await slowDown(page, 0)
  await rowOf(page).getByRole('button', { name: 'Continue' }).click()
  await expectArrived(page, family, memorial.id, hash)
})

test('an upload is refused with a message when the memorial is locked meanwhile', async ({ family }) => {
  expectErrors(refusedWith(409))
  const { memorial, page } = await startUpload(family, 'wedding.mp4', 12)
  await expect(rowOf(page)).toContainText(/· [1-8]\d % ·/u)
  await rowOf(page).getByRole('button', { name: 'Pause' }).click()
  await family.setPrivacy(memorial.id, 'LOCKED')
  await rowOf(page).getByRole('button', { name: 'Continue' }).click()
  await expect(rowOf(page)).toContainText('Not sent')
  await expect(rowOf(page).getByRole('alert')).toHaveText(messages.memorial.locked)
})

test('a keeper who is removed sends no more of a video, and nothing of it stays', async ({ family }) => {
  expectErrors(refusedWith(403), refusedWith(404))
  const memorial = await family.memorial()
  const path = `/api/memorials/${memorial.id}`
  const page = await family.visitorPage(360)
  const keeper = await family.keeper(page, memorial.id)
  await page.goto(`/memorial/${memorial.id}`)
  await slowDown(page, SLOW)
  await page.getByLabel('Add a video').setInputFiles(video('wedding.mp4', 12).path)
  await untilHalfWay(page)
  await family.owner.call('DELETE', `${path}/keepers/${keeper.id}`)
  await expect(rowOf(page)).toContainText('Not sent')
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Private Memorial')
  expect((await family.owner.call<MediaPage>('GET', `${path}/media`)).media).toEqual([])
})

test('an outdated page asks for a reload, and then sends its files', async ({ family }) => {
  expectErrors(refusedWith(404))
  const { memorial, inviteLink } = await family.invited()
  const page = await family.visitorPage(360)
  await page.route('**/assets/tus-upload*', (route) => route.fulfill({ status: 404, body: '' }))
  const { hash } = await sendVideo(page, inviteLink, 'wedding.mp4', 2)
  await expect(rowOf(page).getByRole('alert')).toContainText('This page is out of date. Please load it again')
  await page.unrouteAll()
  await page.reload()
  await expectArrived(page, family, memorial.id, hash)
})

test('a stopped video is removed everywhere and frees its quota', async ({ family }) => {
  const { memorial, page } = await startUpload(family, 'wrong.mp4', 12)
  await untilHalfWay(page)
  const ended = page.waitForResponse((answer) => answer.request().method() === 'DELETE')
  await rowOf(page).getByRole('button', { name: 'Stop' }).click()
  expect((await ended).status()).toBe(204)
  await expect(rowOf(page)).toHaveCount(0)
  await slowDown(page, 0)
  const { path, hash } = video('right.mp4', 2)
  await page.getByLabel('Add a video').setInputFiles(path)
  await expectArrived(page, family, memorial.id, hash)
})

test('in the wizard a video upload continues after a reload', async ({ page, family }) => {
  const memorial = await family.memorial()
  const { path, hash } = video('wedding.mp4', 12)
  await family.open(page, `/create-memorial/${memorial.id}?step=4`)
  await slowDown(page, SLOW)
  await page.getByLabel('Choose a video').setInputFiles(path)
  await page.getByRole('button', { name: 'Send these files now' }).click()
  const place = page.getByRole('region', { name: 'Video', exact: true })
  await expect(place).toContainText(/· [2-8]\d % ·/u)
  await page.reload()
  await expect(place).toContainText(/wedding\.mp4.*· [2-9]\d % ·/u)
  await slowDown(page, 0)
  await expect
    .poll(
      async () => (await family.owner.call<MediaPage>('GET', `/api/memorials/${memorial.id}/media`)).media,
    )
    .toHaveLength(1)
  expect(await storedHash(family.owner, memorial.id)).toBe(hash)
})

test('a video paused in the wizard blocks nothing and resumes on request', async ({ page, family }) => {
  const memorial = await family.memorial()
  const { path, hash } = video('wedding.mp4', 12)
  await family.open(page, `/create-memorial/${memorial.id}?step=4`)
  await writeStory(page, 'She taught.')
  await slowDown(page, SLOW)
  await page.getByLabel('Choose a video').setInputFiles(path)
  await page.getByRole('button', { name: 'Next' }).click()
  const place = page.getByRole('region', { name: 'Video', exact: true })
  await expect(place).toContainText(/· [1-8]\d % ·/u)
  await place.getByRole('button', { name: 'Pause' }).click()
  await expect(page.getByRole('heading', { name: 'Privacy & Sharing' })).toBeFocused()
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect(place).toContainText('Paused')
  await slowDown(page, 0)
  await place.getByRole('button', { name: 'Continue' }).click()
  await expectArrived(page, family, memorial.id, hash)
})

test('a video arrives unchanged although the server is killed during the upload', async ({ family }) => {
  expectErrors(CUT)
  const state = mkdtempSync(join(tmpdir(), 'nhaka-killed-'))
  const place = { state, port: await freePort(), sandboxPort: await freePort() }
  const url = `http://localhost:${place.port}`
  let server = await startWorld(place)
  try {
    const sandboxUrl = `http://127.0.0.1:${place.sandboxPort}`
    const owner = await account(url, sandboxUrl, { ...DEMO.owner, email: 'killed@family.test' })
    const { id } = await paidMemorial(owner, sandboxUrl, TENDAI)
    const { inviteLink } = await openToInvited(owner, id)
    const page = await family.visitorPage(360)
    const { hash } = await sendVideo(page, inviteLink, 'wedding.mp4', 12)
    await untilHalfWay(page)
    await killRuntime(place, server)
    server = await startWorld(place)
    await slowDown(page, 0)
    await expectToast(page, 'Media Uploaded')
    expect(await storedHash(owner, id)).toBe(hash)
    await page.context().close()
  } finally {
    await endWorld(server)
    rmSync(state, { recursive: true, force: true })
  }
})
