import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { formatService, wallClock } from '../../src/shared/dates.ts'
import type { FuneralEvent } from '../../src/shared/funeral/funeral.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/shared/limits.ts'
import type { Memorial } from '../../src/shared/memorials/memorials.ts'
import { gatheringMessages } from '../../src/shared/funeral/gathering-messages.ts'
import { expect, type Family, test } from '../family.ts'
import {
  HARARE,
  inHarare,
  longestGatherings,
  usualGatherings,
  type GatheringInput,
} from '../many-gatherings.ts'
import { appStarted } from '../people.ts'
import { expectErrors } from '../world.ts'

const ZONES = [HARARE, 'Europe/London', 'America/New_York']

/** A public memorial with a life story and these gatherings. */
async function withGatherings(family: Family, gatherings: GatheringInput[]) {
  const memorial = await family.memorial()
  const path = `/api/memorials/${memorial.id}`
  await family.owner.call('PATCH', path, { lifeStory: '<p>She stayed.</p>' })
  const ids: string[] = []
  for (const gathering of gatherings)
    ids.push((await family.owner.call<FuneralEvent>('POST', `${path}/funeral-events`, gathering)).id)
  await family.setPrivacy(memorial.id, 'LOCKED')
  return { memorial, path, ids, address: `/m/${memorial.slug}` }
}

/** Lets a gathering begin this long from now: the Worker has the clock of the machine. */
async function moveTo(family: Family, { id }: Memorial, eventId: string, aheadMs: number): Promise<void> {
  const start = new Date(Date.now() + aheadMs).toISOString()
  await family.owner.call('PATCH', `/api/memorials/${id}/funeral-events/${eventId}`, {
    dateTime: start,
    timeZone: HARARE,
  })
}

/** A clock that a test moves. It leaves the page its timings, which say that there is no session. */
async function withClock(page: Page): Promise<void> {
  await page.context().addInitScript(() => Object.assign(window, { timings: performance }))
  await page.clock.install()
  await page.context().addInitScript(() => {
    const { timings } = window as unknown as { timings: Performance }
    performance.getEntriesByType = (type) => timings.getEntriesByType(type)
  })
}

const order = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main section[id]')]
      .map(({ id }) => id)
      .filter((id) => id === 'funeral' || id === 'story'),
  )
const card = (page: Page) => page.getByRole('region', { name: 'Funeral Details' })

// After midnight "tomorrow" is "today", so no test begins just before it.
test.beforeEach(async () => {
  const left = Date.parse(`${inHarare(1, '00:00')}:00+02:00`) - Date.now()
  if (left < 3 * MINUTE_MS) await sleep(left + 1000)
})

for (const timezoneId of ZONES) {
  for (const javaScriptEnabled of [true, false]) {
    test(`the page follows the day in ${timezoneId}, script: ${javaScriptEnabled}`, async ({ family }) => {
      const dateTime = inHarare(1, '10:00')
      const { memorial, ids, address } = await withGatherings(family, [
        { kind: 'BURIAL', dateTime, city: 'Mutare', streamUrl: 'https://www.youtube.com/watch?v=1' },
      ])
      const [burial = ''] = ids
      const page = await family.visitorPage(360, undefined, { timezoneId, javaScriptEnabled })
      await page.goto(address)
      expect(await order(page)).toEqual(['funeral', 'story'])
      await expect(card(page)).toContainText('Tomorrow, 10:00, Harare time')
      const here = wallClock(new Date(`${dateTime}:00+02:00`).toISOString(), timezoneId).time
      const isElsewhere = javaScriptEnabled && timezoneId !== HARARE
      await expect(card(page).getByText(`${here} where you are`)).toHaveCount(isElsewhere ? 1 : 0)

      await moveTo(family, memorial, burial, 2 * HOUR_MS)
      await page.reload()
      await expect(card(page)).toContainText('Begins in 2 h')
      await moveTo(family, memorial, burial, -HOUR_MS)
      await page.reload()
      await expect(card(page)).toContainText('Live now')
      await moveTo(family, memorial, burial, -3 * HOUR_MS)
      await page.reload()
      await expect(card(page)).toContainText('Took place on')
      expect(await order(page)).toEqual(['funeral', 'story'])
      await moveTo(family, memorial, burial, -3 * DAY_MS - 3 * HOUR_MS)
      await page.reload()
      await expect(card(page).getByText(/^Funeral, \d+ \w+ \d{4}$/u)).toBeVisible()
      expect(await order(page)).toEqual(['story', 'funeral'])
      await expect(card(page).getByText('Took place on')).toBeHidden()
      await card(page).locator('summary').click()
      await expect(card(page).getByText('Took place on')).toBeVisible()
    })
  }
}

