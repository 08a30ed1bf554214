import { DEMO } from '../../tools/operate/seed.ts'
import { ProductClient } from '../../tools/operate/local/product-client.ts'
import { expectToast, fail, figure, keepToasts, tab, toast } from '../people.ts'
import { expectAccessible } from '../accessible.ts'
import { expect, test } from '../family.ts'
import { expectErrors, refusedWith } from '../world.ts'

test('a memorial is removed and restored, its owner suspended and reinstated', async ({
  page,
  demo,
  family,
}) => {
  expectErrors(refusedWith(404))
  const memorial = await family.memorial('PRIVATE', { honoureeFullName: 'Chenai Sibanda' })
  await page.setViewportSize({ width: 360, height: 800 })
  await keepToasts(page)
  await demo.open(page, 'admin', `/admin?tab=memorials&search=${encodeURIComponent(family.email)}`)
  const more = page.getByRole('button', { name: 'More for Chenai Sibanda' })
  const choose = async (action: string) => {
    await more.click()
    await page.getByRole('button', { name: action }).click()
  }
  const dialog = page.getByRole('dialog')
  const statusOf = async () => (await family.owner.send('GET', `/api/memorials/${memorial.id}`)).status

  await choose('Remove memorial')
  await expect(dialog).toHaveAccessibleName('Remove the memorial for Chenai Sibanda?')
  await expect(dialog).toContainText('Nothing is deleted')
  await expect(dialog.getByLabel('Reason')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(more).toBeFocused()
  expect(await statusOf()).toBe(200)

  await choose('Remove memorial')
  await dialog.getByLabel('Reason').fill('A relative says that two photos are theirs.')
  await dialog.getByRole('button', { name: 'Remove memorial' }).click()
  // Screen readers are told, for five seconds; the row shows it.
  await expect(page.locator('[aria-live=polite]', { hasText: 'Memorial removed' })).toBeAttached()
  await expect(page.getByText('Removed', { exact: true })).toBeVisible()
  await expect(toast(page)).toHaveCount(0)
  await expect(more).toBeFocused()
  expect(await statusOf()).toBe(404)

  const theirs = await family.ownerPage(360, '/dashboard')
  const card = theirs.getByRole('article')
  await expect(card.getByRole('heading')).toHaveText('Chenai Sibanda')
  await expect(card).toContainText('This memorial was removed by our team.')
  await expect(card).toContainText('A relative says that two photos are theirs.')
  await expect(card).toContainText('Nothing is deleted')
  await expect(theirs.getByText('No memorials yet')).toHaveCount(0)
  await expectAccessible(theirs, 'a removed memorial')
  await expect(card.getByRole('link')).toHaveText(['Write to us'])
  await card.getByRole('link').click()
  await expect(theirs.getByLabel('Subject')).toHaveValue('My memorial was removed')

  await choose('Restore memorial')
  await dialog.getByRole('button', { name: 'Restore memorial' }).click()
  await expect(page.getByText('Removed', { exact: true })).toBeHidden()
  expect(await statusOf()).toBe(200)

  await choose('Suspend owner')
  await expect(dialog).toContainText('signed out on every device at once')
  await dialog.getByRole('button', { name: 'Suspend owner' }).click()
  await expect(page.getByText('Suspended', { exact: true })).toBeVisible()
  expect((await family.owner.send('GET', '/api/auth/user')).status).toBe(401)
  await choose('Reinstate owner')
  await dialog.getByRole('button', { name: 'Reinstate owner' }).click()
  await expect(page.getByText('Suspended', { exact: true })).toBeHidden()

  await tab(page, 'System').click()
  const log = page.getByRole('region', { name: 'Audit log' }).getByRole('listitem')
  for (const [index, [deed, what]] of [
    ['Reinstated an account', family.email],
    ['Suspended an account', family.email],
    ['Restored a memorial', 'Chenai Sibanda'],
    ['Removed a memorial', 'Chenai Sibanda'],
  ].entries()) {
    await expect(log.nth(index)).toContainText(deed ?? '')
    await expect(log.nth(index)).toContainText(what ?? '')
    await expect(log.nth(index)).toContainText(DEMO.admin.email)
  }

  await family.open(theirs, '/dashboard')
  await expect(card).not.toContainText('removed')
  await card.getByRole('link', { name: 'View Chenai Sibanda' }).click()
  const team = theirs.getByRole('region', { name: 'What our team did here' })
  await expect(team.getByRole('listitem')).toHaveText([
    /^We brought this memorial back\.\d+ \w+ 20\d\d$/u,
    /^We removed this memorial from view\.\d+ \w+ 20\d\d$/u,
  ])
})

test('the owner of a memorial without admin actions sees no notice about them', async ({ page, demo }) => {
  await demo.signIn(page, 'owner')
  const audited = page.waitForResponse(`/api/memorials/${demo.draftId}/audit`)
  await page.goto(`/memorial/${demo.draftId}`)
  expect(await (await audited).json()).toEqual({ entries: [], nextCursor: null })
  await expect(page.getByRole('heading', { name: 'Guestbook' })).toBeVisible()
  await expect(page.getByText('What our team did here')).toBeHidden()
})

test('fewer than 20 invite tokens show a warning, and the button adds more', async ({
  page,
  world,
  demo,
}) => {
  const keep = async (amount: number) => {
    await world.db.prepare("DELETE FROM invite_tokens WHERE status = 'AVAILABLE'").run()
    await world.db.batch(
      Array.from({ length: amount }, () =>
        world.db
          .prepare("INSERT INTO invite_tokens (token, status, created_at) VALUES (?, 'AVAILABLE', 1)")
          .bind(crypto.randomUUID()),
      ),
    )
  }
  await keep(20)
  await page.setViewportSize({ width: 360, height: 800 })
  await demo.open(page, 'admin', '/admin?tab=invite-tokens')
  await expect(page.getByRole('tabpanel').getByRole('term')).toHaveText(['Available', 'Assigned', 'Revoked'])
  await expect(figure(page, 'Available')).toHaveText('20')
  await expect(figure(page, 'Assigned')).toHaveText(/^[1-9]\d*$/u)
  await expect(page.getByText('Low Token Warning')).toBeHidden()
  await expect(page.getByRole('button', { name: 'Generate More Tokens' })).toBeVisible()
  await keep(19)
  await page.reload()
  await expect(page.getByText('Low Token Warning')).toBeVisible()
  await expect(page.getByRole('tabpanel')).toContainText('19 invite tokens are left.')
  await page.getByRole('button', { name: 'Generate More Tokens' }).click()
  await expect(figure(page, 'Available')).toHaveText('69')
  await expect(page.getByText('Low Token Warning')).toBeHidden()
  await expect(page.getByRole('button', { name: 'Generate More Tokens' })).toBeFocused()
  await tab(page, 'Overview').click()
  await expect(figure(page, 'Available Tokens')).toHaveText('69')
})

test('a payment by Paynow is sent back by hand, and the console notes it', async ({
  page,
  world,
  demo,
  family,
}) => {
  const { id: memorialId } = await family.draft({ honoureeFullName: 'Rufaro Sentback' })
  const { id } = await family.owner.call<{ id: string }>('POST', '/api/payments/mobile', {
    memorialId,
    method: 'innbucks',
    phone: '0731112223',
  })
  const body = JSON.stringify({ reference: id, action: 'approve' })
  await fetch(`${world.sandboxUrl}/test/paynow`, { method: 'POST', body })
  await expect.poll(() => world.paidBy(family.email)).toBe(1)
  await demo.open(page, 'admin', `/admin?tab=payments&search=${family.email}`)
  const row = page.getByRole('row', { name: family.email })
  await expect(row).toContainText('InnBucks 0731112223')
  await row.getByRole('button', { name: `Refund $60.00 to ${family.email}` }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Send it in Paynow’s portal first; this only notes that you did.')
  await dialog.getByLabel('Reason').fill('We have sent it back to your wallet.')
  await dialog.getByRole('button', { name: 'I have sent it back' }).click()
  await expect(row).toContainText('Refunded')
  const { text } = await world.mailTo(family.email, /^Your refund: \$60\.00$/u)
  expect(text).toContain('We have sent it back to your wallet.')
})

test('a refund asks for a reason and mails it, and a failed mail is sent again', async ({
  page,
  world,
  demo,
  family,
}) => {
  expectErrors(refusedWith(500))
  const memorial = await family.memorial('PRIVATE', { honoureeFullName: 'Nyasha Refunded' })
  await demo.open(page, 'admin', `/admin?tab=payments&search=${family.email}`)
  const button = page.getByRole('button', { name: `Refund $60.00 to ${family.email}` })
  await button.click()
  const dialog = page.getByRole('dialog', { name: `Refund $60.00 to ${family.email}?` })
  await expect(dialog).toContainText('This cannot be undone.')
  await dialog.getByRole('button', { name: 'Do not refund' }).click()
  await expect(dialog).toBeHidden()
  await button.click()
  const confirm = dialog.getByRole('button', { name: 'Refund', exact: true })
  await confirm.click()
  const reason = dialog.getByLabel('Reason')
  await expect(reason).toBeFocused()
  await expect(reason).toHaveAccessibleDescription(/they get exactly these words.*Please write the reason/u)
  await reason.fill('You asked us to close the memorial.')
  await expect(dialog.getByText('Please write the reason')).toBeHidden()
  // A failure is shown where it was pressed, and keeps what was written.
  await page.route('**/api/admin/payments/*/refund', fail('{"message":"Stripe is closed."}'))
  await confirm.click()
  await expect(dialog.getByRole('alert')).toContainText('Stripe is closed.')
  await expect(dialog.getByRole('alert')).toBeFocused()
  await page.unrouteAll()
  await confirm.click()
  await expect(page.getByRole('row', { name: family.email })).toContainText('Refunded')
  await expect(button).toBeHidden()
  await expect(page.getByRole('row', { name: family.email })).toBeFocused()
  const { text } = await world.mailTo(family.email, /^Your refund: \$60\.00$/u)
  expect(text).toContain('You asked us to close the memorial.')
  await tab(page, 'Memorials').click()
  await expect(page.getByRole('row', { name: 'Nyasha Refunded' })).toContainText('Refunded')

  await world.db
    .prepare(
      `INSERT INTO mails (id, kind, recipient, subject_id, status, attempts, last_error, created_at)
       VALUES ('mail_givenup', 'memorial-deleted', ?, ?, 'DEAD', 8, 'the mailbox is full', ?)`,
    )
    .bind(family.email, memorial.id, Date.now())
    .run()
  await tab(page, 'System').click()
  await expect(page.getByRole('region', { name: 'Audit log' })).toContainText('amount: $60.00')
  const mails = page.getByRole('region', { name: 'Emails not sent' })
  await expect(mails).toContainText('the mailbox is full')
  await expect(mails).toContainText('Not delivered')
  await mails.getByRole('button', { name: `Send again: Memorial deleted, to ${family.email}` }).click()
  await expectToast(page, 'Sending the email again')
  await expect
    .poll(async () => world.db.prepare("SELECT status FROM mails WHERE id = 'mail_givenup'").first('status'))
    .not.toBe('DEAD')
  await expect(mails.getByRole('button', { name: 'Send again' })).toBeHidden()
})

test('failed jobs are retried from the System tab, and their list keeps the focus', async ({
  page,
  world,
  demo,
}) => {
  await world.db.prepare('DELETE FROM dead_jobs').run()
  await world.db
    .prepare("INSERT INTO dead_jobs VALUES ('job_givenup', ?, 'req_abcdefghjkmnpqrs', ?)")
    .bind(JSON.stringify({ type: 'purge-cache' }), Date.now())
    .run()
  await demo.open(page, 'admin', '/admin')
  await page.getByRole('link', { name: 'Failed jobs 1' }).click()
  const work = page.getByRole('region', { name: 'Failed jobs' })
  await expect(work.getByRole('heading')).toBeFocused()
  await expect(work).toContainText('Visitors may see pages from before a change.')
  await expect(work).toContainText('req_abcdefghjkmnpqrs')
  await work.getByRole('button', { name: 'Try again: Cache clearing' }).click()
  await expectToast(page, 'Trying the job again')
  await expect(work).toContainText('No job has failed.')
  await expect(work.getByRole('heading')).toBeFocused()
})

test('a message is marked as answered, and the mark can be undone', async ({ page, world, demo }) => {
  await new ProductClient(world.url, '198.51.100.77').call('POST', '/api/contact', {
    email: 'tariro-answered@family.example',
    subject: 'A plaque for Sekuru',
    message: 'What would it cost?',
  })
  // A busy machine needs more than ten seconds until "Undo" is pressed.
  await keepToasts(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await demo.open(page, 'admin', '/admin')
  await page.getByRole('link', { name: /^Messages to answer [1-9]/u }).click()
  const letters = page.getByRole('region', { name: 'Messages from the contact form' })
  const letter = letters.getByText('A plaque for Sekuru')
  await letter.click()
  await letters.getByRole('button', { name: 'Mark as answered: A plaque for Sekuru' }).click()
  await expectToast(page, 'Marked as answered')
  await expect(letters.getByRole('heading')).toBeFocused()
  await expect(letter).toBeHidden()
  await letters.getByRole('button', { name: 'Answered', exact: true }).click()
  await expect(letter).toBeVisible()
  await toast(page).getByRole('button', { name: 'Undo' }).click()
  await expect(letter).toBeHidden()
  await letters.getByRole('button', { name: 'Waiting', exact: true }).click()
  await expect(letter).toBeVisible()
})

test('an admin adds a word to the lists by keyboard, and removes it', async ({ page, demo }) => {
  await demo.open(page, 'admin', '/admin?tab=system')
  await page.setViewportSize({ width: 360, height: 800 })
  const words = page.getByRole('region', { name: 'Words', exact: true })
  await words.getByLabel('Word or phrase').fill('Bandit*')
  await page.keyboard.press('Enter')
  const row = words.getByRole('listitem')
  await expect(row).toContainText('bandit* · Hold for the family')
  await expect(words.getByLabel('Word or phrase')).toHaveValue('')

  await expectAccessible(page, 'the words of the console')
  await words.getByRole('button', { name: 'Remove the word bandit*' }).click()
  await expect(row).toHaveCount(0)
  await expect(words.getByRole('heading')).toBeFocused()
})
