import { expect, test } from '../family.ts'
import { files } from '../files.ts'
import {
  appStarted,
  expectEnhanced,
  expectPlaying,
  giveName,
  hold,
  MEMORIAL_APP,
  onDearData,
  postMessage,
} from '../people.ts'
import { addGathering, open, opened, publicBurial, reply, repliesTo, send, told } from '../replies.ts'
import { expectErrors, refusedWith } from '../world.ts'

const WORDS = 'She taught me to whistle.'

test('a form that the browser sends is not sent again by the app', async ({ family }) => {
  const { inviteLink } = await family.invited()
  const page = await onDearData(await family.visitorPage(360, inviteLink, { sendsPlainForms: true }))
  await page.getByLabel('Write a message').focus()
  await expect(appStarted(page)).toBeAttached()
  await postMessage(page, 'Go well.')
  await giveName(page, 'Farai Chikomo')
  await expect(page.getByRole('listitem').filter({ hasText: 'Go well.' })).toBeVisible()
  const pressedAgain = Promise.withResolvers<void>()
  await page.exposeFunction('pressedAgain', pressedAgain.resolve)
  // As a person would, when the app is here and the browser still waits for its answer.
  await page.addInitScript(() => {
    const { pressedAgain: tell } = window as unknown as { pressedAgain: () => void }
    new MutationObserver((_, observer) => {
      const post = document.querySelector('#add-a-message button[type="submit"]')
      if (document.documentElement.dataset['app'] !== 'here' || !post) return
      observer.disconnect()
      post.scrollIntoView({ block: 'center', behavior: 'instant' })
      const { x, y, width, height } = post.getBoundingClientRect()
      const pressed = document.elementFromPoint(x + width / 2, y + height / 2)
      if (pressed instanceof HTMLElement) pressed.click()
      tell()
    }).observe(document, { attributes: true, subtree: true })
  })
  const releaseApp = await hold(page, MEMORIAL_APP)
  await page.reload()
  await page.getByLabel('Write a message').fill(WORDS)
  const answer = Promise.withResolvers<void>()
  await page.route('**/memorial/*', async (route) => {
    if (route.request().method() === 'POST') await answer.promise
    await route.fallback()
  })
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.isNavigationRequest())
  await page.getByRole('button', { name: 'Post message' }).click({ noWaitAfter: true })
  await sent
  releaseApp()
  await pressedAgain.promise
  answer.resolve()
  await expect(page.getByText('Thank you. The family can see your message now.')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('listitem').filter({ hasText: WORDS })).toHaveCount(1)
})