test('an open page gets new words at its turns, and nothing moves', async ({ family }) => {
  const { address } = await withGatherings(family, [
    { kind: 'BURIAL', dateTime: inHarare(1, '10:00'), streamUrl: 'https://www.youtube.com/watch?v=1' },
  ])
  const page = await family.visitorPage(360)
  await withClock(page)
  await page.goto(address)
  await expect(card(page)).toContainText('Tomorrow, 10:00, Harare time')
  await page.clock.runFor(1000)
  await expect(page.locator('html')).not.toHaveAttribute('data-app')
  const start = Date.parse(`${inHarare(1, '10:00')}:00+02:00`)
  await page.clock.pauseAt(start - 2 * HOUR_MS)
  await expect(card(page)).toContainText('Today, 10:00, Harare time')
  await expect(card(page)).toContainText('Begins in 2 h')
  await page.clock.pauseAt(start)
  await expect(card(page)).toContainText('Live now')
  await page.clock.pauseAt(start + 5 * DAY_MS)
  await expect(card(page)).not.toContainText('Live now')
  expect(await order(page)).toEqual(['funeral', 'story'])
})

test('where the app does not come, an old copy says dates, which are always right', async ({ family }) => {
  expectErrors(/ERR_FAILED/u)
  const dateTime = inHarare(1, '10:00')
  const { address } = await withGatherings(family, [{ kind: 'BURIAL', dateTime }])
  const page = await family.visitorPage(360)
  await page.route('**/assets/app-*.js', (route) => route.abort())
  await withClock(page)
  await page.clock.setSystemTime(Date.now() + DAY_MS)
  await page.goto(address)
  await expect(card(page)).toContainText(formatService(`${dateTime}:00+02:00`, HARARE))
  await expect(card(page)).not.toContainText('Tomorrow')
})

test('a copy from before a turn is put in order by the app', async ({ family }) => {
  const { address } = await withGatherings(family, [{ kind: 'BURIAL', dateTime: inHarare(1, '10:00') }])
  const page = await family.visitorPage(360)
  await withClock(page)
  await page.clock.setSystemTime(Date.now() + 6 * DAY_MS)
  await page.goto(address)
  await expect(appStarted(page)).toBeAttached()
  await expect(card(page).getByText(/^Funeral, \d+ \w+ \d{4}$/u)).toBeVisible()
  await expect.poll(() => order(page)).toEqual(['story', 'funeral'])
})

test('with the app, words follow the clock, too, and the order stays', async ({ family }) => {
  const { memorial } = await withGatherings(family, [{ kind: 'BURIAL', dateTime: inHarare(1, '10:00') }])
  const page = await family.ownerPage(360)
  await withClock(page)
  await page.goto(`/memorial/${memorial.id}`)
  await expect(page.getByRole('link', { name: 'Edit Memorial' })).toBeVisible()
  // With a paused clock it could not start.
  await expect(appStarted(page)).toBeAttached()
  await expect(card(page)).toContainText('Tomorrow, 10:00, Harare time')
  await page.clock.pauseAt(Date.parse(`${inHarare(1, '07:00')}:00+02:00`))
  await expect(card(page)).toContainText('Today, 10:00, Harare time')
  await page.clock.pauseAt(Date.parse(`${inHarare(5, '07:00')}:00+02:00`))
  await expect(card(page)).not.toContainText('Today')
  expect(await order(page)).toEqual(['funeral', 'story'])
})

