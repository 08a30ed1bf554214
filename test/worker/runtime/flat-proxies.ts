/*
 * Keeps calls from getting slower with each Durable Object and request before them: @cloudflare/vitest-pool-workers 0.23, the last
 * release under this name, wraps the prototype of its entry classes in one more `Proxy` each time
 * (https://github.com/cloudflare/workers-sdk/issues/15092). A second proxy with the same handler changes nothing, so the first
 * stays. Without this, one test of 300 calls took 4 s alone and 55 to 120 s among all the others.
 */
const IS_FLAT = Symbol.for('flat-proxies')
const NativeProxy = globalThis.Proxy
const prototypes = new WeakSet<object>()

const isOfEntryClass = ({ get }: ProxyHandler<object>) => String(get).includes('getUnknownPrototypeKey')

if (!(IS_FLAT in NativeProxy)) {
  const FlatProxy = new NativeProxy(NativeProxy, {
    construct(_, [target, handler]: [object, ProxyHandler<object>]) {
      if (!isOfEntryClass(handler)) return new NativeProxy(target, handler)
      const prototype = prototypes.has(target) ? target : new NativeProxy(target, handler)
      prototypes.add(prototype)
      return prototype
    },
  })
  globalThis.Proxy = Object.assign(FlatProxy, { [IS_FLAT]: true })
}
