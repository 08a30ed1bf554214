import type { Page, Request } from '@playwright/test'
import type { CommentPage } from '../../src/shared/comments/comments.ts'
import type { MemorialView } from '../../src/shared/memorials/memorials.ts'
import { messages } from '../../src/shared/messages.ts'
import { expectAccessible } from '../accessible.ts'
import { expect, Family, test } from '../family.ts'
import { files } from '../files.ts'
import {
  appStarted,
  expectDrawn,
  expectToast,
  giveName,
  hold,
  logIn,
  onDearData,
  openWithCalls,
  postMessage,
} from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

// Other browser tests block the service worker, because it would bypass the responses that they mock.
test.use({ serviceWorkers: 'allow' })

const STORY = 'She taught half of Mutare to read.'
const MESSAGE = 'Zororai murugare.'

/** Creates an invite-only memorial with a story, a photo and a message. */
async function memorialOf(family: Family) {
  const invited = await family.invited()
  const { id } = invited.memorial
  await family.owner.call('PATCH', `/api/memorials/${id}`, { lifeStory: `<p>${STORY}</p>` })
  const photo = await family.addPhoto(id, 'At the gate')
  await family.owner.call('POST', `/api/memorials/${id}/comments`, { body: MESSAGE })
  return { ...invited, photo }
}

/** Paths of all cached files of memorials, by the name of the cache. */
function cachedPaths(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const found: string[] = []
    for (const name of await caches.keys()) {
      if (!name.includes('memorial:')) continue
      for (const { url } of await (await caches.open(name)).keys()) found.push(new URL(url).pathname)
    }
    return found
  })
}

/** Polls the caches. A tab that is loading another document has none to query, so it retries. */
function pollKept(page: Page) {
  return expect.poll(() => cachedPaths(page).catch((error: unknown) => [String(error)]))
}

/** Waits until the service worker has cached what the page shows. */
async function expectKept(page: Page, ...paths: string[]): Promise<void> {
  await pollKept(page).toEqual(expect.arrayContaining(paths))
}

/** Waits until the app can start offline: its document is the last that is cached. */
async function expectAppKept(page: Page): Promise<void> {
  const find = () =>
    page.evaluate(async () => Boolean(await caches.match('/document', { cacheName: 'kept-1:shell' })))
  await expect.poll(find).toBe(true)
}

/** Drops the connection once the service worker runs: registering it offline would log an error. */
async function goOffline(page: Page): Promise<void> {
  await page.evaluate(async () => void (await navigator.serviceWorker.ready))
  await page.context().setOffline(true)
}

async function expectReadable(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sekai Ndlovu')
  await expect(page.getByText(STORY)).toBeVisible()
  await expect(page.getByText(MESSAGE)).toBeVisible()
  await expectDrawn(page.getByRole('img', { name: 'At the gate' }))
}

const NO_LINE = /ERR_INTERNET_DISCONNECTED|ERR_FAILED/u

test('a public memorial opened once is readable offline; other pages say they are not', async ({
  family,
}) => {
  expectErrors(NO_LINE)
  const { memorial, photo } = await memorialOf(family)
  await family.setPrivacy(memorial.id, 'LOCKED')
  const page = await family.visitorPage(360, `/m/${memorial.slug}`)
  await expectReadable(page)
  await expectKept(page, `/media/stream/${photo.id}`)

  await goOffline(page)
  await page.reload()
  await expectReadable(page)
  await expect(page.getByText('You are offline. You can keep reading.')).toBeVisible()
  await expectAccessible(page, 'a memorial without a connection', [360, 1280])
  await page.goto('/faq')
  await expect(page.getByRole('heading', { name: 'You are offline' })).toBeVisible()
  await expectAccessible(page, 'any other page without a connection', [360, 1280])
  await page.getByRole('link', { name: memorial.honoureeFullName }).click()
  await expectReadable(page)
})

