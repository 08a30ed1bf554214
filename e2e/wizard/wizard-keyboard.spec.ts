import type { Page } from '@playwright/test'
import type { Memorial } from '../../src/shared/memorials.ts'
import { signIn, newOwner, tendai, TENDAI } from '../accounts-by-api.ts'
import { next, open, stepTitle, toast } from '../wizard-screen.ts'
import { expect, test } from '../world.ts'

test('the bottom bar on a phone never hides the focused field', async ({ page, world }) => {
  const { email, owner } = await newOwner(world, 'bar')
  const { id } = await owner.call<Memorial>('POST', '/api/memorials', TENDAI)
  await signIn(page, world, email)
  for (const [width, steps] of [
    [360, [2, 3]],
    [320, [1, 4]],
  ] as const) {
    await page.setViewportSize({ width, height: 640 })
    for (const step of steps) {
      await open(page, world.url, id, step)
      // The editor loads late and moves the content below it.
      await expect(page.locator('main [class*=skeleton]')).toHaveCount(0)
      await page.evaluate(() => window.scrollTo(0, 0))
      await page.locator('form').locator('input, textarea, [contenteditable]').first().focus()
      const bar = next(page).locator('..')
      const hidden: string[] = []
      let isWithin = true
      while (isWithin) {
        await page.keyboard.press('Tab')
        const top = (await bar.boundingBox())?.y ?? 0
        const found = await page.evaluate((barTop) => {
          const focused = document.activeElement
          if (!focused?.closest('form') || focused.closest('[class*=bar]')) return null
          // A file input is as large as its button.
          const box = (focused.closest('label') ?? focused).getBoundingClientRect()
          const isSeen = Math.min(box.bottom, barTop) - Math.max(box.top, 0) >= Math.min(box.height, 40)
          const where = `${focused.id || focused.textContent} at ${box.top} to ${box.bottom}, bar at ${barTop}`
          return { isSeen, where }
        }, top)
        if (found && !found.isSeen) hidden.push(found.where)
        isWithin = found !== null
      }
      expect(hidden, `step ${step} at ${width} pixels`).toEqual([])
    }
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBeLessThanOrEqual(0)
  }
})

