import { env } from 'cloudflare:test'
import { beforeEach, expect, test, vi } from 'vitest'
import type { ErrorBody } from '#shared/errors.ts'
import { HEALTH_PARTS, type Health } from '#shared/admin/health.ts'
import { HEALTH_CACHE_MS, HEALTH_CHECK_LEASE_MS, HEALTH_FAILED_CACHE_MS, HOUR_MS } from '#shared/limits.ts'
import { createCtx } from '#worker/platform/ctx.ts'
import { readHealth } from '#worker/features/health/health.ts'
import { brokenBinding, failingEnv } from './faults/faults.ts'
import { takeErrorLines } from './runtime/error-lines.ts'
import { Client, signedIn } from './harness.ts'

let now = Date.now()
/** Each test starts after the previous health result has expired. */
beforeEach(() => {
  now += 10 * HEALTH_CACHE_MS
  vi.spyOn(Date, 'now').mockImplementation(() => now)
})

async function healthWith(settings: object, path = '/api/health', headers: Record<string, string> = {}) {
  const client = new Client()
  client.ip = '10.7.7.7'
  client.bindings = { ...env, ...settings }
  const { status, body } = await client.get<Health & ErrorBody>(path, { headers })
  return { status, body }
}

function contextWith(settings: object, pending: Promise<unknown>[] = []) {
  return createCtx({ env: { ...env, ...settings }, waitUntil: (promise) => pending.push(promise) })
}

const broken = brokenBinding({}, 'secret inside at 10.0.0.1')
const BINDINGS = {
  database: 'DB',
  storage: 'MEDIA',
  sessions: 'KV',
  counters: 'THROTTLE',
  queue: 'JOBS',
  pictures: 'IMAGES',
} as const

test('a stranger sees that every part works, with each one really tried', async () => {
  const { status, body } = await new Client().get<Health>('/api/health')
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      parts: HEALTH_PARTS.map((part) => ({ part, answeredMs: expect.any(Number) })),
      version: { id: expect.any(String), tag: expect.any(String), uploadedAt: expect.any(String) },
      checkedAt: new Date(now).toISOString(),
    },
  })
})

test.each(HEALTH_PARTS)(
  'while %s fails, the answer is a 503 that names it without any details',
  async (part) => {
    const { status, body } = await healthWith({ [BINDINGS[part]]: broken })
    expect(takeErrorLines().join('\n')).toContain(`"part":"${part}"`)
    expect({ status, body }).toEqual({
      status: 503,
      body: {
        message: 'This is not available at the moment. Please try again later.',
        code: 'not_available',
        fields: { [part]: expect.stringMatching(/^(?:The|A|What) [\w ]+\.$/u) },
        requestId: expect.stringMatching(/^req_/u),
      },
    })
  },
)

test('a database that lacks the newest migration is not ready, and the log says which', async () => {
  const newest = env.TEST_MIGRATIONS.at(-1)?.name ?? ''
  await env.DB.prepare('UPDATE d1_migrations SET name = ? WHERE name = ?').bind('not yet', newest).run()
  const { status, body } = await healthWith({})
  expect([status, body.fields]).toEqual([503, { database: 'The database lacks the newest migration.' }])
  expect(takeErrorLines().join()).toContain(`lacks the migration ${newest}`)
  // A monitor may ask each second.
  await env.DB.prepare('UPDATE d1_migrations SET name = ? WHERE name = ?').bind(newest, 'not yet').run()
  now += HEALTH_FAILED_CACHE_MS
  expect((await healthWith({})).status).toBe(200)
})

test('a second request within seconds gets the same answer and tries nothing', async () => {
  const first = await healthWith({})
  const away = { DB: broken, MEDIA: broken }
  now += HEALTH_CACHE_MS - 1
  expect(await healthWith(away)).toEqual(first)
  now += 1
  expect((await healthWith(away)).status).toBe(503)
  expect(takeErrorLines()).not.toEqual([])
})

test('a health check that never ends blocks nobody: the next runs after the deadline', async () => {
  expect((await healthWith({})).status).toBe(200)
  now += HEALTH_CACHE_MS
  const away = Promise.withResolvers<unknown>()
  const hanging = { prepare: () => ({ bind: () => ({ first: () => away.promise }) }) }
  const left = readHealth(contextWith({ DB: hanging }), HOUR_MS)
  expect((await healthWith({ DB: broken })).status).toBe(200)
  now += HEALTH_CHECK_LEASE_MS
  expect((await healthWith({ DB: broken })).status).toBe(503)
  expect(takeErrorLines()).not.toEqual([])
  away.resolve({})
  await left
})

test('a health check completes even if its requester disconnects', async () => {
  expect((await healthWith({ DB: broken })).status).toBe(503)
  expect(takeErrorLines()).not.toEqual([])
  now += HEALTH_CACHE_MS
  const pending: Promise<unknown>[] = []
  void readHealth(contextWith({}, pending))
  await Promise.all(pending)
  expect((await healthWith({ DB: broken })).status).toBe(200)
})

test('the liveness call touches no binding, whatever session cookie it gets', async () => {
  const { cookies } = await signedIn()
  const Cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
  const failing = failingEnv(1)
  expect(await healthWith(failing.env, '/api/health/live', { Cookie })).toEqual({
    status: 200,
    body: { isLive: true },
  })
  expect(failing.calls()).toBe(0)
})

test('health requests over the rate limit are refused and nothing is tried', async () => {
  const counted: string[] = []
  const LIMIT_HEALTH = {
    limit: async ({ key }: { key: string }) => {
      counted.push(key)
      return { success: false }
    },
  }
  const { status } = await healthWith({ LIMIT_HEALTH, DB: broken, MEDIA: broken })
  expect([status, counted]).toEqual([429, ['10.7.7.7']])
})
