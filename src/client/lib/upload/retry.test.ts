import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { messages } from '#shared/messages.ts'
import { ApiError, NetworkError } from '../call.ts'
import { delayAfter, retryWithBackoff, failureKind, type Blocker, type Reports } from './retry.ts'
import { newUploadControl } from './upload-item.ts'

const cut = new NetworkError(new Error('cut'))
const refused = (status: number, code?: string, message = 'No') =>
  new ApiError(status, code === undefined ? '' : JSON.stringify({ code, message }), '')
const noRoom = refused(409, 'quota_exceeded', messages.media.beingSent.bytes)

const page = new EventTarget()
const device = { onLine: true }
beforeEach(() => {
  device.onLine = true
  vi.useFakeTimers()
  vi.stubGlobal('window', page)
  vi.stubGlobal('navigator', device)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** An attempt that runs until its signal aborts it. */
const lasting = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new DOMException('ended', 'AbortError')))
  })

/** An attempt that fails with these errors in turn, and then succeeds. */
function failing(...errors: Error[]) {
  const at: number[] = []
  const began = Date.now()
  const attempt = vi.fn<(signal: AbortSignal, reports: Reports) => Promise<string>>(async () => {
    at.push(Math.round((Date.now() - began) / 1000))
    const error = errors.shift()
    if (error) throw error
    return 'done'
  })
  return { attempt, at }
}

test.each([
  [cut, 'network'],
  [refused(502), 'network'],
  [refused(504), 'network'],
  [refused(500, 'internal'), 'retry'],
  [refused(503, 'not_available'), 'retry'],
  [refused(429, 'too_many_requests'), 'retry'],
  [refused(409, 'wrong_offset'), 'retry'],
  [refused(409, 'memorial_locked'), 'final'],
  [refused(409, 'quota_exceeded', messages.media.quotaImages), 'final'],
  [noRoom, 'room'],
  [refused(409, 'too_long'), 'final'],
  [refused(415, 'wrong_type'), 'final'],
  [refused(400, 'bad_input'), 'final'],
  [refused(413, 'too_large'), 'final'],
  [refused(401, 'not_signed_in'), 'final'],
  [new TypeError('a defect'), 'final'],
] as const)('%s: %s', (error, kind) => {
  expect(failureKind(error)).toBe(kind)
})

test('delays grow from 1 to 16 s with up to 30 % jitter, then stay at 30 s', () => {
  const online = [0, 1, 2, 3, 4, 5, 50].map((tried) => delayAfter(cut, tried, true, 0))
  expect(online).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  expect([delayAfter(cut, 0, true, 1), delayAfter(cut, 0, false, 0)]).toEqual([1300, 30_000])
  expect([4, 5].map((tried) => delayAfter(refused(500, 'internal'), tried, true, 0))).toEqual([16_000, null])
})

test('network failures are retried forever and reported after the quick retries', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const { attempt, at } = failing(...Array.from({ length: 7 }, () => cut))
  const blocked: (Blocker | null)[] = []
  const done = retryWithBackoff({ attempt, control: newUploadControl(), onBlocked: (by) => blocked.push(by) })
  await vi.advanceTimersByTimeAsync(91_000)
  expect(await done).toBe('done')
  expect(at).toEqual([0, 1, 3, 7, 15, 31, 61, 91])
  expect(blocked).toEqual(['network', 'network'])
})

test('a file waits for the room that other files take, as long as necessary', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const { attempt, at } = failing(...Array.from({ length: 20 }, () => noRoom), cut)
  const blocked: (Blocker | null)[] = []
  const done = retryWithBackoff({ attempt, control: newUploadControl(), onBlocked: (by) => blocked.push(by) })
  await vi.advanceTimersByTimeAsync(700_000)
  expect(await done).toBe('done')
  expect(at).toEqual([...Array.from({ length: 21 }, (_, tried) => tried * 30), 601])
  expect(blocked).toEqual(Array.from({ length: 20 }, () => 'room'))
})

test('server failures are retried five times, refusals never', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const broken = failing(...Array.from({ length: 9 }, () => refused(500, 'internal')))
  const given = expect(
    retryWithBackoff({ attempt: broken.attempt, control: newUploadControl() }),
  ).rejects.toThrow('500')
  await vi.advanceTimersByTimeAsync(120_000)
  await given
  expect(broken.at).toEqual([0, 1, 3, 7, 15, 31])
  const locked = failing(refused(409, 'memorial_locked'))
  await expect(retryWithBackoff({ attempt: locked.attempt, control: newUploadControl() })).rejects.toThrow(
    '409',
  )
  expect(locked.at).toHaveLength(1)
})

test('an attempt that advances resets the retries', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const at: number[] = []
  const began = Date.now()
  const done = retryWithBackoff({
    control: newUploadControl(),
    async attempt(_, { advanced }) {
      at.push((Date.now() - began) / 1000)
      if (at.length === 4) return 'done'
      if (at.length === 3) advanced()
      throw cut
    },
  })
  await vi.advanceTimersByTimeAsync(4000)
  expect(await done).toBe('done')
  expect(at).toEqual([0, 1, 3, 4])
})

test('nothing is tried offline, and coming online retries at once', async () => {
  const blocked: (Blocker | null)[] = []
  const attempt = vi
    .fn<(signal: AbortSignal) => Promise<string>>()
    .mockImplementationOnce(lasting)
    .mockResolvedValueOnce('done')
  const done = retryWithBackoff({ attempt, control: newUploadControl(), onBlocked: (by) => blocked.push(by) })
  device.onLine = false
  page.dispatchEvent(new Event('offline'))
  await vi.advanceTimersByTimeAsync(20_000)
  expect([attempt.mock.calls.length, blocked]).toEqual([1, ['network']])
  device.onLine = true
  page.dispatchEvent(new Event('online'))
  expect(await done).toBe('done')
})

test('a paused upload waits only for the user, and a stopped one ends', async () => {
  const control = newUploadControl()
  const blocked: (Blocker | null)[] = []
  const attempt = vi.fn<(signal: AbortSignal) => Promise<string>>().mockImplementation(lasting)
  const done = retryWithBackoff({ attempt, control, onBlocked: (by) => blocked.push(by) })
  control.pause()
  page.dispatchEvent(new Event('online'))
  await vi.advanceTimersByTimeAsync(600_000)
  expect([attempt.mock.calls.length, blocked]).toEqual([1, ['user']])
  control.resume()
  await vi.advanceTimersByTimeAsync(0)
  expect([attempt.mock.calls.length, blocked]).toEqual([2, ['user', null]])
  const ended = expect(done).rejects.toMatchObject({ name: 'AbortError' })
  control.stop()
  await ended
  control.resume()
  expect(control.state()).toBe('stopped')
})
