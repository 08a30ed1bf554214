import './flat-proxies.ts'
import { applyD1Migrations, env, reset } from 'cloudflare:test'
import { afterAll, afterEach, beforeEach, expect, vi } from 'vitest'
import { errorLines } from './error-lines.ts'
import { askWorker, Client } from './harness.ts'
import { closeQueues, openQueues } from './queue.ts'

// Bundled in production. Here loading a module is I/O, which requests that need it at the same time can't share.
await Promise.all([
  import('#worker/features/previews/neutral-card.jpg?inline'),
  import('#worker/features/previews/render-svg.ts'),
  import('#client/public-page/render.tsx'),
  import('#client/public-page/render-home.tsx'),
  import('#client/public-page/render-personal.tsx'),
  import('#client/public-page/render-refused.tsx'),
  import('#client/public-page/render-screen.tsx'),
])
// All test files share one runtime: each starts with empty storage and default clients.
await reset()
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
errorLines.length = 0
Client.way = async (url, init) => askWorker(url, init)
openQueues()
afterAll(closeQueues)

/** An unexpected error line fails the test: call `takeErrorLines()` where you expect one. */
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation((...line) => void errorLines.push(line))
  vi.spyOn(console, 'info').mockImplementation(() => {})
})
afterEach(() => {
  const lines = errorLines.splice(0)
  vi.restoreAllMocks()
  expect(lines, 'unexpected console.error').toEqual([])
})
