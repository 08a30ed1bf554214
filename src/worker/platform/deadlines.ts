import { IP_LIMITS, type Env } from '#worker/platform/env.ts'

const SECOND_MS = 1000
/** Far longer than the slowest real calls: a call that exceeds its deadline would never return. */
const DEADLINES: [service: string, timeoutMs: number, bindings: readonly (keyof Env)[]][] = [
  ['database', 15 * SECOND_MS, ['DB']],
  ['storage', 60 * SECOND_MS, ['MEDIA']],
  ['sessions', 10 * SECOND_MS, ['KV']],
  ['queue', 10 * SECOND_MS, ['JOBS', 'PICTURES']],
  ['counter', 20 * SECOND_MS, ['QUOTA', 'THROTTLE']],
  // A chunk on a slow connection; the idle timeout ends a stalled one much earlier.
  ['upload', 600 * SECOND_MS, ['UPLOADS']],
  ['gate', 5 * SECOND_MS, IP_LIMITS],
]
/** Methods that return an object whose own calls also need the deadline. */
const LEADS_ON: ReadonlySet<unknown> = new Set([
  'withSession',
  'prepare',
  'bind',
  'getByName',
  'resumeMultipartUpload',
])

/** A call to a service took too long. Whether it had an effect is unknown. */
export class DeadlineError extends Error {}

/** Returns the result of `promise`, or throws a {@link DeadlineError} that names `service` after `timeoutMs`. Cancels nothing. */
export async function withDeadline<T>(promise: Promise<T>, timeoutMs: number, service: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new DeadlineError(`${service} did not answer in ${timeoutMs} ms`)),
      timeoutMs,
    )
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The bindings with a deadline on every call: a call that hangs (full disk, region down) throws a {@link DeadlineError}
 * instead, although its effect may still happen. The deadlines don't cover reading the bodies of objects.
 */
export function withDeadlines(env: Env): Env {
  const limited: Record<string, unknown> = { ...env }
  for (const [service, timeoutMs, bindings] of DEADLINES) {
    for (const name of bindings) {
      // A deployment may lack a binding, despite its type: only the features that use it then fail.
      if (env[name] !== undefined) limited[name] = limitCalls(env[name] as object, timeoutMs, service)
    }
  }
  return limited as Env
}

/** The statements behind the proxies: `batch` needs the original ones. */
const originals = new WeakMap<object, object>()

/** A proxy that adds the deadline to every method that returns a promise, also of the objects that lead on from it. */
function limitCalls(target: object, timeoutMs: number, service: string): object {
  const limit = (result: object) => limitCalls(result, timeoutMs, service)
  const proxy = new Proxy(target, {
    get(_, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]): unknown => {
        if (name === 'batch')
          args[0] = (args[0] as object[]).map((statement) => originals.get(statement) ?? statement)
        const result: unknown = Reflect.apply(method, target, args)
        if (LEADS_ON.has(name)) return limit(result as object)
        if (!isThenable(result)) return result
        const limited = withDeadline(result, timeoutMs, service)
        return name === 'createMultipartUpload' ? limited.then((upload) => limit(upload as object)) : limited
      }
    },
  })
  originals.set(proxy, target)
  return proxy
}

function isThenable(value: unknown): value is Promise<unknown> {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false
  return 'then' in value && typeof value.then === 'function'
}
