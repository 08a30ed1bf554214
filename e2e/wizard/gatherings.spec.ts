import type { Locator, Page } from '@playwright/test'
import { aGathering } from '../../src/shared/funeral/a-gathering.ts'
import type { FuneralEvent } from '../../src/shared/funeral/funeral.ts'
import { LATER_KINDS } from '../../src/shared/funeral/gatherings.ts'
import { funeralMessages } from '../../src/shared/funeral/funeral-messages.ts'
import { messages } from '../../src/shared/messages.ts'
import { expectAccessible } from '../accessible.ts'
import { expect, test, type Family } from '../family.ts'
import { next, open, openDraft, openPart, stepTitle, typeKind } from '../wizard-screen.ts'
import { expectErrors, refusedWith } from '../world.ts'

const PARTS = ['Getting there', 'For guests', 'Watching from afar', 'Who is coming']
/** Taps and fields of an announcement, from the empty step to the next one. */
const MAX_TAPS = 5

test.use({ viewport: { width: 360, height: 740 } })

async function gatherings(family: Family, id: string): Promise<FuneralEvent[]> {
  const path = `/api/memorials/${id}/funeral-events`
  return (await family.owner.call<{ funeralEvents: FuneralEvent[] }>('GET', path)).funeralEvents
}

function add(family: Family, id: string, gathering: object): Promise<FuneralEvent> {
  return family.owner.call('POST', `/api/memorials/${id}/funeral-events`, gathering)
}

/** A saved gathering with these fields. */
const anyGathering = (fields: Partial<FuneralEvent>) => ({
  ...aGathering(fields),
  id: expect.stringMatching(/^fun_/u),
})

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Presses Next, and waits for the next step. */
async function save(page: Page): Promise<void> {
  await next(page).click()
  await expect(stepTitle(page, 'Memorial Location')).toBeFocused()
}

/** Types into each field by its label. */
async function fill(within: Page | Locator, fields: Record<string, string>): Promise<void> {
  for (const [label, text] of Object.entries(fields))
    await within.getByLabel(label, { exact: true }).fill(text)
}

async function expectValues(within: Page | Locator, fields: Record<string, string>): Promise<void> {
  for (const [label, text] of Object.entries(fields))
    await expect(within.getByLabel(label, { exact: true })).toHaveValue(text)
}

test('every field of a gathering is saved and shown again', async ({ page, family }) => {
  const id = await openDraft(page, family, 2)
  await page.getByLabel('Kind of gathering').selectOption('Nyaradzo (memorial prayers)')
  for (const part of PARTS) await openPart(page, part)
  const fields = {
    'Date and time in Harare': '2031-06-07T10:00',
    'Ends (optional)': '2031-06-07T13:30',
    Venue: 'The Moyo home',
    'Town or city': 'Mutare',
    Country: 'Zimbabwe',
    Address: '12 Jacaranda Road',
    'Province or region': 'Manicaland',
    'Postcode, if there is one': '263',
    'How to get there': 'From the Shell at Sakubva,\nsecond left',
    'What it’s called': 'Nyaradzo in Mutare',
    Dress: 'Black and white',
    'What to bring': 'A chair',
    Notes: 'Tea at nine',
    'Whom to ask': 'Tariro, 0772 000 000',
    'Link to watch live': 'https://youtu.be/abc',
    'Link to the recording': 'https://youtu.be/def',
  }
  await fill(page, fields)
  await page
    .getByLabel('Map link or coordinates')
    .fill('We meet here: https://www.google.com/maps?q=-18.97,32.67')
  await expect(page.getByText('Found: -18.97, 32.67')).toBeVisible()
  const seenBy = page.getByLabel('Who sees this contact')
  await expect(seenBy).toHaveAccessibleDescription('Guests don’t see it yet.')
  await seenBy.selectOption('People we invite')
  await expect(seenBy).toHaveAccessibleDescription('')
  await page.getByLabel('Who sees this gathering').selectOption('Only people we invite')
  await page.getByLabel('Let people say whether they’re coming').check()
  const replies = { 'Room for how many people': '80', 'Reply until': '2031-06-05T18:00' }
  await fill(page, replies)
  await page.getByLabel('Keep the replies').check()
  await save(page)

  const [saved] = await gatherings(family, id)
  expect(saved).toEqual(
    anyGathering({
      kind: 'NYARADZO',
      title: 'Nyaradzo in Mutare',
      dateTime: '2031-06-07T08:00:00.000Z',
      endDateTime: '2031-06-07T11:30:00.000Z',
      venueName: 'The Moyo home',
      addressLine: '12 Jacaranda Road',
      city: 'Mutare',
      region: 'Manicaland',
      country: 'Zimbabwe',
      postalCode: '263',
      notes: 'Tea at nine',
      pin: { latitude: -18.97, longitude: 32.67 },
      wayThere: 'From the Shell at Sakubva,\nsecond left',
      dress: 'Black and white',
      bring: 'A chair',
      contact: 'Tariro, 0772 000 000',
      audience: 'INVITED',
      streamUrl: 'https://youtu.be/abc',
      recordingUrl: 'https://youtu.be/def',
      takesReplies: true,
      repliesUntil: '2031-06-05T16:00:00.000Z',
      settings: { contactFor: 'INVITED', capacity: 80, keepReplies: true },
    }),
  )

  await page.reload()
  await open(page, id, 2)
  const again = card(page, 'Nyaradzo in Mutare')
  await expect(again.locator('summary')).toHaveText([
    'Getting there address, province, postcode, how to get there, map',
    'For guests name, dress, what to bring, notes, whom to ask, only people we invite',
    'Watching from afar live, recording',
    'Who is coming people can reply, until 5 June 2031, 18:00, room for 80',
  ])
  await expectValues(again, {
    ...fields,
    ...replies,
    'Kind of gathering': 'NYARADZO',
    'Map link or coordinates': '-18.97, 32.67',
    'Who sees this contact': 'INVITED',
    'Who sees this gathering': 'INVITED',
  })
  await expect(again.getByLabel('Let people say whether they’re coming')).toBeChecked()
  await expect(again.getByLabel('Keep the replies')).toBeChecked()

  // What is emptied is removed.
  for (const part of PARTS) await openPart(again, part)
  await fill(again, {
    'Ends (optional)': '',
    'Map link or coordinates': '',
    'Link to watch live': '',
    'Room for how many people': '',
    'Reply until': '',
  })
  await save(page)
  expect(await gatherings(family, id)).toEqual([
    {
      ...saved,
      endDateTime: null,
      pin: null,
      streamUrl: null,
      repliesUntil: null,
      settings: { contactFor: 'INVITED', capacity: null, keepReplies: true },
    },
  ])
})

