/** What is behind each patient object. */
const behind = new WeakMap<object, object>()

const isClosed = (error: unknown) => error instanceof TypeError && error.message === 'fetch failed'

/**
 * One of Miniflare's objects, whose calls are made once more if the connection to the runtime has just closed; so are those of
 * what its calls return. The runtime closes idle connections, and on a busy machine Miniflare sends a call down one of them, which
 * the runtime then doesn't see. Even reading a method, and a synchronous call such as `prepare`, is a request.
 */
export function patient<T extends object>(target: T): T {
  const proxy = new Proxy(target, {
    get(of, name) {
      const member = twice(() => Reflect.get(of, name))
      if (typeof member !== 'function') return member
      return (...given: unknown[]): unknown =>
        patientResult(twice(() => Reflect.apply(member, of, given.map(plain))))
    },
  })
  behind.set(proxy, target)
  return proxy
}

function twice(call: () => unknown): unknown {
  const again = (error: unknown): unknown => {
    if (isClosed(error)) return call()
    throw error
  }
  try {
    const result = call()
    return result instanceof Promise ? result.catch(again) : result
  } catch (error) {
    return again(error)
  }
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
