import type { Page } from '@playwright/test'
import { expect } from './world.ts'

/** The wizard's controls, found by their visible names. */
export const next = (page: Page) => page.getByRole('button', { name: 'Next' })
export const hint = (page: Page) => page.locator('#wizard-hint')
export const toast = (page: Page) => page.getByTestId('toast')
export const stepTitle = (page: Page, name: string) => page.getByRole('heading', { level: 2, name })
export const story = (page: Page) => page.getByRole('textbox', { name: 'Life story' })

/** Opens a step of the wizard (0 to 5) for a memorial, or for a new one if `id` is null. */
export async function open(page: Page, url: string, id: string | null, step: number): Promise<void> {
  await page.goto(`${url}/create-memorial${id ? `/${id}` : ''}?step=${step}`)
  await expect(page.getByText(`Step ${step + 1} of 6`)).toBeVisible()
}
