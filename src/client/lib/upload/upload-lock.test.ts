import { afterEach, beforeEach, expect, test, vi } from 'vitest'

/** Web locks as tabs share them: one holder, the others wait in turn. */
class Locks {
  readonly #ends = new Map<string, Promise<unknown>>()
  async request(name: string, { signal }: { signal: AbortSignal }, work: () => Promise<unknown>) {
    const before = this.#ends.get(name) ?? Promise.resolve()
    const ended = new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new DOMException('gave up', 'AbortError')))
    })
    await Promise.race([before, ended])
    const mine = work()
    this.#ends.set(name, mine)
    return mine
  }
}

/** A tab: a new instance of the module, with the locks that all tabs share. */
async function tab() {
  vi.resetModules()
  return import('./upload-lock.ts')
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('navigator', { locks: new Locks() })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('one tab locks an upload, and another can once it is released', async () => {
  const [one, two] = [await tab(), await tab()]
  expect(await one.acquireUploadLock('a')).toBe(true)
  expect(await one.acquireUploadLock('a')).toBe(false)
  const refused = two.acquireUploadLock('a')
  await vi.advanceTimersByTimeAsync(2000)
  expect(await refused).toBe(false)
  expect(await two.acquireUploadLock('b')).toBe(true)
  one.releaseUploadLock('a')
  expect(await two.acquireUploadLock('a')).toBe(true)
})

test('a reloaded page waits a moment for the old page to release its lock', async () => {
  const [before, after] = [await tab(), await tab()]
  await before.acquireUploadLock('a')
  const acquired = after.acquireUploadLock('a')
  await vi.advanceTimersByTimeAsync(500)
  before.releaseUploadLock('a')
  expect(await acquired).toBe(true)
})

test('without the Web Locks API, a page locks an upload once', async () => {
  vi.stubGlobal('navigator', {})
  const one = await tab()
  expect([await one.acquireUploadLock('a'), await one.acquireUploadLock('a')]).toEqual([true, false])
  one.releaseUploadLock('a')
  expect(await one.acquireUploadLock('a')).toBe(true)
})
