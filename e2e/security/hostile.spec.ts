import type { Memorial, MemorialView } from '../../src/shared/memorials/memorials.ts'
import type { Page } from '@playwright/test'
import { hostileStories, runUnsanitised, disallowedInStory, watchedPage } from '../hostile.ts'
import type { Comment } from '../../src/shared/comments/comments.ts'
import { NAUGHTY_STRINGS, XSS_VECTORS } from '../../test/xss-vectors.ts'
import { expect, test } from '../family.ts'
import { openUnwritten } from '../people.ts'
import { expectErrors } from '../world.ts'

const MARKER = 'Where the story begins'

async function openWholeStory(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await expect(page.getByText(MARKER, { exact: true })).toBeVisible()
  const more = page.getByRole('button', { name: 'Read the whole story' })
  if ((await more.count()) > 0) await more.click()
}

test('the hostile stories run in a page that shows them unsanitised', async ({ browser }) => {
  expectErrors(/^/u)
  const context = await browser.newContext()
  context.on('dialog', (dialog) => void dialog.dismiss())
  expect(await runUnsanitised(context)).toBeGreaterThan(50)
})

test('no saved hostile story runs or shows markup for owner or visitor', async ({ browser, family }) => {
  const memorial = await family.memorial('LOCKED')
  const path = `/api/memorials/${memorial.id}`
  const saved: string[] = []
  for (const lifeStory of hostileStories(40)) {
    const { lifeStory: stored } = await family.owner.call<Memorial>('PATCH', path, { lifeStory })
    saved.push(stored ?? '')
  }
  const { page, seen } = await watchedPage(browser, family.world.url)
  await family.signIn(page)
  const { page: visitor, seen: seenByVisitor } = await watchedPage(browser, family.world.url)
  const disallowed: string[] = []
  for (let start = 0; start < saved.length; start += 12) {
    const lifeStory = `<p>${MARKER}</p>${saved.slice(start, start + 12).join('')}`
    await family.owner.call('PATCH', path, { lifeStory })
    await openWholeStory(page, `/memorial/${memorial.id}`)
    await openWholeStory(visitor, `/m/${memorial.slug}`)
    disallowed.push(...(await disallowedInStory(page, MARKER)), ...(await disallowedInStory(visitor, MARKER)))
  }
  expect(disallowed).toEqual([])
  const nothing = { dialogs: [], foreign: [], ran: [] }
  expect([seen, seenByVisitor]).toEqual([nothing, nothing])
})

test('the page shows only allowed markup, even for an unsanitised stored story', async ({
  browser,
  family,
}) => {
  // The browser logs this for event handlers when it parses the story in an inert document.
  expectErrors(/violates the following Content Security Policy/u)
  const memorial = await family.memorial('LOCKED')
  const { page, seen } = await watchedPage(browser, family.world.url)
  await family.signIn(page)
  const view = await family.owner.call<MemorialView>('GET', `/api/memorials/${memorial.id}`)
  let lifeStory = ''
  await openUnwritten(page, /\/memorial\/mem_/u)
  await page.route(`**/api/memorials/${memorial.id}`, async (route) => {
    await route.fulfill({ json: { ...view, memorial: { ...view.memorial, lifeStory } } })
  })
  const disallowed: string[] = []
  for (const story of hostileStories(200)) {
    lifeStory = `<p>${MARKER}</p>${story}`
    await openWholeStory(page, `/memorial/${memorial.id}`)
    disallowed.push(...(await disallowedInStory(page, MARKER)))
  }
  expect(disallowed).toEqual([])
  const ran = seen.ran.filter((what) => !what.startsWith('policy'))
  expect({ ...seen, ran }).toEqual({ dialogs: [], foreign: [], ran: [] })
})

