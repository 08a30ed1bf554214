import type { Page } from '@playwright/test'
import type { FuneralEvent } from '../../src/shared/funeral/funeral.ts'
import type { Memorial } from '../../src/shared/memorials/memorials.ts'
import { funeralMessages } from '../../src/shared/funeral/funeral-messages.ts'
import { messages } from '../../src/shared/messages.ts'
import { pay } from '../../tools/operate/seed.ts'
import { TENDAI } from '../accounts-by-api.ts'
import { expect, test } from '../family.ts'
import { closeToasts, expectToast, logIn } from '../people.ts'
import {
  fillPlace,
  hint,
  next,
  open,
  openDraft,
  openPart,
  stepTitle,
  story,
  writeStory,
} from '../wizard-screen.ts'
import { expectErrors, refusedWith } from '../world.ts'

const COMPLETE_STEP = 'Complete this step to continue'

for (const width of [360, 1280]) {
  test(`step cards open steps, or step 1 if there is no memorial, at ${width} px`, async ({
    page,
    family,
  }) => {
    await page.setViewportSize({ width, height: 740 })
    await family.open(page, '/create-memorial')
    await expect(stepTitle(page, 'Payment')).toBeVisible()
    await page.getByRole('button', { name: 'Skip for now' }).click()
    await expect(stepTitle(page, 'Basic Information')).toBeFocused()

    await jump(page, 'Funeral Service Details', width)
    await page.getByLabel('Date and time in Harare').fill('2031-06-07T10:00')
    await page.getByLabel('Choose the programme (PDF)').setInputFiles('test/fixtures/programme.pdf')
    await expectToast(page, 'Save Memorial First')
    await next(page).click()
    await expectSetupIncomplete(page)
    await jump(page, 'Memorial Location', width)
    await fillPlace(page, '-18', '32')
    await next(page).click()
    await expectSetupIncomplete(page)
    await jump(page, 'Life Story & Media', width)
    await writeStory(page, 'She taught.')
    await next(page).click()
    await expectSetupIncomplete(page)
    await jump(page, 'Privacy & Sharing', width)
    await page.getByRole('radio', { name: /^Public/u }).check()
    await page.getByRole('button', { name: 'Complete Setup' }).click()
    await expectSetupIncomplete(page)
    await jump(page, 'Privacy & Sharing', width)
    await page.getByRole('button', { name: 'Finish and keep it private' }).click()
    await expectSetupIncomplete(page)

    // Drafts of later steps are saved once the memorial exists.
    await page.getByLabel('Full name').fill('Tendai')
    await next(page).click()
    await expect(page.getByLabel('Date and time in Harare')).toHaveValue('2031-06-07T10:00')
    await expect(page.getByText('Your words are still here')).toBeVisible()
    await jump(page, 'Memorial Location', width)
    await expect(page.getByLabel('Latitude')).toHaveValue('-18')
    await jump(page, 'Life Story & Media', width)
    await expect(story(page)).toHaveText('She taught.')
  })
}

test.use({ viewport: { width: 360, height: 740 } })

