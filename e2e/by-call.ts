import type { Page } from '@playwright/test'
import type { Memorial } from '../src/shared/memorials.ts'
import type { ProductClient } from '../tools/operate/local/product-client.ts'
import { account, DEMO, paidMemorial } from '../tools/operate/seed.ts'

type Place = { url: string; sandboxUrl: string }

export const PASSWORD = DEMO.password
export const TENDAI = {
  honoureeFullName: 'Tendai Rudo Moyo',
  title: 'She taught half of Mutare to read.',
  dateOfBirth: '1948-03-14',
  dateOfDeath: '2026-06-02',
}

let created = 0

/** Creates an account through the API, with a unique email and IP address. */
export async function newOwner(
  { url, sandboxUrl }: Place,
  name: string,
): Promise<{ email: string; owner: ProductClient }> {
  created += 1
  const email = `${name}-${created}@family.test`
  const person = { email, firstName: 'Rudo', lastName: 'Moyo' }
  return { email, owner: await account(url, sandboxUrl, person, `203.0.113.${created}`) }
}

/**
 * Signs the browser in through the API. Retries, because on a busy machine the server may close an idle connection that the
 * browser context reuses (ECONNRESET).
 */
export async function signInByApi(page: Page, { url }: Place, email: string): Promise<void> {
  await page.request.post(`${url}/api/auth/login`, {
    data: { email, password: PASSWORD },
    headers: { Origin: url },
    failOnStatusCode: true,
    maxRetries: 3,
  })
}

/** Creates a paid memorial. */
export async function tendai(world: Place, owner: ProductClient): Promise<Memorial> {
  return paidMemorial(owner, world.sandboxUrl, TENDAI)
}
