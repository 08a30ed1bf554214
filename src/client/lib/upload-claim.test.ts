import { afterEach, beforeEach, expect, test, vi } from 'vitest'

/** Locks as a browser's tabs share them: one holder, the others wait in turn. */
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

/** A tab: the module anew, with the locks of all tabs. */
async function tab() {
  vi.resetModules()
  return import('./upload-claim.ts')
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('navigator', { locks: new Locks() })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('an upload is sent by one tab, and by the next once that has ended it', async () => {
  const [one, two] = [await tab(), await tab()]
  expect(await one.claimUpload('a')).toBe(true)
  expect(await one.claimUpload('a')).toBe(false)
  const refused = two.claimUpload('a')
  await vi.advanceTimersByTimeAsync(2000)
  expect(await refused).toBe(false)
  expect(await two.claimUpload('b')).toBe(true)
  one.releaseUpload('a')
  expect(await two.claimUpload('a')).toBe(true)
})

test('a page that is loaded anew waits a moment for the one before it to go', async () => {
  const [before, after] = [await tab(), await tab()]
  await before.claimUpload('a')
  const claim = after.claimUpload('a')
  await vi.advanceTimersByTimeAsync(500)
  before.releaseUpload('a')
  expect(await claim).toBe(true)
})

test('a browser without locks takes an upload once a page', async () => {
  vi.stubGlobal('navigator', {})
  const one = await tab()
  expect([await one.claimUpload('a'), await one.claimUpload('a')]).toEqual([true, false])
  one.releaseUpload('a')
  expect(await one.claimUpload('a')).toBe(true)
})
