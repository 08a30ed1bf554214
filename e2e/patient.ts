import { setTimeout as sleep } from 'node:timers/promises'

const TRIES = 5
/** Between two tries. The next connection of the pool may have closed as well. */
const PAUSE_MS = 100

/** What is behind each patient object. */
const behind = new WeakMap<object, object>()

const isClosed = (error: unknown) => error instanceof TypeError && error.message === 'fetch failed'

/**
 * One of Miniflare's objects, whose calls are made again if the connection to the runtime has just closed; so are those of
 * what its calls return. The runtime closes idle connections, and on a busy machine Miniflare sends a call down one of them, which
 * the runtime then doesn't see. Even reading a method, and a synchronous call such as `prepare`, is a request.
 */
export function patient<T extends object>(target: T): T {
  const proxy = new Proxy(target, {
    get(of, name) {
      const member = repeated(() => Reflect.get(of, name))
      if (typeof member !== 'function') return member
      return (...given: unknown[]): unknown =>
        patientResult(repeated(() => Reflect.apply(member, of, given.map(plain))))
    },
  })
  behind.set(proxy, target)
  return proxy
}

function repeated(call: () => unknown, tries = TRIES): unknown {
  const isFinal = (error: unknown) => !isClosed(error) || tries === 1
  try {
    const result = call()
    if (!(result instanceof Promise)) return result
    return result.catch(async (error: unknown) => {
      if (isFinal(error)) throw error
      await sleep(PAUSE_MS)
      return repeated(call, tries - 1)
    })
  } catch (error) {
    if (isFinal(error)) throw error
    sleepSync(PAUSE_MS)
    return repeated(call, tries - 1)
  }
}

/** Blocks the thread, as a synchronous call to the runtime does. */
function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function patientResult(result: unknown): unknown {
  if (result instanceof Promise) return result.then(patientResult)
  if (typeof result !== 'object' || result === null) return result
  // What is in the runtime has no prototype here.
  return Reflect.getPrototypeOf(result) === null ? patient(result) : result
}

/** Statements for a batch must be Miniflare's own. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  return typeof value === 'object' && value !== null ? (behind.get(value) ?? value) : value
}