test('an invite-only memorial opened once is readable offline, also by its invitation', async ({
  family,
}) => {
  expectErrors(NO_LINE)
  const { memorial, inviteLink, token, photo } = await memorialOf(family)
  const page = await family.visitorPage(360, inviteLink)
  await expectReadable(page)
  await expectKept(page, `/media/stream/${photo.id}`, `/api/memorials/${memorial.id}/comments`)
  await expectAppKept(page)
  const names = await page.evaluate(async () => {
    const caching = await Promise.all((await caches.keys()).map((name) => caches.open(name)))
    const keys = await Promise.all(caching.map((cache) => cache.keys()))
    return keys.flat().map(({ url }) => url)
  })
  expect(names.filter((url) => url.includes(token))).toEqual([])

  await goOffline(page)
  await page.goto(`/memorial/${memorial.id}`)
  await expectReadable(page)
  await page.goto(inviteLink)
  await expectReadable(page)
})

test('a guest who has loaded no app reads offline what they opened once', async ({ family }) => {
  expectErrors(NO_LINE)
  const { memorial, inviteLink, token, photo } = await memorialOf(family)
  const page = await onDearData(await family.visitorPage(360))
  // On a slow line the service worker is there before the guest's session, and so before the link has left the address.
  const makeSession = await hold(page, /\/api\/invite\/[^/]+\/session$/u)
  await page.goto(inviteLink)
  await expectReadable(page)
  await expectKept(page, `/media/stream/${photo.id}`)
  makeSession()
  await expectKept(page, `/memorial/${memorial.id}`)
  expect(
    await page.evaluate(async (secret) => {
      const texts: string[] = []
      for (const name of await caches.keys())
        for (const key of await (await caches.open(name)).keys())
          texts.push(key.url, await ((await caches.match(key)) as Response).text())
      return texts.filter((text) => text.includes(secret)).length
    }, token),
  ).toBe(0)
  await goOffline(page)
  await page.reload()
  await expectReadable(page)
  await expect(page.getByText('You are offline.')).toBeVisible()
})

test('a cached page from before the name was given does not end the session', async ({ family }) => {
  expectErrors(NO_LINE)
  const { memorial, inviteLink } = await memorialOf(family)
  const path = `/api/memorials/${memorial.id}`
  const page = await family.visitorPage(360, inviteLink)
  await expectReadable(page)
  await expectKept(page, path)
  await expectAppKept(page)
  // The connection broke before the page could be cached again with the name: the copy from before the name remains.
  const swapCopies = (of: string) =>
    page.evaluate(async (url) => {
      const { older } = window as unknown as { older?: Response }
      for (const name of await caches.keys()) {
        const cache = await caches.open(name)
        const copy = name.includes('memorial:') && (await cache.match(url, { ignoreSearch: true }))
        if (!copy) continue
        if (older) await cache.put(url, older)
        else Object.assign(window, { older: copy })
      }
    }, of)
  await swapCopies(path)
  await postMessage(page, 'Go well, Mai.')
  await giveName(page, 'Farai Chikomo')
  await expect(page.getByText('The family sees your name as Farai Chikomo.')).toBeVisible()
  await swapCopies(path)
  await page.getByLabel('Write a message').fill('I remember her garden.')

  await goOffline(page)
  await page.reload()
  await expectReadable(page)
  await expect(page.getByText('The family sees your name as Farai Chikomo.')).toBeVisible()
  await expect(page.getByLabel('Write a message')).toHaveValue('I remember her garden.')
})

test('a first message written without a line asks for the name and stays', async ({ family }) => {
  expectErrors(NO_LINE)
  const { inviteLink } = await memorialOf(family)
  const page = await family.visitorPage(360)
  // The last code that the app loads.
  const dialogCame = page.waitForEvent('requestfinished', (request) =>
    request.url().includes('/name-dialog-'),
  )
  await page.goto(inviteLink)
  await expectReadable(page)
  await expect(page.getByLabel('Write a message')).toBeVisible()
  await dialogCame
  await page.waitForLoadState('networkidle')
  await goOffline(page)
  await postMessage(page, 'Go well, Mai.')
  await giveName(page, 'Farai Chikomo')
  await expect(page.getByRole('dialog')).toContainText(messages.system.network)
  await page.getByRole('button', { name: 'Back' }).click()
  await expect(page.getByLabel('Write a message')).toHaveValue('Go well, Mai.')
})

