import { readFile } from 'node:fs/promises'
import { replyListMessages } from '../../src/shared/replies/reply-list-messages.ts'
import { expectAccessible, violationsWithoutScript } from '../accessible.ts'
import { expect, test } from '../family.ts'
import { expectNoSidewaysScroll, hold } from '../people.ts'
import { addGathering, open, opened, publicBurial, repliesTo, reply, send, told } from '../replies.ts'
import { expectErrors, refusedWith } from '../world.ts'

const PHONE = 360

for (const width of [PHONE, 1280]) {
  test(`without script a stranger replies, changes it and withdraws it, at ${width} px`, async ({
    browser,
    family,
  }) => {
    expectErrors(refusedWith(400))
    const { memorial, burial } = await publicBurial(family)
    const page = await family.visitorPage(width, `/m/${memorial.slug}`, { javaScriptEnabled: false })
    await open(page, 'Are you coming?')
    expect(await violationsWithoutScript(browser, page)).toEqual([])
    await expectNoSidewaysScroll(page)
    await reply(page, 'Rudo', 'I’m coming', '3')
    await opened(page).getByLabel('Words to the family').fill('x'.repeat(501))
    await send(page)

    await expect(page.getByRole('alert')).toContainText('Please use at most 500 characters')
    await expect(opened(page).getByLabel('Your name')).toHaveValue('Rudo')
    await expect(opened(page).getByLabel('How many of you are coming?')).toHaveValue('3')
    expect(await violationsWithoutScript(browser, page)).toEqual([])
    await opened(page).getByLabel('Words to the family').fill('We bring firewood.')
    await send(page)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your replies: Sekai Ndlovu')
    await expect(page.getByRole('status')).toHaveText(
      'Thank you, Rudo. The family knows that 3 of you are coming.',
    )
    await expectNoSidewaysScroll(page)
    expect(await violationsWithoutScript(browser, page)).toEqual([])
    const sent = { name: 'Rudo', answer: 'COMING', people: 3, words: 'We bring firewood.', email: null }
    expect(told(await repliesTo(family, memorial, burial))).toEqual([sent])

    await open(page, 'Change: Rudo')
    await opened(page).getByLabel('How many of you are coming?').fill('5')
    await opened(page).getByRole('button', { name: 'Save the change' }).click()
    await expect(page.getByRole('status')).toHaveText('Your reply is changed')
    await expect(page.getByText('Rudo: 5 people coming')).toBeVisible()

    // A phone goes from hand to hand.
    await open(page, 'Reply for somebody else')
    await reply(page, 'Farai', 'I can’t come')
    await send(page)
    await expect(page.getByRole('status')).toHaveText(
      'Thank you, Farai. The family knows that you can’t come.',
    )
    await open(page, 'Withdraw: Rudo')
    await opened(page).getByRole('button', { name: 'Withdraw this reply' }).click()
    await expect(page.getByRole('status')).toHaveText('Your reply is withdrawn')
    const other = { name: 'Farai', answer: 'SORRY', people: 1, words: null, email: null }
    expect(told(await repliesTo(family, memorial, burial))).toEqual([other])

    await page.getByRole('link', { name: 'Back to the memorial' }).click()
    await page.getByRole('link', { name: 'See or change your reply' }).click()
    await expect(page.getByText('Farai: can’t come')).toBeVisible()
    // The same reply again counts again.
    await open(page, 'Reply for somebody else')
    await reply(page, 'Rudo', 'I’m coming', '3')
    await opened(page).getByLabel('Words to the family').fill('We bring firewood.')
    await send(page)
    await expect(page.getByRole('status')).toContainText('Thank you, Rudo.')
    expect(told(await repliesTo(family, memorial, burial))).toEqual([sent, other])
  })
}

