import type { Browser, Locator, Page } from '@playwright/test'
import { openPhone, type Network } from './visit.ts'

/** Seconds since the tap on the invitation link: until the page takes a message or photo, and until that is there. */
export type Tapped = { writable: number; done: number }

type Journey = (page: Page, photo: Buffer) => { ready: Locator; act: () => Promise<void>; done: Locator }

const MESSAGE = 'He let me hold the lamp. I thought I was helping.'

/** What a relative does at once when the page lets them, without time to read or type. */
export const JOURNEYS: Record<'message' | 'photo', Journey> = {
  message(page) {
    const field = page.getByLabel('Write a message')
    return {
      ready: field,
      async act() {
        await field.fill(MESSAGE)
        await nameBeside(page, field)
        await page.getByRole('button', { name: 'Post message' }).click()
      },
      done: page.locator('#messages li').filter({ hasText: MESSAGE, hasNotText: 'Sending…' }),
    }
  },
  photo(page, buffer) {
    const input = page.getByLabel('Add photos')
    return {
      ready: input,
      async act() {
        await nameBeside(page, input)
        await input.setInputFiles({ name: 'IMG_2041.jpg', mimeType: 'image/jpeg', buffer })
      },
      done: page.getByText('can see your photo'),
    }
  },
}

/** Fills in a field for the name in the same form, if there is one. */
async function nameBeside(page: Page, control: Locator): Promise<void> {
  const field = page.locator('form').filter({ has: control }).getByLabel('Your name')
  if (await field.isVisible()) await field.fill('Farai Chikomo')
}

/** Opens the invitation, adds the message or photo as soon as the page lets one, and gives a name where it is asked. */
export async function tap({
  browser,
  url,
  path,
  network,
  journey,
  photo,
}: {
  browser: Browser
  url: string
  path: string
  network: Network
  journey: Journey
  photo: Buffer
}): Promise<Tapped> {
  await using phone = await openPhone(browser, network, { dpr: 2 })
  const { page } = phone
  const { ready, act, done } = journey(page, photo)
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000
  await page.goto(url + path, { waitUntil: 'commit' })
  await ready.waitFor({ state: 'attached' })
  const writable = seconds()
  await act()
  // In the app's dialog, or on the page that comes back where the browser has sent the form itself.
  const name = page.getByLabel('Your name')
  await done.or(name).first().waitFor()
  if (await name.isVisible()) {
    await name.fill('Farai Chikomo')
    await page
      .getByRole('button', { name: 'Save' })
      .or(page.getByRole('button', { name: 'Post message' }))
      .last()
      .click()
  }
  await done.first().waitFor()
  return { writable, done: seconds() }
}
