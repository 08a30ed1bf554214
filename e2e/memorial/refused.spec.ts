import type { Page } from '@playwright/test'
import { letInMessages } from '../../src/shared/invites/let-in-messages.ts'
import { messages } from '../../src/shared/messages.ts'
import { pendingMessages } from '../../src/shared/comments/pending-messages.ts'
import { violationsWithoutScript } from '../accessible.ts'
import { expect, test, type Family } from '../family.ts'
import { collect, expectNoSidewaysScroll, giveName, postMessage } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const { invite, memorial: words } = messages
const UNKNOWN = '00000000-0000-4000-8000-000000000000'
/** The code of the app, which such a page does not need. */
const APP = /\/assets\/(?:app|libraries|[\w-]+-screens)-[^/]+\.js$/u

const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const scriptsOfApp = (page: Page) =>
  collect(page, (request) => (APP.test(request.url()) ? request.url() : undefined))

/** Each address that does not open, with the heading, the text and the link of its page. */
async function refusals(family: Family) {
  const { memorial, inviteLink } = await family.invited()
  const hidden = await family.invited()
  await family.setPrivacy(hidden.memorial.id, 'PRIVATE')
  const path = `/memorial/${memorial.id}`
  const start = 'Go to the start page'
  const home = 'Return Home'
  return {
    memorial,
    inviteLink,
    /** The link to the form where the family takes requests; '' elsewhere. */
    asks: (address: string) => (address === path ? letInMessages.title : ''),
    rows: [
      [`/invite/${UNKNOWN}`, invite.endedTitle, invite.endedText, start, '/'],
      [hidden.inviteLink, words.privateTitle, invite.privateText, start, '/'],
      [path, words.deniedTitle, words.deniedText, home, path],
      [`${path}?invite=${UNKNOWN}`, words.deniedTitle, words.deniedText, home, path],
      [`/memorial/${hidden.memorial.id}`, words.privateTitle, words.privateText, home],
      ['/memorial/mem_00000000000000000000', words.notFoundTitle, words.notFoundText, home],
    ] as [string, string, string, string, string?][],
  }
}

for (const width of [360, 1280]) {
  test(`without script a page says why it does not open, at ${width} px`, async ({
    browser,
    world,
    family,
  }) => {
    const { rows, asks } = await refusals(family)
    const context = await browser.newContext({
      baseURL: world.url,
      javaScriptEnabled: false,
      viewport: { width, height: 740 },
    })
    const page = await context.newPage()
    for (const [address, title, text, link] of rows) {
      await page.goto(address)
      await expect(page.getByRole('main')).toHaveText(title + text + asks(address) + link)
      await expectNoSidewaysScroll(page)
      expect(await violationsWithoutScript(browser, page), address).toEqual([])
      await page.getByRole('main').getByRole('link', { name: link }).click()
      await expect(heading(page)).toHaveText('A lasting place for their story')
    }
    await context.close()
  })
}

test('the page has title, focus and address of the app’s screen, which does not load', async ({ family }) => {
  const { rows, asks } = await refusals(family)
  const page = await family.visitorPage(360)
  const scripts = scriptsOfApp(page)
  for (const [address, title, text, link, endsAt = address] of rows) {
    await page.goto('/faq')
    await page.goto(address)
    await expect(page.getByRole('main')).toHaveText(title + text + asks(address) + link)
    await expect(page.getByRole('alert')).toHaveText(text)
    await expect(page).toHaveURL(endsAt)
    await expect(page).toHaveTitle(`${title} · Keeping Legacies Alive`)
    await page.getByRole('button', { name: 'Menu' }).click()
    await expect(page.getByRole('navigation', { name: 'Menu' })).toBeVisible()
    await page.keyboard.press('Escape')
    await page.reload()
    await expect(page.getByRole('main')).toHaveText(title + text + asks(endsAt) + link)
    await expect(page).toHaveURL(endsAt)
    if (link === 'Go to the start page') await expect(heading(page)).toBeFocused()
    await page.getByRole('main').getByRole('link', { name: link }).click()
    await expect(page).toHaveURL('/')
    await expect(heading(page)).toHaveText('A lasting place for their story')
    await expect(heading(page)).toBeFocused()
  }
  expect(scripts).toEqual([])
})

test('on the way back from the start page the reason is there again', async ({ family }) => {
  const page = await family.visitorPage(360)
  await page.goto(`/invite/${UNKNOWN}`)
  await page.getByRole('link', { name: 'FAQ' }).click()
  await expect(heading(page)).toHaveText('Questions and answers')
  // The start page opens the invitation again while it loads, which could abort a wait for its load event.
  await page.goBack({ waitUntil: 'commit' })
  await expect(heading(page)).toHaveText(invite.endedTitle)
  await expect(page).toHaveURL('/')
})

test('where something was not sent, the app opens and shows it, also without a cookie', async ({
  family,
}) => {
  expectErrors(/ERR_INTERNET_DISCONNECTED/u, refusedWith(403), refusedWith(404))
  const { memorial, inviteLink } = await family.invited()
  const page = await family.visitorPage(360)
  const context = page.context()
  await page.goto(inviteLink)
  await postMessage(page, 'My first words.')
  await giveName(page, 'Farai')
  const entry = (text: string) => page.getByRole('listitem').filter({ hasText: text })
  await expect(entry('My first words.')).toContainText('Farai')
  await context.setOffline(true)
  await postMessage(page, 'Go well, Sekai.')
  await expect(entry('Go well, Sekai.')).toContainText('Waiting for connection')
  await page.goto('about:blank')
  await family.owner.call('POST', `/api/memorials/${memorial.id}/invite-link/rotate`)
  await context.clearCookies()
  await context.setOffline(false)
  await page.goto(`/memorial/${memorial.id}`)
  await expect(heading(page)).toHaveText(words.deniedTitle)
  // It was made by the link that has ended.
  await expect(page.getByRole('alert')).toHaveText(`${invite.endedTitle} ${invite.endedText}`)
  await expect(page.getByRole('heading', { name: pendingMessages.unsentTitle })).toBeVisible()
  await expect(entry('Go well, Sekai.').getByRole('button', { name: 'Copy' })).toBeVisible()
  const stored = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('session')))
  await expect.poll(stored).toEqual([])
})
