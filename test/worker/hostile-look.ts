import { expect } from 'vitest'
import { errorBodyProblems } from './error-body.ts'
import { Client, signedIn } from './harness.ts'
import { headerProblems } from '../stated-headers.ts'

/** Looks at all of these addresses as an admin, who is let in everywhere: none may be a 5xx or told anything of the inside. */
export async function expectUnbroken(addresses: string[]): Promise<void> {
  const admin = await signedIn({ admin: true })
  const problems: string[] = []
  for (const address of addresses) {
    admin.ip = new Client().ip
    const answer = await admin.fetch(address)
    const text = await answer.text()
    const wrong = headerProblems(answer, 'call')
    if (answer.status >= 500) wrong.push(`answered ${answer.status}`)
    if (answer.status >= 400) wrong.push(...errorBodyProblems(answer.status, text))
    problems.push(...wrong.map((what) => `${address.slice(0, 60)}: ${what}`))
  }
  expect(problems).toEqual([])
  console.log(`${addresses.length} hostile addresses`)
}