test('privacy changes on a press, not on arrow keys, and the focus stays', async ({ page, world }) => {
  const { email, owner } = await newOwner(world, 'privacy')
  const { id } = await tendai(world, owner)
  await signIn(page, world, email)
  await open(page, world.url, id, 5)
  const privacy = async () =>
    (await owner.call<{ memorial: Memorial }>('GET', `/api/memorials/${id}`)).memorial.privacy
  const radio = (name: RegExp) => page.getByRole('radio', { name })

  await radio(/^Private/u).focus()
  await page.keyboard.press('ArrowDown')
  await expect(radio(/^Invite-only/u)).toBeChecked()
  await page.keyboard.press('ArrowDown')
  await expect(radio(/^Public/u)).toBeChecked()
  expect(await privacy()).toBe('PRIVATE')
  await page.getByRole('button', { name: 'Save and show the link' }).press('Enter')
  await expect(toast(page)).toContainText('Privacy Updated')
  await expect(radio(/^Public/u)).toBeFocused()
  expect(await privacy()).toBe('LOCKED')

  const tick = page.getByRole('checkbox', { name: /^Let search engines find this page/u })
  await tick.press('Space')
  await expect(toast(page)).toContainText('Memorial Updated')
  await expect(tick).toBeChecked()
  await expect(tick).toBeFocused()

  await radio(/^Private/u).check()
  await page.getByRole('button', { name: 'Save: only I can see it' }).press('Enter')
  await expect(toast(page)).toContainText('Privacy Updated')
  await expect(radio(/^Private/u)).toBeFocused()
  expect(await privacy()).toBe('PRIVATE')

  // A tap or click on Invite-only shows its link immediately.
  await radio(/^Invite-only/u).check()
  await expect(page.getByLabel('Invitation link')).toHaveValue(/\/invite\//u)
})

test('a whole memorial can be created with the keyboard alone', async ({ page, world }) => {
  const { email } = await newOwner(world, 'keyboard')
  await signIn(page, world, email)
  await page.goto(`${world.url}/dashboard`)
  await tabTo(page, 'Create Your First Memorial')
  await page.keyboard.press('Enter')

  // The payment, in the provider's frame.
  const card = page.frameLocator('iframe[title="Secure card payment input frame"]')
  await expect(card.getByLabel('Card number')).toBeVisible()
  await tabTo(page, 'Credit Card')
  await page.keyboard.press('ArrowRight')
  await expect(page.getByText('Mobile money and Zimbabwean banking are coming soon.')).toBeVisible()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Tab')
  await expect(card.getByLabel('Card number')).toBeFocused()
  await page.keyboard.type('4242424242424242')
  await expect(card.getByLabel('Expiry (MM / YY)')).toBeFocused()
  await page.keyboard.type('1239')
  await page.keyboard.type('123')
  await tabTo(page, 'Pay $60.00 Now')
  await page.keyboard.press('Enter')

  await expect(stepTitle(page, 'Basic Information')).toBeFocused()
  await tabTo(page, 'Full name')
  await page.keyboard.type(TENDAI.honoureeFullName)
  await tabTo(page, 'One sentence about them')
  await page.keyboard.type(TENDAI.title)
  for (const part of ['14', '3', '1948', '2', '6', '2026']) {
    await page.keyboard.press('Tab')
    await page.keyboard.type(part)
  }
  await tabTo(page, 'Next')
  await page.keyboard.press('Enter')

  await expect(stepTitle(page, 'Funeral Service Details')).toBeFocused()
  await tabTo(page, 'Type of service')
  await page.keyboard.type('Burial')
  await tabTo(page, 'Date and time in Harare')
  await page.keyboard.type('06072031')
  await page.keyboard.press('Tab')
  await page.keyboard.type('1000A')
  await tabTo(page, 'Venue')
  await page.keyboard.type('Yeovil Cemetery')
  await page.keyboard.press('Enter')

  await expect(stepTitle(page, 'Memorial Location')).toBeFocused()
  await tabTo(page, 'Latitude')
  await page.keyboard.type('-18.9707')
  await tabTo(page, 'Longitude')
  await page.keyboard.type('32.6709')
  await tabTo(page, 'Show the place to everyone who can see the memorial')
  await page.keyboard.press('Space')
  await expect(page.getByRole('checkbox')).toBeChecked()
  await tabTo(page, 'Next')
  await page.keyboard.press('Space')

  await expect(stepTitle(page, 'Life Story & Media')).toBeFocused()
  await tabTo(page, 'Life story')
  await page.keyboard.type('She taught half of Mutare to read.')
  await tabTo(page, 'Next')
  await page.keyboard.press('Enter')

  await expect(stepTitle(page, 'Privacy & Sharing')).toBeFocused()
  await tabTo(page, 'Private')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('radio', { name: /^Public/u })).toBeChecked()
  await tabTo(page, 'Complete Setup')
  await page.keyboard.press('Enter')

  await expect(page).toHaveURL(/\/memorial\/mem_/u)
  await expect(page.getByRole('heading', { level: 1, name: TENDAI.honoureeFullName })).toBeFocused()
  await expect(page.getByText('Saturday 7 June 2031, 10:00, Harare time').first()).toBeVisible()
  await expect(page.getByText('14 March 1948 – 2 June 2026')).toBeVisible()
})

/** Presses Tab until the control with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const named = page.getByRole('main').locator(':focus')
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    if ((await named.count()) === 0) continue
    const found = await named.evaluate((element) => {
      const labels =
        element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.labels : null
      const text = element.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? element.textContent
      return text.trim()
    })
    if (found.startsWith(name)) return
  }
  throw new Error(`Tab does not lead to ${name}`)
}
