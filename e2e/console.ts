import { expect, type Browser, type BrowserContext } from '@playwright/test'

/** Says which error lines of the browser's console a test provokes. Every other one fails it. */
export type ExpectErrors = (...patterns: RegExp[]) => void

/** The browser's own line for an answer with this status. Every line ends with the address that it is about. */
export const refusedWith = (status: number): RegExp => new RegExp(`with a status of ${status} `, 'u')

/** Runs `body`, then fails if any page of the browser, whoever opened it, wrote an error that was not expected. */
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
    'error lines in the console that the test did not announce with expectErrors()',
  ).toEqual([])
}
