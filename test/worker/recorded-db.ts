import { env } from 'cloudflare:test'

const CALLS = new Set(['run', 'all', 'raw', 'first'])

/** One way to the database and back: the statements that went together, as SQL. */
export type Trip = readonly string[]

/** The test's database, which writes down each round trip in order, and where each session begins. */
export function recordedDb(): { DB: D1Database; trips: Trip[]; begun: string[] } {
  const trips: Trip[] = []
  const begun: string[] = []
  const originals = new WeakMap<object, { statement: D1PreparedStatement; query: string }>()
  function recorded(statement: D1PreparedStatement, query: string): D1PreparedStatement {
    const wrapped = new Proxy(statement, {
      get(target, name) {
        if (name === 'bind') return (...values: unknown[]) => recorded(target.bind(...values), query)
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]): unknown => {
          if (CALLS.has(String(name))) trips.push([query])
          return Reflect.apply(value, target, args)
        }
      },
    })
    originals.set(wrapped, { statement, query })
    return wrapped
  }
  function wrap<T extends D1Database | D1DatabaseSession>(database: T): T {
    return new Proxy(database, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (name === 'prepare') return (query: string) => recorded(target.prepare(query), query)
        return (...args: unknown[]): unknown => {
          if (name === 'withSession') {
            begun.push(String(args[0]))
            return wrap(Reflect.apply(value, target, args) as D1DatabaseSession)
          }
          if (name !== 'batch') return Reflect.apply(value, target, args)
          const together = (args[0] as D1PreparedStatement[]).map((one) => originals.get(one)!)
          trips.push(together.map(({ query }) => query))
          return target.batch(together.map(({ statement }) => statement))
        }
      },
    })
  }
  return { DB: wrap(env.DB), trips, begun }
}
