import { signIn } from '../by-call.ts'
import { watch } from '../hostile.ts'
import { DEMO } from '../../tools/operate/seed.ts'
import { expect, test } from '../world.ts'

test('text becomes HTML only through the one Trusted Types policy', async ({
  browser,
  world,
  demo,
  expectErrors,
}) => {
  // The violations that this test causes below.
  expectErrors(/Trusted|status of 404/u)
  const context = await browser.newContext()
  const seen = await watch(context, world.url)
  const page = await context.newPage()
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
  for (const path of open) await page.goto(world.url + path, { waitUntil: 'networkidle' })
  await signIn(page, world, DEMO.owner.email)
  for (const path of [
    '/dashboard',
    `/memorial/${demo.draftId}`,
    `/create-memorial/${demo.draftId}?step=4`,
    '/checkout',
  ]) {
    await page.goto(world.url + path, { waitUntil: 'networkidle' })
  }
  expect(seen.ran).toEqual([])
  const refused: string[] = []
  for (const path of [...open, '/dashboard', `/memorial/${demo.draftId}`]) {
    await page.goto(world.url + path)
    const outcome = await page.evaluate(() => {
      const attempts = [
        () => void (document.createElement('p').innerHTML = '<img>'),
        () => document.body.insertAdjacentHTML('beforeend', '<i></i>'),
        () => void new DOMParser().parseFromString('<p>', 'text/html'),
        () => void (document.createElement('script').src = '/x.js'),
        () =>
          (
            globalThis as unknown as { trustedTypes: { createPolicy: (name: string, rules: object) => void } }
          ).trustedTypes.createPolicy('evil', {}),
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
  await context.close()
})