test('Next needs the required field of a step, and otherwise focuses it', async ({ page, family }) => {
  const draft = await family.draft()
  await family.signIn(page)

  // Step 0: this check never completes it. The card field isn't ready yet when its focus is asked for.
  const isReleased = Promise.withResolvers<void>()
  await page.route('**/card-frame.js', async (route) => {
    await isReleased.promise
    await route.continue()
  })
  await open(page, draft.id, 0)
  await expect(page.getByRole('button', { name: 'Previous' })).toBeDisabled()
  await expectIncomplete(page, 0)
  const card = page.frameLocator('iframe[title="Secure card payment input frame"]')
  await expect(card.getByLabel('Card number')).toBeVisible()
  await next(page).press('Enter')
  await expect(page.getByRole('group', { name: /^Card number/u })).toBeFocused()
  isReleased.resolve()
  await expect(card.getByLabel('Card number')).toBeFocused()

  await open(page, draft.id, 1)
  await expect(page.getByRole('button', { name: 'Previous' })).toBeEnabled()
  await expectComplete(page, 1)
  const name = page.getByLabel('Full name')
  await name.fill('   ')
  await expectIncomplete(page, 1)
  await next(page).press('Enter')
  await expect(name).toBeFocused()
  await expect(page.getByText('Full name is required')).toBeVisible()
  await expect(page.locator('[aria-live=assertive]', { hasText: COMPLETE_STEP })).toBeAttached()
  await name.fill('Tendai')
  await expect(page.getByText('Full name is required')).toBeHidden()
  await expectComplete(page, 1)

  await open(page, draft.id, 2)
  await page.getByLabel('Venue').fill('Yeovil Cemetery')
  await expectIncomplete(page, 2)
  await next(page).press('Space')
  const time = page.getByLabel('Date and time in Harare')
  await expect(time).toBeFocused()
  await expect(page.getByText('Date and time is required')).toBeVisible()
  await time.fill('2031-06-07T10:00')
  await expect(page.getByText('Date and time is required')).toBeHidden()
  await expectComplete(page, 2)

  // An empty step doesn't ask for coordinates: there are two easier ways.
  await open(page, draft.id, 3)
  const ways = page.getByText('Choose one of the three ways, or skip this step')
  await expect(ways).toBeVisible()
  await next(page).press('Enter')
  await expect(ways).toBeFocused()
  await expect(page.getByText('Latitude must be a number')).toHaveCount(0)
  await page.getByLabel('Latitude').fill('-18.97')
  await expect(ways).toHaveCount(0)
  await expectIncomplete(page, 3)
  await next(page).press('Enter')
  await expect(page.getByLabel('Longitude')).toBeFocused()
  await expect(page.getByText('Longitude must be a number from -180 to 180')).toBeVisible()
  await page.getByLabel('Longitude').fill('32.67')
  await expectComplete(page, 3)

  await open(page, draft.id, 4)
  await expectIncomplete(page, 4)
  await expect(story(page)).toBeVisible()
  await next(page).press('Enter')
  await expect(story(page)).toBeFocused()
  await page.keyboard.type('She taught.')
  await expectComplete(page, 4)

  // Step 5: the hint stays, because PRIVATE does not count as complete.
  await open(page, draft.id, 5)
  await expect(hint(page)).toHaveText('Review and finish setup')
  const done = page.getByRole('button', { name: 'Complete Setup' })
  await expect(done).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByRole('progressbar', { name: 'Progress' })).toHaveJSProperty('value', 5)
  await done.press('Enter')
  await expect(page.getByRole('radio', { name: /^Private/u })).toBeFocused()
  await expect(page.locator('#wizard-privacy-error')).toHaveText(messages.wizard.chooseOrKeepPrivate)
  await page.getByRole('radio', { name: /^Public/u }).check()
  await expect(done).toHaveAttribute('aria-disabled', 'false')
  await expect(hint(page)).toHaveText('Review and finish setup')
  await page.getByRole('radio', { name: /^Private/u }).check()
  await page.getByRole('button', { name: 'Finish and keep it private' }).click()
  await expect(page).toHaveURL(`/memorial/${draft.id}`)
})

