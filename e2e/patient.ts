/** What is behind each patient object. */
const behind = new WeakMap<object, object>()

const isClosed = (error: unknown) => error instanceof TypeError && error.message === 'fetch failed'

/**
 * The same object, whose asynchronous calls are made once more if the connection to the runtime has just closed. The runtime closes
 * idle connections, and on a busy machine Miniflare sends a call down one of them, which the runtime then doesn't see.
 */
export function patient<T extends object>(target: T): T {
  const proxy = new Proxy(target, {
    get(of, name) {
      const member: unknown = Reflect.get(of, name)
      if (typeof member !== 'function') return member
      return (...given: unknown[]): unknown => {
        const call = (): unknown => Reflect.apply(member, of, given.map(plain))
        const result = call()
        if (result instanceof Promise)
          return result.catch((error: unknown) => {
            if (isClosed(error)) return call()
            throw error
          })
        return typeof result === 'object' && result !== null ? patient(result) : result
      }
    },
  })
  behind.set(proxy, target)
  return proxy
}

/** Statements for a batch must be Miniflare's own. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  return typeof value === 'object' && value !== null ? (behind.get(value) ?? value) : value
}
