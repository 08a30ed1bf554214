import type { Page } from '@playwright/test'
import type { MemorialView } from '../../src/shared/memorials/memorials.ts'
import { expectAccessible, expectWholeWords } from '../accessible.ts'
import { expect, test, type Family } from '../family.ts'
import { expectToast } from '../people.ts'
import { expectErrors } from '../world.ts'

const PHONE = 360

const choiceOf = async (family: Family, id: string): Promise<string> =>
  (await family.owner.call<MemorialView>('GET', `/api/memorials/${id}`)).memorial.visitorMessages

const choice = (page: Page, name: string) =>
  page
    .getByRole('group', { name: 'May visitors leave messages?' })
    .getByRole('radio', { name: new RegExp(`^${name}`, 'u') })

test('the owner lets visitors write when going public, reads them first, and closes it', async ({
  family,
}) => {
  const memorial = await family.memorial('INVITE')
  const page = await family.ownerPage(PHONE, `/memorial/${memorial.id}`)
  await page.getByRole('button', { name: 'Lock', exact: true }).click()
  await expect(choice(page, 'Nobody')).toBeChecked()
  await expectWholeWords(page, 'the question')
  await page.evaluate(() => (document.documentElement.style.fontSize = ''))
  await choice(page, 'Yes, after I approve them').check()
  await expectAccessible(page, 'the question')
  await page.setViewportSize({ width: PHONE, height: 740 })
  await page.getByRole('button', { name: 'Make it public' }).click()
  await expectToast(page, 'Privacy Updated', 'This memorial is now public.')
  expect(await choiceOf(family, memorial.id)).toBe('APPROVED')

  await family.leave(memorial.slug, {
    name: 'Tawanda Moyo',
    relation: 'her pupil',
    body: 'She gave me my first book.',
  })
  await family.leave(memorial.slug, { name: 'Rudo', body: 'The gate was always open.' })
  // The owner may look at it where visitors do.
  await page.goto(`/m/${memorial.slug}`)
  await page.getByRole('link', { name: '2 new things are waiting for you' }).click()
  const waiting = page.getByRole('region', { name: 'Waiting for you' })
  await expect(waiting).toBeInViewport()
  await expect(waiting.getByRole('listitem').filter({ hasText: 'Tawanda Moyo' })).toContainText('her pupil')
  await waiting.getByRole('button', { name: 'Decline: Message added by Rudo' }).click()
  await expectToast(page, 'Declined.')
  await page.goto(`/memorial/${memorial.id}`)
  await page.getByRole('link', { name: '1 new thing is waiting for you' }).click()
  await waiting.getByRole('button', { name: 'Show: Message added by Tawanda Moyo' }).click()
  await expectToast(page, 'Shown.')
  const stranger = await family.visitorPage(PHONE, `/m/${memorial.slug}`)
  const message = stranger.getByRole('listitem').filter({ hasText: 'She gave me my first book.' })
  await expect(message).toContainText('Tawanda Moyo, her pupil · ')

  await page.getByText('Messages from visitors', { exact: true }).click()
  await expect(choice(page, 'Yes, after I approve them')).toBeChecked()
  await page.getByText('Who added what').click()
  await expect(page.getByRole('listitem').filter({ hasText: /Tawanda.*first wrote on/su })).toContainText(
    'Visitor of the public page',
  )
  await expectAccessible(page, 'who added what, with visitors')
  await page.setViewportSize({ width: PHONE, height: 740 })
  await choice(page, 'Nobody').check()
  await expectToast(page, 'Memorial Updated')
  await expect(choice(page, 'Nobody')).toBeChecked()
  await expect.poll(() => choiceOf(family, memorial.id)).toBe('NOBODY')
})

