import { expect, type Browser, type BrowserContext } from '@playwright/test'

/** Declares the console errors that a test provokes. Any other console error fails the test. */
export type ExpectErrors = (...patterns: RegExp[]) => void

/** Matches the browser's console error for a response with this status. Each error ends with the request's URL. */
export const refusedWith = (status: number): RegExp => new RegExp(`with a status of ${status} `, 'u')

/** Runs `body`, then fails if any page in the browser logged an unexpected console error. */
export async function withQuietConsole(
  browser: Browser,
  body: (expectErrors: ExpectErrors) => Promise<void>,
): Promise<void> {
  const lines: string[] = []
  const expected: RegExp[] = []
  const watch = (context: BrowserContext) => {
    context.on('console', (message) => {
      if (message.type() === 'error') lines.push(`${message.text()} ${message.location().url}`)
    })
    context.on('weberror', (error) => lines.push(String(error.error().stack ?? error.error())))
  }
  for (const context of browser.contexts()) watch(context)
  browser.on('context', watch)
  await body((...patterns) => expected.push(...patterns))
  browser.off('context', watch)
  expect(
    lines.filter((line) => !expected.some((pattern) => pattern.test(line))),
    'console errors that the test did not declare with expectErrors()',
  ).toEqual([])
}
