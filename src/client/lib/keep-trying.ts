import { ApiError, NetworkError } from './call.ts'
import type { SendSwitch } from './send-switch.ts'

/** Between attempts that moved nothing. */
const DELAYS_MS = [1000, 2000, 4000, 8000, 16_000] as const
/** Once those are used up, the line is asked this often whether it is better. */
const HELD_DELAY_MS = 30_000
/** Each delay is up to so much longer, so that a thousand phones do not come back in the same second. */
const JITTER = 0.3

/** Why nothing moves: somebody paused it, or there is no connection. */
export type Held = 'hand' | 'line'

/** What an attempt tells of itself. */
export type Signs = {
  /** The line carries something. */
  alive: () => void
  /** It is nearer its end than any attempt was before: failures are counted anew. */
  nearer: () => void
}

type Trying<T> = {
  /** One attempt. Its signal is aborted when it is to end. */
  attempt: (signal: AbortSignal, signs: Signs) => Promise<T>
  control: SendSwitch
  /** Null: it moves, or will at once. */
  onHeld?: (held: Held | null) => void
}

/**
 * What to do after a failure: give up, try a few times more, or wait for the line as long as it takes. Answers of something
 * between us and the server (a proxy, a phone company's page) come without a code of ours and count as the line.
 */
export function kindOfFailure(error: unknown): 'final' | 'again' | 'line' {
  if (error instanceof NetworkError) return 'line'
  if (!(error instanceof ApiError)) return 'final'
  if (error.code === null && [408, 425, 502, 503, 504].includes(error.status)) return 'line'
  return error.status >= 500 || error.status === 429 || error.code === 'wrong_offset' ? 'again' : 'final'
}

/** Milliseconds to wait before attempt `tried` + 1; null when it is not worth another one. `random`: 0 to 1. */
export function delayAfter(error: unknown, tried: number, isOnline: boolean, random: number): number | null {
  const kind = kindOfFailure(error)
  if (kind === 'final') return null
  const quick = DELAYS_MS[tried]
  if (kind === 'again' && quick === undefined) return null
  return (isOnline && quick !== undefined ? quick : HELD_DELAY_MS) * (1 + JITTER * random)
}

/**
 * Does something that needs the line until it is done: again after 1, 2, 4, 8 and 16 seconds, then as often as the line
 * may have come back; not while it is paused. Throws what is final, and an `AbortError` when it was stopped.
 */
export async function keepTrying<T>({ attempt, control, onHeld }: Trying<T>): Promise<T> {
  let tried = 0
  for (;;) {
    if (control.state() === 'stopped') throw new DOMException('It was stopped', 'AbortError')
    if (control.state() === 'paused') {
      onHeld?.('hand')
      await change(control)
      onHeld?.(null)
      tried = 0
      continue
    }
    const run = runOf(control)
    try {
      return await attempt(run.signal, {
        alive: () => onHeld?.(null),
        nearer() {
          tried = 0
          onHeld?.(null)
        },
      })
    } catch (error) {
      if (control.state() !== 'going') continue
      // Broken off because the line went: the attempt itself has not failed.
      const reason = run.signal.aborted ? new NetworkError(error) : error
      const delay = delayAfter(reason, tried, navigator.onLine, Math.random())
      if (delay === null) throw reason
      if (kindOfFailure(reason) === 'line' && (!navigator.onLine || tried >= DELAYS_MS.length)) {
        onHeld?.('line')
      }
      tried += 1
      await change(control, delay)
    } finally {
      run.end()
    }
  }
}

/** A signal that ends one attempt: when it is paused or stopped, or the device says that it has no line any more. */
function runOf(control: SendSwitch): { signal: AbortSignal; end: () => void } {
  const abort = new AbortController()
  const leave = () => abort.abort()
  const unwatch = control.watch(leave)
  window.addEventListener('offline', leave)
  return {
    signal: abort.signal,
    end() {
      unwatch()
      window.removeEventListener('offline', leave)
    },
  }
}

/** Waits until somebody uses the switch; with `ms`, at the longest so long, and until the device has a line again. */
async function change(control: SendSwitch, ms?: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      unwatch()
      clearTimeout(timer)
      window.removeEventListener('online', done)
      resolve()
    }
    const unwatch = control.watch(done)
    const timer = ms === undefined ? undefined : setTimeout(done, ms)
    if (ms !== undefined) window.addEventListener('online', done)
  })
}
