import { env } from 'cloudflare:test'
import type { Env } from '#worker/platform/env.ts'

const STATEMENT_CALLS = ['run', 'all', 'raw', 'first']
const CALLS: Partial<Record<keyof Env, readonly string[]>> = {
  MEDIA: ['head', 'get', 'put', 'delete', 'list', 'createMultipartUpload'],
  KV: ['get', 'put', 'delete', 'list'],
  JOBS: ['send', 'sendBatch'],
  PICTURES: ['send', 'sendBatch'],
}

/**
 * The test's bindings, whose `failAt`-th external call (a statement or batch of D1, a call of R2, KV, the queue or the
 * quota object) throws: `before` it does anything, or `after` it did everything. `calls` counts them.
 */
export function failingEnv(
  failAt: number,
  mode: 'before' | 'after' = 'before',
): { env: Env; calls: () => number } {
  let calls = 0
  async function counted<T>(work: () => T): Promise<Awaited<T>> {
    const fails = ++calls === failAt
    if (fails && mode === 'before') throw new Error(`injected: call ${failAt} failed`)
    const result = await work()
    if (fails) throw new Error(`injected: call ${failAt} failed`)
    return result
  }
  const originals = new WeakMap<object, D1PreparedStatement>()

  function wrap<T extends object>(target: T, names: readonly string[]): T {
    return new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        const call = (...args: unknown[]): unknown => Reflect.apply(value, target, args)
        return names.includes(String(name)) ? (...args: unknown[]) => counted(() => call(...args)) : call
      },
    })
  }
  function statement(original: D1PreparedStatement): D1PreparedStatement {
    const wrapped = new Proxy(wrap(original, STATEMENT_CALLS), {
      get: (counting, name) =>
        name === 'bind'
          ? (...values: unknown[]) => statement(original.bind(...values))
          : Reflect.get(counting, name),
    })
    originals.set(wrapped, original)
    return wrapped
  }
  const DB: D1Database = new Proxy(env.DB, {
    get(db, name) {
      if (name === 'withSession') return () => DB
      if (name === 'prepare') return (sql: string) => statement(db.prepare(sql))
      if (name === 'batch') {
        return (all: D1PreparedStatement[]) =>
          counted(() => db.batch(all.map((one) => originals.get(one) ?? one)))
      }
      return Reflect.get(db, name)
    },
  })
  const QUOTA = new Proxy(env.QUOTA, {
    get: (quota, name) =>
      name === 'getByName'
        ? (memorialId: string) =>
            wrap(quota.getByName(memorialId), ['reserve', 'commit', 'release', 'use', 'forget'])
        : Reflect.get(quota, name),
  })
  const wrapped = Object.fromEntries(
    Object.entries(CALLS).map(([name, names]) => [name, wrap(env[name as keyof Env] as object, names)]),
  )
  return { env: { ...env, ...wrapped, DB, QUOTA }, calls: () => calls }
}
