import { env } from 'cloudflare:test'

const RUNS = new Set(['run', 'all', 'raw', 'first'])

type Statement = { query: string; values: unknown[]; statement: D1PreparedStatement }
/** One call to the database: `batch`, or how the only statement is run. */
type DbCall = { name: string; statements: Statement[] }

/** The database; `around` is called for each call to it instead, and makes the call with `work`. */
export function interceptedDb(
  db: D1Database,
  around: (call: DbCall, work: () => Promise<unknown>) => Promise<unknown>,
  onSession: (start: string) => void = () => {},
): D1Database {
  const known = new WeakMap<object, Statement>()
  function prepared(statement: D1PreparedStatement, query: string, values: unknown[]): D1PreparedStatement {
    const one = { query, values, statement }
    const wrapped = new Proxy(statement, {
      get(_, name) {
        if (name === 'bind') return (...given: unknown[]) => prepared(statement.bind(...given), query, given)
        const value: unknown = Reflect.get(statement, name)
        if (typeof value !== 'function' || typeof name !== 'string') return value
        const call = (...args: unknown[]) => Reflect.apply(value, statement, args) as Promise<unknown>
        if (!RUNS.has(name)) return call
        return async (...args: unknown[]) => around({ name, statements: [one] }, async () => call(...args))
      },
    })
    known.set(wrapped, one)
    return wrapped
  }
  return new Proxy(db, {
    get(_, name, intercepted: unknown) {
      if (name === 'prepare') return (query: string) => prepared(db.prepare(query), query, [])
      if (name === 'withSession') {
        return (start: string) => {
          onSession(start)
          return intercepted
        }
      }
      if (name === 'batch') {
        return async (given: D1PreparedStatement[]) => {
          const statements = given.map((one) => known.get(one)!)
          return around({ name, statements }, async () =>
            db.batch(statements.map(({ statement }) => statement)),
          )
        }
      }
      const value: unknown = Reflect.get(db, name)
      return typeof value === 'function' ? value.bind(db) : value
    },
  })
}

/** Records of a database. `sessionStarts`: where each session started. `rowsRead`: as D1 counts them, where it reports them. */
export type Recorded = {
  DB: D1Database
  /** The statements of each round trip, as SQL. */
  trips: string[][]
  sessionStarts: string[]
  /** Each statement with the parameters of its last run. */
  statements: Map<string, unknown[]>
  rowsRead: () => number
}
type Result = { meta?: { rows_read?: number } }

/** The test's database, which records each round trip in order. */
export function recordedDb(): Recorded {
  const trips: string[][] = []
  const sessionStarts: string[] = []
  const recorded = new Map<string, unknown[]>()
  let rows = 0
  const count = (results: Result[]) => {
    for (const { meta } of results) rows += meta?.rows_read ?? 0
  }
  const DB = interceptedDb(
    env.DB,
    async ({ name, statements }, work) => {
      trips.push(statements.map(({ query }) => query))
      for (const { query, values } of statements) recorded.set(query, values)
      const [one] = statements
      // Rows as arrays come without a count, so run the same statement for objects first.
      if (name === 'raw' && one && /^\s*select/iu.test(one.query)) count([await one.statement.all()])
      const result = await work()
      if (name === 'all' || name === 'run') count([result as Result])
      if (name === 'batch') count(result as Result[])
      return result
    },
    (start) => sessionStarts.push(start),
  )
  return { DB, trips, sessionStarts, statements: recorded, rowsRead: () => rows }
}

/**
 * A database that delays every batch with such a statement until `count` of them have arrived: all concurrent calls finish their
 * reads before the first one writes.
 */
export function barrierDb(count: number, statement = /(?:)/u): D1Database {
  let here = 0
  const { promise: all, resolve: go } = Promise.withResolvers<void>()
  return interceptedDb(env.DB, async ({ name, statements }, work) => {
    if (name === 'batch' && statements.some(({ query }) => statement.test(query))) {
      if (++here === count) go()
      await all
    }
    return work()
  })
}
