import type { Comment } from '../../src/shared/comments.ts'
import { NAUGHTY_STRINGS, XSS_VECTORS } from '../../test/xss-vectors.ts'
import { signIn, newOwner, tendai } from '../by-call.ts'
import { watch } from '../hostile.ts'
import { expect, test } from '../world.ts'

test('hostile messages and names are plain text, and the page fits the phone', async ({
  browser,
  world,
}, testInfo) => {
  const { owner, email } = await newOwner(world, 'words')
  const memorial = await tendai(world, owner)
  await owner.call('PATCH', `/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  const zalgo = 'a\u0335\u0321\u0300\u0341\u0358\u0322\u0327\u0334'.repeat(30)
  const texts = [
    zalgo,
    'شكرا لكم 3 مرات',
    'x'.repeat(2000),
    ...NAUGHTY_STRINGS,
    ...XSS_VECTORS.filter((_, index) => index % 5 === 0),
  ]
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
  const seen = await watch(context, world.url)
  const page = await context.newPage()
  // The app loads on the page of a signed-in user.
  await signIn(page, world, email)
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
  await page.goto(`${world.url}/m/${memorial.slug}`)
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
  await context.close()
})