test('with script a stranger’s words go in the guestbook; the page knows their reply', async ({ family }) => {
  const { memorial, burial } = await publicBurial(family)
  const page = await family.visitorPage(PHONE, `/m/${memorial.slug}`)
  await page.locator('summary').filter({ hasText: 'Are you coming?' }).focus()
  await page.keyboard.press('Enter')
  await expectAccessible(page, 'the form of a reply')
  await page.setViewportSize({ width: PHONE, height: 740 })
  await reply(page, 'Rudo', 'I’ll take part from afar')
  await expect(opened(page).getByLabel('How many of you are coming?')).toBeHidden()
  await opened(page).getByLabel('Words to the family').fill('She taught me to whistle.')
  await opened(page).getByLabel('Put my words into the guestbook, too').check()
  await opened(page).getByRole('button', { name: 'Send to the family' }).dblclick()
  await expect(page.getByRole('status')).toContainText(
    'Thank you, Rudo. The family knows that you’ll take part from afar.',
  )
  await expect(page.getByRole('status')).toContainText('We’ve put your words into the guestbook, too.')
  await expectAccessible(page, 'the page of replies')
  await page.setViewportSize({ width: PHONE, height: 740 })
  expect(await repliesTo(family, memorial, burial)).toHaveLength(1)

  await page.getByRole('link', { name: 'Back to the memorial' }).click()
  await expect(page.locator('#messages').getByText('She taught me to whistle.')).toBeVisible()
  const card = page.getByRole('region', { name: 'Funeral Details' })
  await expect(card.getByText('Rudo: taking part from afar')).toBeVisible()
  await open(page, 'Change: Rudo')
  await opened(page).getByRole('radio', { name: 'I’m coming' }).check()
  await opened(page).getByLabel('How many of you are coming?').fill('2')
  await opened(page).getByRole('button', { name: 'Save the change' }).click()
  await expect(card.getByRole('status').filter({ hasText: 'Your reply is changed' })).toBeFocused()
  await expect(card.getByText('Rudo: 2 people coming')).toBeVisible()
  await expectAccessible(page, 'an own reply in the card')
  await page.setViewportSize({ width: PHONE, height: 740 })
  await open(page, 'Withdraw: Rudo')
  await opened(page).getByRole('button', { name: 'Withdraw this reply' }).click()
  await expect(card.getByRole('status').filter({ hasText: 'Your reply is withdrawn' })).toBeFocused()
  await expect(card.getByText('Rudo: 2 people coming')).toHaveCount(0)
  expect(await repliesTo(family, memorial, burial)).toEqual([])
})

test('a full gathering still takes those who stay away, and a closed one nobody', async ({ family }) => {
  expectErrors(refusedWith(409))
  const { memorial, burial } = await publicBurial(family, { capacity: 4 })
  const page = await family.visitorPage(PHONE, `/m/${memorial.slug}`)
  await open(page, 'Are you coming?')
  const path = `/api/memorials/${memorial.id}/funeral-events/${burial.id}`
  await family.stranger().call('POST', `${path}/replies`, { answer: 'COMING', people: 3, name: 'Chipo' })
  await reply(page, 'Rudo', 'I’m coming', '2')
  await send(page)
  await expect(page.getByRole('alert')).toContainText('There is 1 place left')
  await expect(opened(page).getByLabel('Your name')).toHaveValue('Rudo')
  await opened(page).getByLabel('How many of you are coming?').fill('1')
  await send(page)
  await expect(page.getByRole('status')).toHaveText('Thank you, Rudo. The family knows that you’re coming.')

  const late = await family.visitorPage(PHONE, `/m/${memorial.slug}`)
  await open(late, 'Are you coming?')
  await expect(late.getByText('All places are taken')).toBeVisible()
  await expect(late.getByRole('radio', { name: 'I’m coming' })).toBeDisabled()
  await reply(late, 'Farai', 'I can’t come')
  await send(late)
  await expect(late.getByRole('status')).toHaveText('Thank you, Farai. The family knows that you can’t come.')

  await family.owner.call('PATCH', path, { repliesUntil: '2026-01-01T10:00' })
  await page.goto(`/m/${memorial.slug}`)
  await expect(late.getByRole('status')).toBeVisible()
  await open(late, 'Change: Farai')
  await opened(late).getByRole('button', { name: 'Save the change' }).click()
  await expect(late.getByRole('alert')).toContainText('This gathering takes no replies now')
  const last = await family.visitorPage(PHONE, `/m/${memorial.slug}`)
  await expect(last.getByText('Replies are closed.')).toBeVisible()
  await expect(last.locator('summary').filter({ hasText: 'Are you coming?' })).toHaveCount(0)
})

