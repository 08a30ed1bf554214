import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../family.ts'
import { keepToasts, toast } from '../people.ts'
import { next, openDraft, stepTitle } from '../wizard-screen.ts'

const boxOf = async (element: Locator) => {
  const box = await element.boundingBox()
  if (!box) throw new Error(`${String(element)} is not on the screen`)
  return { top: box.y, bottom: box.y + box.height, height: box.height, middle: box.x + box.width / 2 }
}

/** Expects that the notification ends above this element at the bottom of the window. */
async function expectAbove(page: Page, element: Locator): Promise<void> {
  // It stays while the pointer is on it.
  await toast(page).hover()
  const overlap = async () => (await boxOf(toast(page))).bottom - (await boxOf(element)).top
  await expect.poll(overlap).toBeLessThanOrEqual(0)
}

test.beforeEach(({ page }) => keepToasts(page))

test('a notification is one line at the bottom, above the cookie notice', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 740 })
  await page.goto('/contact')
  await page.getByLabel('Email').fill('rudo@family.test')
  await page.getByLabel('Subject').fill('A plaque')
  await page.getByRole('textbox', { name: 'Message' }).fill('May we have it in Shona?')
  await page.getByRole('button', { name: 'Send message' }).click()
  const cookies = page.getByRole('region', { name: 'Cookies' })
  await expectAbove(page, cookies)
  const shown = await boxOf(toast(page))
  expect(shown.height).toBeLessThan(60)
  expect(shown.top).toBeGreaterThan(740 / 2)
  expect(Math.abs(shown.middle - 640)).toBeLessThan(10)
})

test("a notification is above the wizard's bar", async ({ page, family }) => {
  await page.setViewportSize({ width: 360, height: 640 })
  await openDraft(page, family, 1)
  await next(page).click()
  await expect(stepTitle(page, 'Funeral Service Details')).toBeVisible()
  const previous = page.getByRole('button', { name: 'Previous' })
  await previous.evaluate((button) => button.scrollIntoView({ block: 'end' }))
  await expectAbove(page, previous)
})
