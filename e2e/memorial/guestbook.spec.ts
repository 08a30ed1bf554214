import type { Comment } from '../../src/shared/comments/comments.ts'
import { expect, test } from '../family.ts'
import { expectToast, pressMore } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const HOUR_MS = 3_600_000

const width = 360

test('a message is counted, refused if empty or too long, and kept if posting fails', async ({ family }) => {
  expectErrors(refusedWith(500))
  const memorial = await family.memorial()
  const page = await family.ownerPage(width, `/memorial/${memorial.id}`)
  const box = page.getByLabel('Write a message')
  const post = page.getByRole('button', { name: 'Post message' })

  await expect(page.getByText('2000 characters left')).toBeVisible()
  await box.fill('  \n ')
  await post.click()
  await expect(page.getByText('Please write a message')).toBeVisible()
  await expect(box).toBeFocused()
  await box.fill('x'.repeat(2001))
  await expect(page.getByText('1 character too many')).toBeVisible()
  await post.click()
  await expect(page.getByText('A message can have up to 2,000 characters')).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: 'xxx' })).toHaveCount(0)

  const text = 'Zororai murugare.\nYour goats are well.'
  await page.route('**/comments', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 500, body: '' }) : route.continue(),
  )
  await box.fill(text)
  await post.click()
  await expectToast(page, 'Failed to Post', 'We could not post this. Your words are still on this device.')
  await expect(box).toHaveValue(text)
  await page.reload()
  await expect(box).toHaveValue(text)

  await page.unroute('**/comments')
  await post.click()
  await expectToast(page, 'Message Posted')
  const message = page.getByRole('listitem').filter({ hasText: 'Your goats are well.' })
  await expect(message).toContainText('Rudo Moyo · Memorial Owner Family · Just now')
  await expect(message.getByText('RM')).toBeVisible()
  await expect(box).toHaveValue('')
  await page.reload()
  await expect(message).toHaveCount(1)
})

for (const [moved, isFocused] of [
  ['somebody who stays at the form is led to their message', true],
  ['somebody who has scrolled away while it is sent stays where they are', false],
] as const) {
  test(`${moved}, once it is posted`, async ({ family }) => {
    const memorial = await family.memorial()
    const page = await family.ownerPage(width, `/memorial/${memorial.id}`)
    const sent = Promise.withResolvers<void>()
    await page.route('**/comments', async (route) => {
      await sent.promise
      await route.continue()
    })
    await page.getByLabel('Write a message').fill('Zororai murugare.')
    await page.getByRole('button', { name: 'Post message' }).click()
    const message = page.getByRole('listitem').filter({ hasText: 'Zororai murugare.' })
    await expect(message).toContainText('Sending…')
    const scrolled = () => page.evaluate(() => window.scrollY)
    if (!isFocused) await page.evaluate(() => window.scrollTo(0, 0))
    const before = await scrolled()
    sent.resolve()
    await expectToast(page, 'Message Posted')
    await expect(message).toContainText('Just now')
    if (isFocused) await expect(message).toBeFocused()
    else expect(await scrolled()).toBe(before)
  })
}

