import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FROM_CACHE_HEADER, MEMORIAL_CACHE_PREFIX } from '#client/lib/offline/cache-names.ts'
import { cacheAnswer, findCached, findSimilar } from './cached-memorials.ts'
import { planOf } from './plan.ts'
import { deleteCachedMemorials, listCached } from './record-store.ts'

const ORIGIN = 'https://nhaka.test'
const SLUG = 'tendai-moyo-k7q2mx'

/** A fake of the Cache API, as far as it is used: https://w3c.github.io/ServiceWorker/#cache-objects */
const stored = new Map<string, Map<string, Response>>()

function cacheOf(entries: Map<string, Response>) {
  const href = (key: string | Request) => new URL(typeof key === 'string' ? key : key.url, ORIGIN).href
  const path = (key: string) => new URL(key).pathname
  return {
    async match(key: string, { ignoreSearch = false } = {}) {
      const found = [...entries].find(([one]) =>
        ignoreSearch ? path(one) === path(href(key)) : one === href(key),
      )
      return found?.[1].clone()
    },
    put: async (key: string, response: Response) => void entries.set(href(key), response),
    async delete(key: string, { ignoreSearch = false } = {}) {
      for (const one of entries.keys())
        if (ignoreSearch ? path(one) === path(href(key)) : one === href(key)) entries.delete(one)
    },
    keys: async () => [...entries.keys()].map((url) => ({ url })),
  }
}

beforeEach(() => {
  stored.clear()
  vi.stubGlobal('caches', {
    keys: async () => [...stored.keys()],
    async open(name: string) {
      const entries = stored.get(name) ?? new Map<string, Response>()
      stored.set(name, entries)
      return cacheOf(entries)
    },
    async match(key: string, { cacheName, ...how }: { cacheName?: string; ignoreSearch?: boolean } = {}) {
      for (const [name, entries] of stored) {
        const found =
          cacheName === undefined || cacheName === name ? await cacheOf(entries).match(key, how) : null
        if (found) return found
      }
      return undefined
    },
    delete: async (name: string) => stored.delete(name),
  })
})
afterEach(() => vi.unstubAllGlobals())

const memorial = { id: 'mem_1', slug: SLUG, honoureeFullName: 'Tendai Moyo', profileMediaId: 'med_1' }
function view(role: string, privacy: string, over = {}) {
  return Response.json({ memorial: { ...memorial, privacy, ...over }, viewer: { role } })
}
const picture = (headers = {}) =>
  new Response('pixels', { headers: { 'Content-Type': 'image/webp', ...headers } })
const refusal = (status: number) => new Response('{}', { status })

async function answer(path: string, response: Response, mode: RequestMode = 'cors'): Promise<void> {
  const plan = planOf({ method: 'GET', url: ORIGIN + path, mode, headers: new Headers() }, ORIGIN)
  if (!plan) throw new Error(`${path} is not cacheable`)
  await cacheAnswer(plan, ORIGIN + path, response)
}

async function offline(path: string, mode: RequestMode = 'cors'): Promise<string | null> {
  const plan = planOf({ method: 'GET', url: ORIGIN + path, mode, headers: new Headers() }, ORIGIN)
  if (!plan) return null
  const found = (await findCached(plan, ORIGIN + path)) ?? (await findSimilar(plan, ORIGIN + path))
  return found ? found.text() : null
}

const BY_SLUG = `/api/memorial/${SLUG}`
const BY_ID = '/api/memorials/mem_1'
const PICTURE = '/media/stream/med_1?w=320'

test('views of visitors and of invited contributors are cached', async () => {
  for (const [role, privacy] of [
    ['VISITOR', 'LOCKED'],
    ['CONTRIBUTOR', 'INVITE'],
    ['VISITOR', 'INVITE'],
  ] as const) {
    await answer(`${BY_ID}?invite=abc`, view(role, privacy))
    expect(await offline(BY_ID)).toContain(privacy)
    await deleteCachedMemorials()
  }
})