test('saving a step shows a toast and opens the next; the last opens the memorial', async ({
  page,
  family,
}) => {
  await pay(family.owner, family.world.sandboxUrl)
  await family.signIn(page)

  // There is a payment credit, so the payment step is skipped.
  await page.goto('/create-memorial')
  await expect(page.getByRole('heading', { level: 1, name: 'Tribute Builder' })).toBeVisible()
  await expect(stepTitle(page, 'Basic Information')).toBeVisible()
  await page.getByLabel('Full name').fill(TENDAI.honoureeFullName)
  await next(page).click()
  await expectToast(page, 'Memorial Created')
  await expect(stepTitle(page, 'Funeral Service Details')).toBeFocused()
  await expect(page).toHaveURL(/\/create-memorial\/mem_\w+\?step=2$/u)
  const id = /mem_\w+/u.exec(page.url())?.[0] ?? ''

  await page.getByLabel('Date and time in Harare').fill('2031-06-07T10:00')
  await next(page).click()
  await expect(stepTitle(page, 'Memorial Location')).toBeFocused()
  await fillPlace(page, '-18.9707', '32.6709')
  await next(page).click()
  await expect(stepTitle(page, 'Life Story & Media')).toBeFocused()
  await writeStory(page, 'She taught.')
  await next(page).click()
  await expectToast(page, 'Story Updated')
  await expect(stepTitle(page, 'Privacy & Sharing')).toBeFocused()
  await page.getByRole('radio', { name: /^Public/u }).check()
  await page.getByRole('button', { name: 'Complete Setup' }).click()
  await expectToast(page, 'Privacy Updated')
  await expect(page).toHaveURL(`/memorial/${id}`)

  // The memorial exists, so editing starts at step 1.
  await page.goto(`/create-memorial/${id}`)
  await expect(stepTitle(page, 'Basic Information')).toBeVisible()
  await page.getByLabel('One sentence about them').fill('She stayed.')
  await next(page).click()
  await expectToast(page, 'Memorial Updated')
  await expect(stepTitle(page, 'Funeral Service Details')).toBeVisible()
})

test('a failed save shows a toast and an error above the step, and keeps the input', async ({
  page,
  family,
}) => {
  expectErrors(refusedWith(500))
  await family.signIn(page)
  // A failure without a message: the screen shows its fallback text.
  await page.route(/\/api\/memorials/u, (route) =>
    route.request().method() === 'GET' ? route.fallback() : route.fulfill({ status: 500, body: '' }),
  )
  const expectFailure = async (title: string, text: string) => {
    await next(page).click()
    await expectToast(page, title, text)
    const summary = page.getByRole('main').getByRole('alert').filter({ hasText: text })
    await expect(summary).toBeFocused()
  }

  await open(page, null, 1)
  await page.getByLabel('Full name').fill('Tendai')
  await expectFailure('Creation Failed', messages.memorial.createFailedText)
  await expect(page.getByLabel('Full name')).toHaveValue('Tendai')

  const memorial = await family.memorial()
  await open(page, memorial.id, 1)
  await page.getByLabel('Full name').fill('Tendai Moyo')
  await expectFailure('Update Failed', messages.memorial.updateFailedText)

  await open(page, memorial.id, 2)
  await page.getByLabel('Date and time in Harare').fill('2031-06-07T10:00')
  await expectFailure('Update Failed', 'Failed to save funeral details')

  await open(page, memorial.id, 3)
  await fillPlace(page, '-18', '32')
  await expectFailure('Update Failed', 'Failed to save location details')

  await open(page, memorial.id, 4)
  await writeStory(page, 'She taught.')
  await expectFailure('Upload Failed', 'Failed to save life story or upload media')

  await open(page, memorial.id, 5)
  await page.getByRole('radio', { name: /^Public/u }).check()
  await page.getByRole('button', { name: 'Complete Setup' }).click()
  await expectToast(page, 'Update Failed', messages.memorial.updateFailedText)
})

