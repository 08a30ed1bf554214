import type { Page } from '@playwright/test'
import { violationsWithoutScript } from '../accessible.ts'
import { expect, test } from '../family.ts'
import {
  appStarted,
  expectNoSidewaysScroll,
  expectToast,
  giveName,
  hold,
  postMessage,
  pressMore,
} from '../people.ts'
import { expectErrors, refusedWith, type World } from '../world.ts'

const shots = process.env['SHOTS']
const shoot = async (page: Page, name: string) => {
  if (shots) await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true })
}

async function codeFor(world: World, email: string): Promise<string> {
  const { subject } = await world.mailTo(email, /^Your code is \d{6}$/u)
  return subject.slice(-6)
}

test('a relative who left an address is known again on a new phone, by a code', async ({ world, family }) => {
  const { memorial, inviteLink } = await family.invited()
  const email = `again.${memorial.id}@family.test`
  const first = await family.visitorPage(360, inviteLink)
  const ask = await hold(first, '**/contributor-session')
  await postMessage(first, 'She taught me to whistle.')
  await giveName(first, 'Farai Chikomo')
  const message = first.getByRole('listitem').filter({ hasText: 'She taught me to whistle.' })
  await expect(message).toBeFocused()
  const question = first.getByRole('form', { name: 'If you change phones, should we know you again?' })
  await expect(question).toHaveCount(0)
  ask()
  await expect(question).toBeVisible()
  await expect(message).toBeInViewport({ ratio: 1 })
  await question.scrollIntoViewIfNeeded()
  await shoot(first, 'question-360')
  await question.getByRole('button', { name: 'Save my address' }).click()
  await expect(question.getByLabel('Email')).toHaveAccessibleDescription(/valid email/u)
  await question.getByLabel('Email').fill(email)
  await question.getByRole('button', { name: 'Save my address' }).click()
  await expectToast(first, 'Your address is saved')
  await expect(question).toHaveCount(0)
  await first.reload()
  await expect(first.getByText('The family sees your name as Farai Chikomo.')).toBeVisible()
  await expect(question).toHaveCount(0)

  const phone = await family.visitorPage(360, inviteLink)
  await phone.getByLabel('Write a message').focus()
  await expect(appStarted(phone)).toHaveCount(1)
  await phone.getByLabel('Write a message').fill('Typed before the code')
  await phone.getByRole('link', { name: 'I’ve added something before' }).click()
  await shoot(phone, 'again-360')
  await phone.getByLabel('Email').fill(email)
  await phone.getByRole('button', { name: 'Send me a code' }).click()
  await expect(phone.getByRole('status')).toContainText(
    'If somebody with this address has added something here',
  )
  await shoot(phone, 'code-360')
  await phone.getByLabel('Code from the email').fill(await codeFor(world, email))
  await phone.getByRole('button', { name: 'Continue' }).click()
  await expect(phone.getByRole('status')).toContainText('Welcome back, Farai Chikomo.')
  await shoot(phone, 'known-360')
  await phone.getByRole('link', { name: 'Back to the memorial' }).click()
  await expect(phone.getByText('The family sees your name as Farai Chikomo.')).toBeVisible()
  await expect(phone.getByLabel('Write a message')).toHaveValue('Typed before the code')
  await phone.getByRole('button', { name: 'Post message' }).click()
  const added = phone.getByRole('listitem').filter({ hasText: 'Typed before the code' })
  await expect(added).toContainText('Farai Chikomo')
  // Their own words of before are theirs here, too.
  const guestbook = phone.getByRole('region', { name: 'Guestbook' })
  const before = guestbook.getByRole('listitem').filter({ hasText: 'She taught me to whistle.' })
  await pressMore(before, /^More: message of Farai/u, 'Delete the message of Farai Chikomo')
  await expect(before).toHaveCount(0)
  expect(new URL(phone.url()).search).toBe('')
})

for (const width of [360, 1280]) {
  test(`without script two relatives with one address choose by name, at ${width} px`, async ({
    browser,
    world,
    family,
  }) => {
    expectErrors(refusedWith(400))
    const { memorial, inviteLink, token } = await family.invited()
    const email = `shared.${memorial.id}@family.test`
    for (const name of ['Rudo Moyo', 'Farai Chikomo']) {
      const relative = await family.relative(token, name)
      await relative.call('PUT', `/api/memorials/${memorial.id}/contributor-session/address`, { email })
    }
    const page = await family.visitorPage(width, inviteLink, { javaScriptEnabled: false })
    await page.getByRole('link', { name: 'I’ve added something before' }).click()
    await expect(page.getByRole('button', { name: 'Send me a code' })).toBeVisible()
    expect(await violationsWithoutScript(browser, page)).toEqual([])
    await page.getByRole('button', { name: 'Send me a code' }).click()
    await expect(page.getByLabel('Email')).toHaveAccessibleDescription(/valid email/u)
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Send me a code' }).click()
    const field = page.getByLabel('Code from the email')
    await field.fill('12345')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(field).toHaveAccessibleDescription(/six digits from the email/u)
    await shoot(page, `wrong-${width}`)
    expect(await violationsWithoutScript(browser, page)).toEqual([])
    await field.fill(await codeFor(world, email))
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('heading', { name: 'Several people left this address.' })).toBeVisible()
    await shoot(page, `choose-${width}`)
    await expectNoSidewaysScroll(page)
    expect(await violationsWithoutScript(browser, page)).toEqual([])
    await page.getByRole('button', { name: 'Rudo Moyo' }).click()
    await expect(page.getByRole('status')).toContainText('Welcome back, Rudo Moyo.')
    await page.getByRole('link', { name: 'Back to the memorial' }).click()
    await expect(page.getByText('The family sees your name as Rudo Moyo.')).toBeVisible()

    // The address can go again.
    await page.getByRole('link', { name: 'If you change phones' }).click()
    await shoot(page, `kept-${width}`)
    await page.getByRole('button', { name: 'Delete my address' }).click()
    await expect(page.getByRole('status')).toHaveText('We’ve deleted your address.')
    await page.context().close()
  })
}

test('without script the first thing added brings the question; “No, thanks” ends it', async ({ family }) => {
  const { inviteLink } = await family.invited()
  const page = await family.visitorPage(360, inviteLink, { javaScriptEnabled: false })
  const words = page.locator('form', { has: page.getByLabel('Write a message') })
  const post = async (text: string) => {
    await words.getByLabel('Write a message').fill(text)
    await words.getByRole('button', { name: 'Post message' }).click()
  }
  const question = page.getByRole('form', { name: 'If you change phones, should we know you again?' })
  await expect(question).toHaveCount(0)
  await words.getByLabel('Your name').fill('Farai Chikomo')
  await post('She taught me to whistle.')
  await expect(question).toBeVisible()
  await shoot(page, 'question-plain-360')
  await question.getByRole('button', { name: 'No, thanks' }).click()
  await expect(page.getByText('The family sees your name as Farai Chikomo.')).toBeVisible()
  await expect(question).toHaveCount(0)
  await post('And to sing.')
  await expect(page.getByRole('listitem').filter({ hasText: 'And to sing.' })).toBeVisible()
  await expect(question).toHaveCount(0)
})