test('a mailed link changes the reply and withdraws it, without script', async ({
  browser,
  family,
  world,
}) => {
  const { memorial, burial } = await publicBurial(family)
  const email = `rudo-${Date.now()}@family.test`
  const page = await family.visitorPage(PHONE, `/m/${memorial.slug}`)
  await open(page, 'Are you coming?')
  await reply(page, 'Rudo', 'I’m coming', '3')
  await opened(page).getByLabel('Your email').fill(email)
  await send(page)
  await expect(page.getByRole('status')).toContainText('We’ve sent it to you by email, with a calendar file.')
  const { text } = await world.mailTo(email, /reached the family/u)
  const link = /https?:\/\/\S+(\/reply\/[\w.-]+)/u.exec(text)?.[1] ?? ''

  const other = await family.visitorPage(PHONE, link, { javaScriptEnabled: false })
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Your reply: Sekai Ndlovu')
  await expect(other.getByText('Saturday 7 June 2031, 10:00, Harare time')).toBeVisible()
  expect(await violationsWithoutScript(browser, other)).toEqual([])
  await expectNoSidewaysScroll(other)
  await open(other, 'Change: Rudo')
  await opened(other).getByLabel('How many of you are coming?').fill('4')
  await opened(other).getByRole('button', { name: 'Save the change' }).click()
  await expect(other.getByRole('status')).toHaveText('Your reply is changed')
  expect(told(await repliesTo(family, memorial, burial))).toEqual([
    { name: 'Rudo', answer: 'COMING', people: 4, words: null, email },
  ])
  const scripted = await family.visitorPage(PHONE, link)
  await expectAccessible(scripted, 'the page of a mailed link')
  await open(other, 'Withdraw: Rudo')
  await opened(other).getByRole('button', { name: 'Withdraw this reply' }).click()
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Your reply is withdrawn')
  expect(await repliesTo(family, memorial, burial)).toEqual([])
  await other.goto(link)
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('This link no longer works')
})

test('an invited guest replies by the link, with script and without', async ({ family }) => {
  const { memorial, token } = await family.invited()
  const burial = await addGathering(family, memorial, { audience: 'INVITED' })
  const plain = await family.visitorPage(PHONE, `/invite/${token}`, { javaScriptEnabled: false })
  await open(plain, 'Are you coming?')
  await reply(plain, 'Farai', 'I’m coming', '2')
  await send(plain)
  await expect(plain.getByRole('status')).toHaveText(
    'Thank you, Farai. The family knows that 2 of you are coming.',
  )
  await plain.getByRole('link', { name: 'Back to the memorial' }).click()
  await expect(plain.getByRole('heading', { level: 1 })).toHaveText('Sekai Ndlovu')

  const page = await family.visitorPage(PHONE, `/invite/${token}`)
  await open(page, 'Are you coming?')
  await reply(page, 'Rudo', 'I’m coming', '3')
  await send(page)
  const card = page.getByRole('region', { name: 'Funeral Details' })
  await expect(card.getByRole('status')).toHaveText(
    'Thank you, Rudo. The family knows that 3 of you are coming.',
  )
  await expect(card.getByText('Rudo: 3 people coming')).toBeVisible()
  await page.reload()
  await expect(card.getByText('Rudo: 3 people coming')).toBeVisible()
  await expect(card.getByText('Reply for somebody else')).toBeVisible()
  expect(told(await repliesTo(family, memorial, burial)).map(({ name, people }) => [name, people])).toEqual([
    ['Rudo', 3],
    ['Farai', 2],
  ])
})

