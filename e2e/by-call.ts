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

let made = 0

/** Makes an account through the API, with an email and an internet address that no other of this world has. */
export async function newOwner(
  { url, sandboxUrl }: Place,
  name: string,
): Promise<{ email: string; owner: ProductClient }> {
  made += 1
  const email = `${name}-${made}@family.test`
  const person = { email, firstName: 'Rudo', lastName: 'Moyo' }
  return { email, owner: await account(url, sandboxUrl, person, `203.0.113.${made}`) }
}

/**
 * Signs the browser in, without its screens. Retried when the server closed the idle connection that the browser context
 * kept, which happens on a busy machine (ECONNRESET).
 */
export async function enter(page: Page, { url }: Place, email: string): Promise<void> {
  await page.request.post(`${url}/api/auth/login`, {
    data: { email, password: PASSWORD },
    headers: { Origin: url },
    failOnStatusCode: true,
    maxRetries: 3,
  })
}

/** A memorial that is paid for. */
export async function tendai(world: Place, owner: ProductClient): Promise<Memorial> {
  return paidMemorial(owner, world.sandboxUrl, TENDAI)
}
