import type { Locator, Page } from '@playwright/test'
import type { Memorial } from '../../src/shared/memorials/memorials.ts'
import { TENDAI } from '../accounts-by-api.ts'
import { expect, test } from '../family.ts'
import { expectNoSidewaysScroll, expectToast, hold } from '../people.ts'
import { files } from '../files.ts'
import { open, openDraft, stepTitle, story, typeKind, writeStory } from '../wizard-screen.ts'

/** Where the focused field of the form is, and whether this bar leaves it in view; null if the focus is elsewhere. */
const focusedAbove = (bar: Locator) =>
  bar.evaluate((element) => {
    const barTop = element.getBoundingClientRect().top
    const focused = document.activeElement
    if (!focused?.closest('form') || focused.closest('[class*=bar]')) return null
    // A file input is as large as its button.
    const box = (focused.closest('label') ?? focused).getBoundingClientRect()
    const isSeen = Math.min(box.bottom, barTop) - Math.max(box.top, 0) >= Math.min(box.height, 40)
    const where = `${focused.id || focused.textContent} at ${box.top} to ${box.bottom}, bar at ${barTop}`
    return { isSeen, where }
  })

test('the bottom bar on a phone never hides the focused field', async ({ page, family }) => {
  const { id } = await family.draft()
  await family.signIn(page)
  for (const [width, steps] of [
    [360, [2, 3]],
    [320, [1, 4]],
  ] as const) {
    await page.setViewportSize({ width, height: 640 })
    for (const step of steps) {
      await open(page, id, step)
      // The editor loads late and moves the content below it.
      await expect(page.locator('main [class*=skeleton]')).toHaveCount(0)
      await page.evaluate(() => window.scrollTo(0, 0))
      await page.locator('form').locator('input, textarea, [contenteditable]').first().focus()
      const bar = page.getByRole('button', { name: 'Previous' }).locator('..')
      const hidden: string[] = []
      let isWithin = true
      while (isWithin) {
        await page.keyboard.press('Tab')
        let found = await focusedAbove(bar)
        // A busy machine scrolls to the focus a moment later.
        for (let look = 0; found && !found.isSeen && look < 20; look += 1) {
          await page.waitForTimeout(100)
          found = await focusedAbove(bar)
        }
        if (found && !found.isSeen) hidden.push(found.where)
        isWithin = found !== null
      }
      expect(hidden, `step ${step} at ${width} pixels`).toEqual([])
    }
    await expectNoSidewaysScroll(page)
  }
})

