import { expectAccessible, violationsWithoutScript } from '../accessible.ts'
import { expect, test, type Family } from '../family.ts'
import { expectNoSidewaysScroll } from '../people.ts'
import { expectErrors, refusedWith, type World } from '../world.ts'

const WEEK_MS = 7 * 24 * 60 * 60 * 1000
type Mail = { subject: string; text: string; headers: Record<string, string> }

/** Mails that have reached this address, newest first, once there are as many. */
async function mailsTo({ sandboxUrl }: World, address: string, count: number): Promise<Mail[]> {
  const read = async () => {
    const response = await fetch(`${sandboxUrl}/mail?to=${encodeURIComponent(address)}`)
    return ((await response.json()) as { messages: Mail[] }).messages
  }
  await expect.poll(async () => (await read()).length).toBe(count)
  return read()
}

const pathIn = (mail: Mail | undefined, kind: string) =>
  new RegExp(`/${kind}/\\S+`, 'u').exec(mail?.text ?? '')?.[0] ?? ''

/** Moves a memorial and its follower so far into the past, and runs the tasks of a minute. */
async function letPass({ world }: Family, memorialId: string, ms: number): Promise<void> {
  const changes = [
    'UPDATE followers SET look_at = 1, news_since = news_since - ?1, told_since = told_since - ?1',
    'UPDATE media SET created_at = created_at - ?1',
    'UPDATE comments SET created_at = created_at - ?1',
  ]
  await world.db.batch(
    changes.map((change) => world.db.prepare(`${change} WHERE memorial_id = ?2`).bind(ms, memorialId)),
  )
  const worker = await world.miniflare.getWorker()
  await worker.scheduled({ cron: '* * * * *' })
}

for (const width of [360, 1280]) {
  test(`a relative hears weekly of what was added, until they stop it, at ${width} px`, async ({
    family,
    world,
  }) => {
    const { memorial, inviteLink } = await family.invited()
    const email = `follower.${memorial.id}@family.test`
    const page = await family.visitorPage(width, inviteLink)
    await page.getByRole('link', { name: 'Get emails about this memorial' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      `Emails about this memorial: ${memorial.honoureeFullName}`,
    )
    await expect(page.getByRole('checkbox', { name: 'When something is added' })).toBeChecked()
    await expectAccessible(page, 'asking for emails', [width])
    await expectNoSidewaysScroll(page)
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Send me the email to confirm' }).click()
    await expect(page.getByRole('status')).toContainText('We’ve sent you an email.')

    const [question] = await mailsTo(world, email, 1)
    await page.goto(pathIn(question, 'follow'))
    await expectAccessible(page, 'confirming emails', [width])
    await page.getByRole('button', { name: 'Yes, write to me' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('We’ll write to you')

    await letPass(family, memorial.id, 2 * WEEK_MS)
    await family.addPhoto(memorial.id)
    await family.owner.call('POST', `/api/memorials/${memorial.id}/comments`, { body: 'Thank you all.' })
    await letPass(family, memorial.id, WEEK_MS)
    const [digest] = await mailsTo(world, email, 2)
    expect(digest?.text).toContain('1 photo\n1 message')
    expect(digest?.headers['List-Unsubscribe']).toContain(pathIn(digest, 'unfollow'))
    await letPass(family, memorial.id, WEEK_MS)
    await mailsTo(world, email, 2)

    const owner = await family.ownerPage(width, `/memorial/${memorial.id}`)
    await owner.getByRole('link', { name: 'Emails about this memorial' }).click()
    await expect(owner.getByText('1 person gets emails about it.')).toBeVisible()
    await expect(owner.getByText(email)).toHaveCount(0)
    await expectAccessible(owner, 'how many get emails', [width])

    await page.goto(pathIn(digest, 'unfollow'))
    await page.getByRole('button', { name: 'Stop these emails' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('We’ve stopped these emails')
    await expectNoSidewaysScroll(page)
    await family.owner.call('POST', `/api/memorials/${memorial.id}/comments`, { body: 'And again.' })
    await letPass(family, memorial.id, 2 * WEEK_MS)
    await mailsTo(world, email, 2)
  })
}

test('without script, visitors of a public memorial choose the days that are known', async ({
  browser,
  family,
  world,
}) => {
  expectErrors(refusedWith(400))
  const memorial = await family.memorial('LOCKED', { dateOfBirth: '1948-03-14' })
  const page = await family.visitorPage(360, `${world.url}/m/${memorial.slug}`, {
    baseURL: world.url,
    javaScriptEnabled: false,
  })
  await page.getByRole('link', { name: 'Get emails about this memorial' }).click()
  await expect(page.getByRole('checkbox', { name: 'On the birthday, 14 March' })).not.toBeChecked()
  await page.getByRole('checkbox', { name: 'When something is added' }).uncheck()
  await page.getByLabel('Email').fill('nobody@family')
  await page.getByRole('button', { name: 'Send me the email to confirm' }).click()
  await expect(page.getByLabel('Email')).toHaveAccessibleDescription(/valid email/u)
  await expect(page.getByRole('checkbox', { name: 'When something is added' })).not.toBeChecked()
  await page.getByLabel('Email').fill(`public.${memorial.id}@family.test`)
  await page.getByRole('button', { name: 'Send me the email to confirm' }).click()
  await expect(page.getByRole('alert')).toContainText('Please choose at least one')
  expect(await violationsWithoutScript(browser, page)).toEqual([])
  await page.getByRole('checkbox', { name: 'On the birthday, 14 March' }).check()
  await page.getByRole('button', { name: 'Send me the email to confirm' }).click()
  await expect(page.getByText('We’ve sent you an email.')).toBeVisible()
  const [question] = await mailsTo(world, `public.${memorial.id}@family.test`, 1)
  await page.goto(pathIn(question, 'follow'))
  await page.getByRole('button', { name: 'Yes, write to me' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('We’ll write to you')
})