test("an owner's, admin's or private view is not cached and deletes the cache", async () => {
  for (const [role, privacy] of [
    ['OWNER', 'PRIVATE'],
    ['OWNER', 'INVITE'],
    ['OWNER', 'LOCKED'],
    ['ADMIN', 'LOCKED'],
    ['VISITOR', 'PRIVATE'],
  ] as const) {
    await answer(BY_SLUG, view('VISITOR', 'LOCKED'))
    await answer(BY_ID, view(role, privacy))
    await answer(`${BY_ID}/comments`, Response.json({ comments: [] }))
    await answer(PICTURE, picture())
    expect([...stored.keys()].filter((name) => name.startsWith(MEMORIAL_CACHE_PREFIX))).toEqual([])
  }
})

test('lists and images are cached only for a cached memorial', async () => {
  await answer(`${BY_ID}/comments`, Response.json({ comments: ['x'] }))
  await answer(PICTURE, picture())
  expect([await offline(`${BY_ID}/comments`), await offline(PICTURE)]).toEqual([null, null])
  await answer(BY_ID, view('CONTRIBUTOR', 'INVITE'))
  await answer(`${BY_ID}/media?invite=abc`, Response.json({ media: [{ id: 'med_2' }] }))
  await answer(PICTURE, picture())
  await answer('/media/stream/med_2?w=640&invite=abc', picture())
  await answer('/media/stream/med_9?w=320', picture())
  expect([
    await offline(`${BY_ID}/media`),
    await offline(PICTURE),
    await offline('/media/stream/med_2?w=640'),
    await offline('/media/stream/med_9?w=320'),
  ]).toEqual(['{"media":[{"id":"med_2"}]}', 'pixels', 'pixels', null])
  expect(JSON.stringify([...stored].map(([name, entries]) => [name, [...entries.keys()]]))).not.toContain(
    'abc',
  )
})

test('a cached image replaces a wider one; other media are never cached', async () => {
  await answer(BY_SLUG, view('VISITOR', 'LOCKED'))
  await answer('/media/stream/med_1?w=1920', picture())
  expect(await offline('/media/stream/med_1?w=1920')).toBeNull()
  await answer(PICTURE, picture({ 'Content-Type': 'video/mp4' }))
  expect(await offline(PICTURE)).toBeNull()
  await answer(PICTURE, picture())
  expect(await offline('/media/stream/med_1?w=1920')).toBe('pixels')
})

test('a refusal deletes the whole memorial: private, uninvited or deleted', async () => {
  for (const [path, status, mode] of [
    [BY_SLUG, 403, 'cors'],
    [BY_ID, 404, 'cors'],
    [`${BY_ID}/comments`, 410, 'cors'],
    [PICTURE, 403, 'cors'],
    [`/m/${SLUG}`, 403, 'navigate'],
    ['/memorial/mem_1', 410, 'navigate'],
  ] as const) {
    await answer(BY_SLUG, view('VISITOR', 'LOCKED'))
    await answer(PICTURE, picture())
    expect(await offline(PICTURE)).toBe('pixels')
    await answer(path, refusal(status), mode)
    expect([path, await listCached(), await offline(BY_SLUG), await offline(PICTURE)]).toEqual([
      path,
      [],
      null,
      null,
    ])
  }
})

test('a photo that was deleted goes in every size, and the memorial stays', async () => {
  await answer(BY_SLUG, view('VISITOR', 'LOCKED'))
  await answer(PICTURE, picture())
  await answer('/media/stream/med_1?w=640', picture())
  await answer(PICTURE, refusal(404))
  expect([await offline(PICTURE), await offline(BY_SLUG)]).toEqual([null, expect.stringContaining('LOCKED')])
})

test('a failing server deletes nothing', async () => {
  await answer(BY_SLUG, view('VISITOR', 'LOCKED'))
  for (const status of [429, 500, 503]) await answer(BY_SLUG, refusal(status))
  expect(await offline(BY_SLUG)).toContain('LOCKED')
})

const APP = '<!doctype html><title>Keeping Legacies Alive</title><div id="root"></div>'
const CSP = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': 'trusted-types inert-html',
}
const page = (html: string, headers: Record<string, string> = {}) =>
  new Response(html, { headers: { ...CSP, ...headers } })

