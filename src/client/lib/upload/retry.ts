import { isBeingSent } from '#shared/messages.ts'
import { ApiError, NetworkError } from '../call.ts'
import type { UploadControl } from './upload-item.ts'

/** Delays between attempts that make no progress. */
const DELAYS_MS = [1000, 2000, 4000, 8000, 16_000] as const
/** Delay after those are used up, while the device is offline, or while there is no room. */
const OFFLINE_DELAY_MS = 30_000
/** Each delay is up to 30 % longer, so that many phones don't reconnect in the same second. */
const JITTER = 0.3

/** Why nothing is sent: the user paused it, there is no connection, or other files on their way need the space. */
export type Blocker = 'user' | 'network' | 'room'

/** Callbacks for a running attempt. */
export type Reports = {
  /** Bytes are moving. */
  active: () => void
  /** Progress was made: reset the retry counter. */
  advanced: () => void
}

type Retrying<T> = {
  /** One attempt. The signal aborts it. */
  attempt: (signal: AbortSignal, reports: Reports) => Promise<T>
  control: UploadControl
  /** Null when it is being sent again, or is about to be. */
  onBlocked?: (by: Blocker | null) => void
}

/**
 * What to do after a failure: give up (`final`), retry a few times (`retry`), or wait for the connection (`network`) or for
 * other files to arrive (`room`) as long as necessary. Errors from a proxy or captive portal have no API error code and count as `network`.
 */
export function failureKind(error: unknown): 'final' | 'retry' | 'network' | 'room' {
  if (error instanceof NetworkError) return 'network'
  if (!(error instanceof ApiError)) return 'final'
  if (error.code === 'quota_exceeded' && isBeingSent(error.text)) return 'room'
  if (error.code === null && [408, 425, 502, 503, 504].includes(error.status)) return 'network'
  return error.status >= 500 || error.status === 429 || error.code === 'wrong_offset' ? 'retry' : 'final'
}

/** Milliseconds to wait before attempt `tries` + 1; null to give up. `random`: 0 to 1. */
export function delayAfter(error: unknown, tries: number, isOnline: boolean, random: number): number | null {
  const kind = failureKind(error)
  if (kind === 'final') return null
  const quick = DELAYS_MS[tries]
  if (kind === 'retry' && quick === undefined) return null
  const isSoon = isOnline && quick !== undefined && kind !== 'room'
  return (isSoon ? quick : OFFLINE_DELAY_MS) * (1 + JITTER * random)
}

/**
 * Repeats an attempt until it succeeds: after 1, 2, 4, 8 and 16 seconds, then every 30 seconds and whenever the
 * device comes online; never while paused. Throws a final failure, and an `AbortError` if the upload was stopped.
 */
export async function retryWithBackoff<T>({ attempt, control, onBlocked }: Retrying<T>): Promise<T> {
  let tries = 0
  for (;;) {
    if (control.state() === 'stopped') throw new DOMException('The upload was stopped', 'AbortError')
    if (control.state() === 'paused') {
      onBlocked?.('user')
      await untilChanged(control)
      onBlocked?.(null)
      tries = 0
      continue
    }
    const { signal, release } = attemptSignal(control)
    try {
      return await attempt(signal, {
        active: () => onBlocked?.(null),
        advanced() {
          tries = 0
          onBlocked?.(null)
        },
      })
    } catch (error) {
      if (control.state() !== 'running') continue
      // Aborted because the device went offline: the attempt itself did not fail.
      const reason = signal.aborted ? new NetworkError(error) : error
      const delay = delayAfter(reason, tries, navigator.onLine, Math.random())
      if (delay === null) throw reason
      const isOffline = !navigator.onLine || tries >= DELAYS_MS.length
      const kind = failureKind(reason)
      if (kind === 'room' || (kind === 'network' && isOffline)) onBlocked?.(kind)
      if (kind !== 'room') tries += 1
      await untilChanged(control, delay)
    } finally {
      release()
    }
  }
}

/** A signal that aborts one attempt when the upload is paused or stopped, or the device goes offline. */
function attemptSignal(control: UploadControl): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const unsubscribe = control.subscribe(abort)
  window.addEventListener('offline', abort)
  return {
    signal: controller.signal,
    release() {
      unsubscribe()
      window.removeEventListener('offline', abort)
    },
  }
}

/** Waits until the user changes the control or, with `maxMs`, until that long has passed or the device comes online. */
async function untilChanged(control: UploadControl, maxMs?: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      unsubscribe()
      clearTimeout(timer)
      window.removeEventListener('online', done)
      resolve()
    }
    const unsubscribe = control.subscribe(done)
    const timer = maxMs === undefined ? undefined : setTimeout(done, maxMs)
    if (maxMs !== undefined) window.addEventListener('online', done)
  })
}