test('“No, thanks” is sent as such where the app is lost', async ({ family }) => {
  expectErrors(/ERR_FAILED/u)
  const { inviteLink } = await family.invited()
  const page = await onDearData(await family.visitorPage(360, inviteLink))
  await postMessage(page, WORDS)
  await giveName(page, 'Farai Chikomo')
  const question = page.getByRole('form', { name: 'If you change phones, should we know you again?' })
  await expect(question).toBeVisible()
  await page.route(MEMORIAL_APP, (route) => route.abort())
  await page.reload()
  await question.getByLabel('Email').fill('farai@family.test')
  await question.getByRole('button', { name: 'No, thanks' }).click()
  await expect(page.getByText('The family sees your name as Farai Chikomo.')).toBeVisible()
  await expect(question).toHaveCount(0)
  await page.getByRole('link', { name: 'If you change phones' }).click()
  await expect(page.getByRole('region', { name: 'Your email address' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Delete my address' })).toHaveCount(0)
})

test('a reply opens, and is sent, where the app is lost', async ({ family }) => {
  expectErrors(/ERR_FAILED/u)
  const { memorial, inviteLink } = await family.invited()
  const burial = await addGathering(family, memorial)
  const page = await onDearData(await family.visitorPage(360))
  await page.route(MEMORIAL_APP, (route) => route.abort())
  await page.goto(inviteLink)
  await expectEnhanced(page)
  await open(page, 'Are you coming?')
  await reply(page, 'Rudo', 'I’m coming', '3')
  await send(page)
  await expect.poll(async () => (await repliesTo(family, memorial, burial)).length).toBe(1)
})

test('a press on a closed list says that its inside didn’t load', async ({ family }) => {
  expectErrors(/ERR_FAILED/u)
  const { memorial } = await family.invited()
  const page = await family.ownerPage(360)
  await page.route(MEMORIAL_APP, (route) => route.abort())
  await page.goto(`/memorial/${memorial.id}`)
  await expectEnhanced(page)
  await page.getByText('Who looks after this memorial', { exact: true }).click()
  await expect(page.getByText('This did not load. Please try again.')).toBeVisible()
})

test('a box in a reply that is ticked before the app came is only its own answer', async ({ family }) => {
  const { memorial, inviteLink } = await family.invited()
  const page = await onDearData(await family.visitorPage(360, inviteLink))
  await postMessage(page, 'Go well.')
  await giveName(page, 'Farai Chikomo')
  await expect(page.getByRole('listitem').filter({ hasText: 'Go well.' })).toBeVisible()
  await addGathering(family, memorial)
  const release = await hold(page, MEMORIAL_APP)
  await page.reload()
  await expectEnhanced(page)
  await open(page, 'Are you coming?')
  await opened(page).getByLabel('Put my words into the guestbook, too').check()
  release()
  await expect(appStarted(page)).toBeAttached()
  await expect(opened(page).getByLabel('Put my words into the guestbook, too')).toBeChecked()
  expect(await page.evaluate(() => localStorage.getItem('keep-originals'))).toBeNull()
})

test('the browser’s own message is no draft, though its writer had no name at first', async ({ family }) => {
  expectErrors(refusedWith(400), /ERR_FAILED/u)
  const { inviteLink } = await family.invited()
  const page = await onDearData(await family.visitorPage(360))
  await page.route(MEMORIAL_APP, (route) => route.abort())
  await page.goto(inviteLink)
  const message = page.getByLabel('Write a message')
  await message.fill(WORDS)
  await page.getByRole('button', { name: 'Post message' }).click()
  await expect(page.getByLabel('Your name')).toBeVisible()
  await expectEnhanced(page)
  await page.getByLabel('Your name').fill('Farai Chikomo')
  await page.getByRole('button', { name: 'Post message' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: WORDS })).toContainText('Farai Chikomo')
  await expectEnhanced(page)
  await page.unroute(MEMORIAL_APP)
  await page.reload()
  await message.focus()
  await expect(appStarted(page)).toBeAttached()
  await expect(message).toHaveValue('')
})

test('a video that plays when the app comes keeps its controls', async ({ family }) => {
  const memorial = await family.memorial()
  await family.addPhoto(memorial.id)
  const path = `/api/memorials/${memorial.id}/media/upload`
  await family.owner.upload(path, files.video, 'video/mp4', { type: 'VIDEO' })
  await family.setPrivacy(memorial.id, 'LOCKED')
  const page = await family.visitorPage(360)
  const release = await hold(page, MEMORIAL_APP)
  await page.goto(`/m/${memorial.slug}`)
  await expectEnhanced(page)
  await page.getByRole('button', { name: /^Play video/u }).press('Enter')
  await expectPlaying(page.locator('video'))
  release()
  await page.locator('#photos [data-open]').first().focus()
  await expect(appStarted(page)).toBeAttached()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  await expect(page.locator('video')).toHaveAttribute('controls')
})

test('what visitors typed stays when the app finds newer messages than the page has', async ({ family }) => {
  const { memorial, burial } = await publicBurial(family)
  await family.leave(memorial.slug, { name: 'Chipo', body: 'First' })
  const page = await family.visitorPage(360)
  const release = await hold(page, `**/api/memorial/${memorial.slug}`)
  await page.goto(`/m/${memorial.slug}`)
  await expectEnhanced(page)
  await page.getByLabel('Leave a message').fill(WORDS)
  await page.getByLabel('How did you know each other?').fill('A neighbour')
  await open(page, 'Are you coming?')
  await reply(page, 'Rudo', 'I’m coming', '3')
  await family.leave(memorial.slug, { name: 'Tatenda', body: 'Second' })
  await page.getByRole('link', { name: 'Report', exact: true }).first().dispatchEvent('pointerover')
  await page.getByLabel('Leave a message').focus()
  release()
  await expect(appStarted(page)).toBeAttached()
  await expect(page.getByRole('listitem').filter({ hasText: 'Second' })).toBeVisible()
  await expect(page.getByLabel('Leave a message')).toHaveValue(WORDS)
  await expect(page.getByLabel('Leave a message')).toBeFocused()
  await expect(page.getByLabel('How did you know each other?')).toHaveValue('A neighbour')
  if ((await opened(page).count()) === 0) await open(page, 'Are you coming?')
  await send(page)
  await expect(page.getByText('Rudo: 3 people coming')).toBeVisible()
  expect(told(await repliesTo(family, memorial, burial))).toMatchObject([
    { name: 'Rudo', answer: 'COMING', people: 3 },
  ])
})

test('a press that waits for the app is done though the page is older than its data', async ({ family }) => {
  const { memorial } = await family.openToVisitors('AT_ONCE')
  for (let count = 0; count < 21; count += 1)
    await family.leave(memorial.slug, { name: 'Chipo', body: `Message ${count}` })
  const page = await family.visitorPage(360)
  const release = await hold(page, `**/api/memorial/${memorial.slug}`)
  await page.goto(`/m/${memorial.slug}`)
  await expectEnhanced(page)
  await page.getByRole('button', { name: 'Load More Messages' }).click()
  await family.leave(memorial.slug, { name: 'Tatenda', body: 'The newest' })
  release()
  await expect(page.getByText('The newest')).toBeVisible()
  await expect(page.getByText('Message 0')).toBeVisible()
})

test('the reason of a report stays chosen when the app comes', async ({ family }) => {
  const { memorial } = await family.openToVisitors('AT_ONCE')
  const { id } = await family.leave(memorial.slug, { name: 'Chipo', body: 'First' })
  const page = await family.visitorPage(360)
  const release = await hold(page, /\/assets\/(?:libraries|[\w-]+-screens|app)-[^/]+\.js$/u)
  await page.goto(`/report?item=${id}`)
  await page.getByLabel('It isn’t true').check()
  release()
  await expect(appStarted(page)).toBeAttached()
  await page.getByLabel('Anything to add?').fill('She never owed anybody.')
  await expect(page.getByLabel('It isn’t true')).toBeChecked()
})