test('a draft of the version before is restored and saved', async ({ page, family }) => {
  const { id } = await family.draft()
  const vigil = await add(family, id, {
    kind: 'WAKE',
    title: 'Vigil',
    dateTime: '2031-06-06T18:00',
    dress: 'Black',
  })
  await family.signIn(page)
  await open(page, id, 2)
  await page.getByLabel('Venue').fill('The Moyo home')
  await page.getByRole('button', { name: 'Add another service' }).click()
  await card(page, 'Service 2').getByLabel('Date and time in Harare').fill('2031-06-07T10:00')
  await page.evaluate(() => {
    const first = ['key', 'id', 'title', 'dateTime', 'timeZone', 'venueName', 'addressLine', 'city']
    const known = new Set([...first, 'region', 'country', 'postalCode', 'notes'])
    const name = Object.keys(localStorage).find((key) => key.startsWith('nhaka-draft:')) ?? ''
    const { values, savedAt } = JSON.parse(localStorage.getItem(name) ?? '') as {
      values: { services: Record<string, unknown>[] }
      savedAt: number
    }
    const services = values.services.map((service) =>
      Object.fromEntries(Object.entries(service).filter(([field]) => known.has(field))),
    )
    services[1] = { ...services[1], title: 'Thanksgiving' }
    localStorage.setItem(name, JSON.stringify({ values: { services }, savedAt }))
  })
  await page.reload()
  await expect(page.getByText('Your words are still here')).toBeVisible()
  await expectValues(card(page, 'Vigil'), {
    'Kind of gathering': 'WAKE',
    Venue: 'The Moyo home',
    Dress: 'Black',
  })
  await expectValues(card(page, 'Thanksgiving'), { 'Kind of gathering': 'OTHER' })
  await save(page)
  expect(await gatherings(family, id)).toEqual([
    { ...vigil, venueName: 'The Moyo home' },
    anyGathering({
      kind: 'OTHER',
      title: 'Thanksgiving',
      dateTime: '2031-06-07T08:00:00.000Z',
    }),
  ])
})

test('an error in a closed part opens it, and the link above leads there', async ({ page, family }) => {
  await openDraft(page, family, 2)
  await fill(page, { 'Date and time in Harare': '2031-06-07T10:00' })
  const part = page.locator('details', { hasText: 'Watching from afar' })
  const link = page.getByLabel('Link to watch live')
  await openPart(page, 'Watching from afar')
  await link.fill('www.youtube.com/live')
  await part.locator('summary').click()
  await expect(link).toBeHidden()
  await next(page).click()
  await expect(link).toBeVisible()
  await expect(page.getByRole('main').getByRole('alert')).toBeFocused()

  // Also if somebody has closed it again.
  await part.locator('summary').click()
  await page.getByRole('link', { name: funeralMessages.linkInvalid }).click()
  await expect(link).toBeFocused()
  await expect(link).toHaveAccessibleDescription(new RegExp(funeralMessages.linkInvalid, 'u'))
  await link.fill('https://www.youtube.com/live')
  await save(page)
})