for (const javaScriptEnabled of [true, false]) {
  test(`a stream says what it costs before it opens, script: ${javaScriptEnabled}`, async ({
    family,
    world,
  }) => {
    const { address } = await withGatherings(family, [
      { dateTime: inHarare(1, '10:00'), streamUrl: 'https://us02web.zoom.us/j/1' },
    ])
    const page = await family.visitorPage(360, undefined, { javaScriptEnabled })
    const elsewhere: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(world.url) && !request.url().startsWith('data:'))
        elsewhere.push(request.url())
    })
    await page.goto(address)
    const link = card(page).getByRole('link', { name: 'Go to us02web.zoom.us' })
    await expect(link).toBeHidden()
    await card(page).getByText('Watch on us02web.zoom.us').click()
    await expect(card(page).getByText(gatheringMessages.watchingCosts)).toBeVisible()
    await expect(link).toHaveAttribute('href', 'https://us02web.zoom.us/j/1')
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer')
    expect(elsewhere).toEqual([])
  })
}

test('on its day, what people need on the road comes first in its card', async ({ family }) => {
  const { memorial, ids, address } = await withGatherings(family, [
    { kind: 'BURIAL', dateTime: inHarare(2, '10:00'), pin: { latitude: -18.97, longitude: 32.67 } },
  ])
  const page = await family.visitorPage(360, address)
  await expect(card(page).getByRole('article').getByRole('link')).toHaveText([
    'Add to calendar',
    'Directions',
  ])
  await moveTo(family, memorial, ids[0] ?? '', -HOUR_MS)
  await page.reload()
  await expect(card(page).getByRole('article').getByRole('link')).toHaveText([
    'Directions',
    'Add to calendar',
  ])
  await expect(card(page).getByRole('link', { name: 'Directions' })).toHaveAttribute(
    'href',
    'https://www.google.com/maps/dir/?api=1&destination=-18.97%2C32.67',
  )
})

for (const [texts, gatherings] of [
  ['usual', usualGatherings],
  ['longest', longestGatherings],
] as const) {
  test(`twelve gatherings print on one sheet of A5, with the ${texts} texts`, async ({ family }) => {
    const { address } = await withGatherings(family, gatherings())
    const page = await family.visitorPage(1280, address)
    await card(page).getByRole('link', { name: 'Print all gatherings' }).click()
    const sheet = page.locator('[data-print="sheet"]')
    await expect(sheet.getByRole('listitem')).toHaveCount(12)
    await page.waitForLoadState('networkidle')
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
    const sheets = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/gu)]
    expect(
      sheets.map(([, width, height]) => [Math.round(Number(width)), Math.round(Number(height))]),
    ).toEqual([[420, 595]])
    // Nothing is cut off below.
    await page.emulateMedia({ media: 'print' })
    await page.setViewportSize({ width: Math.round(((148 - 18) * 96) / 25.4), height: 800 })
    await expect(sheet.getByRole('listitem')).toHaveCount(12)
    expect(await sheet.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0)
    await expect(sheet).toContainText('Getting there: ')
    await page.emulateMedia({ media: 'screen' })
    await page.getByRole('link', { name: 'Back to the memorial' }).click()
    await expect(card(page)).toBeVisible()
  })
}

test('twelve gatherings leave the life story within four screens of a phone', async ({ family }) => {
  const { address } = await withGatherings(family, usualGatherings())
  const page = await family.visitorPage(360, address)
  const box = await page.getByRole('region', { name: 'Life Story' }).boundingBox()
  const cardBox = await card(page).boundingBox()
  expect((box?.y ?? Infinity) - (cardBox?.y ?? 0)).toBeLessThan(4 * 740)
  await card(page)
    .getByText(/^8 more gatherings/u)
    .click()
  await expect(card(page).getByRole('article')).toHaveCount(12)
  await expect(card(page).getByRole('article').last()).toBeVisible()
})
