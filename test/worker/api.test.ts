import { createExecutionContext, env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import type { Env } from '#worker/platform/env.ts'
import worker from '#worker/index.ts'
import { PublicPages } from '#worker/public-pages.ts'
import { toHttps } from '#worker/http/page-request.ts'
import { Client, ORIGIN, signedIn, askWorker } from './harness.ts'

test('an unknown call answers 404 in the form of every failure', async () => {
  const { status, body, headers } = await new Client().get('/api/nope')
  expect(status).toBe(404)
  expect(body).toEqual({ message: 'There is nothing at this address', code: 'not_found' })
  expect(headers.get('Cache-Control')).toBe('private, no-store')
})

test('a known path with a wrong method answers 405 and lists the allowed ones', async () => {
  const { status, headers } = await new Client().call('DELETE', api.config.path)
  expect(status).toBe(405)
  expect(headers.get('Allow')).toBe('GET, HEAD')
})

test('a write started by another website is refused', async () => {
  const { status, body } = await new Client().post(
    '/api/auth/logout',
    {},
    { headers: { Origin: 'https://evil.example' } },
  )
  expect(status).toBe(403)
  expect(body.code).toBe('cross_site')
})

test('a page that does not exist is the app with status 404', async () => {
  expect((await new Client().fetch('/no/such/page')).status).toBe(404)
  expect((await new Client().fetch('/m/tendai-moyo-k7q2mx')).status).toBe(200)
})

test('pages take GET and HEAD only: every other method is 405', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const response = await askWorker(`${ORIGIN}/login`, { method })
    const { code } = await response.json<{ code: string }>()
    expect([method, response.status, response.headers.get('Allow'), code]).toEqual([
      method,
      405,
      'GET, HEAD',
      'method_not_allowed',
    ])
    expect(response.headers.get('Cache-Control')).toBe('private, no-store')
  }
})

test('a page whose document arrived incomplete is fetched again, never served empty', async () => {
  let asked = 0
  const pagesWith = (isWhole: (attempt: number) => boolean) => {
    const ASSETS = new Proxy(env.ASSETS, {
      get: () => async () => new Response(isWhole(asked++) ? '<!doctype html><p></p></html>' : ''),
    })
    return new PublicPages(createExecutionContext(), { ...env, ASSETS })
  }
  const open = async (pages: PublicPages) => (await pages.fetch(new Request(`${ORIGIN}/about`))).text()
  expect(await open(pagesWith((attempt) => attempt > 0))).toContain('</html>')
  expect(asked).toBe(2)
  await expect(open(pagesWith(() => false))).rejects.toThrow('did not come whole')
})

test('a page tells only browsers without a session that they have none', async () => {
  const mark = async (client: Client) => (await client.fetch('/about')).headers.get('Server-Timing')
  expect(await mark(new Client())).toBe('no-session')
  expect(await mark(await signedIn())).toBeNull()
})

test('plain http redirects to https where the product uses it; a laptop keeps http', () => {
  const at = (address: string, PUBLIC_ORIGIN: string) => {
    const settings: Env = { ...env, PUBLIC_ORIGIN }
    const answer = toHttps(new Request(address, { method: 'POST' }), settings)
    return answer && [answer.status, answer.headers.get('Location'), answer.headers.get('Cache-Control')]
  }
  const secure = 'https://nhaka.test'
  expect(at('http://nhaka.test/api/auth/login?a=1', secure)).toEqual([
    308,
    'https://nhaka.test/api/auth/login?a=1',
    'private, no-store',
  ])
  expect(at('https://nhaka.test/login', secure)).toBeNull()
  expect(at('http://localhost:8787/login', secure)).toBeNull()
  expect(at('http://nhaka.test/login', 'http://nhaka.test')).toBeNull()
})

test('the https redirect comes before every page and call', async () => {
  const settings: Env = { ...env, PUBLIC_ORIGIN: 'https://nhaka.test' }
  for (const path of ['/login', '/api/config']) {
    const { status } = await worker.fetch(
      new Request(`http://nhaka.test${path}`),
      settings,
      createExecutionContext() as Parameters<typeof worker.fetch>[2],
    )
    expect([path, status]).toEqual([path, 308])
  }
})
