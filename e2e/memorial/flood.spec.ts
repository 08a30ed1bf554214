import { expect, test } from '../family.ts'
import { expectToast, giveName, postMessage, toast } from '../people.ts'

test('after a flood, the owner removes everything by one person and takes it back', async ({ family }) => {
  const { memorial, token } = await family.invited()
  const path = `/api/memorials/${memorial.id}/comments`
  const [farai, flood, namesake] = [
    await family.relative(token, 'Farai Chikomo'),
    await family.relative(token, 'Tendai Moyo'),
    await family.relative(token, 'Tendai Moyo'),
  ]
  await farai.call('POST', path, { body: 'She taught me to whistle.' })
  for (const body of ['Buy now', 'Buy more', 'Buy this']) await flood.call('POST', path, { body })
  await namesake.call('POST', path, { body: 'Rest well, Gogo.' })

  const page = await family.ownerPage(360, `/memorial/${memorial.id}`)
  await page.getByText('Who added what').click()
  const rows = page.getByRole('listitem').filter({ hasText: 'Joined on' })
  await expect(rows).toHaveCount(3)
  const guilty = rows.filter({ hasText: '3 messages' })
  await expect(guilty).toContainText('Tendai Moyo')
  await guilty.getByRole('button', { name: /^Remove everything by Tendai Moyo, joined on /u }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove everything by Tendai Moyo?' })
  await expect(dialog).toContainText('This takes 3 messages off the memorial at once.')
  await expect(dialog.getByRole('button', { name: 'Keep it' })).toBeFocused()
  await dialog.getByRole('button', { name: 'Remove everything' }).click()
  // It stays while the pointer is on it.
  await toast(page).hover()
  await expectToast(page, 'Removed.', '3 messages')
  await expect(page.getByText('Buy now')).toHaveCount(0)
  await expect(page.getByText('Rest well, Gogo.')).toBeVisible()
  await expect(rows).toHaveCount(2)

  await toast(page).getByRole('button', { name: 'Undo' }).click()
  await expectToast(page, 'Restored.')
  await expect(page.getByText('Buy now')).toBeVisible()

  await page.getByLabel('Added', { exact: true }).selectOption('In the last hour')
  await page.getByRole('button', { name: 'Remove what came by this link' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove everything' }).click()
  const removed = page.getByRole('region', { name: 'Removed' })
  await expect(removed).toContainText('Removed together: 5 messages by several people')
  await expect(page.getByText('Rest well, Gogo.')).toHaveCount(0)
  await removed.getByRole('button', { name: 'Show one by one' }).click()
  await expect(removed.getByText('Rest well, Gogo.')).toBeVisible()
  await removed.getByRole('button', { name: 'Restore all: 5 messages by several people' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Rest well, Gogo.' })).toHaveCount(1)
  await expect(removed.getByText('Nothing is left here.')).toBeVisible()
})

test('the owner has new things hidden, and shows them after a look', async ({ family }) => {
  const { memorial, token, inviteLink } = await family.invited()
  const page = await family.ownerPage(360, `/memorial/${memorial.id}`)
  await page.getByText('Who added what').click()
  await page.getByLabel('Hide new ones until I look').click()
  await expectToast(page, 'Memorial Updated')
  await expect(page.getByLabel('Hide new ones until I look')).toBeChecked()

  const farai = await family.visitorPage(360, inviteLink)
  await postMessage(farai, 'She taught me to whistle.')
  await giveName(farai, 'Farai Chikomo')
  const own = farai.getByRole('listitem').filter({ hasText: 'She taught me to whistle.' })
  await expect(own).toContainText('The family looks at new things first.')
  const cousin = await family.relative(token, 'Rumbidzai')
  await cousin.call('POST', `/api/memorials/${memorial.id}/comments`, { body: 'Rest well, Gogo.' })
  const { comments } = await cousin.call<{ comments: { body: string }[] }>(
    'GET',
    `/api/memorials/${memorial.id}/comments`,
  )
  expect(comments.map(({ body }) => body)).toEqual(['Rest well, Gogo.'])

  await page.reload()
  await page.getByRole('link', { name: '2 new things are waiting for you' }).click()
  const waiting = page.getByRole('region', { name: 'Waiting for you' })
  await expect(waiting).toBeInViewport()
  await waiting.getByRole('button', { name: 'Decline: Message added by Rumbidzai' }).click()
  await expectToast(page, 'Declined.')
  // With the time, because one person may add many.
  const ofFarai = /^Show: Message added by Farai Chikomo, \d+ \w+ \d{4}, \d\d:\d\d$/u
  await waiting.getByRole('button', { name: ofFarai }).click()
  await expectToast(page, 'Shown.')
  await expect(waiting).toContainText('Nothing is waiting.')
  await farai.reload()
  await expect(own).toBeVisible()
  await expect(own).not.toContainText('The family looks at new things first.')
})