test('each invalid value shows an error at its field', async ({ page, family }) => {
  expectErrors(refusedWith(400))
  const { id } = await family.draft()
  await family.signIn(page)
  /** Types the value, presses Next, and returns the error at the field. */
  const expectError = async (label: string, value: string, expected: string) => {
    const field = page.getByLabel(new RegExp(`^${label}`, 'u'))
    const right = await field.inputValue()
    await field.fill(value)
    await next(page).click()
    await expect(field).toHaveAccessibleDescription(new RegExp(expected, 'u'))
    await expect(page.getByRole('main').getByRole('alert').first()).toContainText(expected)
    await field.fill(right)
  }

  await open(page, id, 1)
  await expectError('Full name', 'x'.repeat(101), 'Full name must be 100 characters or less')
  await expectError('One sentence about them', 'x'.repeat(201), 'The sentence must be 200 characters or less')
  const died = page.getByRole('group', { name: /^Died/u })
  const expectDate = async (part: string, value: string, expected: string) => {
    const box = died.getByLabel(part)
    const right = await box.inputValue()
    await box.fill(value)
    await next(page).click()
    await expect(died).toHaveAccessibleDescription(new RegExp(expected, 'u'))
    await box.fill(right)
  }
  await expectDate('Month', '13', messages.memorial.dateInvalid)
  await expectDate('Year', '', messages.memorial.dateInvalid)
  // Both dates are wrong: the summary says which is which, and leads to each.
  const born = page.getByRole('group', { name: /^Born/u })
  await born.getByLabel('Day').fill('31')
  await born.getByLabel('Month').fill('4')
  await died.getByLabel('Year').fill('26')
  await next(page).click()
  const links = page.getByRole('main').getByRole('alert').getByRole('link')
  await expect(links).toHaveText([
    `Born: There is no 31 April. ${messages.memorial.dateInvalid}`,
    `Died: ${messages.memorial.dateInvalid}`,
  ])
  await expect(born).toHaveAccessibleDescription(/There is no 31 April/u)
  await links.last().click()
  await expect(died.getByLabel('Day')).toBeFocused()
  await died.getByLabel('Year').fill('1x9a')
  await expect(died.getByLabel('Year')).toHaveValue('19')

  await open(page, id, 2)
  await page.getByLabel('Date and time in Harare').fill('2031-06-07T10:00')
  await page.getByLabel('Kind of gathering').selectOption('Another service')
  for (const part of ['Getting there', 'For guests', 'Watching from afar', 'Who is coming'])
    await openPart(page, part)
  await page.getByLabel('Let people say whether they’re coming').check()
  for (const [label, max] of [
    ['What it’s called', 200],
    ['Venue', 200],
    ['Address', 500],
    ['Town or city', 100],
    ['Province or region', 100],
    ['Country', 100],
    ['Postcode', 20],
    ['How to get there', 500],
    ['Dress', 200],
    ['What to bring', 500],
    ['Notes', 1000],
    ['Whom to ask', 200],
  ] as const) {
    await expectError(label, 'x'.repeat(max + 1), `This must be ${max} characters or less`)
  }
  await expectError('Link to watch live', 'youtube.com/live', funeralMessages.linkInvalid)
  await expectError('Link to the recording', 'http://example.org', funeralMessages.linkInvalid)
  await expectError('Room for how many people', '0', funeralMessages.capacityInvalid)
  await expectError('Map link or coordinates', 'https://maps.app.goo.gl/abc', messages.location.noPosition)
  // The server knows when the gathering begins.
  await expectError('Ends', '2031-06-07T09:00', funeralMessages.endInvalid)

  await open(page, id, 3)
  const latitude = page.getByLabel('Latitude')
  await latitude.fill('-18°.97 S')
  await expect(latitude).toHaveValue('-18.97')
  await page.getByLabel('Longitude').fill('abc32e5')
  await expect(page.getByLabel('Longitude')).toHaveValue('325')
  await page.getByLabel('Longitude').fill('32.67')
  await expectError('Latitude', '90.1', 'Latitude must be a number from -90 to 90')
  await expectError('Latitude', '-1.2.3', 'Latitude must be a number from -90 to 90')
  await expectError('Longitude', '-180.5', 'Longitude must be a number from -180 to 180')
  await expectError('Name of the place', 'x'.repeat(201), 'This must be 200 characters or less')
})