test('the owner sees and downloads who comes, removes one, and tells of a change once', async ({
  family,
  world,
}) => {
  const { memorial, burial } = await publicBurial(family, { capacity: 80 })
  const path = `/api/memorials/${memorial.id}/funeral-events/${burial.id}`
  const email = `chipo-${Date.now()}@family.test`
  const answers = [
    { answer: 'COMING', people: 40, name: 'x' },
    { answer: 'COMING', people: 3, name: 'Chipo', words: 'We bring firewood.', email },
    { answer: 'COMING', people: 2, name: 'Tendai' },
    { answer: 'AFAR', name: 'Farai' },
    { answer: 'SORRY', name: '=Rudo' },
  ]
  for (const answer of answers.slice(1)) await family.stranger().call('POST', `${path}/replies`, answer)
  const page = await family.ownerPage(PHONE, `/memorial/${memorial.id}`)
  const list = page.getByRole('region', { name: 'Who is coming' })
  await expect(list).toContainText('5 coming (2 replies), 1 from afar, 1 can’t come, room for 80')
  await open(page, 'See the replies')
  const chipo = list.getByRole('listitem').filter({ hasText: 'Chipo' })
  await expect(chipo).toContainText('Chipo: 3 people coming')
  await expect(chipo).toContainText('We bring firewood.')
  await expect(chipo).toContainText(email)
  await expectAccessible(page, 'who is coming')
  await page.setViewportSize({ width: PHONE, height: 740 })

  const downloading = page.waitForEvent('download')
  await list.getByRole('link', { name: 'Download as CSV: Burial' }).click()
  const file = await readFile(await (await downloading).path(), 'utf8')
  expect(file).toContain('"Chipo","Coming","3"')
  expect(file).toContain(`"'=Rudo","Can’t come"`)

  await list.getByRole('button', { name: /^Remove: reply of =Rudo/u }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove the reply of =Rudo?' })
  // No place was held for them.
  await expect(dialog.getByText('It goes for good. They aren’t told.')).toBeVisible()
  const removing = page.waitForRequest((request) => request.method() === 'DELETE')
  const finishRemoval = await hold(page, '**/replies/*')
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await removing
  await expect(dialog.getByRole('button', { name: 'Remove' })).toBeDisabled()
  // It stays until it's done, also for who doesn't wait.
  await page.keyboard.press('Escape')
  await expect(dialog.getByRole('button', { name: 'Remove' })).toBeDisabled()
  finishRemoval()
  await expect(dialog).toHaveCount(0)
  await expect(list.getByRole('list', { name: 'Replies' })).toBeFocused()
  await expect(list).toContainText('5 coming (2 replies), 1 from afar, 0 can’t come, room for 80')
  await expect(list.getByRole('listitem')).toHaveCount(3)
  await expect(list.getByText('who are coming?')).toHaveCount(0)

  await family.owner.call('PATCH', path, { dateTime: '2031-06-07T11:00', timeZone: 'Africa/Harare' })
  await page.reload()
  const question = list.getByRole('status').filter({ hasText: 'Burial: Tell the 3 who are coming?' })
  await expect(question).toContainText('gets one email.')
  await expect(question).toContainText('3 gave no email address. Please tell them yourselves.')
  await question.getByRole('button', { name: 'Not now' }).click()
  await expect(question).toHaveCount(0)
  await expect(list.getByRole('heading', { name: 'Who is coming' })).toBeFocused()
  await page.reload()
  await expectAccessible(page, 'the question whom to tell')
  await page.setViewportSize({ width: PHONE, height: 740 })
  await question.getByRole('button', { name: 'Tell them' }).click()
  const sending = list.getByRole('status').filter({ hasText: 'We’re sending 1 email.' })
  await expect(sending).toBeFocused()
  await expect(sending).toContainText('3 gave no email address. Please tell them yourselves.')
  expect((await world.mailTo(email, /has changed/u)).text).toContain('11:00')
  await page.reload()
  await expect(list).toContainText('5 coming')
  await expect(question).toHaveCount(0)
})

test('the owner hears of those who gave no address, until the family has told them', async ({ family }) => {
  const { memorial, burial } = await publicBurial(family)
  const path = `/api/memorials/${memorial.id}/funeral-events/${burial.id}`
  await family.stranger().call('POST', `${path}/replies`, { answer: 'COMING', people: 4, name: 'Chipo' })
  await family.owner.call('PATCH', path, { dateTime: '2031-06-07T11:00', timeZone: 'Africa/Harare' })
  const page = await family.ownerPage(PHONE, `/memorial/${memorial.id}`)
  const notice = page.getByRole('status').filter({ hasText: 'Burial' })
  await expect(notice).toContainText('4 people don’t know of your change')
  await expect(notice).toContainText('4 gave no email address. Please tell them yourselves.')
  await notice.getByRole('button', { name: 'We’ve told them' }).click()
  await expect(notice).toHaveText('BurialWe won’t ask about this change again.')
  await page.reload()
  await expect(page.getByText('4 coming (1 reply)')).toBeVisible()
  await expect(notice).toHaveCount(0)
})

test('a list that fails says so where it helps, and keeps what it has', async ({ family }) => {
  expectErrors(refusedWith(500))
  const broken = { status: 500, json: { message: 'It broke', code: 'internal' } }
  const plain = await family.memorial()
  const counts = '**/api/memorials/*/replies'
  const page = await family.ownerPage(PHONE)
  await page.route(counts, (route) => route.fulfill(broken))
  await page.goto(`/memorial/${plain.id}`)
  await expect(page.getByText('Delete this memorial')).toBeVisible()
  await page.waitForLoadState('networkidle')
  await expect(page.getByText(replyListMessages.listFailed)).toHaveCount(0)

  const { memorial, burial } = await publicBurial(family)
  await page.goto(`/memorial/${memorial.id}`)
  await expect(page.getByRole('alert')).toContainText(replyListMessages.listFailed)
  await page.unroute(counts)
  const path = `/api/memorials/${memorial.id}/funeral-events/${burial.id}/replies`
  await family.stranger().call('POST', path, { answer: 'COMING', name: 'Chipo' })
  const [chipo] = await repliesTo(family, memorial, burial)
  await page.route(`**${path}`, (route) => route.fulfill({ json: { replies: [chipo], nextCursor: 'more' } }))
  await page.route(`**${path}?cursor=more`, (route) => route.fulfill(broken))
  await page.getByRole('button', { name: 'Try again' }).click()
  await open(page, 'See the replies')
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(page.getByRole('alert')).toContainText('More could not be loaded')
  await expect(page.getByText('Chipo: coming')).toBeVisible()
  await page.unroute(`**${path}?cursor=more`)
  await page.route(`**${path}?cursor=more`, (route) =>
    route.fulfill({ json: { replies: [{ ...chipo, id: 'rpl_2', name: 'Tendai' }], nextCursor: null } }),
  )
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(page.getByText('Tendai: coming')).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('the wizard asks after a change of time, and not before', async ({ family }) => {
  const { memorial, burial } = await publicBurial(family)
  const replies = `/api/memorials/${memorial.id}/funeral-events/${burial.id}/replies`
  const email = `wizard-${Date.now()}@family.test`
  await family.stranger().call('POST', replies, { answer: 'COMING', people: 2, name: 'Chipo', email })
  const page = await family.ownerPage(PHONE, `/create-memorial/${memorial.id}?step=3`)
  const question = page.getByRole('status').filter({ hasText: 'Burial: Tell the 2 who are coming?' })
  await expect(page.getByRole('button', { name: 'Next' })).toBeVisible()
  await page.waitForLoadState('networkidle')
  await expect(question).toHaveCount(0)
  await page.goto(`/create-memorial/${memorial.id}?step=2`)
  await page.getByLabel('Date and time in Harare').fill('2031-06-07T11:30')
  await page.getByRole('button', { name: 'Next' }).click()
  await question.getByRole('button', { name: 'Tell them' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'We’re sending 1 email.' })).toBeFocused()
})
