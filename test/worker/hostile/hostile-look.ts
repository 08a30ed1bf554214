import { expect } from 'vitest'
import { errorBodyProblems } from '../error-body.ts'
import { Client, signedIn } from '../harness.ts'
import { headerProblems } from '../../stated-headers.ts'

/**
 * Requests all these addresses as an admin, who has access everywhere: no answer may be a 5xx or reveal internal details.
 * Writing calls get an empty object.
 */
export async function expectUnbroken(addresses: string[], method = 'GET'): Promise<void> {
  const admin = await signedIn({ admin: true })
  const problems: string[] = []
  for (const address of addresses) {
    admin.ip = new Client().ip
    const answer = await admin.fetch(address, {
      method,
      ...(method === 'GET' ? {} : { body: '{}', headers: { 'Content-Type': 'application/json' } }),
    })
    const text = await answer.text()
    const wrong = headerProblems(answer, 'call')
    if (answer.status >= 500) wrong.push(`answered ${answer.status}`)
    if (answer.status >= 400) wrong.push(...errorBodyProblems(answer.status, text))
    problems.push(...wrong.map((what) => `${method} ${address.slice(0, 60)}: ${what}`))
  }
  expect(problems).toEqual([])
  console.log(`${addresses.length} hostile addresses`)
}

/** Hostile strings in place of an id in an address. */
export const HOSTILE_IDS = [
  '%00',
  '%ff%fe',
  '%',
  '..%2f..%2fetc%2fpasswd',
  '__proto__',
  'constructor',
  "'%20OR%201=1--",
  '%27%3B%20DROP%20TABLE%20users%3B--',
  '%F0%9F%95%8A',
  '%ED%A0%80',
  'x'.repeat(6000),
]
