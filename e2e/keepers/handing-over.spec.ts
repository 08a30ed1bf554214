import { expectAccessible } from '../accessible.ts'
import { PASSWORD } from '../accounts-by-api.ts'
import { expect, test } from '../family.ts'
import { expectNoSidewaysScroll, postMessage } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'
import type { Page } from '@playwright/test'

const openList = (page: Page) =>
  page.locator('summary').filter({ hasText: 'Who looks after this memorial' }).click()

test('an owner hands a memorial over to a keeper, and takes it back by one press', async ({
  family,
  world,
}) => {
  expectErrors(refusedWith(400), refusedWith(404), refusedWith(409))
  const memorial = await family.memorial('INVITE')
  const desk = await family.visitorPage(1280)
  const { email = '' } = await family.keeper(desk, memorial.id)
  await world.db.prepare(`UPDATE users SET first_name = 'Tariro' WHERE email = ?`).bind(email).run()
  const page = await family.ownerPage(360, `/memorial/${memorial.id}`)
  await postMessage(page, 'She fed whoever came.')
  await expect(page.getByRole('listitem').filter({ hasText: 'She fed whoever came.' })).toBeFocused()
  await openList(page)
  await page.getByRole('button', { name: 'Hand over to Tariro Moyo' }).click()
  const dialog = page.getByRole('dialog', { name: 'Hand the memorial over to Tariro Moyo?' })
  await expectAccessible(page, 'the question before handing over')
  await dialog.getByRole('textbox', { name: 'Your password' }).fill('not the password')
  await dialog.getByRole('button', { name: 'Offer it' }).click()
  await expect(dialog).toContainText('That password is wrong')
  await dialog.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Offer it' }).click()
  await expect(page.getByText('You’ve offered the memorial to Tariro Moyo.')).toBeVisible()
  await expectNoSidewaysScroll(page)

  const mail = await world.mailTo(email, /Will you take over a memorial/u)
  await desk.goto(/https?:\/\/\S+\/login\?next=\S+/u.exec(mail.text)?.[0] ?? '')
  await openList(desk)
  await expect(desk.getByText('Rudo Moyo would like to hand the memorial over to you.')).toBeVisible()
  await desk.getByRole('button', { name: 'Yes, I’ll take it over' }).click()
  const question = desk.getByRole('dialog', { name: 'Take over this memorial?' })
  await expectAccessible(desk, 'the question before taking over')
  await question.getByRole('button', { name: 'Yes, I’ll take it over' }).click()
  const notice = desk.getByRole('status').filter({ hasText: 'You’ve taken the memorial over from Rudo Moyo' })
  await expect(notice).toBeFocused()
  await expect(desk.getByRole('button', { name: 'Delete this memorial' })).toBeVisible()
  await expectAccessible(desk, 'a memorial that was taken over')
  await desk.getByRole('button', { name: 'Remove Rudo Moyo' }).click()
  await desk.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(desk.getByRole('alert')).toContainText('can still take the memorial back')

  const told = await world.mailTo(family.email, /You’ve handed over a memorial/u)
  expect(told.text).toContain('press “Take it back”')
  await page.reload()
  await expect(page.getByRole('listitem').filter({ hasText: 'She fed whoever came.' })).toContainText(
    'Rudo Moyo',
  )
  await openList(page)
  await expect(page.getByText('The memorial is Tariro Moyo’s now.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Delete this memorial' })).toHaveCount(0)
  await expectAccessible(page, 'a memorial that was handed over')
  await page.getByRole('button', { name: 'Take it back' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'The memorial is yours again.' })).toBeFocused()
  await expect(page.getByRole('button', { name: 'Delete this memorial' })).toBeVisible()
  await expectNoSidewaysScroll(page)
  await world.mailTo(email, /A memorial was taken back/u)
  await desk.reload()
  await openList(desk)
  await expect(desk.getByRole('button', { name: 'Stop looking after it' })).toBeVisible()
  await expect(desk.getByRole('button', { name: 'Delete this memorial' })).toHaveCount(0)
})
