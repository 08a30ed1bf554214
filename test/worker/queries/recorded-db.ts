import { env } from 'cloudflare:test'

const CALLS = new Set(['run', 'all', 'raw', 'first'])

/** A statement and the parameters of its last run. */
export type Statement = { query: string; values: unknown[] }
/** One round trip to the database: the statements that it carried, as SQL. */
export type Trip = readonly string[]
type Result = { meta?: { rows_read?: number } }

/** Records of a database. `sessionStarts`: where each session started. `rowsRead`: as D1 counts them, where it reports them. */
export type Recorded = {
  DB: D1Database
  trips: Trip[]
  sessionStarts: string[]
  statements: Map<string, unknown[]>
  rowsRead: () => number
}

/** The test's database, which records each round trip in order. */
export function recordedDb(): Recorded {
  const trips: Trip[] = []
  const sessionStarts: string[] = []
  const statements = new Map<string, unknown[]>()
  let rows = 0
  const originals = new WeakMap<object, Statement & { statement: D1PreparedStatement }>()
  const note = (together: Statement[]) => {
    trips.push(together.map(({ query }) => query))
    for (const { query, values } of together) statements.set(query, values)
  }
  const count = (results: Result[]) => {
    for (const { meta } of results) rows += meta?.rows_read ?? 0
  }
  function recorded(statement: D1PreparedStatement, query: string, values: unknown[]): D1PreparedStatement {
    const wrapped = new Proxy(statement, {
      get(target, name) {
        if (name === 'bind') return (...given: unknown[]) => recorded(target.bind(...given), query, given)
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (!CALLS.has(String(name))) return value.bind(target)
        return async (...args: unknown[]): Promise<unknown> => {
          note([{ query, values }])
          // Rows as arrays come without a count, so run the same statement for objects first.
          if (name === 'raw' && /^\s*select/iu.test(query)) count([await target.all()])
          const result: unknown = await Reflect.apply(value, target, args)
          if (name === 'all' || name === 'run') count([result as Result])
          return result
        }
      },
    })
    originals.set(wrapped, { statement, query, values })
    return wrapped
  }
  function wrap<T extends D1Database | D1DatabaseSession>(database: T): T {
    return new Proxy(database, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (name === 'prepare') return (query: string) => recorded(target.prepare(query), query, [])
        if (name === 'withSession') {
          return (...args: unknown[]) => {
            sessionStarts.push(String(args[0]))
            return wrap(Reflect.apply(value, target, args) as D1DatabaseSession)
          }
        }
        if (name !== 'batch') return value.bind(target)
        return async (given: D1PreparedStatement[]) => {
          const together = given.map((one) => originals.get(one)!)
          note(together)
          const results = await target.batch(together.map(({ statement }) => statement))
          count(results)
          return results
        }
      },
    })
  }
  return { DB: wrap(env.DB), trips, sessionStarts, statements, rowsRead: () => rows }
}
