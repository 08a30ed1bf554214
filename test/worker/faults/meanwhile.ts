import { env } from 'cloudflare:test'
import type { Env } from '#worker/platform/env.ts'

const RUNS = new Set(['run', 'all', 'raw', 'first'])

/** The test's bindings; `action` runs once, after a request has read everything and just before it writes. */
export function meanwhileEnv(action: () => Promise<unknown>): Env {
  let done: Promise<unknown> | null = null
  const first = () => (done ??= action())
  const real = new WeakMap<object, D1PreparedStatement>()
  const writing = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get(_, name) {
        if (name === 'bind') return (...values: unknown[]) => writing(statement.bind(...values))
        const value: unknown = Reflect.get(statement, name)
        if (typeof value !== 'function' || !RUNS.has(String(name))) return value
        return async (...args: unknown[]) => {
          await first()
          return Reflect.apply(value, statement, args) as unknown
        }
      },
    })
    real.set(wrapped, statement)
    return wrapped
  }
  const DB: D1Database = new Proxy(env.DB, {
    get(db, name) {
      if (name === 'withSession') return () => DB
      if (name === 'prepare') {
        return (query: string) =>
          /^\s*(?:insert|update|delete)/iu.test(query) ? writing(db.prepare(query)) : db.prepare(query)
      }
      if (name === 'batch') {
        return async (all: D1PreparedStatement[]) => {
          await first()
          return db.batch(all.map((one) => real.get(one) ?? one))
        }
      }
      return Reflect.get(db, name)
    },
  })
  return { ...env, DB }
}