test('the owner removes together what visitors left, and is told how to stop more', async ({ family }) => {
  const { memorial, token } = await family.invited()
  const farai = await family.relative(token, 'Farai Chikomo')
  await farai.call('POST', `/api/memorials/${memorial.id}/comments`, { body: 'She taught me to whistle.' })
  await family.owner.call('PATCH', `/api/memorials/${memorial.id}`, { visitorMessages: 'AT_ONCE' })
  await family.setPrivacy(memorial.id, 'LOCKED')
  for (const name of ['Buyer', 'Seller']) await family.leave(memorial.slug, { name, body: 'Buy now' })
  const page = await family.ownerPage(PHONE, `/memorial/${memorial.id}`)
  await page.getByText('Who added what').click()
  await page.getByLabel('Came by').selectOption('Visitors of the public page')
  await page.getByRole('button', { name: 'Remove what visitors left' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove everything from visitors of the public page?' })
  await expect(dialog).toContainText('choose “Nobody” under “Messages from visitors”')
  await expectAccessible(page, 'what visitors left')
  await page.setViewportSize({ width: PHONE, height: 740 })
  await dialog.getByRole('button', { name: 'Remove everything' }).click()
  await expectToast(page, 'Removed.', '2 messages')
  await expect(page.getByText('Buy now')).toHaveCount(0)
  await expect(page.getByText('She taught me to whistle.')).toBeVisible()
})

test('the choice of before is chosen when a memorial becomes public again', async ({ family }) => {
  const memorial = await family.memorial('INVITE')
  await family.owner.call('PATCH', `/api/memorials/${memorial.id}`, { visitorMessages: 'AT_ONCE' })
  const page = await family.ownerPage(PHONE, `/memorial/${memorial.id}`)
  await page.getByRole('button', { name: 'Lock', exact: true }).click()
  await expect(choice(page, 'Yes, at once')).toBeChecked()
  await page.getByRole('button', { name: 'Make it public' }).click()
  await expectToast(page, 'Privacy Updated')
  expect(await choiceOf(family, memorial.id)).toBe('AT_ONCE')
})

test('a choice that is not saved does not keep the memorial from becoming public', async ({ family }) => {
  expectErrors(/net::ERR_FAILED/u)
  const memorial = await family.memorial('INVITE')
  const page = await family.ownerPage(PHONE, `/memorial/${memorial.id}`)
  await page.route(`**/api/memorials/${memorial.id}`, (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.fallback(),
  )
  await page.getByRole('button', { name: 'Lock', exact: true }).click()
  await choice(page, 'Yes, at once').check()
  await page.getByRole('button', { name: 'Make it public' }).click()
  await expectToast(page, 'Your choice about messages wasn’t saved', 'The memorial is public.')
  await expect(page.getByText('Anyone with the link can see it', { exact: true })).toBeVisible()
  expect(await choiceOf(family, memorial.id)).toBe('NOBODY')
})

test('the wizard asks with Public, saves it together, and later as soon as it changes', async ({
  family,
}) => {
  const memorial = await family.memorial()
  const page = await family.ownerPage(PHONE, `/create-memorial/${memorial.id}?step=5`)
  await expect(choice(page, 'Nobody')).toHaveCount(0)
  await page.getByRole('radio', { name: /^Public/u }).check()
  await expect(choice(page, 'Nobody')).toBeChecked()
  await choice(page, 'Yes, after I approve them').check()
  expect(await choiceOf(family, memorial.id)).toBe('NOBODY')
  await page.getByRole('button', { name: 'Save and show the link' }).click()
  await expectToast(page, 'Privacy Updated')
  expect(await choiceOf(family, memorial.id)).toBe('APPROVED')
  await expectAccessible(page, 'the wizard with a public memorial')
  await page.setViewportSize({ width: PHONE, height: 740 })
  // Two changes at once: the last one stays.
  await choice(page, 'Yes, after I approve them').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expectToast(page, 'Memorial Updated')
  await expect(choice(page, 'Nobody')).toBeChecked()
  await expect.poll(() => choiceOf(family, memorial.id)).toBe('NOBODY')
})
