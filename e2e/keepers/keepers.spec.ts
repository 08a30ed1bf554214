import type { Page } from '@playwright/test'
import { expectAccessible } from '../accessible.ts'
import { newOwner, PASSWORD, signIn } from '../accounts-by-api.ts'
import { expect, test } from '../family.ts'
import { expectNoSidewaysScroll, expectToast, logIn, postMessage, pressMore } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const open = (page: Page, title: string) => page.locator('summary').filter({ hasText: title }).click()

test('an owner invites a keeper by link, who signs in on the way, edits and is removed', async ({
  family,
  world,
}) => {
  expectErrors(refusedWith(401), refusedWith(403), refusedWith(404))
  const memorial = await family.memorial()
  const page = await family.ownerPage(360, `/memorial/${memorial.id}`)
  await open(page, 'Who looks after this memorial')
  await expect(page.getByText('Nobody but you looks after it yet.')).toBeVisible()
  await page.getByRole('button', { name: 'Invite' }).click()
  const notice = page.getByRole('status').filter({ hasText: 'we can’t show it again' })
  await expect(notice).toBeFocused()
  const share = await notice.getByRole('link', { name: 'Send with WhatsApp' }).getAttribute('href')
  const link =
    /https?:\/\/\S+\/keep\/[\w-]+/u.exec(decodeURIComponent(share ?? '').replaceAll('+', ' '))?.[0] ?? ''
  await expectAccessible(page, 'the list of keepers')
  await expectNoSidewaysScroll(page)

  const { email } = await newOwner(world, `keeper-${Date.now()}`)
  const phone = await family.visitorPage(360, link)
  await expect(phone.getByRole('heading', { level: 1 })).toHaveText(
    'Help look after the memorial of Sekai Ndlovu',
  )
  await expectAccessible(phone, 'an invitation to keep')
  await expectNoSidewaysScroll(phone)
  await phone.getByRole('link', { name: 'Sign in' }).click()
  await logIn(phone, email, PASSWORD)
  await phone.getByRole('button', { name: 'Yes, I’ll help' }).click()
  await expect(phone.getByRole('heading', { level: 1 })).toHaveText('Sekai Ndlovu')
  await postMessage(phone, 'I held her hand.')
  await expect(phone.getByRole('listitem').filter({ hasText: 'I held her hand.' })).toBeVisible()
  await open(phone, 'Who looks after this memorial')
  await expect(phone.getByText('(you)')).toBeVisible()
  await expect(phone.getByRole('button', { name: 'Stop looking after it' })).toBeVisible()

  await page.reload()
  await open(page, 'Who looks after this memorial')
  await expect(page.getByRole('listitem').filter({ hasText: email })).toContainText('Keeper')
  await page.getByRole('combobox').selectOption('Helper')
  await expect(
    page.getByText('Adds photos and words, and decides about what people send.').first(),
  ).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: email })).toContainText(`Helper · ${email}`)
  // A helper restores what they removed of their own.
  await phone.reload()
  const own = phone.getByRole('listitem').filter({ hasText: 'I held her hand.' })
  await pressMore(own, /^More: message/u, 'Delete the message of Rudo Moyo')
  await phone.getByRole('region', { name: 'Removed' }).getByRole('button', { name: 'Restore' }).click()
  await expectToast(phone, 'Restored.')
  await expect(own).toBeVisible()

  await open(page, 'What each did')
  await expect(page.getByRole('listitem').filter({ hasText: 'wrote a message' })).toBeVisible()
  await expectAccessible(page, 'what each did')
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: /^Remove /u }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('Nobody but you looks after it yet.')).toBeVisible()
  await phone.reload()
  await expect(phone.getByRole('heading', { level: 1 })).not.toHaveText('Sekai Ndlovu')
  const late = await family.visitorPage(1280)
  await signIn(late, world, email)
  await late.goto(link)
  await expect(late.getByRole('heading', { level: 1 })).toHaveText('This invitation doesn’t work any more')
})

test('a keeper is led to what others added since their own visit', async ({ family, world }) => {
  const { memorial, token } = await family.invited()
  const path = `/api/memorials/${memorial.id}`
  const { email, owner: keeper } = await newOwner(world, `keeper-news-${Date.now()}`)
  const { link } = await family.owner.call<{ link: string }>('POST', `${path}/keeper-invites`, {
    role: 'HELPER',
    mayExport: false,
  })
  await keeper.call('POST', `/api/keeper-invites/${link.split('/').at(-1)}/accept`)
  await keeper.call('POST', `${path}/seen`)
  await world.db
    .prepare('UPDATE keepers SET seen_at = ? WHERE memorial_id = ?')
    .bind(Date.UTC(2026, 0, 6, 9), memorial.id)
    .run()
  await family.owner.call('POST', `${path}/comments`, { body: 'Thank you all.' })
  await keeper.call('POST', `${path}/comments`, { body: 'I held her hand.' })
  const farai = await family.relative(token, 'Farai Chikomo')
  await farai.call('POST', `${path}/comments`, { body: 'Rest well.' })

  const page = await family.visitorPage(360)
  await signIn(page, world, email)
  await page.goto('/dashboard')
  const kept = page.getByRole('region', { name: 'You look after these with others' })
  await expect(kept).toContainText(memorial.honoureeFullName)
  const line = '2 new things from 2 people since 6 January 2026'
  await expectAccessible(page, 'a kept memorial with news')
  const seen = page.waitForResponse((answer) => answer.url().endsWith('/seen'))
  await kept.getByRole('link', { name: line }).click()
  await seen
  await expect(page.getByText('I held her hand.')).toBeVisible()
  await expect(page.getByText('New', { exact: true }), 'all but their own').toHaveCount(2)
  await expectNoSidewaysScroll(page)
  await page.reload()
  await expect(page.getByText('I held her hand.')).toBeVisible()
  await expect(page.getByText('New', { exact: true })).toHaveCount(0)
})
