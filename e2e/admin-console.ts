import type { Page } from '@playwright/test'
import { paidMemorial } from '../tools/operate/seed.ts'
import { newOwner, TENDAI, type Place } from './accounts-by-api.ts'

/** An owner with a paid memorial of this name. */
export async function family(world: Place, name: string, honoureeFullName: string) {
  const { email, owner } = await newOwner(world, name)
  const memorial = await paidMemorial(owner, world.sandboxUrl, { ...TENDAI, honoureeFullName })
  return { email, owner, memorial }
}

/** One of the console's tabs. */
export const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
/** The figure with this name in the open tab. */
export const figure = (page: Page, name: string) =>
  page.getByRole('tabpanel').locator('dl > div').filter({ hasText: name }).getByRole('definition')