test('the app opens offline for a cached memorial or an invitation only', async () => {
  await answer('/memorial/mem_1', page(APP, { 'Server-Timing': 'no-session' }), 'navigate')
  expect(await offline('/memorial/mem_1', 'navigate')).toBeNull()
  await answer(BY_ID, view('CONTRIBUTOR', 'INVITE'))
  expect([
    await offline('/memorial/mem_1', 'navigate'),
    await offline(`/m/${SLUG}`, 'navigate'),
    await offline('/invite/abc', 'navigate'),
    await offline('/memorial/mem_2', 'navigate'),
    await offline('/dashboard', 'navigate'),
  ]).toEqual([APP, APP, APP, null, null])
})

test('the cached app document hides the session and never allows the card form', async () => {
  await answer(
    '/checkout',
    page(APP, { 'Content-Security-Policy': 'script-src https://js.stripe.com' }),
    'navigate',
  )
  expect(await offline('/invite/abc', 'navigate')).toBeNull()
  await answer('/faq', page(APP, { 'Server-Timing': 'no-session', 'Referrer-Policy': 'origin' }), 'navigate')
  const cached = await caches.match('/document')
  expect(
    ['Server-Timing', 'Referrer-Policy', FROM_CACHE_HEADER].map((name) => cached?.headers.get(name)),
  ).toEqual([null, 'no-referrer', '1'])
})

test('the cached app document names neither a person, an invitation nor an address', async () => {
  const described = APP.replace('Keeping', 'Zvita Moyo, about 1931 · Keeping').replace(
    '<div',
    `<meta name="description" content="of Zvita"><meta name="robots" content="noindex"><meta property="og:title"
content="Zvita"><meta name="twitter:image" content="/invite/secret/card.jpg"><link rel="canonical" href="/zvita"><main id="without-script"><p>There is no
public memorial at this address</p></main><div`,
  )
  await answer('/invite/secret', page(described), 'navigate')
  expect(await offline('/invite/abc', 'navigate')).toBe(
    APP.replace('<div', '<meta name="robots" content="noindex"><div'),
  )
})

const RENDERED_PAGE = `<link rel="canonical" href="${ORIGIN}/m/${SLUG}"><meta property="og:title" content="Tendai &amp; Rudo Moyo 1948–2026"><div id="root"><h1>Tendai</h1></div><img src="/media/stream/med_1?w=640"><script src="/assets/public-x.js">`

test('a server-rendered page is cached with its images until it is withdrawn', async () => {
  await answer(`/m/${SLUG}?photo=med_1`, page(RENDERED_PAGE), 'navigate')
  await answer(PICTURE, picture())
  expect([await offline(`/m/${SLUG}?utm=x`, 'navigate'), await offline(PICTURE)]).toEqual([
    RENDERED_PAGE,
    'pixels',
  ])
  expect((await listCached()).map(({ name, path, assets }) => [name, path, assets])).toEqual([
    ['Tendai & Rudo Moyo 1948–2026', `/m/${SLUG}`, ['/assets/public-x.js']],
  ])
  await answer(`/m/${SLUG}`, page('<div id="root"><h1>Private Memorial</h1></div>'), 'navigate')
  expect([await listCached(), await offline(PICTURE)]).toEqual([[], null])
})

test('a page that says why its memorial does not open deletes that memorial only', async () => {
  const refused = () => page(`<div id="root" data-refused="{}"><h1>Private Memorial</h1></div>`)
  await answer(BY_ID, view('VISITOR', 'LOCKED'))
  await answer('/memorial/mem_2', refused(), 'navigate')
  await answer('/invite/abc', refused(), 'navigate')
  expect(await offline(BY_ID)).toContain('LOCKED')
  await answer('/memorial/mem_1', refused(), 'navigate')
  expect([await offline(BY_ID), await listCached()]).toEqual([null, []])
})

