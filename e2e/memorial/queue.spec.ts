import { ProductClient } from '../../tools/operate/local/product-client.ts'
import { expectAccessible, violationsWithoutScript } from '../accessible.ts'
import { expect, test, type Family } from '../family.ts'
import { expectNoSidewaysScroll, expectToast } from '../people.ts'

const PHONE = 360

/** Messages that visitors leave on the public page, each from a network of their own. */
async function leave(family: Family, slug: string, messages: { name: string; body: string }[]) {
  for (const [n, message] of messages.entries()) {
    const client = new ProductClient(family.world.url, `203.0.113.${n + 1}`)
    await client.call('POST', `/api/memorial/${slug}/visitor-messages`, message)
  }
}

async function runEveryMinute(family: Family): Promise<void> {
  const worker = await family.world.miniflare.getWorker()
  await worker.scheduled({ cron: '* * * * *' })
}

test('a stranger writes without script, the owner hears of it once and shows it, and hurtful words stay apart', async ({
  browser,
  world,
  family,
}) => {
  const { memorial } = await family.openToVisitors('APPROVED')
  const withoutScript = {
    baseURL: world.url,
    javaScriptEnabled: false,
    viewport: { width: PHONE, height: 740 },
  }
  const context = await browser.newContext(withoutScript)
  const stranger = await context.newPage()
  const write = async (words: string) => {
    await stranger.goto(`/m/${memorial.slug}`)
    await stranger.getByLabel('Leave a message').fill(words)
    await stranger.getByLabel('Your name').fill('Farai Chikomo')
    await stranger.getByRole('button', { name: 'Leave this message' }).click()
    await expect(stranger.getByRole('status')).toContainText('The family reads it first.')
  }
  await write('She taught me to whistle.')
  await leave(family, memorial.slug, [
    { name: 'Cheap loans', body: 'Quick loans without papers, visit www.loans.example today!' },
  ])
  await runEveryMinute(family)
  await runEveryMinute(family)
  const mail = await world.mailTo(family.email, /waiting|waits/u)
  expect(mail.text).not.toMatch(/whistle|Farai|loans/u)

  const page = await family.ownerPage(PHONE, `/memorial/${memorial.id}`)
  await page.getByRole('link', { name: '1 new thing is waiting for you' }).click()
  const waiting = page.getByRole('region', { name: 'Waiting for you' })
  await expect(waiting.getByText('Quick loans')).toBeHidden()
  await waiting.getByText('May hurt to read (1)').click()
  await expect(waiting.getByText('Quick loans')).toBeHidden()
  await waiting.getByText('Read it').click()
  await expect(waiting.getByText('Quick loans')).toBeVisible()
  await expectAccessible(page, 'what waits')
  await page.setViewportSize({ width: PHONE, height: 740 })
  await waiting.getByRole('button', { name: 'Show: Message added by Farai Chikomo' }).click()
  await expectToast(page, 'Shown.')
  await waiting.getByRole('button', { name: 'Decline it: Hurtful words or advertising' }).click()
  await expectToast(page, 'Declined.')
  await expect(waiting).toContainText('Nothing is waiting.')
  await expect(waiting.getByText('May hurt to read')).toBeHidden()

  const reader = await family.visitorPage(PHONE, `/m/${memorial.slug}`)
  await expect(reader.getByText('She taught me to whistle.')).toBeVisible()
  await expect(reader.getByText('Quick loans')).toBeHidden()
  await stranger.goto(`/m/${memorial.slug}/words`)
  await expect(stranger.getByText('On the memorial’s page')).toBeVisible()
  expect(await violationsWithoutScript(browser, stranger)).toEqual([])
  await context.close()

  // The owner thinks again.
  await waiting.getByText('Decided in the last 30 days').click()
  await waiting.getByRole('button', { name: /^Undo: Message added by Farai Chikomo.*Shown on/u }).click()
  await expectToast(page, 'Undone. It waits for you again.')
  await reader.reload()
  await expect(reader.getByText('She taught me to whistle.')).toBeHidden()
})

test('the owner decides by keyboard, and blocks somebody and takes it back', async ({ family }) => {
  const { memorial } = await family.openToVisitors('APPROVED')
  await leave(family, memorial.slug, [
    { name: 'Anesu', body: 'First words' },
    { name: 'Batsirai', body: 'Second words' },
    { name: 'Chipo', body: 'Third words' },
  ])
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
