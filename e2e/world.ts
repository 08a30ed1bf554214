import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test as base } from '@playwright/test'
import { startStack, type Stack } from '../tools/operate/local/stack.ts'
import { seedDemo, type SeededDemo } from '../tools/operate/seed.ts'
import { withQuietConsole, type ExpectErrors } from './console.ts'

export type Mail = { id: string; to: string; subject: string; text: string; html: string }

export type World = Stack & {
  /** The newest mail to this address whose subject matches, waiting until it has come. */
  mailTo: (address: string, subject: RegExp) => Promise<Mail>
  /** How many PAID payments the account with this address has. */
  paidBy: (email: string) => Promise<number | null>
}

/**
 * Tests against the built Worker and the sandbox, on ports and data of their own. An error line in the browser's console
 * fails a test, unless it was announced with `expectErrors`.
 */
export const test = base.extend<
  { expectErrors: ExpectErrors },
  {
    world: World
    /** The demo's memorials: to look at; a test that changes one makes its own. */ demo: SeededDemo
  }
>({
  expectErrors: [async ({ browser }, use) => withQuietConsole(browser, use), { auto: true }],
  demo: [async ({ world }, use) => use(await seedDemo(world)), { scope: 'worker', timeout: 300_000 }],
  world: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from this pattern
    async ({}, use) => {
      const state = mkdtempSync(join(tmpdir(), 'nhaka-e2e-'))
      const stack = await startStack({ port: 0, sandboxPort: 0, state })
      await use({
        ...stack,
        paidBy: (email) =>
          stack.db
            .prepare(
              `SELECT count(*) AS count FROM payments JOIN users ON users.id = payments.user_id
               WHERE payments.status = 'PAID' AND users.email = ?`,
            )
            .bind(email)
            .first<number>('count'),
        async mailTo(address, subject) {
          let found: Mail | undefined
          await expect
            .poll(
              async () => {
                const response = await fetch(`${stack.sandboxUrl}/mail?to=${encodeURIComponent(address)}`, {
                  headers: { Connection: 'close' },
                })
                const { messages } = (await response.json()) as { messages: Mail[] }
                found = messages.find((mail) => subject.test(mail.subject))
                return found !== undefined
              },
              { timeout: 20_000, message: `mail to ${address} with subject ${subject}` },
            )
            .toBe(true)
          if (!found) throw new Error('unreachable: the poll found it')
          return found
        },
      })
      await stack.close()
      rmSync(state, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
})

export { expect }