test('hostile messages and names are plain text, and the page fits the phone', async ({
  browser,
  family,
}, testInfo) => {
  const memorial = await family.memorial('LOCKED')
  const zalgo = 'a\u0335\u0321\u0300\u0341\u0358\u0322\u0327\u0334'.repeat(30)
  const texts = [
    zalgo,
    'شكرا لكم 3 مرات',
    'x'.repeat(2000),
    ...NAUGHTY_STRINGS,
    ...XSS_VECTORS.filter((_, index) => index % 5 === 0),
  ]
  const { page, seen } = await watchedPage(browser, family.world.url, {
    viewport: { width: 360, height: 740 },
  })
  // The app loads on the page of a signed-in user.
  await family.signIn(page)
  await page.route('**/api/memorial/*', async (route) => {
    const response = await route.fetch({ maxRetries: 3 })
    const body = (await response.json()) as { memorial: object }
    const comments = texts.map((text, index): Comment => ({
      id: `com_${index}`,
      body: text,
      createdAt: new Date().toISOString(),
      authorUserId: null,
      authorContributorId: 'con_1',
      authorName: text.slice(0, 100),
      isOwner: index === 1,
      likeCount: 0,
      likedByMe: false,
      canDelete: false,
    }))
    Object.assign(body.memorial, {
      title: zalgo,
      honoureeFullName: '<img src=x onerror=alert(1)> \u0645\u0631\u062d\u0628\u0627 '.repeat(3),
    })
    await route.fulfill({ response, json: { ...body, comments, commentsCursor: null } })
  })
  await page.goto(`/m/${memorial.slug}`)
  const shown = page.getByRole('listitem').filter({ has: page.locator('time') })
  await expect(shown).toHaveCount(texts.length)
  const bodies = await shown.evaluateAll((items) =>
    items.map((item) => {
      const [body] = item.querySelectorAll('p')
      return {
        text: body?.textContent,
        elements: body?.children.length,
        name: item.querySelector('bdi')?.innerHTML,
      }
    }),
  )
  expect(bodies.map(({ text }) => text)).toEqual(texts)
  expect(bodies.filter(({ elements, name }) => elements !== 0 || /<[a-z]/iu.test(name ?? ''))).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  expect(seen).toEqual({ dialogs: [], foreign: [], ran: [] })
  await shown.first().scrollIntoViewIfNeeded()
  await page.screenshot({ path: testInfo.outputPath('words.png') })
})

test('text becomes HTML only by the named Trusted Types policies, each created once', async ({
  browser,
  world,
  demo,
}) => {
  // The violations that this test causes below.
  expectErrors(/Trusted|status of 404/u)
  const { page, seen } = await watchedPage(browser, world.url)
  const open = [
    '/',
    '/login',
    '/register',
    '/faq',
    '/about',
    '/contact',
    '/privacy',
    '/nowhere',
    `/m/${demo.publicSlug}`,
  ]
  for (const path of open) await page.goto(path, { waitUntil: 'networkidle' })
  await demo.signIn(page, 'owner')
  for (const path of [
    '/dashboard',
    `/memorial/${demo.draftId}`,
    `/create-memorial/${demo.draftId}?step=4`,
    '/checkout',
  ]) {
    await page.goto(path, { waitUntil: 'networkidle' })
  }
  expect(seen.ran).toEqual([])
  const refused: string[] = []
  for (const path of [...open, '/dashboard', `/memorial/${demo.draftId}`]) {
    await page.goto(path)
    const outcome = await page.evaluate(() => {
      type Factory = { createPolicy: (name: string, rules: object) => void }
      const { trustedTypes } = globalThis as unknown as { trustedTypes: Factory }
      const create = trustedTypes.createPolicy.bind(trustedTypes)
      const attempts = [
        () => void (document.createElement('p').innerHTML = '<img>'),
        () => document.body.insertAdjacentHTML('beforeend', '<i></i>'),
        () => void new DOMParser().parseFromString('<p>', 'text/html'),
        () => void (document.createElement('script').src = '/x.js'),
        // No name but those of the policy, and of these none that the page has taken.
        ...['evil', 'inert-html', 'service-worker'].map((name) => () => create(name, {})),
      ]
      return attempts.map((attempt) => {
        try {
          attempt()
          return 'done'
        } catch (error) {
          return (error as Error).name
        }
      })
    })
    if (outcome.every((name) => name === 'TypeError')) refused.push(path)
  }
  expect(refused).toEqual([...open, '/dashboard', `/memorial/${demo.draftId}`])
})
