import { expect, test } from '../family.ts'
import { expectDrawn, expectToast } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const STORY = '<p>Read <a href="https://elsewhere.example/story">more</a> of her.</p>'

test('an invitation leaks to no Referer, other host, address bar or history', async ({ world, family }) => {
  const { memorial, inviteLink, token } = await family.invited()
  await family.addPhoto(memorial.id)
  await family.owner.call('PATCH', `/api/memorials/${memorial.id}`, { lifeStory: STORY })
  for (const address of [inviteLink, `${world.url}/memorial/${memorial.id}?invite=${token}`]) {
    const page = await family.visitorPage(360)
    const requested: { url: string; referer: string }[] = []
    await page
      .context()
      .route('https://elsewhere.example/**', (route) => route.fulfill({ body: 'elsewhere' }))
    page.context().on('request', (request) => {
      const one = { url: request.url(), referer: 'not known yet' }
      requested.push(one)
      const listed = request.allHeaders().then(({ referer = '' }) => (one.referer = referer))
      void listed.catch(() => (one.referer = 'unknown'))
    })
    await page.goto('/about')
    const session = page.waitForResponse('**/api/invite/*/session')
    await page.goto(address)
    await session
    await expect(page).toHaveURL(`/memorial/${memorial.id}`)
    await expect(page.getByRole('heading', { level: 1, name: memorial.honoureeFullName })).toBeVisible()
    await expect(page.locator('img').first()).toBeVisible()
    await page.getByRole('link', { name: 'more' }).click()
    await expect(page).toHaveURL('https://elsewhere.example/story')

    const foreign = () => requested.filter(({ url }) => new URL(url).origin !== world.url)
    await expect.poll(foreign).toEqual([{ url: 'https://elsewhere.example/story', referer: '' }])
    expect(requested.filter(({ url }) => url.includes(token)).length).toBeGreaterThan(0)
    expect(requested.filter(({ referer }) => referer.includes(token) || referer === 'unknown')).toEqual([])
    // Photos of the first screen load through the link. From then on there is a session, and no address has the token.
    const before = requested.length
    await page.goto(`/memorial/${memorial.id}`)
    await expectDrawn(page.locator('img').first())
    expect(requested.slice(before).filter(({ url }) => url.includes('/media/'))).not.toEqual([])
    expect(requested.slice(before).filter(({ url }) => url.includes(token))).toEqual([])
    // The app may replace the entry while it loads, which would abort a wait for its load event.
    await page.goBack({ waitUntil: 'commit' })
    await expect(page).toHaveURL('https://elsewhere.example/story')
    await page.goBack({ waitUntil: 'commit' })
    await expect(page).toHaveURL(`/memorial/${memorial.id}`)
    await page.context().close()
  }
})

test('scripts cannot read a session token, and the session works', async ({ family }) => {
  const { memorial, inviteLink, token } = await family.invited()
  const page = await family.visitorPage(360)
  const answer = page.waitForResponse('**/api/invite/*/session')
  await page.goto(inviteLink)
  const { authToken } = (await (await answer).json()) as { authToken: string }
  await expect(page.getByLabel('Write a message')).toBeVisible()
  const readable = () =>
    page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]))
  await expect.poll(readable).toContain(token)
  expect(await readable()).not.toContain(authToken)
  const kept = (await page.context().cookies()).find(({ value }) => value === authToken)
  expect(kept).toMatchObject({ name: `contributor-${memorial.id}`, httpOnly: true, sameSite: 'Lax' })
})

test("one person's drafts are not shown to the next, nor after signing out", async ({ family }) => {
  expectErrors(refusedWith(401), refusedWith(403))
  const { memorial, inviteLink } = await family.invited()
  const page = await family.visitorPage(360)
  const box = page.getByLabel('Write a message')
  const say = async (name: string) => {
    const dialog = page.getByRole('dialog', { name: 'What name should the family see?' })
    await dialog.getByLabel('Your name').fill(name)
    await dialog.getByRole('button', { name: 'Save' }).click()
  }
  const named = (name: string) =>
    expect(page.getByText(`The family sees your name as ${name}.`)).toBeVisible()
  await page.goto(inviteLink)
  await box.fill('First')
  await page.getByRole('button', { name: 'Post message' }).click()
  await say('Farai')
  await expectToast(page, 'Message Posted')
  await named('Farai')
  await box.fill('Only between us, mother')
  await page.reload()
  await expect(box).toHaveValue('Only between us, mother')

  await page.getByRole('button', { name: 'Not you? Change' }).click()
  await say('Tariro')
  await named('Tariro')
  await expect(box).toHaveValue('')
  const stored = () => page.evaluate(() => JSON.stringify({ ...localStorage }))
  await expect.poll(stored).not.toContain('Only between us')

  // A draft stays with the person who typed it, even if the link changes meanwhile.
  await box.fill('Rest well, aunt')
  await family.owner.call('POST', `/api/memorials/${memorial.id}/invite-link/rotate`)
  await page.reload()
  await expect(page.getByRole('heading', { name: /Private Memorial|Access Denied/u })).toBeVisible()
  await expect.poll(stored).not.toMatch(/Rest well, aunt|contributor-session/u)
  expect(await page.content()).not.toContain(memorial.honoureeFullName)
  await page.goto('/')
})

test("after signing out no tab shows or stores any of the user's data", async ({ family }) => {
  expectErrors(refusedWith(401), refusedWith(403))
  const memorial = await family.memorial()
  const page = await family.ownerPage(1280)
  const other = await page.context().newPage()
  for (const tab of [page, other]) {
    await tab.goto(`/memorial/${memorial.id}`)
    await tab.getByLabel('Write a message').fill('Only between us, mother')
    await tab.waitForLoadState('networkidle')
  }
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('A lasting place for their story')
  await expect(other.getByRole('heading', { name: 'Private Memorial' })).toBeVisible()
  for (const tab of [page, other]) {
    const left = await tab.evaluate(() => document.body.innerText + JSON.stringify({ ...localStorage }))
    for (const text of ['Only between us', memorial.honoureeFullName, family.email])
      expect(left).not.toContain(text)
  }
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Private Memorial' })).toBeVisible()
  expect(await page.content()).not.toContain(memorial.honoureeFullName)
  expect((await page.context().cookies()).filter(({ name }) => /session|contributor/u.test(name))).toEqual([])
})