test('messages load twenty at a time, each with its age', async ({ world, family }) => {
  const memorial = await family.memorial('LOCKED')
  const now = Date.now()
  const old = now - 400 * 24 * HOUR_MS
  const ages = [0.5, 1, 5, 24, 6 * 24 + 1].map((hours) => now - hours * HOUR_MS - 60_000)
  await world.db.batch(
    Array.from({ length: 45 }, (_, index) =>
      world.db
        .prepare(
          `INSERT INTO comments (id, memorial_id, body, author_user_id, created_at)
           SELECT ?, id, ?, owner_id, ? FROM memorials WHERE id = ?`,
        )
        .bind(
          `com_${memorial.id.slice(4)}${index}`,
          `Message ${index + 1}.`,
          ages[index] ?? old - index,
          memorial.id,
        ),
    ),
  )
  const page = await family.visitorPage(width, `/m/${memorial.slug}`)
  const list = page.getByRole('region', { name: 'Guestbook' }).getByRole('listitem')
  await expect(list).toHaveCount(20)
  // The script writes them a moment after the page has loaded.
  const when = (index: number) => expect(list.nth(index).locator('time'))
  for (const [index, age] of ['Just now', '1 hour ago', '5 hours ago', '1 day ago', '6 days ago'].entries())
    await when(index).toHaveText(age)
  await when(5).toHaveText(new RegExp(`^\\d{1,2} [A-Z][a-z]+ ${new Date(old).getFullYear()}$`, 'u'))

  const more = page.getByRole('button', { name: 'Load More Messages' })
  await more.click()
  await expect(list).toHaveCount(40)
  await expect(more).toBeFocused()
  await expect(page.getByText('20 more messages')).toBeAttached()
  await more.click()
  await expect(list).toHaveCount(45)
  await expect(more).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Post message' })).toHaveCount(0)
})

test('a like counts once, stays, and can be taken back', async ({ family }) => {
  const { memorial, inviteLink } = await family.invited()
  const path = `/api/memorials/${memorial.id}/comments`
  const { comment } = await family.owner.call<{ comment: Comment }>('POST', path, { body: 'Thank you all.' })
  await family.owner.call('POST', `/api/comments/${comment.id}/like`)
  const again = await family.owner.call('POST', `/api/comments/${comment.id}/like`)
  expect(again).toEqual({ likeCount: 1, likedByMe: true })

  const page = await family.visitorPage(360, inviteLink)
  const like = page.getByRole('button', { name: /^Like/u })
  await expect(like).toHaveText(/1$/u)
  await like.click()
  await expect(like).toHaveText(/2$/u)
  await expect(like).toHaveAttribute('aria-pressed', 'true')
  await page.reload()
  await expect(like).toHaveText(/2$/u)
  await expect(like).toHaveAttribute('aria-pressed', 'true')
  await like.click()
  await expect(like).toHaveText(/1$/u)
})

test('the owner removes, restores and deletes any message for good, and sees a failure', async ({
  family,
}) => {
  expectErrors(refusedWith(500))
  const { memorial, token } = await family.invited()
  const relative = await family.relative(token, 'Farai Chikomo Moyo')
  await relative.call('POST', `/api/memorials/${memorial.id}/comments`, { body: 'From the other side.' })
  const page = await family.ownerPage(360, `/memorial/${memorial.id}`)
  const message = page.getByRole('listitem').filter({ hasText: 'From the other side.' })
  await expect(message.getByText('FM', { exact: true })).toBeVisible()
  const remove = () =>
    pressMore(message, /^More: message of Farai/u, 'Delete the message of Farai Chikomo Moyo')
  const dialog = page.getByRole('dialog', { name: 'Are you sure you want to delete this message?' })
  const removed = page.getByRole('region', { name: 'Removed' })
  await page.route('**/api/comments/*', (route) => route.fulfill({ status: 500, body: '' }))
  await remove()
  await expectToast(page, 'Delete Failed')
  await expect(message).toBeVisible()
  await page.unroute('**/api/comments/*')
  await remove()
  await expectToast(page, 'Removed.')
  await expect(removed).toContainText('Message added by Farai Chikomo Moyo')
  await expect(page.getByText('No messages yet. Yours can be the first.')).toBeVisible()
  await removed.getByRole('button', { name: 'Restore' }).click()
  await expectToast(page, 'Restored.')
  await expect(removed).toContainText('Nothing is left here.')
  await remove()
  await removed.getByRole('button', { name: 'Delete for good' }).click()
  await dialog.getByRole('button', { name: 'Keep it' }).click()
  await removed.getByRole('button', { name: 'Delete for good' }).click()
  await dialog.getByRole('button', { name: 'Delete for good' }).click()
  await expectToast(page, 'Message Deleted')
  await expect(removed).toContainText('Nothing is left here.')
  await page.reload()
  await expect(page.getByText('No messages yet. Yours can be the first.')).toBeVisible()
})
