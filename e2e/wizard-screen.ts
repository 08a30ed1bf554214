import type { Locator, Page } from '@playwright/test'
import { expect, type Family } from './family.ts'

/** The wizard's controls, found by their visible names. */
export const next = (page: Page) => page.getByRole('button', { name: 'Next' })
export const hint = (page: Page) => page.locator('#wizard-hint')
export const stepTitle = (page: Page, name: string) => page.getByRole('heading', { level: 2, name })
export const story = (page: Page) => page.getByRole('textbox', { name: 'Life story' })

/** Opens a step of the wizard (0 to 5) for a memorial, or for a new one if `id` is null. */
export async function open(page: Page, id: string | null, step: number): Promise<void> {
  await page.goto(`/create-memorial${id ? `/${id}` : ''}?step=${step}`)
  await expect(page.getByText(`Step ${step + 1} of 6`)).toBeVisible()
}

/** Signs in an owner with an unpaid memorial, and opens this step of it. Returns its id. */
export async function openDraft(page: Page, family: Family, step: number): Promise<string> {
  const { id } = await family.draft()
  await family.signIn(page)
  await open(page, id, step)
  return id
}

/** Types at the end of the life story. */
export async function writeStory(page: Page, text: string): Promise<void> {
  await story(page).click()
  await page.keyboard.type(text)
}

/** Fills in the position of the grave. */
export async function fillPlace(page: Page, latitude: string, longitude: string): Promise<void> {
  await page.getByLabel('Latitude').fill(latitude)
  await page.getByLabel('Longitude').fill(longitude)
}

/** Types the kind of a gathering, whose list has the focus. The browser takes letters more than a second apart for several words. */
export async function typeKind(page: Page, name: string): Promise<void> {
  const chosen = page.getByLabel('Kind of gathering').locator('option:checked')
  await expect(async () => {
    await page.keyboard.type(name)
    expect(await chosen.textContent()).toContain(name)
  }).toPass({ intervals: [2000], timeout: 60_000 })
}

/** Opens a part of a gathering's card, such as "Getting there". */
export async function openPart(card: Page | Locator, title: string): Promise<void> {
  await card.locator('details:not([open]) > summary', { hasText: title }).click()
}
