import { expect, test } from '../family.ts'
import { expectAccessible } from '../accessible.ts'
import { expectNoSidewaysScroll, expectToast } from '../people.ts'
import { KB } from '../traffic.ts'

test('the owner decides by keyboard, and blocks somebody who waits', async ({ family }) => {
  const { memorial } = await family.openToVisitors('APPROVED')
  await family.leave(memorial.slug, { name: 'Anesu', body: 'First words' })
  await family.leave(memorial.slug, { name: 'Batsirai', body: 'Second words' })
  await family.leave(memorial.slug, { name: 'Chipo', body: 'Third words' })
  const page = await family.ownerPage(1280, `/memorial/${memorial.id}`)
  const waiting = page.getByRole('region', { name: 'Waiting for you' })
  const show = (name: string) => waiting.getByRole('button', { name: `Show: Message added by ${name}` })
  await show('Chipo').focus()
  await page.keyboard.press('ArrowDown')
  await expect(show('Batsirai')).toBeFocused()
  await page.keyboard.press('d')
  await expectToast(page, 'Declined.')
  await expect(show('Anesu')).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(show('Chipo')).toBeFocused()
  await page.keyboard.press('s')
  await expectToast(page, 'Shown.')
  await expect(show('Anesu')).toBeFocused()
  await waiting.getByRole('button', { name: 'More: Message added by Anesu' }).click()
  await waiting.getByRole('button', { name: 'Block Anesu' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Block', exact: true }).click()
  await expectToast(page, 'Blocked.')
  await expect(waiting).toContainText('Nothing is waiting.')
  await page.getByText('Who added what').click()
  const anesu = page.getByRole('listitem').filter({ hasText: 'Anesu' })
  await expect(anesu).toContainText('Blocked')
  await anesu.getByRole('button', { name: 'Unblock Anesu' }).click()
  await expectToast(page, 'Unblocked.')
  await expect(show('Anesu')).toBeVisible()
  await expectNoSidewaysScroll(page)
})

test('a name that may hurt is folded for the owner; the page says what is kept apart', async ({ family }) => {
  const { memorial } = await family.openToVisitors('AT_ONCE')
  const name = 'Good riddance'
  await family.leave(memorial.slug, { name, body: 'She taught me to whistle.' })
  await family.owner.call('PATCH', `/api/memorials/${memorial.id}`, { visitorMessages: 'APPROVED' })
  await family.leave(memorial.slug, { name: 'Anesu', body: 'Go well.' })
  const page = await family.ownerPage(360, `/memorial/${memorial.id}`)
  await page.getByRole('link', { name: '1 new thing is waiting for you, and 1 kept apart' }).click()
  const waiting = page.getByRole('region', { name: 'Waiting for you' })
  await waiting.getByRole('button', { name: 'Show: Message added by Anesu' }).click()
  await expectToast(page, 'Shown.')
  await expect(
    page.getByRole('link', { name: '1 new thing is kept apart: it may hurt to read' }),
  ).toBeVisible()

  await page.getByText('Who added what').click()
  const person = page.getByRole('listitem').filter({ hasText: 'Name kept apart: it may hurt to read' })
  await expect(person.getByText(name)).toBeHidden()
  await expectAccessible(page, 'a name that may hurt')
  await person.getByText('Name kept apart').click()
  await expect(person.getByText(name)).toBeVisible()
  await person.getByRole('button', { name: /^Remove everything by this person, first wrote on /u }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove everything by this person?' })
  await expect(dialog).toContainText('This person first wrote on')
  await dialog.getByRole('button', { name: 'Remove everything' }).click()
  await expectToast(page, 'Removed.')
  const removed = page.getByRole('region', { name: 'Removed' })
  await expect(removed).toContainText('Removed together: 1 message by one person')
  await removed.getByRole('button', { name: 'Show one by one' }).click()
  await expect(removed.getByRole('button', { name: /^Restore: Message added by somebody,/u })).toBeVisible()
  await expect(removed.getByText(name)).toHaveCount(2)
  for (const at of [0, 1]) await expect(removed.getByText(name).nth(at)).toBeHidden()
})

test('after a flood of 1,000 the owner gets one screen to look at in a small answer', async ({
  family,
  world,
}) => {
  const { memorial } = await family.openToVisitors('APPROVED')
  await family.leave(memorial.slug, { name: 'Anesu', body: 'She taught me to whistle.' })
  await world.db
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
       INSERT INTO comments (id, memorial_id, body, author_contributor_id, visitor_name, is_held, held_as, held_reason, created_at)
       SELECT 'com_flood' || i, memorial_id, 'A flood, part ' || i || '. ' || ?, author_contributor_id, 'Flood', 1, 'MAY_HURT', 'BURST', created_at - 2000 + i
       FROM comments, n WHERE memorial_id = ?`,
    )
    .bind('Come and see what we sell. '.repeat(20), memorial.id)
    .run()
  const page = await family.visitorPage(360)
  await family.signIn(page)
  const answer = page.waitForResponse((response) => response.url().endsWith('/held'))
  await page.goto(`/memorial/${memorial.id}`)
  expect((await (await answer).body()).length).toBeLessThanOrEqual(8 * KB)
  const waiting = page.getByRole('region', { name: 'Waiting for you' })
  await expect(waiting.getByText('May hurt to read (1000)')).toBeVisible()
  const heightOf = async () => (await waiting.boundingBox())?.height ?? Infinity
  expect(await heightOf()).toBeLessThanOrEqual(740)
  await waiting.getByText('May hurt to read (1000)').click()
  await expect(waiting.getByText('Read the newest')).toBeVisible()
  await expect(waiting.getByText('A flood, part 1000.')).toBeHidden()
  expect(await heightOf()).toBeLessThanOrEqual(2 * 740)
  await waiting.getByText('Read the newest').click()
  await expect(waiting.getByText('A flood, part 1000.')).toBeVisible()
  await expect(waiting.getByText('And 997 like it.')).toBeVisible()
  await expect(waiting.getByText(/^A flood, part/u)).toHaveCount(3)
  await expectNoSidewaysScroll(page)
  await expect(waiting.getByText('She taught me to whistle.')).toBeVisible()
  await waiting.getByRole('button', { name: /^Decline all 1000: / }).click()
  await expectToast(page, 'Declined.')
  await expect(waiting.getByText('May hurt to read')).toBeHidden()
})
