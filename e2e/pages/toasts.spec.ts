import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../family.ts'
import { toast } from '../people.ts'

const boxOf = async (element: Locator) => {
  const box = await element.boundingBox()
  if (!box) throw new Error(`${String(element)} is not on the screen`)
  return { top: box.y, bottom: box.y + box.height, height: box.height, middle: box.x + box.width / 2 }
}

/** Expects that the notification ends above this element, if that reaches as far down. */
async function expectAbove(page: Page, element: Locator): Promise<void> {
  // It stays while the pointer is on it.
  await toast(page).hover()
  const below = await boxOf(element)
  await expect.poll(async () => (await boxOf(toast(page))).bottom).toBeLessThanOrEqual(below.top)
}

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

test('a notification is above the buttons of an open dialog', async ({ page, family }) => {
  const memorial = await family.memorial('PRIVATE')
  // So low that the dialog fills the window.
  await page.setViewportSize({ width: 360, height: 420 })
  await family.open(page, `/memorial/${memorial.id}`)
  await page.getByRole('button', { name: 'Copy public link' }).click({ force: true })
  await expect(toast(page)).toContainText('Cannot Share')
  await page.getByRole('button', { name: 'Delete this memorial' }).click()
  const dialog = page.getByRole('dialog')
  const keep = dialog.getByRole('button', { name: 'Keep it' })
  await keep.scrollIntoViewIfNeeded()
  await expectAbove(page, keep)
})
