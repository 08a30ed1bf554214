import type { Memorial, MemorialView } from '../../src/shared/memorials.ts'
import type { Page } from '@playwright/test'
import { signIn, newOwner, tendai } from '../by-call.ts'
import { hostileStories, runUnsanitised, disallowedInStory, watch } from '../hostile.ts'
import { expect, test } from '../world.ts'

const MARKER = 'Where the story begins'

async function openWholeStory(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await expect(page.getByText(MARKER, { exact: true })).toBeVisible()
  const more = page.getByRole('button', { name: 'Read the whole story' })
  if ((await more.count()) > 0) await more.click()
}

test('the hostile stories run in a page that shows them unsanitised', async ({ browser, expectErrors }) => {
  expectErrors(/^/u)
  const context = await browser.newContext()
  context.on('dialog', (dialog) => void dialog.dismiss())
  expect(await runUnsanitised(context)).toBeGreaterThan(50)
  await context.close()
})

test('no saved hostile story runs or shows markup for owner or visitor', async ({ browser, world }) => {
  const { owner, email } = await newOwner(world, 'hostile')
  const memorial = await tendai(world, owner)
  const path = `/api/memorials/${memorial.id}`
  await owner.call('PATCH', `${path}/privacy`, { privacy: 'LOCKED' })
  const saved: string[] = []
  for (const lifeStory of hostileStories(40)) {
    const { lifeStory: stored } = await owner.call<Memorial>('PATCH', path, { lifeStory })
    saved.push(stored ?? '')
  }
  const context = await browser.newContext()
  const seen = await watch(context, world.url)
  const page = await context.newPage()
  await signIn(page, world, email)
  const visitor = await (await browser.newContext()).newPage()
  const seenByVisitor = await watch(visitor.context(), world.url)
  const disallowed: string[] = []
  for (let start = 0; start < saved.length; start += 12) {
    const lifeStory = `<p>${MARKER}</p>${saved.slice(start, start + 12).join('')}`
    await owner.call('PATCH', path, { lifeStory })
    await openWholeStory(page, `${world.url}/memorial/${memorial.id}`)
    await openWholeStory(visitor, `${world.url}/m/${memorial.slug}`)
    disallowed.push(...(await disallowedInStory(page, MARKER)), ...(await disallowedInStory(visitor, MARKER)))
  }
  expect(disallowed).toEqual([])
  const nothing = { dialogs: [], foreign: [], ran: [] }
  expect([seen, seenByVisitor]).toEqual([nothing, nothing])
})

test('the page shows only allowed markup, even for an unsanitised stored story', async ({
  browser,
  world,
  expectErrors,
}) => {
  // The browser logs this for event handlers when it parses the story in an inert document.
  expectErrors(/violates the following Content Security Policy/u)
  const { owner, email } = await newOwner(world, 'poisoned')
  const memorial = await tendai(world, owner)
  await owner.call('PATCH', `/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  const context = await browser.newContext()
  const seen = await watch(context, world.url)
  const page = await context.newPage()
  await signIn(page, world, email)
  const view = await owner.call<MemorialView>('GET', `/api/memorials/${memorial.id}`)
  let lifeStory = ''
  await page.route(`**/api/memorials/${memorial.id}`, async (route) => {
    await route.fulfill({ json: { ...view, memorial: { ...view.memorial, lifeStory } } })
  })
  const disallowed: string[] = []
  for (const story of hostileStories(200)) {
    lifeStory = `<p>${MARKER}</p>${story}`
    await openWholeStory(page, `${world.url}/memorial/${memorial.id}`)
    disallowed.push(...(await disallowedInStory(page, MARKER)))
  }
  expect(disallowed).toEqual([])
  const ran = seen.ran.filter((what) => !what.startsWith('policy'))
  expect({ ...seen, ran }).toEqual({ dialogs: [], foreign: [], ran: [] })
})