test('signing out in any tab leaves no memorial in any cache', async ({ family }) => {
  const { memorial, inviteLink, photo } = await memorialOf(family)
  const page = await family.visitorPage(1280, inviteLink)
  await expectReadable(page)
  await expectKept(page, `/media/stream/${photo.id}`)
  // After sign-in nothing of the previous user is left.
  await page.goto('/login')
  await logIn(page, family.email)
  await expect(page.getByRole('heading', { name: 'My Memorials' })).toBeVisible()
  await pollKept(page).toEqual([])

  const other = await page.context().newPage()
  const others = await Family.create(family.world, family.browser)
  const { memorial: another } = await memorialOf(others)
  await others.setPrivacy(another.id, 'LOCKED')
  await other.goto(`/m/${another.slug}`)
  await expectReadable(other)
  await expectKept(other, `/api/memorial/${another.slug}`)
  await other.goto('/faq')
  // The page's calls would be refused after the sign-out.
  await openWithCalls(page, `/memorial/${memorial.id}`, '**/held')
  await expectReadable(page)
  expect((await cachedPaths(page)).filter((path) => path.includes(memorial.id))).toEqual([])
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('link', { name: 'Login' })).toBeVisible()
  await pollKept(other).toEqual([])
})

test('a memorial made private is removed from the cache at the next online visit', async ({ family }) => {
  expectErrors(NO_LINE, refusedWith(403))
  const { memorial, photo } = await memorialOf(family)
  await family.setPrivacy(memorial.id, 'LOCKED')
  const page = await family.visitorPage(360)
  const address = `${family.world.url}/m/${memorial.slug}`
  await page.goto(address)
  await expectReadable(page)
  await expectKept(page, `/media/stream/${photo.id}`)
  await family.setPrivacy(memorial.id, 'PRIVATE')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Private Memorial' })).toBeVisible()
  await pollKept(page).toEqual([])
  await goOffline(page)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'You are offline' })).toBeVisible()
  await expect(page.getByText('Sekai')).toHaveCount(0)
})

/** A page of a contributor who has given a name and posted a first message. */
async function farai(page: Page, inviteLink: string): Promise<void> {
  await page.goto(inviteLink)
  await postMessage(page, 'My first words.')
  const dialog = page.getByRole('dialog', { name: 'What name should the family see?' })
  await dialog.getByLabel('Your name').fill('Farai')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'My first words.' })).toContainText('Farai')
}

const entry = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text })
const WAITS = 'Waiting for connection'

const isListOfMessages = (request: Request) =>
  request.method() === 'GET' && new URL(request.url()).pathname.endsWith('/comments')

/** Keeps answers about messages from this tab's code until the returned function is called. */
async function holdListAnswer(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => {
    const { fetch } = window
    const { promise, resolve } = Promise.withResolvers<void>()
    Object.assign(window, { release: resolve })
    window.fetch = async (...request) => {
      const answer = await fetch(...request)
      if (request[1]?.method !== 'POST' && answer.url.endsWith('/comments')) await promise
      return answer
    }
  })
  return () => page.evaluate(() => (window as unknown as { release: () => void }).release())
}

