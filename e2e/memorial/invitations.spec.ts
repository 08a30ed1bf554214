import { invitationMessages } from '../../src/shared/invites/invitation-messages.ts'
import { expectAccessible, violationsWithoutScript } from '../accessible.ts'
import { expect, test } from '../family.ts'
import { expectEnhanced, expectNoSidewaysScroll, giveName, postMessage } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const PIN = '482159'

test('an owner makes a link with a PIN, relatives come in by it, and it ends alone', async ({
  browser,
  family,
}) => {
  expectErrors(refusedWith(400), refusedWith(401), refusedWith(403), refusedWith(404))
  const { memorial, inviteLink } = await family.invited()
  const page = await family.ownerPage(360, `/memorial/${memorial.id}`)
  const open = () => page.locator('summary').filter({ hasText: invitationMessages.title }).click()
  await open()
  await page.getByRole('button', { name: 'Make the link' }).click()
  await expect(page.getByText(invitationMessages.nameRequired).first()).toBeVisible()
  await page.getByLabel('Name of the link').fill('Dad’s choir')
  await page.getByLabel('Last day').fill('2099-12-31')
  await page.getByLabel('PIN').fill(PIN)
  await page.getByRole('button', { name: 'Make the link' }).click()
  await expect(
    page.getByRole('status').filter({ hasText: 'The link for “Dad’s choir” is ready.' }),
  ).toBeFocused()
  const link = await page.getByRole('textbox', { name: 'Invitation link: Dad’s choir' }).inputValue()
  await expectAccessible(page, 'more invitation links')
  await expectNoSidewaysScroll(page)

  const still = await family.visitorPage(1280, link, { javaScriptEnabled: false })
  const title = still.getByRole('heading', { level: 1 })
  await expect(title).toHaveText(invitationMessages.askTitle)
  expect(await violationsWithoutScript(browser, still)).toEqual([])
  await still.getByLabel('PIN').fill('111111')
  await still.getByRole('button', { name: 'Continue' }).click()
  await expect(still.getByText(invitationMessages.pinWrong).first()).toBeVisible()
  await expect(still.getByLabel('PIN')).toHaveValue('')
  await still.getByLabel('PIN').fill(PIN)
  await still.getByRole('button', { name: 'Continue' }).click()
  await expect(title).toHaveText('Sekai Ndlovu')

  const phone = await family.visitorPage(360, link)
  await expect(phone.getByRole('heading', { level: 1 })).toHaveText(invitationMessages.askTitle)
  await expectAccessible(phone, 'the page that asks for a PIN')
  await expectNoSidewaysScroll(phone)
  await phone.getByLabel('PIN').fill(PIN)
  await phone.getByRole('button', { name: 'Continue' }).click()
  await expect(phone.getByRole('heading', { level: 1 })).toHaveText('Sekai Ndlovu')
  // Before the small script, the browser would send the form, and the answer would ask for the name in it.
  await expectEnhanced(phone)
  await postMessage(phone, 'She led the altos.')
  await giveName(phone, 'Rudo')
  await expect(phone.getByRole('listitem').filter({ hasText: 'She led the altos.' })).toContainText(
    'Just now',
  )
  // Who was let in before isn't asked again.
  await phone.goto(link)
  await expect(phone.getByRole('heading', { level: 1 })).toHaveText('Sekai Ndlovu')

  await page.reload()
  await open()
  const row = page.getByRole('listitem').filter({ hasText: 'Dad’s choir' })
  await expect(row).toContainText('1 person came in by it · until 31 December 2099 · asks for a PIN')
  await row.getByRole('button', { name: 'End this one' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End this one' }).click()
  await expect(row).toBeHidden()
  await phone.reload()
  await expect(phone.getByRole('heading', { level: 1 })).not.toHaveText('Sekai Ndlovu')
  const late = await family.visitorPage(1280, link)
  await expect(late.getByRole('heading', { level: 1 })).toHaveText('This invitation no longer works.')
  await late.goto(inviteLink)
  await expect(late.getByRole('heading', { level: 1 })).toHaveText('Sekai Ndlovu')
})
