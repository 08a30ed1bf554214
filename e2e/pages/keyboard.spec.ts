import { resolve } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import type { Memorial } from '../../src/shared/memorials/memorials.ts'
import { openToInvited } from '../../tools/operate/seed.ts'
import { PASSWORD, TENDAI } from '../accounts-by-api.ts'
import { expect, type Family, test } from '../family.ts'
import { expectToast, keepToasts, linkIn, saved } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const PHOTOS = resolve(import.meta.dirname, '../../tools/operate/demo/media')
const TABS_MAX = 80

/** The focused element is visible, has a focus ring, and nothing covers it (WCAG 2.4.7 and 2.4.11). */
async function expectFocusSeen(page: Page): Promise<void> {
  const seen = () =>
    page.evaluate(() => {
      const element = document.activeElement
      // After the last tab stop of a page or dialog the focus moves to the browser's own toolbar.
      if (element === document.body) return 'seen'
      const box = element?.getClientRects()[0]
      if (!element || !box) return 'nothing has the focus'
      const [x, y] = [box.x + box.width / 2, box.y + Math.min(box.height / 2, 20)]
      const above = document.elementFromPoint(x, y)
      if (!above) return `outside the window: ${element.outerHTML.slice(0, 200)}`
      if (!element.contains(above) && !above.contains(element)) {
        return `${element.outerHTML.slice(0, 200)} is under ${above.outerHTML.slice(0, 200)}`
      }
      const { outlineStyle, outlineWidth } = getComputedStyle(element)
      const hasRing = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
      return hasRing ? 'seen' : `no ring: ${element.outerHTML.slice(0, 200)}`
    })
  // On a busy machine the page scrolls to the focus a moment later.
  await expect.poll(seen).toBe('seen')
}

/** Presses Tab until this element has the focus, and checks each tab stop. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await expect(target).toBeAttached()
  for (let presses = 0; presses < TABS_MAX; presses++) {
    await page.keyboard.press(key)
    await expectFocusSeen(page)
    if (await target.evaluate((element) => element === document.activeElement)) return
  }
  throw new Error(`${target.toString()} is not reached by ${TABS_MAX} × ${key}`)
}

async function typeInto(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.type(text)
}

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press(key)
}

/** Creates a memorial with every kind of control: story, two photos, an upcoming service, a message. */
async function fullMemorial(family: Family): Promise<Memorial> {
  const memorial = await family.memorial('PRIVATE', TENDAI)
  const path = `/api/memorials/${memorial.id}`
  await family.owner.call('PATCH', path, { lifeStory: '<p>She taught half of Mutare to read.</p>' })
  await family.owner.call('POST', `${path}/funeral-events`, {
    title: 'Burial',
    dateTime: '2031-06-07T10:00',
    city: 'Mutare',
  })
  for (const file of ['tendai-05-garden.jpg', 'tendai-04-sweets.jpg']) {
    await family.owner.upload(`${path}/media/upload`, resolve(PHOTOS, file), 'image/jpeg', { type: 'IMAGE' })
  }
  await family.owner.call('POST', `${path}/comments`, { body: 'We sang at eight.' })
  return memorial
}

