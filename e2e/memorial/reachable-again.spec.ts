import type { Page } from '@playwright/test'
import { expect, test } from '../family.ts'
import { appStarted, openUnwritten, openWithCalls } from '../people.ts'
import { expectErrors } from '../world.ts'

// The device is online all the time, and nobody presses anything once the notice has appeared.

const notice = (page: Page) => page.getByText('You are offline')

/** Lets the page's calls fail while `isDown` is set. */
async function breakableServer(page: Page): Promise<{ isDown: boolean }> {
  const server = { isDown: false }
  await page.route('**/api/**', (route) => (server.isDown ? route.abort() : route.fallback()))
  return server
}

test('what a slow server left to the cache is replaced without a press', async ({ family }) => {
  expectErrors(/net::ERR_FAILED/u)
  const memorial = await family.memorial()
  const path = `/api/memorials/${memorial.id}/comments`
  await family.owner.call('POST', path, { body: 'My first words.' })
  const page = await family.ownerPage(360)
  await openUnwritten(page, `**/memorial/${memorial.id}`)
  const server = await breakableServer(page)
  await page.route(
    `**${path}*`,
    async (route) => {
      const response = await route.fetch({ maxRetries: 3 })
      await family.owner.call('POST', path, { body: 'Zororai murugare.' })
      // What the service worker answers after five seconds, as the last call that reaches the page.
      server.isDown = true
      await route.fulfill({ response, headers: { ...response.headers(), 'Nhaka-Kept': '1' } })
    },
    { times: 1 },
  )
  await page.goto(`/memorial/${memorial.id}`)
  await expect(notice(page)).toBeVisible()
  await expect(page.getByText('My first words.')).toBeVisible()
  await expect(page.getByText('Zororai murugare.')).toHaveCount(0)
  server.isDown = false
  await expect(page.getByText('Zororai murugare.')).toBeVisible()
  await expect(notice(page)).toBeHidden()
})

test('the notice goes without a press once the server answers again', async ({ family }) => {
  expectErrors(/net::ERR_FAILED/u)
  const memorial = await family.memorial()
  await family.owner.call('POST', `/api/memorials/${memorial.id}/comments`, { body: 'My first words.' })
  const page = await family.ownerPage(360)
  // A late answer to one of them would take the notice away.
  await openWithCalls(page, `/memorial/${memorial.id}`, '**/held')
  await expect(appStarted(page)).toBeAttached()
  const server = await breakableServer(page)
  server.isDown = true
  const entry = page.getByRole('listitem').filter({ hasText: 'My first words.' })
  await entry.getByRole('button', { name: 'Like' }).click()
  await expect(notice(page)).toBeVisible()
  server.isDown = false
  await expect(notice(page)).toBeHidden()
})