test('offline messages are queued, can be withdrawn, and arrive exactly once', async ({ family }) => {
  // Once online, the page requests the current user again; nobody is signed in.
  expectErrors(NO_LINE, refusedWith(401))
  const { memorial, inviteLink } = await memorialOf(family)
  const page = await family.visitorPage(360)
  const context = page.context()
  const bodies = async () => {
    const path = `/api/memorials/${memorial.id}/comments`
    const { comments } = await family.owner.call<CommentPage>('GET', path)
    return comments.map(({ body }) => body).toReversed()
  }
  await farai(page, inviteLink)
  await expectKept(page, `/api/memorials/${memorial.id}/comments`)
  await expectAppKept(page)
  const other = await context.newPage()
  await other.goto(`/memorial/${memorial.id}`)
  await expect(entry(other, 'My first words.')).toBeVisible()

  // The server has stored the message, but its response is lost.
  let isLost = true
  let listAnswered: Promise<unknown> = Promise.resolve()
  await context.route('**/comments', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    await listAnswered
    if (!isLost) return route.continue()
    await route.fetch({ maxRetries: 3 })
    return route.abort()
  })
  await postMessage(page, 'From the bus.')
  await expect(entry(page, 'From the bus.')).toContainText(WAITS)
  isLost = false

  await goOffline(page)
  await expect(
    page.getByText('You are offline. You can keep reading; what you write will be sent'),
  ).toBeVisible()
  await postMessage(page, 'From the hills.')
  await expect(entry(other, 'From the hills.')).toContainText(WAITS)
  await postMessage(page, 'Better not.')
  await entry(page, 'Better not.').getByRole('button', { name: 'Cancel' }).click()
  await expect(entry(page, 'Better not.')).toHaveCount(0)
  await page.reload()
  await expect(entry(page, 'My first words.')).toBeVisible()
  await expect(entry(page, 'From the hills.')).toContainText(WAITS)
  await expect(page.getByLabel('Write a message')).toHaveValue('')

  // This tab asks for the list before the message is stored, and gets the answer after it.
  const releaseList = await holdListAnswer(page)
  listAnswered = page.waitForResponse((answer) => isListOfMessages(answer.request()))
  await context.setOffline(false)
  await expect(entry(page, 'From the hills.')).toContainText('Farai')
  await releaseList()
  await expect(entry(other, 'From the hills.')).toContainText('Farai')
  for (const tab of [page, other]) {
    await expect(tab.getByText(WAITS)).toHaveCount(0)
    await expect(entry(tab, 'From the hills.')).toContainText('Farai')
    await expect(tab.getByText('You are offline')).toBeHidden()
  }
  await page.reload()
  await expect(entry(page, 'From the bus.')).toContainText('Farai')
  expect(await bodies()).toEqual([MESSAGE, 'My first words.', 'From the bus.', 'From the hills.'])
})

test('an offline message that is refused later can still be copied', async ({ family }) => {
  // If the server is slow, the cached app opens, and asks who is signed in: nobody.
  expectErrors(NO_LINE, refusedWith(401), refusedWith(403), refusedWith(409))
  const { memorial, inviteLink } = await memorialOf(family)
  const page = await family.visitorPage(360)
  const context = page.context()
  await farai(page, inviteLink)

  await goOffline(page)
  await postMessage(page, 'Too late for this.')
  await expect(entry(page, 'Too late for this.')).toContainText(WAITS)
  await family.setPrivacy(memorial.id, 'LOCKED')
  await context.setOffline(false)
  await expect(entry(page, 'Too late for this.')).toContainText(
    'Your message could not be posted. This memorial is locked.',
  )
  await expect(entry(page, 'Too late for this.').getByRole('button', { name: 'Copy' })).toBeVisible()
  await entry(page, 'Too late for this.').getByRole('button', { name: 'Remove' }).click()
  await expect(entry(page, 'Too late for this.')).toHaveCount(0)

  await family.setPrivacy(memorial.id, 'INVITE')
  await page.reload()
  await expect(page.getByLabel('Write a message')).toBeVisible()
  await expectAppKept(page)
  await goOffline(page)
  await postMessage(page, 'Go well, Sekai.')
  await expect(entry(page, 'Go well, Sekai.')).toContainText(WAITS)
  await page.goto('about:blank')
  await family.owner.call('POST', `/api/memorials/${memorial.id}/invite-link/rotate`)
  await context.setOffline(false)
  await page.goto(`/memorial/${memorial.id}`)
  await expect(page.getByRole('heading', { name: 'Access Denied' })).toBeVisible()
  await expect(entry(page, 'Go well, Sekai.')).toContainText('Your message could not be posted')
  await expect(
    page.getByText('This invitation no longer works. Ask the family for a new link.'),
  ).toBeVisible()
  await expect(entry(page, 'Go well, Sekai.').getByRole('button', { name: 'Copy' })).toBeVisible()
  await pollKept(page).toEqual([])
})

