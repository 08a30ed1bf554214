import type { Env } from '#worker/platform/env.ts'

const SECOND_MS = 1000
/** Far longer than the slowest real calls: a call that exceeds its deadline would never return. */
const DEADLINE_MS = {
  database: 15 * SECOND_MS,
  storage: 60 * SECOND_MS,
  sessions: 10 * SECOND_MS,
  queue: 10 * SECOND_MS,
  counter: 20 * SECOND_MS,
  // A chunk on a slow connection; the idle timeout ends a stalled one much earlier.
  upload: 600 * SECOND_MS,
  gate: 5 * SECOND_MS,
} as const
type Part = keyof typeof DEADLINE_MS

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
  return {
    ...env,
    DB: databaseWithDeadline(env.DB),
    MEDIA: callsWithDeadline(env.MEDIA, 'storage'),
    KV: callsWithDeadline(env.KV, 'sessions'),
    JOBS: callsWithDeadline(env.JOBS, 'queue'),
    PICTURES: callsWithDeadline(env.PICTURES, 'queue'),
    QUOTA: stubsWithDeadline(env.QUOTA, 'counter'),
    THROTTLE: stubsWithDeadline(env.THROTTLE, 'counter'),
    UPLOADS: stubsWithDeadline(env.UPLOADS, 'upload'),
    LIMIT_LOGIN: callsWithDeadline(env.LIMIT_LOGIN, 'gate'),
    LIMIT_ACCOUNT_MAIL: callsWithDeadline(env.LIMIT_ACCOUNT_MAIL, 'gate'),
    LIMIT_CONTRIBUTOR_SESSION: callsWithDeadline(env.LIMIT_CONTRIBUTOR_SESSION, 'gate'),
    LIMIT_INVITE: callsWithDeadline(env.LIMIT_INVITE, 'gate'),
    LIMIT_MAP_IMAGE: callsWithDeadline(env.LIMIT_MAP_IMAGE, 'gate'),
    LIMIT_SLUG: callsWithDeadline(env.LIMIT_SLUG, 'gate'),
    LIMIT_HEALTH: callsWithDeadline(env.LIMIT_HEALTH, 'gate'),
    LIMIT_CLIENT_ERRORS: callsWithDeadline(env.LIMIT_CLIENT_ERRORS, 'gate'),
  }
}

/** A proxy that adds the deadline to every method that returns a promise, also of the multipart uploads it returns. */
function callsWithDeadline<T extends object>(target: T, part: Part): T {
  if (isMissing(target)) return target
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, args)
        if (!isThenable(result)) {
          return name === 'resumeMultipartUpload' ? callsWithDeadline(result as object, part) : result
        }
        const limited = withDeadline(result, DEADLINE_MS[part], part)
        return name === 'createMultipartUpload'
          ? uploadWithDeadline(limited as Promise<object>, part)
          : limited
      }
    },
  })
}

async function uploadWithDeadline(upload: Promise<object>, part: Part): Promise<object> {
  return callsWithDeadline(await upload, part)
}

function stubsWithDeadline<T extends Rpc.DurableObjectBranded | undefined>(
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
        return isStub ? callsWithDeadline(result as object, part) : result
      }
    },
  })
}

/** Wraps a database or a session. `batch` needs the original statements, so each proxy maps to its own. */
function databaseWithDeadline<T extends D1Database | D1DatabaseSession>(database: T): T {
  if (isMissing(database)) return database
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  const statementWithDeadline = (statement: D1PreparedStatement): D1PreparedStatement => {
    const proxy = new Proxy(statement, {
      get(_, name) {
        if (name === 'bind') return (...values: unknown[]) => statementWithDeadline(statement.bind(...values))
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
    originals.set(proxy, statement)
    return proxy
  }
  return new Proxy(database, {
    get(_, name) {
      if (name === 'prepare') return (query: string) => statementWithDeadline(database.prepare(query))
      if (name === 'batch') {
        return (statements: D1PreparedStatement[]) =>
          withDeadline(
            database.batch(statements.map((statement) => originals.get(statement) ?? statement)),
            DEADLINE_MS.database,
            'database',
          )
      }
      const value: unknown = Reflect.get(database, name)
      if (typeof value !== 'function') return value
      if (name !== 'withSession') return value.bind(database)
      return (...args: unknown[]) =>
        databaseWithDeadline(Reflect.apply(value, database, args) as D1DatabaseSession)
    },
  })
}

/** True for a binding that this deployment lacks, despite its type: only the features that use it then fail. */
function isMissing(binding: unknown): boolean {
  return binding === undefined
}

function isThenable(value: unknown): value is Promise<unknown> {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false
  return 'then' in value && typeof value.then === 'function'
}
