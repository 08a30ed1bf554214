import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { forgetCachedMemorials, registerServiceWorker } from './service-worker.ts'

const worker = { postMessage: vi.fn<(word: unknown) => void>() }
const register = vi.fn<(url: string) => Promise<object>>(async () => ({}))
const unregister = vi.fn<() => Promise<boolean>>(async () => true)
const cacheNames = new Set<string>()

/** Stubs a browser with caches and a service worker. */
function browser({ saveData = false, cookie = '', controller = null as object | null } = {}): void {
  const registration = { active: worker, unregister }
  vi.stubGlobal('navigator', {
    connection: { saveData },
    serviceWorker: {
      controller,
      register,
      ready: Promise.resolve(registration),
      getRegistration: async () => registration,
      addEventListener: () => undefined,
    },
  })
  vi.stubGlobal('document', { readyState: 'complete', cookie, getElementById: () => null })
  vi.stubGlobal('window', { location: { origin: 'https://nhaka.test' } })
  vi.stubGlobal('performance', {
    getEntriesByType: () => [
      { name: 'https://nhaka.test/m/tendai', workerStart: 0 },
      { name: 'https://js.stripe.com/v3/', workerStart: 0 },
    ],
  })
  vi.stubGlobal(
    'PerformanceObserver',
    class {
      observe() {
        return undefined
      }
    },
  )
  vi.stubGlobal('caches', {
    keys: async () => [...cacheNames],
    delete: async (name: string) => cacheNames.delete(name),
  })
}

beforeEach(() => {
  vi.clearAllMocks()
  cacheNames.clear()
  for (const name of ['kept-1:shell', 'kept-1:memorial:tendai', 'another']) cacheNames.add(name)
})
afterEach(() => vi.unstubAllGlobals())

test('on a first visit the page sends the service worker its loaded URLs', async () => {
  browser()
  registerServiceWorker()
  await expect.poll(() => worker.postMessage).toHaveBeenCalled()
  expect([register.mock.calls, worker.postMessage.mock.calls]).toEqual([
    [['/sw.js']],
    [[{ kind: 'seen', urls: ['https://nhaka.test/m/tendai'] }]],
  ])
  worker.postMessage.mockClear()
  browser({ controller: {} })
  registerServiceWorker()
  await expect.poll(() => register).toHaveBeenCalledTimes(2)
  await Promise.resolve()
  expect(worker.postMessage).not.toHaveBeenCalled()
})

test('in data saver mode nothing is cached, and earlier caches are deleted', async () => {
  for (const how of [{ saveData: true }, { cookie: 'a=b; less-data=1' }]) {
    cacheNames.add('kept-1:shell').add('kept-1:memorial:tendai')
    browser(how)
    registerServiceWorker()
    await expect.poll(() => [...cacheNames]).toEqual(['another'])
  }
  expect([register.mock.calls.length, unregister.mock.calls.length]).toEqual([0, 2])
})

test('signing out deletes cached memorials and notifies the service worker', async () => {
  browser()
  forgetCachedMemorials()
  await expect.poll(() => [...cacheNames]).toEqual(['kept-1:shell', 'another'])
  expect(worker.postMessage.mock.calls).toEqual([[{ kind: 'forget' }]])
})

test('a browser without service workers still shows the page', () => {
  vi.stubGlobal('navigator', {})
  expect(() => registerServiceWorker()).not.toThrow()
})
