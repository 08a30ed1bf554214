import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { DEMO } from '../scripts/seed.ts'
import { expect, test } from './world.ts'

/** Nothing that axe knows of WCAG 2.2 AA is wrong, in light and dark, and nothing scrolls sideways at 320 px. */
async function expectAccessible(page: Page, path: string, heading: string | RegExp): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 720 })
      await page.goto(path)
      await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible()
      await page.waitForLoadState('networkidle')
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(overflow, `${path} at ${width} px`).toBeLessThanOrEqual(0)
      const { violations } = await new AxeBuilder({ page })
        // The payment provider's page: from inside it, the colour behind it cannot be known.
        .exclude('iframe[title="Secure card payment input frame"]')
        .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
        .analyze()
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
      expect(found, `${path}, ${colorScheme}, ${width} px`).toEqual([])
    }
  }
}

test('screens for everybody are accessible in both schemes', async ({ page, world, demo }) => {
  test.setTimeout(300_000)
  const screens: [string, string | RegExp][] = [
    ['/', 'A lasting place for their story'],
    ['/login', 'Login'],
    ['/register', 'Create an account'],
    ['/forgot-password', 'Forgot your password?'],
    ['/reset-password', 'Invalid Reset Link'],
    [`/m/${demo.publicSlug}`, 'Tendai Rudo Moyo'],
    ['/m/nobody-aaaaaa', 'Memorial Not Found'],
    ['/no-such-page', 'Page Not Found'],
  ]
  for (const [path, heading] of screens) await expectAccessible(page, `${world.url}${path}`, heading)
})

test("the owner's screens are accessible in both schemes", async ({ page, world, demo }) => {
  test.setTimeout(300_000)
  await page.goto(`${world.url}/login`)
  await page.getByLabel('Email').fill(DEMO.owner.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(DEMO.password)
  await page.getByRole('main').getByRole('button', { name: 'Login' }).click()
  await expect(page).toHaveURL(`${world.url}/dashboard`)
  const screens: [string, string | RegExp][] = [
    ['/dashboard', 'My Memorials'],
    ['/checkout', 'Memorial Payment'],
    ['/create-memorial', 'Tribute Builder'],
    ...[1, 2, 3, 4, 5].map(
      (step) => [`/create-memorial/${demo.publicId}?step=${step}`, 'Tribute Builder'] as [string, string],
    ),
    [`/memorial/${demo.publicId}`, 'Tendai Rudo Moyo'],
    [`/memorial/${demo.draftId}`, 'Grace Ndlovu'],
  ]
  for (const [path, heading] of screens) await expectAccessible(page, `${world.url}${path}`, heading)
})
