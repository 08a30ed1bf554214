import { expectAccessible, violationsWithoutScript } from '../accessible.ts'
import { expect, test, type Family } from '../family.ts'
import { expectToast, fail } from '../people.ts'
import { expectErrors, refusedWith } from '../world.ts'

const WORDS = 'She still owes my cousin money.'

/** A public memorial with a message of a visitor. */
async function withMessage(family: Family) {
  const { memorial } = await family.openToVisitors('AT_ONCE')
  const message = { name: 'Farai Chikomo', relation: 'A neighbour', body: WORDS }
  const comment = await family.leave(memorial.slug, message)
  const report = (words: string | null = null) =>
    family.stranger().call('POST', `/api/comments/${comment.id}/report`, { reason: 'UNTRUE', words })
  return { memorial, comment, report }
}

test('strangers report a message, the family sees why, keeps it, and thanks for it', async ({ family }) => {
  expectErrors(refusedWith(500))
  const { memorial, report } = await withMessage(family)
  const address = `/m/${memorial.slug}`
  const page = await family.visitorPage(360, address)
  await page.getByRole('link', { name: 'Report', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Report this message' })
  await dialog.getByRole('button', { name: 'Send report' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Please choose a reason')
  await dialog.getByLabel('It isn’t true').check()
  await dialog.getByLabel('Anything to add?').fill('She never owed anybody.')
  await expectAccessible(page, 'the dialog for a report')
  const refusal = JSON.stringify({ code: 'too_many_requests', message: 'That’s a lot of reports.' })
  await page.route('**/report', fail(refusal), { times: 1 })
  await dialog.getByRole('button', { name: 'Send report' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Your report wasn’t sent')
  await expect(dialog.getByLabel('Anything to add?')).toHaveValue('She never owed anybody.')
  await dialog.getByRole('button', { name: 'Send report' }).click()
  await expectToast(page, 'Thank you.', 'The family will look at it.')
  await expect(page.getByRole('link', { name: 'Report: message of Farai Chikomo' })).toBeFocused()

  await report()
  await report('A lie.')
  const reader = await family.visitorPage(360, address)
  await expect(reader.getByText('No messages yet.')).toBeVisible()

  const owner = await family.ownerPage(360, `/memorial/${memorial.id}`)
  const reported = owner.getByRole('region', { name: 'Reported' })
  await expect(reported.getByText('Show what was reported')).toBeVisible()
  await expect(reported.getByText(WORDS)).toBeHidden()
  await reported.getByText('Show what was reported').click()
  await expect(reported).toContainText('3 reports: It isn’t true')
  await expect(reported).toContainText('She never owed anybody.')
  await expect(reported).toContainText('Hidden from others until you decide.')
  await expectAccessible(owner, 'the list of what was reported')
  await reported.getByRole('button', { name: /^Keep it: / }).click()
  await expectToast(owner, 'Kept.')
  await expect(reported).toContainText('Nothing is left here.')
  await owner.getByRole('button', { name: 'Say thanks for the message of Farai Chikomo' }).click()
  await expect(owner.locator('#messages')).toContainText('With thanks from the family')

  await reader.reload()
  await expect(reader.locator('#messages')).toContainText(WORDS)
  await expect(reader.locator('#messages')).toContainText('With thanks from the family')
})

test('the keys that move between photos choose a reason while a photo is reported', async ({ family }) => {
  const memorial = await family.memorial()
  await family.addPhoto(memorial.id, 'At the gate')
  await family.addPhoto(memorial.id, 'At church')
  await family.setPrivacy(memorial.id, 'LOCKED')
  const page = await family.visitorPage(1280, `/m/${memorial.slug}`)
  await page.getByRole('link', { name: /^Photo 1 of 2/u }).click()
  await page.getByRole('link', { name: 'Report: At church' }).click()
  const dialog = page.getByRole('dialog', { name: 'Report this photo' })
  await dialog.getByLabel('It hurts').focus()
  await page.keyboard.press('ArrowRight')
  await expect(dialog.getByLabel('It’s advertising')).toBeChecked()
  await dialog.getByRole('button', { name: 'Send report' }).click()
  await expectToast(page, 'Thank you.')
  await expect(page.getByRole('dialog', { name: 'Photo' })).toContainText('1 of 2')
})

test('without script, “Report” leads to a form whose report the family sees', async ({
  family,
  browser,
  world,
}) => {
  expectErrors(refusedWith(400))
  const { memorial } = await withMessage(family)
  const context = await browser.newContext({ baseURL: world.url, javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`/m/${memorial.slug}`)
  await page.getByRole('link', { name: 'Report', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Report this message')
  await page.getByLabel('Anything to add?').fill('She never owed anybody.')
  await page.getByRole('button', { name: 'Send report' }).click()
  await expect(page.getByRole('alert')).toContainText('Please choose a reason')
  expect(await violationsWithoutScript(browser, page)).toEqual([])
  await page.getByLabel('It isn’t true').check()
  await expect(page.getByLabel('Anything to add?')).toHaveValue('She never owed anybody.')
  await page.getByRole('button', { name: 'Send report' }).click()
  await expect(page.getByRole('status')).toHaveText('The family will look at it.')
  await page.goto(page.url().replace('&sent=1', ''))
  await page.getByRole('link', { name: 'ask us to remove it' }).click()
  await expect(page.getByLabel('What should be removed?')).toBeVisible()
  await context.close()
  const owner = await family.ownerPage(360, `/memorial/${memorial.id}`)
  const reported = owner.getByRole('region', { name: 'Reported' })
  await reported.getByText('Show what was reported').click()
  await expect(reported).toContainText('1 report: It isn’t true')
  await expect(reported).toContainText('She never owed anybody.')
})

test('an admin sees what a family has left for a week, and settles it', async ({
  family,
  page,
  demo,
  world,
}) => {
  const { memorial, comment, report } = await withMessage(family)
  await report('A lie.')
  const week = 7 * 24 * 3600 * 1000
  await world.db
    .prepare('UPDATE reports SET created_at = ? WHERE item_id = ?')
    .bind(Date.now() - week - 1000, comment.id)
    .run()
  await demo.open(page, 'admin', '/admin?tab=system')
  const left = page.getByRole('region', { name: 'Reports' })
  await expect(left).toContainText('A message on the memorial of Sekai Ndlovu')
  await expect(left).toContainText('A lie.')
  await expect(left).not.toContainText(WORDS)
  await expect(left.getByRole('link', { name: 'Look at it' })).toHaveAttribute(
    'href',
    `/memorial/${memorial.id}#reported`,
  )
  await expectAccessible(page, 'the console with a report')
  await left.getByRole('button', { name: /^Nothing to do: / }).click()
  await expectToast(page, 'Settled.')
  await expect(left).toContainText('No report has waited for more than 7 days.')
})
