import './flat-proxies.ts'
import { applyD1Migrations, env, reset } from 'cloudflare:test'
import { afterAll, afterEach, beforeEach, expect, vi } from 'vitest'
import { errorLines } from './error-lines.ts'
import { askWorker, Client } from '../harness.ts'
import { closeQueues, openQueues } from './queue.ts'

// All test files share one runtime: each starts with empty storage and default clients.
let isEmpty = false
for (let tries = 0; tries < 10 && !isEmpty; tries++) {
  await reset()
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
  // What the file before left running can keep its database alive.
  isEmpty = (await env.DB.prepare('select id from users limit 1').first()) === null
}
if (!isEmpty) throw new Error('the rows of the file before are still there')
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
