import { DAY_MS } from '../../src/shared/limits.ts'
import { violationsWithoutScript } from '../accessible.ts'
import { expect, test } from '../family.ts'
import { appStarted, hold } from '../people.ts'
import { addGathering, open, opened, publicBurial, repliesTo, reply, send, told } from '../replies.ts'
import { expectErrors, refusedWith } from '../world.ts'

const PHONE = 360
const YESTERDAY = new Date(Date.now() - DAY_MS).toISOString().slice(0, 16)
const CARD = { name: 'Funeral Details' }

test('what somebody types stays while other replies come and are withdrawn', async ({ family }) => {
  const { memorial, token } = await family.invited()
  const burial = await addGathering(family, memorial)
  const page = await family.visitorPage(PHONE, `/invite/${token}`)
  const card = page.getByRole('region', CARD)
  for (const [name, title] of [
    ['Rudo', 'Are you coming?'],
    ['Chipo', 'Reply for somebody else'],
  ] as const) {
    await open(page, title)
    await reply(page, name, 'I’m coming')
    await send(page)
    await expect(card.getByText(`${name}: coming`)).toBeVisible()
  }

  const answer = await hold(page, '**/own-replies*')
  await page.reload()
  await expect(appStarted(page)).toBeAttached()
  await open(page, 'Are you coming?')
  await reply(page, 'Farai', 'I’ll take part from afar')
  await opened(page).getByLabel('Words to the family').fill('She taught me to whistle.')
  answer()
  await expect(card.getByText('Rudo: coming')).toBeVisible()
  const words = card.locator('form', { hasText: 'Send to the family' }).getByLabel('Words to the family')
  await expect(words).toBeVisible()
  await expect(words).toHaveValue('She taught me to whistle.')
  for (const name of ['Rudo', 'Chipo']) {
    await open(page, `Withdraw: ${name}`)
    await page.locator('details[open] > form', { hasText: 'Withdraw this reply' }).getByRole('button').click()
    await expect(card.getByText(`${name}: coming`)).toHaveCount(0)
    await expect(card.getByRole('status').filter({ hasText: 'Your reply is withdrawn' })).toBeFocused()
  }
  await expect(words).toHaveValue('She taught me to whistle.')
  await send(page)
  await expect(card.getByText('Farai: taking part from afar')).toBeVisible()
  expect(told(await repliesTo(family, memorial, burial))).toEqual([
    { name: 'Farai', answer: 'AFAR', people: 1, words: 'She taught me to whistle.', email: null },
  ])
})

test('what somebody typed before the app came stays in its form', async ({ family }) => {
  const memorial = await family.memorial()
  await family.addPhoto(memorial.id)
  const burial = await addGathering(family, memorial)
  await family.setPrivacy(memorial.id, 'LOCKED')
  const page = await family.visitorPage(PHONE, `/m/${memorial.slug}`)
  await open(page, 'Are you coming?')
  await reply(page, 'Rudo', 'I’m coming', '3')
  await opened(page).getByLabel('Words to the family').fill('She taught me to whistle.')
  const own = page.waitForResponse('**/own-replies')
  await page.locator('#photos [data-open]').first().focus()
  await expect(appStarted(page)).toBeAttached()
  await (await own).finished()
  await send(page)
  await expect(page.getByText('Rudo: 3 people coming')).toBeVisible()
  expect(told(await repliesTo(family, memorial, burial))).toEqual([
    { name: 'Rudo', answer: 'COMING', people: 3, words: 'She taught me to whistle.', email: null },
  ])
})

test('a reply stays in its form while its writer gives their name for a message', async ({ family }) => {
  const { memorial, token } = await family.invited()
  await addGathering(family, memorial)
  const page = await family.visitorPage(PHONE, `/invite/${token}`)
  await open(page, 'Are you coming?')
  await reply(page, 'Rudo', 'I’m coming', '3')
  await opened(page).getByLabel('Words to the family').fill('She taught me to whistle.')
  await page.getByLabel('Write a message').fill('Rest well.')
  await page.getByRole('button', { name: 'Post message' }).click()
  await page.getByRole('dialog').getByLabel('Your name').fill('Rudo')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.locator('#messages').getByText('Rest well.')).toBeVisible()
  await expect(page.getByLabel('Put my words into the guestbook, too')).toBeVisible()
  await expect(opened(page).getByLabel('Words to the family')).toHaveValue('She taught me to whistle.')
})

