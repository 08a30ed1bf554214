import { applyD1Migrations, env } from 'cloudflare:test'
import { afterEach, beforeEach, expect, vi } from 'vitest'

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)

/** An unexpected error line fails the test: call `vi.mocked(console.error).mockClear()` where one is expected. */
beforeEach(() => {
  vi.spyOn(console, 'error')
  vi.spyOn(console, 'info').mockImplementation(() => {})
})
afterEach(() => {
  const calls = vi.mocked(console.error).mock.calls
  vi.restoreAllMocks()
  expect(calls, 'unexpected console.error').toEqual([])
})
