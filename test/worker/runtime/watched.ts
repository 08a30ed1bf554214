import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { handleApi } from '#worker/api.ts'
import type { Env } from '#worker/platform/env.ts'
import { ORIGIN } from '../harness.ts'

/** Wraps a binding so that it reports each call of `methods` to `record` before making it. */
function watch<T extends object>(binding: T, methods: Record<string, (argument: unknown) => void>): T {
  return new Proxy(binding, {
    get(target, name, watched) {
      if (name === 'withSession') return () => watched as unknown
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        methods[String(name)]?.(given[0])
        return (value as (...all: unknown[]) => unknown).apply(target, given)
      }
    },
  })
}

/** The test Worker's bindings, and an ordered list of their calls: statements as SQL, the rest by name. */
export function watchedEnv(): { env: Env; asked: string[] } {
  const asked: string[] = []
  const record = (what: string) => () => void asked.push(what)
  return {
    asked,
    env: {
      ...env,
      DB: watch(env.DB, {
        prepare: (statement) => void asked.push(String(statement)),
        batch: record('D1 batch'),
      }),
      KV: watch(env.KV, { get: record('KV get'), put: record('KV put'), delete: record('KV delete') }),
      JOBS: watch(env.JOBS, { sendBatch: record('queue'), send: record('queue') }),
      PICTURES: watch(env.PICTURES, { sendBatch: record('queue') }),
      THROTTLE: watch(env.THROTTLE, { getByName: record('throttle') }),
    },
  }
}

type Call = {
  method?: string
  headers?: Record<string, string>
  body?: BodyInit | null
  settings?: Partial<Env>
}

/**
 * Makes one call directly to the Worker. `before` lists its binding calls until the answer, `after` those made after the
 * answer was sent.
 */
export async function watchedCall(
  path: string,
  { method = 'POST', headers = {}, body = null, settings = {} }: Call,
): Promise<{ response: Response; before: string[]; after: string[] }> {
  const { env: bindings, asked } = watchedEnv()
  const request = new Request(`${ORIGIN}${path}`, { method, headers, body })
  const execution = createExecutionContext()
  const response = await handleApi(request, { ...bindings, ...settings }, execution)
  const before = [...asked]
  await waitOnExecutionContext(execution)
  return { response, before, after: asked.slice(before.length) }
}

/** The headers of a JSON call from the app's own pages. */
export const OWN_JSON = { Origin: ORIGIN, 'Content-Type': 'application/json', 'CF-Connecting-IP': '10.6.6.6' }