test('a known sender comes late into empty fields, not beside another name', async ({ family }) => {
  const { memorial, token } = await family.invited()
  await addGathering(family, memorial, { dateTime: '2031-06-06T18:00', kind: 'WAKE' })
  const page = await family.visitorPage(PHONE, `/invite/${token}`)
  await open(page, 'Are you coming?')
  await reply(page, 'Rudo', 'I’m coming')
  const email = `rudo-${Date.now()}@family.test`
  await opened(page).getByLabel('Your email').fill(email)
  await send(page)
  await expect(page.getByText('Rudo: coming')).toBeVisible()
  await addGathering(family, memorial)
  await addGathering(family, memorial, { dateTime: '2031-06-08T10:00', kind: 'NYARADZO' })

  const answer = await hold(page, '**/own-replies*')
  await page.reload()
  await expect(appStarted(page)).toBeAttached()
  for (const name of ['Burial', 'Nyaradzo'])
    await page
      .getByRole('article')
      .filter({ has: page.getByRole('heading', { name }) })
      .locator('summary')
      .filter({ hasText: 'Are you coming?' })
      .click()
  const [ofBurial, ofNyaradzo] = [opened(page).nth(0), opened(page).nth(1)]
  await ofNyaradzo.getByLabel('Your name').fill('Farai')
  answer()
  await expect(ofBurial.getByLabel('Your name')).toHaveValue('Rudo')
  await expect(ofBurial.getByLabel('Your email')).toHaveValue(email)
  await expect(ofNyaradzo.getByLabel('Your name')).toHaveValue('Farai')
  await expect(ofNyaradzo.getByLabel('Your email')).toHaveValue('')
})

for (const { how, javaScriptEnabled } of [
  { how: 'without script', javaScriptEnabled: false },
  { how: 'with script', javaScriptEnabled: true },
])
  test(`${how} errors are at their fields, and no hidden number stops a reply`, async ({
    browser,
    family,
  }) => {
    expectErrors(refusedWith(400))
    const { memorial, token } = await family.invited()
    const burial = await addGathering(family, memorial)
    const page = await family.visitorPage(PHONE, `/invite/${token}`, { javaScriptEnabled })
    await open(page, 'Are you coming?')
    await send(page)
    const alert = page.getByRole('alert')
    await expect(alert).toContainText('Please choose an answer')
    await expect(opened(page).getByRole('group')).toHaveAccessibleDescription('Please choose an answer')
    await expect(alert.getByRole('link')).toHaveCount(2)
    expect(await violationsWithoutScript(browser, page)).toEqual([])
    await reply(page, 'Rudo', 'I’m coming', '99')
    await send(page)
    await expect(opened(page).getByLabel('How many of you are coming?')).toHaveAccessibleDescription(
      /from 1 to 20/u,
    )
    await opened(page).getByRole('radio', { name: 'I can’t come' }).check()
    await expect(opened(page).getByLabel('How many of you are coming?')).toBeHidden()
    await send(page)
    await expect(page.getByRole('status').filter({ hasText: 'Thank you, Rudo.' })).toBeVisible()
    expect(told(await repliesTo(family, memorial, burial))).toEqual([
      { name: 'Rudo', answer: 'SORRY', people: 1, words: null, email: null },
    ])
  })

test('a form stays when replies close meanwhile, and the server refuses it', async ({ family }) => {
  expectErrors(refusedWith(409))
  const { memorial, token } = await family.invited()
  const burial = await addGathering(family, memorial, { repliesUntil: '2031-06-01T10:00' })
  const page = await family.visitorPage(PHONE)
  await page.clock.install({ time: '2031-06-01T07:50:00Z' })
  await page.goto(`/invite/${token}`)
  // With its own clock, the page lets the browser send the form after a few seconds.
  await expect(appStarted(page)).toBeAttached()
  await open(page, 'Are you coming?')
  await reply(page, 'Chipo', 'I’m coming')
  await send(page)
  await expect(page.getByText('Chipo: coming')).toBeVisible()
  await open(page, 'Change: Chipo')
  await opened(page).getByLabel('Words to the family').fill('We bring firewood.')
  await open(page, 'Reply for somebody else')
  const other = page.locator('form', { hasText: 'Send to the family' })
  await other.getByRole('radio', { name: 'I’m coming' }).check()
  await other.getByLabel('Your name').fill('Rudo')
  const path = `/api/memorials/${memorial.id}/funeral-events/${burial.id}`
  await family.owner.call('PATCH', path, { repliesUntil: '2026-01-01T10:00' })
  // What changes with the clock has changed.
  await page.clock.fastForward('20:00')
  await other.getByRole('button', { name: 'Send to the family' }).click()
  await expect(page.getByRole('alert')).toContainText('This gathering takes no replies now')
  await expect(other.getByLabel('Your name')).toHaveValue('Rudo')
  const changed = page.locator('form', { hasText: 'Save the change' })
  await expect(changed.getByLabel('Words to the family')).toHaveValue('We bring firewood.')
})

