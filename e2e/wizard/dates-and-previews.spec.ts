import { expectAccessible } from '../accessible.ts'
import { expect, test } from '../family.ts'
import { expectNoSidewaysScroll, expectToast } from '../people.ts'
import { next, open, openDraft, stepTitle } from '../wizard-screen.ts'

for (const width of [320, 1280]) {
  test(`a date may be only a year, or about a year, at ${width} px`, async ({ page, family }) => {
    await page.setViewportSize({ width, height: 740 })
    const id = await openDraft(page, family, 1)
    const [born, died] = [
      page.getByRole('group', { name: /^Born/u }),
      page.getByRole('group', { name: /^Died/u }),
    ]
    await expect(born).toHaveAccessibleDescription(
      'If you only know the year, leave the day and month empty.',
    )
    await died.getByLabel('Day').fill('')
    await died.getByLabel('Month').fill('')
    await died.getByLabel('Year').fill('2019')
    await born.getByLabel('Year').fill('1931')
    await born.getByRole('checkbox', { name: /^About/u }).press('Space')
    await expect(born.getByText('It will say “about 1931”')).toBeVisible()
    // What was typed comes back if the year is exact after all.
    await expect(born.getByLabel('Day')).toBeDisabled()
    await expect(born.getByLabel('Day')).toHaveValue('')
    await born.getByRole('checkbox', { name: /^About/u }).uncheck()
    await expect(born.getByLabel('Day')).toHaveValue('14')
    await born.getByRole('checkbox', { name: /^About/u }).check()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page, 'dates of a life', [width])

    // The error leads to a box that can be filled in.
    await born.getByLabel('Year').fill('31')
    await next(page).click()
    await expect(born).toHaveAccessibleDescription(/Please enter the year in four digits/u)
    await page.getByRole('main').getByRole('alert').getByRole('link').click()
    await expect(born.getByLabel('Year')).toBeFocused()
    await born.getByLabel('Year').fill('1931')
    await next(page).click()
    await expect(stepTitle(page, 'Funeral Service Details')).toBeVisible()

    await page.goto(`/memorial/${id}`)
    await expect(page.getByText('about 1931 – 2019')).toBeVisible()
    await expect(page).toHaveTitle(/^Tendai Rudo Moyo, about 1931 – 2019 · /u)
    await open(page, id, 1)
    await expect(born.getByRole('checkbox', { name: /^About/u })).toBeChecked()
    await expect(died.getByRole('checkbox', { name: /^About/u })).not.toBeChecked()
    await expect(died.getByLabel('Month')).toHaveValue('')
    await expect(died.getByLabel('Year')).toHaveValue('2019')
  })
}

test('an invitation is previewed without a name until the owner shows it', async ({ page, family }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  const { memorial, inviteLink } = await family.invited()
  /** What a chat reads: title and image of the link. */
  const preview = async () => {
    const html = await (await page.request.get(inviteLink, { maxRetries: 3 })).text()
    const of = (property: string) =>
      new RegExp(`property="og:${property}" content="([^"]+)"`, 'u').exec(html)?.[1]
    return { title: of('title'), image: of('image') ?? '' }
  }
  const neutral = await preview()
  expect(neutral.title).toBe('An invitation from the family')
  expect(neutral.image).toMatch(/\/card\.jpg$/u)

  await family.signIn(page)
  await open(page, memorial.id, 5)
  const choice = page.getByRole('checkbox', { name: /^Show the name and face in the preview/u })
  await expect(choice).not.toBeChecked()
  await choice.press('Space')
  await expectToast(page, 'Memorial Updated')
  await expect(choice).toBeChecked()
  await expectAccessible(page, 'preview of an invitation', [360])
  const named = await preview()
  expect(named.title).toBe('Sekai Ndlovu 1931–2026')
  expect((await page.request.get(named.image, { maxRetries: 3 })).headers()['content-type']).toBe(
    'image/jpeg',
  )

  await choice.press('Space')
  await expect(choice).not.toBeChecked()
  // The box shows the choice before the server has it.
  await expect.poll(preview).toEqual(neutral)
})
