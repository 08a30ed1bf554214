import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  expect,
  test as base,
  type Browser,
  type BrowserContext,
  type Page,
  type Request as PageRequest,
  type TestInfo,
} from '@playwright/test'
import { codeAt, fromBase32, stepAt } from '../src/worker/features/passkeys/totp.ts'
import { startStack, type Stack } from '../tools/operate/local/stack.ts'
import { DEMO, seedDemo, type SeededDemo } from '../tools/operate/seed.ts'
import { signIn } from './accounts-by-api.ts'
import { patient } from './patient.ts'
import { letPressesWait } from './people.ts'

const { fetch: fetchKeepingAlive } = globalThis
/** Each request of a test has a connection of its own: Node reuses one that the server is just closing, and then fails. */
globalThis.fetch = (input, init) => {
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
  headers.set('Connection', 'close')
  return fetchKeepingAlive(input, { ...init, headers })
}

let lastAddress = 0

/** Headers of a visitor with an IP address of their own (RFC 2544): rate limits count by address. */
export function fromOwnAddress(): { 'CF-Connecting-IP': string } {
  lastAddress += 1
  return { 'CF-Connecting-IP': `198.19.${lastAddress >> 8}.${lastAddress & 255}` }
}

type Mail = { id: string; to: string; subject: string; text: string; html: string }

export type World = Stack & {
  /** Waits for a mail to this address whose subject matches, and returns the newest. */
  mailTo: (address: string, subject: RegExp) => Promise<Mail>
  /** The number of PAID payments of the account with this address. */
  paidBy: (email: string) => Promise<number | null>
}

/** The demo's memorials, read-only: a test that changes one creates its own. */
type Demo = SeededDemo & {
  signIn: (page: Page, who: 'owner' | 'admin') => Promise<void>
  /** Signs in, and opens this path. */
  open: (page: Page, who: 'owner' | 'admin', path: string) => Promise<void>
  /** Types the code of the admin's authenticator app, for which the console asks after a sign-in by password. */
  giveCode: (page: Page) => Promise<void>
}

/**
 * Tests against the built Worker and the sandbox, with their own ports and data. A console error fails a test, unless the test
 * declares it with `expectErrors`.
 */
export const test = base.extend<
  { quietConsole: void; sendsPlainForms: boolean },
  { world: World; demo: Demo }
>({
  baseURL: ({ world }, use) => use(world.url),
  /** As outside of tests, the browser sends a form itself if the app takes too long. */
  sendsPlainForms: [false, { option: true }],
  async context({ context, sendsPlainForms }, use) {
    await context.setExtraHTTPHeaders(fromOwnAddress())
    if (!sendsPlainForms) await letPressesWait(context)
    await use(context)
  },
  quietConsole: [
    async ({ browser, world }, use, testInfo) => withQuietConsole(browser, world.url, testInfo, use),
    { auto: true },
  ],
  demo: [
    async ({ world }, use) =>
      use({
        ...(await seedDemo(world)),
        signIn: (page, who) => signIn(page, world, DEMO[who].email),
        async open(page, who, path) {
          await this.signIn(page, who)
          await page.goto(path)
        },
        async giveCode(page) {
          const field = page.getByLabel('Code from your authenticator app')
          // The code is good for a short time only.
          await expect(field).toBeVisible()
          // Another test may have used this code: each counts once.
          await world.db.prepare('UPDATE authenticators SET last_step = 0').run()
          const code = codeAt(fromBase32(this.adminSecret), stepAt(Date.now()))
          await field.fill(code)
          await page.getByRole('button', { name: 'Continue' }).click()
        },
      }),
    { scope: 'worker', timeout: 600_000 },
  ],
  world: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from this pattern
    async ({}, use) => {
      const state = mkdtempSync(join(tmpdir(), 'nhaka-e2e-'))
      const stack = await startStack({ port: 0, sandboxPort: 0, state, exampleSlug: DEMO.publicSlug })
      const db = patient(stack.db)
      await use({
        ...stack,
        db,
        miniflare: patient(stack.miniflare),
        paidBy: (email) =>
          db
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
                const response = await fetch(`${stack.sandboxUrl}/mail?to=${encodeURIComponent(address)}`)
                const { messages } = (await response.json()) as { messages: Mail[] }
                found = messages.find((mail) => subject.test(mail.subject))
                return found !== undefined
              },
              { message: `mail to ${address} with subject ${subject}` },
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

/** The console errors that the running test has declared. */
let expected: RegExp[] = []

/** Declares the console errors that a test provokes. Any other console error fails the test. */
export function expectErrors(...patterns: RegExp[]): void {
  expected.push(...patterns)
}

/** Matches the browser's console error for a response with this status. Each error ends with the request's URL. */
export const refusedWith = (status: number): RegExp => new RegExp(`with a status of ${status} `, 'u')

/**
 * Runs `body` and closes all its pages. Fails if one of them logged an unexpected console error. After a failed test, prints the
 * requests that were still running, whether the Worker still answers, and what each page shows.
 */
async function withQuietConsole(
  browser: Browser,
  url: string,
  testInfo: TestInfo,
  body: () => Promise<void>,
): Promise<void> {
  const lines: string[] = []
  const running = new Set<PageRequest>()
  expected = []
  const watch = (context: BrowserContext) => {
    context.on('console', (message) => {
      if (message.type() === 'error') lines.push(`${message.text()} ${message.location().url}`)
    })
    context.on('request', (request) => running.add(request))
    context.on('requestfinished', (request) => running.delete(request))
    context.on('requestfailed', (request) => running.delete(request))
    context.on('weberror', (error) => lines.push(String(error.error().stack ?? error.error())))
  }
  for (const context of browser.contexts()) watch(context)
  browser.on('context', watch)
  await body()
  browser.off('context', watch)
  if (testInfo.errors.length > 0) {
    console.error(
      'Running requests:',
      [...running].map((request) => request.url()),
    )
    const health = fetch(`${url}/api/health`, { signal: AbortSignal.timeout(30_000) })
    console.error('Status of /api/health:', await health.then(({ status }) => status).catch(String))
    for (const page of browser.contexts().flatMap((context) => context.pages()))
      console.error(page.url(), await page.ariaSnapshot().catch(String))
  }
  await Promise.all(browser.contexts().map((context) => context.close()))
  expect(
    lines.filter((line) => !expected.some((pattern) => pattern.test(line))),
    'console errors that the test did not declare with expectErrors()',
  ).toEqual([])
}