test('a location comes from the phone or a map link, or the page says why it failed', async ({
  page,
  context,
  family,
}) => {
  await openDraft(page, family, 3)
  const [latitude, longitude] = [page.getByLabel('Latitude'), page.getByLabel('Longitude')]

  const phone = page.getByRole('button', { name: 'Use this device’s position' })
  await phone.press('Enter')
  await expect(page.getByText('Location is turned off for this site.')).toBeVisible()
  await expect(phone).toBeFocused()
  await context.grantPermissions(['geolocation'])
  await context.setGeolocation({ latitude: -18.9707, longitude: 32.6709, accuracy: 8 })
  await phone.press('Enter')
  await expect(page.getByText('Found, within 8 m.')).toBeVisible()
  await expect(latitude).toHaveValue('-18.970700')
  await expect(longitude).toHaveValue('32.670900')

  const link = page.getByLabel('Paste a map link')
  await link.fill('https://maps.app.goo.gl/abc')
  await expect(link).toHaveAccessibleDescription(/We can’t find a place in this link/u)
  await expect(latitude).toHaveValue('-18.970700')
  await link.fill('https://www.google.com/maps?q=-17.8252,31.0335')
  await expect(page.getByText('Found: -17.8252, 31.0335')).toBeVisible()
  await expect(latitude).toHaveValue('-17.8252')
  await expect(longitude).toHaveValue('31.0335')
  await expect(page.getByRole('link', { name: 'Look at this place on a map' })).toHaveAttribute(
    'href',
    /query=-17\.8252,31\.0335/u,
  )
})

test('input survives a reload, a lost connection and an expired session', async ({
  page,
  context,
  family,
}) => {
  expectErrors(/ERR_INTERNET_DISCONNECTED/u, refusedWith(401))
  await openDraft(page, family, 4)
  await writeStory(page, 'She taught.')
  await expect(page.getByText(/^Saved on this device \d\d:\d\d$/u)).toBeVisible()
  await page.reload()
  await expect(story(page)).toHaveText('She taught.')
  await expect(page.getByText('Your words are still here')).toBeVisible()

  await context.setOffline(true)
  await next(page).click()
  await expectToast(page, 'Upload Failed')
  await expect(page.getByRole('main').getByRole('alert')).toContainText(messages.system.network)
  await expect(story(page)).toHaveText('She taught.')
  await context.setOffline(false)

  await family.owner.call('POST', '/api/account/sign-out-everywhere')
  await next(page).click()
  await expect(page.getByText('You are signed out')).toBeVisible()
  await page.getByRole('link', { name: 'Sign in again' }).click()
  await logIn(page, family.email)
  await expect(story(page)).toHaveText('She taught.')
  await next(page).click()
  await expect(stepTitle(page, 'Privacy & Sharing')).toBeVisible()
  await page.goBack()
  await expect(story(page)).toHaveText('She taught.')
  await expect(page.getByText('Your words are still here')).toHaveCount(0)
})

