import type { Env } from '#worker/platform/env.ts'
import { withDeadline } from '#worker/platform/deadline.ts'

const SECOND_MS = 1000
/** Far longer than each takes on a bad day: whatever takes longer does not come at all, and holds up a person. */
const DEADLINE_MS = {
  database: 15 * SECOND_MS,
  storage: 60 * SECOND_MS,
  sessions: 10 * SECOND_MS,
  queue: 10 * SECOND_MS,
  counter: 20 * SECOND_MS,
  // A piece of an upload on a slow line; silence ends it much earlier.
  upload: 600 * SECOND_MS,
  gate: 5 * SECOND_MS,
} as const
type Part = keyof typeof DEADLINE_MS

/**
 * The bindings with a deadline on every call: one that hangs (a full disk under R2, a region that is away) fails with an
 * Error instead, and what it had to do may still happen afterwards. Bodies of objects are not read here.
 */
export function withDeadlines(env: Env): Env {
  return {
    ...env,
    DB: databaseInTime(env.DB),
    MEDIA: inTimeEach(env.MEDIA, 'storage'),
    KV: inTimeEach(env.KV, 'sessions'),
    JOBS: inTimeEach(env.JOBS, 'queue'),
    PICTURES: inTimeEach(env.PICTURES, 'queue'),
    QUOTA: objectsInTime(env.QUOTA, 'counter'),
    THROTTLE: objectsInTime(env.THROTTLE, 'counter'),
    UPLOADS: objectsInTime(env.UPLOADS, 'upload'),
    LIMIT_LOGIN: inTimeEach(env.LIMIT_LOGIN, 'gate'),
    LIMIT_ACCOUNT_MAIL: inTimeEach(env.LIMIT_ACCOUNT_MAIL, 'gate'),
    LIMIT_CONTRIBUTOR_SESSION: inTimeEach(env.LIMIT_CONTRIBUTOR_SESSION, 'gate'),
    LIMIT_INVITE: inTimeEach(env.LIMIT_INVITE, 'gate'),
    LIMIT_MAP_IMAGE: inTimeEach(env.LIMIT_MAP_IMAGE, 'gate'),
    LIMIT_SLUG: inTimeEach(env.LIMIT_SLUG, 'gate'),
    LIMIT_HEALTH: inTimeEach(env.LIMIT_HEALTH, 'gate'),
    LIMIT_CLIENT_ERRORS: inTimeEach(env.LIMIT_CLIENT_ERRORS, 'gate'),
  }
}

/** The same object; what its methods promise comes in time or fails. A multipart upload that one gives is treated alike. */
function inTimeEach<T extends object>(target: T, part: Part): T {
  if (isMissing(target)) return target
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, args)
        if (!isThenable(result)) {
          return name === 'resumeMultipartUpload' ? inTimeEach(result as object, part) : result
        }
        const late = withDeadline(result, DEADLINE_MS[part], part)
        return name === 'createMultipartUpload' ? openInTime(late as Promise<object>, part) : late
      }
    },
  })
}

async function openInTime(upload: Promise<object>, part: Part): Promise<object> {
  return inTimeEach(await upload, part)
}

function objectsInTime<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  part: Part,
): DurableObjectNamespace<T> {
  if (isMissing(namespace)) return namespace
  return new Proxy(namespace, {
    get(_, name) {
      const value: unknown = Reflect.get(namespace, name)
      if (typeof value !== 'function') return value
      const isStub = name === 'getByName' || name === 'get'
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, namespace, args)
        return isStub ? inTimeEach(result as object, part) : result
      }
    },
  })
}

/** A batch takes the statements themselves, so each remembers what it stands for. The same for a session. */
function databaseInTime<T extends D1Database | D1DatabaseSession>(database: T): T {
  if (isMissing(database)) return database
  const real = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  const statementInTime = (statement: D1PreparedStatement): D1PreparedStatement => {
    const proxy = new Proxy(statement, {
      get(_, name) {
        if (name === 'bind') return (...values: unknown[]) => statementInTime(statement.bind(...values))
        const value: unknown = Reflect.get(statement, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) =>
          withDeadline(
            Reflect.apply(value, statement, args) as Promise<unknown>,
            DEADLINE_MS.database,
            'database',
          )
      },
    })
    real.set(proxy, statement)
    return proxy
  }
  return new Proxy(database, {
    get(_, name) {
      if (name === 'prepare') return (query: string) => statementInTime(database.prepare(query))
      if (name === 'batch') {
        return (statements: D1PreparedStatement[]) =>
          withDeadline(
            database.batch(statements.map((statement) => real.get(statement) ?? statement)),
            DEADLINE_MS.database,
            'database',
          )
      }
      const value: unknown = Reflect.get(database, name)
      if (typeof value !== 'function') return value
      if (name !== 'withSession') return value.bind(database)
      return (...args: unknown[]) => databaseInTime(Reflect.apply(value, database, args) as D1DatabaseSession)
    },
  })
}

/** A binding that a deployment lacks, against its type: only what needs it fails (F17). */
function isMissing(binding: unknown): boolean {
  return binding === undefined
}

function isThenable(value: unknown): value is Promise<unknown> {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false
  return 'then' in value && typeof value.then === 'function'
}
