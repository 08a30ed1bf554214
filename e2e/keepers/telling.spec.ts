import { expectAccessible } from '../accessible.ts'
import { expect, test } from '../family.ts'
import { expectToast } from '../people.ts'

test('the owner chooses how often they are told, and a mail’s link leads to what waits', async ({
  family,
}) => {
  const { memorial } = await family.openToVisitors('APPROVED')
  await family.leave(memorial.slug, { name: 'Tawanda Moyo', body: 'She gave me my first book.' })
  const next = encodeURIComponent(`/memorial/${memorial.id}#waiting`)
  const page = await family.ownerPage(360, `/login?next=${next}`)
  await expect(page.getByRole('region', { name: 'Waiting for you' })).toBeInViewport()
  await page.getByText('Messages from visitors', { exact: true }).click()
  const choices = page.getByRole('group', { name: 'Tell me by email when something waits' })
  await expect(choices.getByRole('radio', { name: 'At once, then once a day' })).toBeChecked()
  await choices.getByRole('radio', { name: 'Once a week' }).check()
  await expectToast(page, 'Memorial Updated')
  await expect(choices.getByRole('radio', { name: 'Once a week' })).toBeChecked()
  await expectAccessible(page, 'how often the owner is told')
})

test('a mail is ended without script, on a page that says how to switch it on again', async ({ family }) => {
  const context = await family.browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${family.world.url}/unsubscribe/mem_unknown.token`)
  await page.getByRole('button', { name: 'Stop these emails' }).click()
  await expect(page.getByRole('heading', { name: 'We’ve stopped these emails' })).toBeVisible()
  await context.close()
})
