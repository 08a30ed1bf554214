import { expect, test } from '../family.ts'
import { expectToast, toast } from '../people.ts'

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