test('privacy changes on a press, not on arrow keys, and the focus stays', async ({ page, family }) => {
  const { id } = await family.memorial()
  await family.signIn(page)
  await open(page, id, 5)
  const privacy = async () =>
    (await family.owner.call<{ memorial: Memorial }>('GET', `/api/memorials/${id}`)).memorial.privacy
  const radio = (name: RegExp) => page.getByRole('radio', { name })

  await radio(/^Private/u).focus()
  await page.keyboard.press('ArrowDown')
  await expect(radio(/^Invite-only/u)).toBeChecked()
  await page.keyboard.press('ArrowDown')
  await expect(radio(/^Public/u)).toBeChecked()
  expect(await privacy()).toBe('PRIVATE')
  await page.getByRole('button', { name: 'Save and show the link' }).press('Enter')
  await expectToast(page, 'Privacy Updated')
  await expect(radio(/^Public/u)).toBeFocused()
  expect(await privacy()).toBe('LOCKED')

  const tick = page.getByRole('checkbox', { name: /^Let search engines find this page/u })
  await tick.press('Space')
  await expectToast(page, 'Memorial Updated')
  await expect(tick).toBeChecked()
  await expect(tick).toBeFocused()

  await radio(/^Private/u).check()
  await page.getByRole('button', { name: 'Save: only I can see it' }).press('Enter')
  await expectToast(page, 'Privacy Updated')
  await expect(radio(/^Private/u)).toBeFocused()
  expect(await privacy()).toBe('PRIVATE')

  // A tap or click on Invite-only shows its link immediately.
  await radio(/^Invite-only/u).check()
  await expect(page.getByLabel('Invitation link')).toHaveValue(/\/invite\//u)
})

test('removing and sending chosen files leaves the focus where the user goes on', async ({
  page,
  family,
}) => {
  await openDraft(page, family, 4)
  const chooser = page.getByLabel('Choose photos')
  await chooser.setInputFiles([files.photoWithGps, files.photoRotated, files.photoOfRelative])
  const remove = page.getByRole('main').getByRole('button', { name: 'Remove' })
  await expect(remove).toHaveCount(3)
  // The next row takes the focus, not its button: a second press removes nothing.
  const rows = page
    .locator('main div[tabindex="-1"]')
    .filter({ has: page.getByRole('button', { name: 'Remove' }) })
  await remove.nth(1).press('Enter')
  await expect(remove).toHaveCount(2)
  await expect(rows.nth(1)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(remove).toHaveCount(2)
  await remove.nth(1).press('Enter')
  await expect(remove).toHaveCount(1)
  await expect(rows).toBeFocused()
  await remove.press('Enter')
  await expect(remove).toHaveCount(0)
  await expect(chooser).toBeFocused()

  // While the files are being sent the button stays; then what is saved is next.
  const saved = page.getByRole('heading', { name: 'On the memorial now' })
  const send = page.getByRole('button', { name: 'Send these files now' })
  await chooser.setInputFiles(files.photoWithGps)
  const letGo = await hold(page, '**/media/upload')
  await send.press('Enter')
  await expect(send).toHaveAttribute('aria-disabled', 'true')
  await expect(send).toBeFocused()
  letGo()
  await expect(page.getByLabel('Choose a recording')).toBeFocused()
  await expect(saved).toBeVisible()
  await chooser.setInputFiles(files.photoRotated)
  // The first photo may still be being made the cover.
  await expect(send).toBeEnabled()
  await send.press('Enter')
  await expect(saved).toBeFocused()
})

test('after a link is made or not, the focus is in the story again', async ({ page, family }) => {
  await openDraft(page, family, 4)
  await writeStory(page, 'She taught.')
  await expect(async () => {
    await story(page).press('Shift+Home')
    expect(await page.evaluate(() => String(getSelection()))).toBe('She taught.')
  }).toPass()
  const link = page.getByRole('button', { name: 'Link', exact: true })
  const address = page.getByLabel('Address of the link')
  await link.press('Enter')
  await expect(address).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(address).toHaveCount(0)
  await expect(story(page)).toBeFocused()
  await link.press('Enter')
  await page.getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect(story(page)).toBeFocused()
  await link.press('Enter')
  await address.fill('example.org')
  await address.press('Enter')
  await expect(story(page)).toBeFocused()
  // The selection stayed.
  await expect(story(page).getByRole('link', { name: 'She taught.' })).toBeVisible()
  await link.press('Enter')
  await expect(story(page).getByRole('link')).toHaveCount(0)
  await expect(story(page)).toBeFocused()
})

test('a whole memorial can be created with the keyboard alone', async ({ page, family }) => {
  await family.open(page, '/dashboard')
  await expect(page.getByRole('link', { name: 'Create Your First Memorial' })).toBeVisible()
  await press(page, 'Create Your First Memorial')

  // The payment, in the provider's frame.
  const card = page.frameLocator('iframe[title="Secure card payment input frame"]')
  // Its script, which sets the styles, goes on to the next field.
  await expect(card.locator('body[style]')).toBeAttached()
  await tabTo(page, 'Credit Card')
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('button', { name: 'Pay US$60 with EcoCash' })).toBeVisible()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Tab')
  await expect(card.getByLabel('Card number')).toBeFocused()
  await page.keyboard.type('4242424242424242')
  await expect(card.getByLabel('Expiry (MM / YY)')).toBeFocused()
  await page.keyboard.type('1239')
  await page.keyboard.type('123')
  await press(page, 'Pay $60.00 Now')

  await expect(stepTitle(page, 'Basic Information')).toBeFocused()
  await typeInto(page, 'Full name', TENDAI.honoureeFullName)
  await typeInto(page, 'One sentence about them', TENDAI.title)
  for (const date of [
    ['14', '3', '1948'],
    ['2', '6', '2026'],
  ]) {
    for (const part of date) {
      await page.keyboard.press('Tab')
      await page.keyboard.type(part)
    }
    // The checkbox "About".
    await page.keyboard.press('Tab')
  }
  await press(page, 'Next')

  await expect(stepTitle(page, 'Funeral Service Details')).toBeFocused()
  await expect(page.getByLabel('Kind of gathering')).toBeVisible()
  await tabTo(page, 'Kind of gathering')
  await typeKind(page, 'Burial')
  await typeInto(page, 'Date and time in Harare', '06072031')
  await page.keyboard.press('Tab')
  await page.keyboard.type('1000A')
  await typeInto(page, 'Venue', 'Yeovil Cemetery')
  await page.keyboard.press('Enter')

  await expect(stepTitle(page, 'Memorial Location')).toBeFocused()
  await typeInto(page, 'Latitude', '-18.9707')
  await typeInto(page, 'Longitude', '32.6709')
  await press(page, 'Show the grave’s location to everyone who can see this memorial', 'Space')
  await expect(page.getByRole('checkbox')).toBeChecked()
  await press(page, 'Next', 'Space')

  await expect(stepTitle(page, 'Life Story & Media')).toBeFocused()
  await expect(story(page)).toBeVisible()
  await typeInto(page, 'Life story', 'She taught half of Mutare to read.')
  await press(page, 'Next')

  await expect(stepTitle(page, 'Privacy & Sharing')).toBeFocused()
  await tabTo(page, 'Private')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('radio', { name: /^Public/u })).toBeChecked()
  await press(page, 'Complete Setup')

  await expect(page).toHaveURL(/\/memorial\/mem_/u)
  await expect(page.getByRole('heading', { level: 1, name: TENDAI.honoureeFullName })).toBeFocused()
  await expect(page.getByText('Saturday 7 June 2031, 10:00, Harare time').first()).toBeVisible()
  await expect(page.getByText('14 March 1948 – 2 June 2026')).toBeVisible()
})

async function typeInto(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.type(text)
}

async function press(page: Page, name: string, key = 'Enter'): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press(key)
}

/** Presses Tab until the control with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const named = page.getByRole('main').locator(':focus')
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    if ((await named.count()) === 0) continue
    const found = await named.evaluate((element) => {
      const labels =
        element instanceof HTMLInputElement ||
        element instanceof HTMLTextAreaElement ||
        element instanceof HTMLSelectElement
          ? element.labels
          : null
      const text = element.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? element.textContent
      return text.trim()
    })
    if (found.startsWith(name)) return
  }
  throw new Error(`Tab does not lead to ${name}`)
}

test('a button acts on what is selected, however soon it is pressed', async ({ page, family }) => {
  await openDraft(page, family, 4)
  await writeStory(page, 'She taught.')
  const bold = page.getByRole('button', { name: 'Bold', exact: true })
  // Before the browser has told the editor of the selection.
  await story(page).evaluate((element) => {
    getSelection()?.selectAllChildren(element.querySelector('p') ?? element)
    const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Bold')
    button?.focus()
    button?.click()
  })
  await expect(story(page).locator('strong')).toHaveText('She taught.')
  await expect(bold).toHaveAttribute('aria-pressed', 'true')
})