test("a removed keeper's offline message isn't posted, and can still be copied", async ({ family }) => {
  expectErrors(NO_LINE, refusedWith(403))
  const memorial = await family.memorial()
  const path = `/api/memorials/${memorial.id}`
  const page = await family.visitorPage(360)
  const keeper = await family.keeper(page, memorial.id)
  await page.goto(`/memorial/${memorial.id}`)
  await expect(page.getByLabel('Write a message')).toBeVisible()
  await expect(appStarted(page)).toBeAttached()
  await goOffline(page)
  await postMessage(page, 'I held her hand.')
  await expect(entry(page, 'I held her hand.')).toContainText(WAITS)
  await family.owner.call('DELETE', `${path}/keepers/${keeper.id}`)
  await page.context().setOffline(false)
  await expect(entry(page, 'I held her hand.')).toContainText('Your message could not be posted')
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Sekai Ndlovu')
  await expect(entry(page, 'I held her hand.').getByRole('button', { name: 'Copy' })).toBeVisible()
  expect((await family.owner.call<CommentPage>('GET', `${path}/comments`)).comments).toEqual([])
})

test('what an ended invitation could not send goes on under the new link and same name', async ({
  family,
}) => {
  // If the server is slow, the cached app opens, and asks who is signed in: nobody.
  expectErrors(NO_LINE, refusedWith(401), refusedWith(403), refusedWith(404))
  const { memorial, inviteLink } = await memorialOf(family)
  const page = await family.visitorPage(360)
  const context = page.context()
  await farai(page, inviteLink)
  await goOffline(page)
  await page.getByLabel('Add photos').setInputFiles(files.photoOfRelative)
  await expect(page.getByText(messages.media.heldByLine)).toBeVisible()
  await postMessage(page, 'Go well, Sekai.')
  await expect(entry(page, 'Go well, Sekai.')).toContainText(WAITS)
  const { inviteLink: newLink } = await family.owner.call<{ inviteLink: string }>(
    'POST',
    `/api/memorials/${memorial.id}/invite-link/rotate`,
  )
  await context.setOffline(false)
  await expectToast(page, messages.invite.unsentText)

  await page.goto(newLink)
  await page.getByRole('button', { name: 'Continue as Farai' }).click()
  const dialog = page.getByRole('dialog', { name: 'What name should the family see?' })
  await expect(dialog.getByLabel('Your name')).toHaveValue('Farai')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(entry(page, 'Go well, Sekai.')).toContainText('Farai')
  await expect(entry(page, 'Go well, Sekai.')).not.toContainText('could not be posted')
  await expect
    .poll(async () => {
      const path = `/api/memorials/${memorial.id}/media`
      return (await family.owner.call<{ media: unknown[] }>('GET', path)).media.length
    })
    .toBe(2)
})

test("a privacy change needs a connection and says so; the owner's messages are queued", async ({
  family,
}) => {
  expectErrors(NO_LINE)
  const memorial = await family.memorial('INVITE')
  const page = await family.ownerPage(1280, `/memorial/${memorial.id}`)
  await expect(page.getByLabel('Write a message')).toBeVisible()
  await expect(appStarted(page)).toBeAttached()
  await goOffline(page)
  await page.getByRole('button', { name: 'Lock', exact: true }).click()
  await page.getByRole('button', { name: 'Make it public' }).click()
  await expectToast(page, 'Update Failed', "We're having trouble connecting right now.")
  await postMessage(page, 'Thank you all.')
  await expect(entry(page, 'Thank you all.')).toContainText(WAITS)
  await page.context().setOffline(false)
  await expect(entry(page, 'Thank you all.')).toContainText('Memorial Owner')
  const now = await family.owner.call<MemorialView>('GET', `/api/memorials/${memorial.id}`)
  expect(now.memorial.privacy).toBe('INVITE')
})
