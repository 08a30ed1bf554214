import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError, NetworkError } from './call.ts'
import { delayAfter, keepTrying, kindOfFailure, type Held, type Signs } from './keep-trying.ts'
import { newSendSwitch } from './send-switch.ts'

const cut = new NetworkError(new Error('cut'))
const refused = (status: number, code?: string) =>
  new ApiError(status, code === undefined ? '' : JSON.stringify({ code, message: 'No' }), '')

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

/** An attempt that lasts until its signal ends it. */
const lasting = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new DOMException('ended', 'AbortError')))
  })

/** An attempt that fails in this order, and then answers. */
function failing(...errors: Error[]) {
  const at: number[] = []
  const began = Date.now()
  const attempt = vi.fn<(signal: AbortSignal, signs: Signs) => Promise<string>>(async () => {
    at.push(Math.round((Date.now() - began) / 1000))
    const error = errors.shift()
    if (error) throw error
    return 'done'
  })
  return { attempt, at }
}

test.each([
  [cut, 'line'],
  [refused(502), 'line'],
  [refused(504), 'line'],
  [refused(500, 'internal'), 'again'],
  [refused(503, 'not_available'), 'again'],
  [refused(429, 'too_many_requests'), 'again'],
  [refused(409, 'wrong_offset'), 'again'],
  [refused(409, 'memorial_locked'), 'final'],
  [refused(409, 'quota_exceeded'), 'final'],
  [refused(409, 'too_long'), 'final'],
  [refused(415, 'wrong_type'), 'final'],
  [refused(400, 'bad_input'), 'final'],
  [refused(413, 'too_large'), 'final'],
  [refused(401, 'not_signed_in'), 'final'],
  [new TypeError('a defect'), 'final'],
] as const)('%s: %s', (error, kind) => {
  expect(kindOfFailure(error)).toBe(kind)
})

test('delays grow from 1 to 16 seconds, up to three tenths longer, and then the line is asked twice a minute', () => {
  const online = [0, 1, 2, 3, 4, 5, 50].map((tried) => delayAfter(cut, tried, true, 0))
  expect(online).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  expect([delayAfter(cut, 0, true, 1), delayAfter(cut, 0, false, 0)]).toEqual([1300, 30_000])
  expect([4, 5].map((tried) => delayAfter(refused(500, 'internal'), tried, true, 0))).toEqual([16_000, null])
})

test('a line that breaks is tried for as long as it takes; the page says so once the quick tries are used up', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const { attempt, at } = failing(...Array.from({ length: 7 }, () => cut))
  const held: (Held | null)[] = []
  const done = keepTrying({ attempt, control: newSendSwitch(), onHeld: (why) => held.push(why) })
  await vi.advanceTimersByTimeAsync(91_000)
  expect(await done).toBe('done')
  expect(at).toEqual([0, 1, 3, 7, 15, 31, 61, 91])
  expect(held).toEqual(['line', 'line'])
})

test('a server that keeps failing is given up after five more tries, one that refuses at once', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const broken = failing(...Array.from({ length: 9 }, () => refused(500, 'internal')))
  const given = expect(keepTrying({ attempt: broken.attempt, control: newSendSwitch() })).rejects.toThrow(
    '500',
  )
  await vi.advanceTimersByTimeAsync(120_000)
  await given
  expect(broken.at).toEqual([0, 1, 3, 7, 15, 31])
  const locked = failing(refused(409, 'memorial_locked'))
  await expect(keepTrying({ attempt: locked.attempt, control: newSendSwitch() })).rejects.toThrow('409')
  expect(locked.at).toHaveLength(1)
})

test('whoever comes nearer the end has all tries again', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const at: number[] = []
  const began = Date.now()
  const done = keepTrying({
    control: newSendSwitch(),
    async attempt(_, { nearer }) {
      at.push((Date.now() - began) / 1000)
      if (at.length === 4) return 'done'
      if (at.length === 3) nearer()
      throw cut
    },
  })
  await vi.advanceTimersByTimeAsync(4000)
  expect(await done).toBe('done')
  expect(at).toEqual([0, 1, 3, 4])
})

test('without a line nothing is tried, and with one at once', async () => {
  const held: (Held | null)[] = []
  const attempt = vi
    .fn<(signal: AbortSignal) => Promise<string>>()
    .mockImplementationOnce(lasting)
    .mockResolvedValueOnce('done')
  const done = keepTrying({ attempt, control: newSendSwitch(), onHeld: (why) => held.push(why) })
  device.onLine = false
  page.dispatchEvent(new Event('offline'))
  await vi.advanceTimersByTimeAsync(20_000)
  expect([attempt.mock.calls.length, held]).toEqual([1, ['line']])
  device.onLine = true
  page.dispatchEvent(new Event('online'))
  expect(await done).toBe('done')
})

test('paused by hand it waits for the hand alone, and stopped it ends', async () => {
  const control = newSendSwitch()
  const held: (Held | null)[] = []
  const attempt = vi.fn<(signal: AbortSignal) => Promise<string>>().mockImplementation(lasting)
  const done = keepTrying({ attempt, control, onHeld: (why) => held.push(why) })
  control.pause()
  page.dispatchEvent(new Event('online'))
  await vi.advanceTimersByTimeAsync(600_000)
  expect([attempt.mock.calls.length, held]).toEqual([1, ['hand']])
  control.goOn()
  await vi.advanceTimersByTimeAsync(0)
  expect([attempt.mock.calls.length, held]).toEqual([2, ['hand', null]])
  const ended = expect(done).rejects.toMatchObject({ name: 'AbortError' })
  control.stop()
  await ended
  control.goOn()
  expect(control.state()).toBe('stopped')
})