for (const width of [360, 1280]) {
  test.describe(`by keyboard alone, at ${width} px`, () => {
    test.use({ viewport: { width, height: 740 }, contextOptions: { reducedMotion: 'reduce' } })

    test('a visitor reads a public memorial, from the skip link to the calendar', async ({
      page,
      family,
    }) => {
      const memorial = await fullMemorial(family)
      await family.setPrivacy(memorial.id, 'LOCKED')
      await page.goto(`/m/${memorial.slug}`)
      await expect(page.getByRole('heading', { level: 1, name: 'Tendai Rudo Moyo' })).toBeVisible()

      // The first tab stop skips the header.
      await page.keyboard.press('Tab')
      const skip = page.getByRole('link', { name: 'Skip to main content' })
      await expect(skip).toBeFocused()
      await expectFocusSeen(page)
      await page.keyboard.press('Enter')
      await expect(page.getByRole('main')).toBeFocused()

      const jumps = page.getByRole('navigation', { name: 'On this page' })
      await page.keyboard.press('Tab')
      await expect(jumps.getByRole('link').first()).toBeFocused()
      await press(page, jumps.getByRole('link', { name: 'Gallery' }))
      await expect(page).toHaveURL(/#photos$/u)

      // After a jump link, the next tab stop is in the target section.
      const photo = (number: number) => page.getByRole('link', { name: `Photo ${number} of 2` })
      await page.keyboard.press('Tab')
      await expect(photo(1)).toBeFocused()
      await page.keyboard.press('Enter')
      const viewer = page.getByRole('dialog')
      await expect(viewer).toContainText('1 of 2')
      await expect(viewer.getByRole('button', { name: 'Close' })).toBeFocused()
      await press(page, viewer.getByRole('button', { name: 'Next' }))
      await expect(viewer).toContainText('2 of 2')
      await page.keyboard.press('ArrowLeft')
      await expect(viewer).toContainText('1 of 2')
      await page.keyboard.press('ArrowRight')
      await expect(viewer).toContainText('2 of 2')
      await press(page, viewer.getByRole('button', { name: 'Close' }))
      await expect(viewer).toBeHidden()
      await expect(photo(2)).toBeFocused()

      await tabTo(page, page.getByRole('link', { name: 'Share', exact: true }))
      await expectFocusSeen(page)

      const calendar = page.getByRole('link', { name: 'Add to calendar' })
      const isBefore = await calendar.evaluate(
        (link) => (link.compareDocumentPosition(document.activeElement ?? link) & 4) !== 0,
      )
      await tabTo(page, calendar, isBefore ? 'Shift+Tab' : 'Tab')
      const download = await saved(page, page.keyboard.press('Enter'))
      expect(download.suggestedFilename()).toBe(`${memorial.slug}.ics`)
    })

    test('an invited relative writes a message, gives a name, and is led to the message', async ({
      page,
      family,
    }) => {
      const memorial = await fullMemorial(family)
      const { inviteLink } = await openToInvited(family.owner, memorial.id)
      // The way to "Undo" has many tab stops.
      await keepToasts(page)
      await page.goto(inviteLink)
      await expect(page.getByRole('heading', { level: 1, name: 'Tendai Rudo Moyo' })).toBeVisible()

      const box = page.getByRole('textbox', { name: 'Write a message' })
      const post = page.getByRole('button', { name: 'Post message' })
      const dialog = page.getByRole('dialog', { name: 'What name should the family see?' })
      await press(page, post)
      await expect(box).toBeFocused()
      await page.keyboard.type('Zororai murugare.')
      await page.keyboard.press('Control+Enter')
      await expect(box, 'nothing special happens').toBeFocused()
      await press(page, post)
      await expect(dialog.getByLabel('Your name')).toBeFocused()
      await page.keyboard.press('Enter')
      await expect(dialog).toContainText('Please enter your name')
      await page.keyboard.press('Escape')
      await expect(dialog).toBeHidden()
      await expect(post).toBeFocused()
      await expect(box).toHaveValue(/^Zororai murugare\.\s*$/u)
      await page.keyboard.press('Enter')
      await expect(dialog.getByLabel('Your name')).toBeFocused()
      await page.keyboard.type('Farai Chikomo')
      await page.keyboard.press('Enter')
      await expect(dialog).toBeHidden()
      // Not what stands under "Removed".
      const guestbook = page.getByRole('region', { name: 'Guestbook' })
      const message = guestbook.getByRole('listitem').filter({ hasText: 'Farai Chikomo' })
      await expect(message).toContainText('Zororai murugare.')
      await expect(message).toBeFocused()

      const like = page.getByRole('listitem').filter({ hasText: 'We sang at eight.' }).getByRole('button')
      await press(page, like, 'Space')
      await expect(like).toHaveAttribute('aria-pressed', 'true')
      await expect(like).toBeFocused()

      // To remove one's own message, and restore it. To delete it for good, the safe button has the focus first.
      const remove = async () => {
        await tabTo(page, message.getByRole('button', { name: /^More/u }), 'Shift+Tab')
        await page.keyboard.press('Enter')
        await press(page, message.getByRole('button', { name: /^Delete/u }))
        await expect(message).toHaveCount(0)
        await expect(page.getByRole('heading', { name: 'Guestbook' })).toBeFocused()
      }
      await remove()
      await press(page, page.getByRole('button', { name: 'Undo' }))
      await expect(message).toHaveCount(1)
      await remove()
      await press(page, page.getByRole('button', { name: /^Delete for good/u }))
      await expect(page.getByRole('button', { name: 'Keep it' })).toBeFocused()
      await page.keyboard.press('Escape')
      await press(page, page.getByRole('button', { name: /^Restore/u }))
      await expect(message).toHaveCount(1)
      await expect(page.getByRole('heading', { name: 'Removed' })).toBeFocused()
    })

    test('a new user registers, confirms and signs in', async ({ page, world }) => {
      expectErrors(refusedWith(401))
      const email = `keys-new-${width}@family.test`
      const main = page.getByRole('main')
      const summary = main.getByRole('alert')
      await page.goto('/register')
      await press(page, main.getByRole('button', { name: 'Create account' }))
      await expect(summary).toBeFocused()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await expect(page.getByLabel('First name')).toBeFocused()
      await page.keyboard.type('Nyasha')
      await typeInto(page, page.getByLabel('Last name'), 'Dube')
      await typeInto(page, page.getByLabel('Email'), email)
      await typeInto(page, page.getByRole('textbox', { name: 'Password', exact: true }), PASSWORD)
      await press(page, page.getByRole('button', { name: 'Show password', exact: true }), 'Space')
      await expect(page.getByRole('textbox', { name: 'Password', exact: true })).toHaveValue(PASSWORD)
      await typeInto(page, page.getByRole('textbox', { name: 'Confirm password' }), PASSWORD)
      await page.keyboard.press('Enter')
      await expect(main.getByRole('heading', { level: 1, name: 'Login' })).toBeFocused()

      const mail = await world.mailTo(email, /confirm/iu)
      await page.goto(linkIn(mail))
      await press(page, main.getByRole('link', { name: 'Sign In Now' }))
      await expect(main.getByRole('heading', { level: 1, name: 'Login' })).toBeFocused()
      await expect(page.getByLabel('Email')).toHaveValue(email)
      await typeInto(page, page.getByRole('textbox', { name: 'Password', exact: true }), 'not-this-one')
      await page.keyboard.press('Enter')
      await expect(summary).toBeFocused()
      await expect(summary).toContainText('Invalid email or password')
      await tabTo(page, page.getByRole('textbox', { name: 'Password', exact: true }))
      await page.keyboard.press('Control+A')
      await page.keyboard.type(PASSWORD)
      await page.keyboard.press('Enter')
      await expect(page.getByRole('heading', { level: 1, name: 'My Memorials' })).toBeFocused()
      await tabTo(page, main.getByRole('link', { name: 'Create Your First Memorial' }))
    })

    test('a user writes to support, and each mistake leads to its field', async ({ page }) => {
      const main = page.getByRole('main')
      const send = main.getByRole('button', { name: 'Send message' })
      await page.goto('/contact')
      // The form pushes the footer down: a tab stop there would leave the window.
      await expect(send).toBeVisible()
      await press(page, page.getByRole('button', { name: 'Dismiss' }))
      await expect(page.getByRole('region', { name: 'Cookies' })).toHaveCount(0)
      await tabTo(page, send, 'Shift+Tab')
      await page.keyboard.press('Enter')
      const summary = main.getByRole('alert')
      await expect(summary).toBeFocused()
      await press(page, summary.getByRole('link', { name: 'Subject is required' }))
      await expect(main.getByLabel('Subject')).toBeFocused()
      await page.keyboard.type('A plaque')
      await typeInto(page, main.getByRole('textbox', { name: 'Message' }), 'How long does it take to Mutare?')
      await tabTo(page, main.getByLabel('Email'), 'Shift+Tab')
      await page.keyboard.type(`keys-${width}@family.test`)
      await press(page, send)
      await expect(main.getByRole('heading', { level: 1, name: 'Message Sent' })).toBeFocused()
      await press(page, main.getByRole('button', { name: 'Send Another Message' }))
      await expect(main.getByRole('heading', { level: 1, name: 'Contact support' })).toBeFocused()
    })

    test('an owner shares a memorial, and every dialog returns the focus', async ({ page, family }) => {
      const memorial = await fullMemorial(family)
      await openToInvited(family.owner, memorial.id)
      await family.signIn(page)
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.goto(`/memorial/${memorial.id}`)
      const share = page.getByRole('region', { name: 'Share Memorial' })
      await expect(share.getByLabel('Invitation link')).toHaveValue(/\/invite\//u)

      await tabTo(page, share.getByRole('link', { name: 'WhatsApp' }))
      await press(page, share.getByRole('button', { name: 'Copy invitation link' }))
      await expectToast(page, 'Copied')
      expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('/invite/')
      const renew = share.getByRole('button', { name: 'Make a new link' })
      await press(page, renew)
      await expect(page.getByRole('button', { name: 'Keep it' })).toBeFocused()
      await page.keyboard.press('Escape')
      await expect(renew).toBeFocused()

      await tabTo(page, share.getByRole('button', { name: 'Facebook' }))
      const publicLink = share.getByRole('button', { name: 'Copy public link' })
      await press(page, publicLink)
      await expectToast(page, 'Cannot copy link: Memorial must be locked to generate a public link')
      const qr = share.getByRole('button', { name: 'QR code' })
      await press(page, qr)
      const dialog = page.getByRole('dialog', { name: 'QR code for the gravestone' })
      await tabTo(page, dialog.getByRole('link', { name: 'Download for the plaque (SVG)' }))
      await press(page, dialog.getByRole('button', { name: 'Close' }))
      await expect(qr).toBeFocused()
    })
  })
}