test('the eleventh memorial evicts the one that was opened longest ago', async () => {
  vi.useFakeTimers()
  for (let index = 0; index < 11; index++) {
    vi.setSystemTime(1000 + index)
    await answer(
      `/api/memorial/m${index}`,
      view('VISITOR', 'LOCKED', { slug: `m${index}`, id: `mem_${index}` }),
    )
  }
  vi.useRealTimers()
  expect((await listCached()).map(({ slug }) => slug)).toEqual(
    Array.from({ length: 10 }, (_, index) => `m${10 - index}`),
  )
  expect(await offline('/api/memorial/m0')).toBeNull()
})

test('signing out deletes every cached memorial; the app itself stays', async () => {
  await answer('/faq', page(APP), 'navigate')
  await answer(BY_ID, view('CONTRIBUTOR', 'INVITE'))
  await answer(PICTURE, picture())
  await deleteCachedMemorials()
  expect([...stored.keys()]).toEqual(['kept-1:shell'])
})

type Fetched = { request: object; waitUntil: (work: Promise<unknown>) => void } & Record<string, unknown>

/** Starts the service worker. `ask` returns the answer to a page's request, and `idle` waits for background work. */
async function startWorker(network: () => Promise<Response>) {
  const listeners = new Map<string, (event: Fetched) => void>()
  const client = { postMessage: vi.fn<(word: unknown) => void>() }
  vi.stubGlobal('fetch', network)
  vi.stubGlobal('self', {
    addEventListener: (type: string, listener: (event: Fetched) => void) => listeners.set(type, listener),
    location: { origin: ORIGIN },
    clients: { get: async () => client },
  })
  vi.resetModules()
  await import('./sw.ts')
  const work: Promise<unknown>[] = []
  const event = {
    waitUntil: (more: Promise<unknown>) => void work.push(more),
    preloadResponse: Promise.resolve(),
  }
  return {
    client,
    ask(path: string): Promise<Response> {
      const request = { method: 'GET', mode: 'cors', url: ORIGIN + path, headers: new Headers() }
      const answers: Promise<Response>[] = []
      const respondWith = (one: Promise<Response>) => void answers.push(one)
      listeners.get('fetch')?.({ ...event, request, respondWith, resultingClientId: '', clientId: 'page' })
      return answers[0] ?? Promise.reject(new Error('the request bypassed the service worker'))
    },
    forget: () => listeners.get('message')?.({ ...event, request: {}, data: { kind: 'forget' } }),
    idle: async () => {
      while (work.length > 0) await work.shift()
    },
  }
}

test('the cache answers only if the network fails or takes five seconds', async () => {
  await answer(BY_SLUG, view('VISITOR', 'LOCKED'))
  const broken = await startWorker(() => Promise.reject(new TypeError('Failed to fetch')))
  expect((await broken.ask(BY_SLUG)).headers.get(FROM_CACHE_HEADER)).toBe('1')
  await expect(broken.ask('/api/memorial/another')).rejects.toThrow('Failed to fetch')

  vi.useFakeTimers()
  const arrived = Promise.withResolvers<Response>()
  const slow = await startWorker(() => arrived.promise)
  const shown: string[] = []
  const response = slow.ask(BY_SLUG).then((one) => shown.push(one.headers.get(FROM_CACHE_HEADER) ?? 'server'))
  await vi.advanceTimersByTimeAsync(4900)
  expect(shown).toEqual([])
  await vi.advanceTimersByTimeAsync(200)
  await response
  expect(shown).toEqual(['1'])
  // The family has closed the memorial meanwhile.
  arrived.resolve(refusal(403))
  await slow.idle()
  vi.useRealTimers()
  expect([slow.client.postMessage.mock.calls, await listCached()]).toEqual([[[{ kind: 'gone' }]], []])
})

test('an answer that was in flight at sign-out is not cached', async () => {
  const arrived = Promise.withResolvers<Response>()
  const worker = await startWorker(() => arrived.promise)
  const response = worker.ask(BY_SLUG)
  worker.forget()
  arrived.resolve(view('CONTRIBUTOR', 'INVITE'))
  expect(await (await response).text()).toContain('INVITE')
  await worker.idle()
  expect(await listCached()).toEqual([])
})
