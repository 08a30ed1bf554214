import type { Page } from '@playwright/test'
import { DAY_MS } from '../../src/shared/limits.ts'
import { expectAccessible } from '../accessible.ts'
import { newOwner, PASSWORD, signIn } from '../accounts-by-api.ts'
import { expect, test } from '../family.ts'
import { expectNoSidewaysScroll, logIn } from '../people.ts'
import { expectErrors, refusedWith, type World } from '../world.ts'

const open = (page: Page, title: string) => page.locator('summary').filter({ hasText: title }).click()

/** Lets this many days pass at a memorial, and cron run. */
async function runAfter({ db, miniflare }: World, memorialId: string, days: number): Promise<void> {
  const ms = days * DAY_MS
  await db
    .prepare(
      `UPDATE successions SET said_at = said_at - ?1, next_at = next_at - ?1, asking_since = asking_since - ?1, open_since = open_since - ?1
       WHERE memorial_id = ?2`,
    )
    .bind(ms, memorialId)
    .run()
  await db
    .prepare(
      `UPDATE users SET seen_at = seen_at - ?1 WHERE id = (SELECT owner_id FROM memorials WHERE id = ?2)`,
    )
    .bind(ms, memorialId)
    .run()
  const worker = await miniflare.getWorker()
  await worker.scheduled({ cron: '17 * * * *' })
}

test('a successor claims a memorial after a year; its owner returns and takes it back', async ({
  family,
  world,
}) => {
  expectErrors(refusedWith(401), refusedWith(403), refusedWith(404))
  const memorial = await family.memorial()
  const { email } = await newOwner(world, `successor-${Date.now()}`)
  const page = await family.ownerPage(360, `/memorial/${memorial.id}`)
  await open(page, 'If you can’t look after it any more')
  await expect(page.getByText('You haven’t named anybody yet.')).toBeVisible()
  await page.getByRole('button', { name: 'Name them' }).click()
  await expect(page.getByLabel('Their name')).toHaveAttribute('aria-invalid', 'true')
  await page.getByLabel('Their name').fill('Tariro Moyo')
  await page.locator('form').filter({ hasText: 'Their name' }).getByLabel('Their email').fill(email)
  await page.getByLabel('Write to them that I named them').check()
  await page.getByRole('button', { name: 'Name them' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Tariro Moyo may ask' })).toBeFocused()
  await page.getByLabel('Ask whether I’m there after').selectOption('6 months without me')
  await expect(page.getByText(/If you haven’t signed in for 6 months/u)).toBeVisible()
  await expectAccessible(page, 'the successors')
  await expectNoSidewaysScroll(page)
  await world.mailTo(email, /You were named for a memorial/u)

  const phone = await family.visitorPage(360, `/memorial/${memorial.id}/successor`)
  await expect(phone.getByRole('heading', { level: 1 })).toHaveText('Ask for this memorial')
  await expectAccessible(phone, 'the page of a successor')
  await expectNoSidewaysScroll(phone)
  for (const [days, subject] of [
    [190, /^Are you still there/u],
    [14, /^We ask once more/u],
    [13, /^We ask for the last time/u],
  ] as const) {
    await runAfter(world, memorial.id, days)
    await world.mailTo(family.email, subject)
  }
  await runAfter(world, memorial.id, 3)
  const mail = await world.mailTo(email, /You can take over a memorial/u)
  const link = /https?:\/\/\S+\/successor/u.exec(mail.text)?.[0] ?? ''
  await phone.goto(link)
  await phone.getByRole('link', { name: 'Sign in' }).click()
  await logIn(phone, email, PASSWORD)
  await expect(phone.getByRole('heading', { level: 1 })).toHaveText('Take over the memorial of Sekai Ndlovu')
  await expectAccessible(phone, 'the claim of a memorial')
  await expectNoSidewaysScroll(phone)
  await phone.getByRole('button', { name: 'Take it over' }).click()
  await expect(phone.getByRole('heading', { level: 1 })).toHaveText('Sekai Ndlovu')
  await open(phone, 'Who looks after this memorial')
  await open(phone, 'What each did')
  await expect(phone.getByText('took over the memorial as its successor')).toBeVisible()

  await world.mailTo(family.email, /Your memorial has a new owner/u)
  const back = await family.visitorPage(1280)
  await signIn(back, world, family.email)
  await back.goto('/dashboard')
  const notice = back
    .getByRole('status')
    .filter({ hasText: 'The memorial of Sekai Ndlovu is Rudo Moyo’s now' })
  await expect(notice).toBeVisible()
  await expectAccessible(back, 'the dashboard of an owner who is back')
  await notice.getByRole('button', { name: /^Take it back/u }).click()
  await expect(back.getByRole('link', { name: 'View Sekai Ndlovu' })).toBeVisible()
  await expect(notice).toBeHidden()
  await phone.reload()
  await expect(phone.getByRole('heading', { level: 1 })).not.toHaveText('Sekai Ndlovu')
})

test('a successor asks for a memorial, and one press in the owner’s mail ends it', async ({
  family,
  world,
}) => {
  expectErrors(refusedWith(401))
  const memorial = await family.memorial()
  const { email } = await newOwner(world, `asks-${Date.now()}`)
  await family.owner.call('POST', `/api/memorials/${memorial.id}/successors`, { name: 'Tariro', email })
  const phone = await family.visitorPage(1280)
  await signIn(phone, world, email)
  await phone.goto(`/memorial/${memorial.id}/successor`)
  await phone.getByRole('button', { name: 'Ask for the memorial' }).click()
  await expect(phone.getByRole('status').filter({ hasText: `If the owner named ${email}` })).toBeFocused()
  const mail = await world.mailTo(family.email, /Are you still there/u)
  const link = /https?:\/\/\S+\/still-here\/\S+/u.exec(mail.text)?.[0] ?? ''
  const page = await family.visitorPage(360, link)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Are you still there?')
  await expectAccessible(page, 'the question whether an owner is there')
  await page.getByRole('button', { name: 'I’m still here' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Thank you')
  await expectNoSidewaysScroll(page)
  const asking = await world.db
    .prepare('SELECT asking_since FROM successions WHERE memorial_id = ?')
    .bind(memorial.id)
    .first<number | null>('asking_since')
  expect(asking).toBeNull()
})

test('an admin holds a contested request, and lets it go on', async ({ demo, family, world, page }) => {
  const memorial = await family.memorial('LOCKED', { honoureeFullName: 'Chipo Nyathi' })
  const { email, owner: successor } = await newOwner(world, `contested-${Date.now()}`)
  await family.owner.call('POST', `/api/memorials/${memorial.id}/successors`, {
    name: 'Tariro Moyo',
    email,
  })
  await successor.call('POST', `/api/successions/${memorial.id}/ask`)
  await demo.signIn(page, 'admin')
  await page.goto('/admin?tab=system')
  const row = page
    .getByRole('region', { name: 'Memorials without their owner' })
    .getByRole('listitem')
    .filter({ hasText: email })
  await expect(row).toContainText(`Tariro Moyo (${email}) may claim it later from ${family.email}.`)
  await expect(row).toContainText('Asked for')
  await row.getByRole('button', { name: 'Hold it: Chipo Nyathi' }).click()
  await expect(row).toContainText('held since')
  await expectAccessible(page, 'a request that is held')
  await row.getByRole('button', { name: 'Let it go on: Chipo Nyathi' }).click()
  await expect(row).not.toContainText('held since')
  await expect(row.getByRole('button', { name: 'Hold it: Chipo Nyathi' })).toBeFocused()
})