test('an error that only the server finds opens its part', async ({ page, family }) => {
  expectErrors(refusedWith(400))
  await openDraft(page, family, 2)
  await fill(page, { 'Date and time in Harare': '2031-06-07T10:00' })
  const fields = { 'pin.longitude': messages.location.longitudeInvalid }
  const json = { message: messages.form.checkFields, code: 'bad_input', fields }
  await page.route(/\/funeral$/u, (route) => route.fulfill({ status: 400, json }), { times: 1 })
  await next(page).click()
  await page.getByRole('link', { name: messages.location.longitudeInvalid }).click()
  await expect(page.getByLabel('Map link or coordinates')).toBeFocused()
})

test('four services have places of their own beside later gatherings', async ({ page, family }) => {
  const { id } = await family.draft()
  const at = (day: number) => `2031-06-0${day}T10:00`
  await add(family, id, { kind: 'VIEWING', dateTime: at(1) })
  await add(family, id, { kind: 'CHURCH', dateTime: at(2) })
  await add(family, id, { kind: 'BURIAL', dateTime: at(3) })
  await add(family, id, { kind: 'UNVEILING', dateTime: '2032-06-05T10:00' })
  await family.signIn(page)
  await open(page, id, 2)
  const heads = page.getByRole('main').getByRole('heading', { level: 3 })

  await page.getByRole('button', { name: 'Add another service' }).click()
  await expect(heads).toHaveText(['Body viewing', 'Church service', 'Burial', 'Service 4', /^Unveiling/u])
  await expect(card(page, 'Service 4').getByLabel('Kind of gathering')).toBeFocused()
  await expect(page.getByText(funeralMessages.tooManyServices)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add another service' })).toHaveCount(0)
  await card(page, 'Service 4').getByLabel('Date and time in Harare').fill(at(4))

  await page.getByRole('button', { name: 'Add a later gathering' }).click()
  const later = card(page, 'Later gathering 2')
  await expect(later.getByLabel('Kind of gathering')).toBeFocused()
  // No fifth service comes of it.
  await expect(later.locator('optgroup[disabled]')).toHaveAttribute('label', 'The funeral (at most 4)')
  await later.getByLabel('What it’s called').fill('Kurova guva')
  await card(page, 'Kurova guva').getByLabel('Date and time in Harare').fill('2032-07-05T10:00')
  await save(page)
  const named = (await gatherings(family, id)).map(({ kind, title }) => [kind, title])
  expect(named).toEqual([
    ['VIEWING', null],
    ['CHURCH', null],
    ['BURIAL', null],
    ['OTHER', null],
    ['UNVEILING', null],
    ['OTHER_LATER', 'Kurova guva'],
  ])

  // One that becomes a later gathering leaves its place to the new one before it.
  await open(page, id, 2)
  await card(page, 'Service 4').getByLabel('Kind of gathering').selectOption('Memorial service')
  await page.getByRole('button', { name: 'Add another service' }).click()
  await card(page, 'Service 4').getByLabel('Date and time in Harare').fill(at(5))
  await save(page)
  expect((await gatherings(family, id)).map(({ kind }) => kind)).toEqual([
    'VIEWING',
    'CHURCH',
    'BURIAL',
    'MEMORIAL_SERVICE',
    'OTHER',
    'UNVEILING',
    'OTHER_LATER',
  ])
})

test('a memorial has up to eight later gatherings', async ({ page, family }) => {
  const { id } = await family.draft()
  for (const [index, kind] of [...LATER_KINDS, ...LATER_KINDS].slice(0, 7).entries())
    await add(family, id, { kind, dateTime: `203${index}-06-07T10:00` })
  await family.signIn(page)
  await open(page, id, 2)
  await page.getByRole('button', { name: 'Add a later gathering' }).click()
  await expect(page.getByText(funeralMessages.tooManyLater)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add a later gathering' })).toHaveCount(0)
  // A service comes before them.
  await page.getByRole('button', { name: 'Add another service' }).click()
  await expect(page.getByRole('main').getByRole('heading', { level: 3 }).first()).toHaveText('Service 1')
  // Nothing was entered there.
  await save(page)
  expect(await gatherings(family, id)).toHaveLength(7)
})

test('a cancelled gathering stays until it is removed, and can take place again', async ({
  page,
  family,
}) => {
  const { id } = await family.draft()
  await add(family, id, { kind: 'BURIAL', dateTime: '2031-06-07T10:00' })
  await family.signIn(page)
  await open(page, id, 2)
  const burial = card(page, 'Burial')
  const cancelled = burial.getByRole('checkbox', { name: /^This gathering is cancelled/u })
  const heading = burial.getByRole('heading', { level: 3 })
  const isCancelled = async () => (await gatherings(family, id)).map((event) => event.isCancelled)
  await cancelled.check()
  await expect(heading).toHaveText('Burial Cancelled')
  await save(page)
  expect(await isCancelled()).toEqual([true])
  await open(page, id, 2)
  await expect(cancelled).toBeChecked()
  await cancelled.uncheck()
  await expect(heading).toHaveText('Burial')
  await save(page)
  expect(await isCancelled()).toEqual([false])

  await open(page, id, 2)
  await page.getByRole('button', { name: 'Remove Burial' }).click()
  await expect(page.getByRole('dialog')).toContainText('tick “This gathering is cancelled” instead')
  await page.getByRole('button', { name: 'Remove it' }).click()
  await expect(card(page, 'Service 1').getByLabel('Kind of gathering')).toBeFocused()
  expect(await gatherings(family, id)).toEqual([])
})

test('ends move along with the beginning, and another kind keeps the name', async ({ page, family }) => {
  await openDraft(page, family, 2)
  await fill(page, { 'Date and time in Harare': '2031-06-07T10:00', 'Ends (optional)': '2031-06-07T13:00' })
  await openPart(page, 'Who is coming')
  await page.getByLabel('Let people say whether they’re coming').check()
  await fill(page, { 'Reply until': '2031-06-05T18:00' })
  await fill(page, { 'Date and time in Harare': '2031-06-08T09:30' })
  await expectValues(page, { 'Ends (optional)': '2031-06-08T12:30', 'Reply until': '2031-06-06T17:30' })

  const kind = page.getByLabel('Kind of gathering')
  await kind.selectOption('Another service')
  await page.getByLabel('What it’s called').fill('Vigil')
  await kind.selectOption('Wake (night vigil)')
  await expect(kind).toHaveAccessibleDescription(
    'It’s called “Vigil”. You can change that under “For guests”.',
  )
  await openPart(page, 'For guests')
  await page.getByLabel('What it’s called').fill('')
  await expect(card(page, 'Wake (night vigil)')).toBeVisible()
  await expect(kind).toHaveAccessibleDescription('')
})

test('a gathering needs no mouse, and its parts are accessible when open', async ({ page, family }) => {
  const id = await openDraft(page, family, 2)
  await page.getByLabel('Kind of gathering').focus()
  await typeKind(page, 'Wake')
  await fill(page, { 'Date and time in Harare': '2031-06-07T18:00' })
  for (const part of PARTS) {
    await page.locator('summary', { hasText: part }).focus()
    await page.keyboard.press('Enter')
  }
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('Let people say whether they’re coming')).toBeFocused()
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.type('12 people')
  await expect(page.getByLabel('Room for how many people')).toHaveValue('12')
  await expectAccessible(page, 'a gathering with all its parts')
  await page.getByLabel('Room for how many people').press('Enter')
  await expect(stepTitle(page, 'Memorial Location')).toBeFocused()
  expect(await gatherings(family, id)).toEqual([
    anyGathering({
      kind: 'WAKE',
      dateTime: '2031-06-07T16:00:00.000Z',
      country: 'Zimbabwe',
      takesReplies: true,
      settings: { contactFor: 'FAMILY', capacity: 12, keepReplies: false },
    }),
  ])
})

test(`an announcement takes at most ${MAX_TAPS} taps and fields`, async ({ family }) => {
  const { id } = await family.memorial()
  const page = await family.ownerPage(360, `/create-memorial/${id}?step=2`)
  const taps: string[] = []
  const count = async (control: Locator, use: (control: Locator) => Promise<unknown>) => {
    taps.push((await control.getAttribute('id')) ?? (await control.innerText()))
    await use(control)
  }
  await count(page.getByLabel('Kind of gathering'), (control) => control.selectOption('Burial'))
  await count(page.getByLabel('Date and time in Harare'), (control) => control.fill('2031-06-07T10:00'))
  await count(page.getByLabel('Venue'), (control) => control.fill('Yeovil Cemetery'))
  await count(page.getByLabel('Town or city'), (control) => control.fill('Mutare'))
  await count(next(page), (control) => control.click())
  await expect(stepTitle(page, 'Memorial Location')).toBeFocused()
  expect(taps.length, taps.join(', ')).toBeLessThanOrEqual(MAX_TAPS)
  expect(await gatherings(family, id)).toEqual([
    anyGathering({
      dateTime: '2031-06-07T08:00:00.000Z',
      venueName: 'Yeovil Cemetery',
      city: 'Mutare',
      country: 'Zimbabwe',
    }),
  ])
})