test('what counts is the reply as corrected after its answer was lost', async ({ family }) => {
  expectErrors(/ERR_FAILED/u, refusedWith(409))
  const { memorial, token } = await family.invited()
  const burial = await addGathering(family, memorial, { capacity: 4 })
  const page = await family.visitorPage(PHONE, `/invite/${token}`)
  await page.route(
    '**/replies?*',
    async (route) => {
      await route.fetch({ maxRetries: 3 })
      await route.abort()
    },
    { times: 1 },
  )
  await open(page, 'Are you coming?')
  await reply(page, 'Rudo ', 'I’m coming', '2')
  await send(page)
  await expect(page.getByRole('alert')).toContainText('Your reply wasn’t sent')
  await reply(page, 'Rudo', 'I’m coming', '5')
  await send(page)
  await expect(page.getByRole('alert')).toContainText('There are 4 places left')
  await reply(page, 'Rudo', 'I’m coming', '3')
  await opened(page).getByLabel('Words to the family').fill('We bring firewood.')
  await send(page)
  await expect(page.getByRole('status').filter({ hasText: '3 of you are coming' })).toBeFocused()
  await expect(page.getByText('Rudo: 3 people coming')).toBeVisible()
  expect(told(await repliesTo(family, memorial, burial))).toEqual([
    { name: 'Rudo', answer: 'COMING', people: 3, words: 'We bring firewood.', email: null },
  ])
})

test('without script another answer fits after "All places are taken"', async ({ browser, family }) => {
  expectErrors(refusedWith(409))
  const { memorial, burial } = await publicBurial(family, { capacity: 4 })
  const page = await family.visitorPage(PHONE, `/m/${memorial.slug}`, { javaScriptEnabled: false })
  await open(page, 'Are you coming?')
  const path = `/api/memorials/${memorial.id}/funeral-events/${burial.id}/replies`
  await family.stranger().call('POST', path, { answer: 'COMING', people: 4, name: 'Chipo' })
  await reply(page, 'Rudo', 'I’m coming', '2')
  await opened(page).getByLabel('Words to the family').fill('She taught me to whistle.')
  await send(page)
  await expect(page.getByRole('alert')).toContainText('All places are taken')
  await expect(opened(page).getByRole('radio', { checked: true })).toHaveCount(0)
  await expect(opened(page).getByRole('radio', { name: 'I’m coming' })).toBeDisabled()
  expect(await violationsWithoutScript(browser, page)).toEqual([])
  await opened(page).getByRole('radio', { name: 'I’ll take part from afar' }).check()
  await send(page)
  await expect(page.getByRole('status')).toContainText('you’ll take part from afar')
  const [sent] = told(await repliesTo(family, memorial, burial))
  expect(sent).toEqual({
    name: 'Rudo',
    answer: 'AFAR',
    people: 1,
    words: 'She taught me to whistle.',
    email: null,
  })
})

for (const { state, change } of [
  { state: 'takes no more replies', change: { repliesUntil: '2026-01-01T10:00' } },
  { state: 'is cancelled', change: { isCancelled: true } },
  { state: 'is over', change: { dateTime: YESTERDAY } },
])
  test(`when a gathering ${state}, a reply can still be seen and withdrawn`, async ({ browser, family }) => {
    const { memorial, burial } = await publicBurial(family)
    const path = `/api/memorials/${memorial.id}/funeral-events/${burial.id}`
    const plain = await family.visitorPage(PHONE, `/m/${memorial.slug}`, { javaScriptEnabled: false })
    const scripted = await family.visitorPage(PHONE, `/m/${memorial.slug}`)
    for (const [page, name] of [
      [plain, 'Rudo'],
      [scripted, 'Farai'],
    ] as const) {
      await open(page, 'Are you coming?')
      await reply(page, name, 'I’m coming')
      await send(page)
      await expect(page.getByRole('status')).toContainText(`Thank you, ${name}.`)
    }
    await family.owner.call('PATCH', path, change)
    await plain.goto(`/m/${memorial.slug}`)
    await expect(plain.getByText('Are you coming?')).toHaveCount(0)
    expect(await violationsWithoutScript(browser, plain)).toEqual([])
    await expect(plain.getByRole('link', { name: 'See your reply' })).toHaveCount(1)
    await plain.getByRole('link', { name: 'See your reply' }).click()
    // Its script notes who has left words.
    await scripted.waitForLoadState()
    await scripted.goto(`/m/${memorial.slug}`)
    for (const [page, name] of [
      [plain, 'Rudo'],
      [scripted, 'Farai'],
    ] as const) {
      await expect(page.getByText(`${name}: coming`)).toBeVisible()
      await expect(page.locator('summary').filter({ hasText: 'Change' })).toHaveCount(0)
      await open(page, `Withdraw: ${name}`)
      await opened(page).getByRole('button', { name: 'Withdraw this reply' }).click()
      await expect(page.getByRole('status').filter({ hasText: 'Your reply is withdrawn' })).toBeVisible()
    }
    expect(await repliesTo(family, memorial, burial)).toEqual([])
  })
