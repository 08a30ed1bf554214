import type { Locator, Page } from '@playwright/test'
import { expectAccessible, violationsWithoutScript } from '../accessible.ts'
import { expect, test, type Family } from '../family.ts'
import { expectToast, logIn } from '../people.ts'
import type { World } from '../world.ts'

const PHONE = 360
const WORDS = 'She taught me to whistle.'
const ABUSE = 'She was a fucking thief.'
const UNTRUE = 'She still owes my cousin money.'
const KIND = 'She gave me my first book.'

async function runEveryMinute({ world }: Family): Promise<void> {
  const worker = await world.miniflare.getWorker()
  await worker.scheduled({ cron: '* * * * *' })
}

/** How many mails told this address that something waits. */
async function countTold(world: World, address: string): Promise<number> {
  const response = await fetch(`${world.sandboxUrl}/mail?to=${encodeURIComponent(address)}`)
  const { messages } = (await response.json()) as { messages: { subject: string }[] }
  return messages.filter(({ subject }) => /waits/u.test(subject)).length
}

/** Somebody at the grave with a small phone and no script leaves words. Returns their page, with the receipt. */
async function writeAtTheGrave(family: Family, slug: string, name: string, words: string): Promise<Page> {
  const options = { baseURL: family.world.url, javaScriptEnabled: false }
  const page = await family.visitorPage(PHONE, `${family.world.url}/m/${slug}`, options)
  await page.getByLabel('Leave a message').fill(words)
  await page.getByLabel('Your name').fill(name)
  await page.getByRole('button', { name: 'Leave this message' }).click()
  await expect(page.getByRole('status')).toContainText('The family reads it first.')
  await expect(page.getByRole('listitem').filter({ hasText: words })).toContainText('Waiting for the family')
  return page
}

/** What somebody reads who has never been there. */
async function expectRead(family: Family, slug: string, there: string[], missing: string[]): Promise<void> {
  const reader = await family.visitorPage(PHONE, `/m/${slug}`)
  const list = reader.locator('#messages')
  for (const words of there) await expect(list.getByText(words)).toBeVisible()
  for (const words of missing) await expect(reader.getByText(words)).toHaveCount(0)
  await reader.context().close()
}

const showOf = (waiting: Locator, name: string) =>
  waiting.getByRole('button', { name: `Show: Message added by ${name}` })

test('strangers write without script; the family hears once, decides, and can undo all', async ({
  browser,
  world,
  family,
}) => {
  const { memorial } = await family.openToVisitors('APPROVED')
  const { slug } = memorial
  const stranger = await writeAtTheGrave(family, slug, 'Farai Chikomo', WORDS)
  await writeAtTheGrave(family, slug, 'Nobody', ABUSE)
  for (let minute = 0; minute < 3; minute++) await runEveryMinute(family)
  const told = await world.mailTo(family.email, /waits/u)
  expect(await countTold(world, family.email)).toBe(1)
  expect(told.text).not.toMatch(/whistle|Farai|thief/u)
  await expectRead(family, slug, [], [WORDS, ABUSE])

  // The mail's link leads to what waits, once the owner has signed in.
  const owner = await family.visitorPage(PHONE, /https?:\/\/\S+\/login\?next=\S+/u.exec(told.text)?.[0])
  await logIn(owner, family.email)
  const waiting = owner.getByRole('region', { name: 'Waiting for you' })
  await expect(waiting).toBeInViewport()
  await expect(waiting.getByText(WORDS)).toBeVisible()
  await expect(waiting.getByText(ABUSE)).toBeHidden()
  await waiting.getByText('May hurt to read (1)').click()
  await expect(waiting.getByText(ABUSE)).toBeHidden()
  await waiting.getByText('Read it').click()
  await expect(waiting.getByText(ABUSE)).toBeVisible()
  await expectAccessible(owner, 'what waits')
  await owner.setViewportSize({ width: PHONE, height: 740 })
  await showOf(waiting, 'Farai Chikomo').click()
  await expectToast(owner, 'Shown.')
  await waiting.getByRole('button', { name: 'Decline it: Hurtful words or advertising' }).click()
  await expectToast(owner, 'Declined.')
  await expect(waiting).toContainText('Nothing is waiting.')
  await expect(waiting.getByText('May hurt to read')).toBeHidden()

  await stranger.goto(`/m/${slug}/words`)
  await expect(stranger.getByText('On the memorial’s page')).toBeVisible()
  expect(await violationsWithoutScript(browser, stranger)).toEqual([])
  await stranger.goto(`/m/${slug}`)
  await expect(stranger.locator('#messages').getByText(WORDS)).toBeVisible()
  await expectRead(family, slug, [WORDS], [ABUSE])

  // Somebody else is shown, then reported by three people, then blocked.
  const third = family.stranger()
  const ids: string[] = []
  for (const body of [UNTRUE, KIND]) {
    const message = { name: 'Tawanda', body }
    const path = `/api/memorial/${slug}/visitor-messages`
    const { comment } = await third.call<{ comment: { id: string } }>('POST', path, message)
    ids.push(comment.id)
  }
  await owner.reload()
  for (let left = 2; left > 0; left--) {
    await expect(showOf(waiting, 'Tawanda')).toHaveCount(left)
    await showOf(waiting, 'Tawanda').first().click()
  }
  await expect(waiting).toContainText('Nothing is waiting.')
  await expectRead(family, slug, [WORDS, UNTRUE, KIND], [])
  for (let person = 0; person < 3; person++)
    await family.stranger().call('POST', `/api/comments/${ids[0]}/report`, { reason: 'UNTRUE', words: null })
  await expectRead(family, slug, [WORDS, KIND], [UNTRUE])
  await owner.reload()
  const reported = owner.getByRole('region', { name: 'Reported' })
  await expect(reported.getByText(UNTRUE)).toBeHidden()
  await reported.getByText('Show what was reported').click()
  await expect(reported).toContainText('3 reports: It isn’t true')
  await expect(reported.getByText(UNTRUE)).toBeVisible()

  await owner.getByText('Who added what').click()
  const person = owner.getByRole('listitem').filter({ hasText: /Tawanda.*first wrote on/su })
  await person.getByRole('button', { name: /^Block Tawanda/u }).click()
  await owner.getByRole('dialog').getByRole('button', { name: 'Block', exact: true }).click()
  await expectToast(owner, 'Blocked.')
  await expectRead(family, slug, [WORDS], [UNTRUE, KIND])
  await person.getByRole('button', { name: /^Unblock Tawanda/u }).click()
  await expectToast(owner, 'Unblocked.')
  await expectRead(family, slug, [WORDS, KIND], [UNTRUE])

  // The owner thinks again about the first message.
  await waiting.getByText('Decided in the last 30 days').click()
  await waiting.getByRole('button', { name: /^Undo: Message added by Farai Chikomo.*Shown on/u }).click()
  await expectToast(owner, 'Undone. It waits for you again.')
  await expectRead(family, slug, [KIND], [WORDS, ABUSE, UNTRUE])
})