test('server errors show on the card of their service, and each card keeps its input', async ({
  page,
  family,
}) => {
  expectErrors(refusedWith(400), refusedWith(500))
  const id = await openDraft(page, family, 2)
  const card = (number: number) => page.getByRole('region', { name: `Service ${number}`, exact: true })
  // The time zone follows the place, unless it was chosen.
  await card(1).getByLabel('Country').fill('England')
  await openPart(card(1), 'Getting there')
  await expect(card(1).getByLabel('Time zone')).toHaveValue('Europe/London')
  await card(1).getByLabel('Time zone').selectOption('Africa/Harare')
  await card(1).getByLabel('Country').fill('Zambia')
  await expect(card(1).getByLabel('Date and time in Harare')).toBeVisible()
  await card(1).getByLabel('Date and time').fill('2031-06-07T10:00')
  await page.getByRole('button', { name: 'Add another service' }).click()
  await expect(card(2).getByLabel('Kind of gathering')).toBeFocused()
  await card(2).getByLabel('Venue').fill('Yeovil Cemetery')
  await next(page).click()
  await page.getByRole('link', { name: 'Service 2: Date and time is required' }).click()
  await expect(card(2).getByLabel('Date and time')).toBeFocused()
  await card(2).getByLabel('Date and time').fill('2031-06-08T10:00')

  const added = /funeral-events$/u
  await page.route(added, (route) => route.fulfill({ status: 500, body: '' }), { times: 1 })
  await next(page).click()
  await expectToast(page, 'Failed to create funeral event')
  const fields = { venueName: 'This venue is closed' }
  const json = { message: 'Please check the marked fields.', code: 'bad_input', fields }
  await page.route(added, (route) => route.fulfill({ status: 400, json }), { times: 1 })
  await next(page).click()
  await expect(card(2).getByLabel('Venue')).toHaveAccessibleDescription(/This venue is closed/u)
  await expect(card(1).getByText('This venue is closed')).toHaveCount(0)
  await page.getByRole('link', { name: 'This venue is closed' }).click()
  await expect(card(2).getByLabel('Venue')).toBeFocused()
  await next(page).click()
  await expect(stepTitle(page, 'Memorial Location')).toBeVisible()

  // Both services are changed together.
  await page.getByRole('button', { name: 'Previous' }).click()
  await card(1).getByLabel('Venue').fill('St Agnes Church')
  await card(2).getByLabel('Venue').fill('Yeovil Cemetery')
  await next(page).click()
  await expect(stepTitle(page, 'Memorial Location')).toBeVisible()
  const { funeralEvents } = await family.owner.call<{ funeralEvents: FuneralEvent[] }>(
    'GET',
    `/api/memorials/${id}/funeral-events`,
  )
  expect(funeralEvents.map(({ venueName, dateTime }) => [venueName, dateTime])).toEqual([
    ['St Agnes Church', '2031-06-07T08:00:00.000Z'],
    ['Yeovil Cemetery', '2031-06-08T08:00:00.000Z'],
  ])

  // At most four services.
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.getByRole('button', { name: 'Add another service' }).click()
  await page.getByRole('button', { name: 'Add another service' }).click()
  await expect(page.getByText('A memorial can have up to 4 services')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add another service' })).toHaveCount(0)
})

test('conflicting edits offer a choice of versions, and Next leads to it', async ({ page, family }) => {
  expectErrors(refusedWith(409))
  const id = await openDraft(page, family, 4)
  await writeStory(page, 'Mine.')
  await family.owner.call('PATCH', `/api/memorials/${id}`, { lifeStory: '<p>Theirs.</p>' })
  await next(page).click()
  const choice = page.locator('#wizard-conflict')
  await expect(choice).toBeFocused()
  await expect(choice).toContainText('Nothing was overwritten.')
  await next(page).click()
  await expect(choice).toBeFocused()
  await choice.getByRole('button', { name: 'Keep what I wrote here' }).click()
  await next(page).click()
  await expect(stepTitle(page, 'Privacy & Sharing')).toBeVisible()
  const { memorial } = await family.owner.call<{ memorial: Memorial }>('GET', `/api/memorials/${id}`)
  expect(memorial.lifeStory).toBe('<p>Mine.</p>')
})

async function expectIncomplete(page: Page, step: number): Promise<void> {
  await expect(next(page)).toHaveAttribute('aria-disabled', 'true')
  await expect(next(page)).toHaveAccessibleDescription(COMPLETE_STEP)
  await expect(page.getByRole('progressbar', { name: 'Progress' })).toHaveJSProperty('position', step / 6)
}

async function expectComplete(page: Page, step: number): Promise<void> {
  await expect(next(page)).toHaveAttribute('aria-disabled', 'false')
  await expect(hint(page)).toBeEmpty()
  await expect(page.getByRole('progressbar', { name: 'Progress' })).toHaveJSProperty('position', step / 6)
}

async function expectSetupIncomplete(page: Page): Promise<void> {
  await expectToast(
    page,
    'Setup Incomplete',
    'Please complete the basic information step first to create your memorial',
  )
  await expect(stepTitle(page, 'Basic Information')).toBeVisible()
  await closeToasts(page)
}

/** Uses the step cards: a list on wide screens, collapsed on a phone. */
async function jump(page: Page, name: string, width: number): Promise<void> {
  const steps = page.getByRole('navigation', { name: 'Steps' })
  if (width < 960) await page.locator('[aria-controls=wizard-steps]').click()
  await steps.getByRole('button', { name }).click()
  await expect(stepTitle(page, name)).toBeFocused()
}
