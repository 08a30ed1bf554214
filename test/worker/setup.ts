import { applyD1Migrations, env } from 'cloudflare:test'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { errorLines } from './error-lines.ts'

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)

/** An unexpected error line fails the test: call `takeErrorLines()` where one is expected. */
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation((...line) => void errorLines.push(line))
  vi.spyOn(console, 'info').mockImplementation(() => {})
})
afterEach(() => {
  const lines = errorLines.splice(0)
  vi.restoreAllMocks()
  expect(lines, 'unexpected console.error').toEqual([])
})
