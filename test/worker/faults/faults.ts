import { env } from 'cloudflare:test'
import { inject, vi } from 'vitest'
import type { Env } from '#worker/platform/env.ts'
import type { Client } from '../harness.ts'
import { interceptedDb } from '../runtime/intercepted-db.ts'

/**
 * `before`: the call fails and did nothing. `after`: it did its work, but the answer is lost. `late`: it stalls past its
 * deadline and does its work long afterwards.
 */
type FaultMode = 'before' | 'after' | 'late'
export const FAULT_MODES: readonly FaultMode[] = ['before', 'after', 'late']
/** The `at`-th call to any binding fails, counted from 1. */
export type Fault = { at: number; mode: FaultMode }

const real = { setTimeout: globalThis.setTimeout }
/** A stalling call sets this: the next deadline counts as passed. */
let isStalled = false

/** Bindings that work like the real ones, count each call, and make one fail. The product does not know about them. */
export class FaultyBindings {
  /** Every call so far, for example `DB.batch`. */
  readonly calls: string[] = []
  readonly #fault: Fault | null
  readonly #late: (() => Promise<unknown>)[] = []
  readonly env: Env

  constructor(fault: Fault | null) {
    this.#fault = fault
    this.env = {
      ...env,
      DB: interceptedDb(env.DB, ({ name }, work) => this.#through(`DB.${name}`, work)),
      MEDIA: this.#each(env.MEDIA, 'MEDIA'),
      KV: this.#each(env.KV, 'KV'),
      JOBS: this.#each(env.JOBS, 'JOBS'),
      PICTURES: this.#each(env.PICTURES, 'PICTURES'),
      QUOTA: this.#objects(env.QUOTA, 'QUOTA'),
      THROTTLE: this.#objects(env.THROTTLE, 'THROTTLE'),
      UPLOADS: this.#objects(env.UPLOADS, 'UPLOADS'),
    }
  }

  /** Runs the late calls now; each may succeed or fail on its own. */
  async finishLate(): Promise<void> {
    for (const work of this.#late.splice(0)) await work().catch(() => null)
  }

  /** Sends the client's calls to a Worker with these bindings while `work` runs; deadlines of stalling calls count as passed. */
  async during<T>(client: Client, work: () => Promise<T>): Promise<T> {
    const before = client.bindings
    client.bindings = this.env
    try {
      return await this.duringCron(work)
    } finally {
      client.bindings = before
    }
  }

  /** Like {@link during}, for work without a request. */
  async duringCron<T>(work: () => Promise<T>): Promise<T> {
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number) => {
      const isDeadline = isStalled && ms >= 1000
      if (isDeadline) isStalled = false
      return real.setTimeout(run, isDeadline ? 0 : ms)
    }) as typeof setTimeout)
    try {
      return await work()
    } finally {
      isStalled = false
      vi.mocked(globalThis.setTimeout).mockRestore()
    }
  }

  async #through(name: string, work: () => Promise<unknown>): Promise<unknown> {
    this.calls.push(name)
    if (this.calls.length !== this.#fault?.at) return work()
    const { mode } = this.#fault
    if (mode === 'before') throw new Error(`injected: ${name} failed`)
    if (mode === 'after') {
      await work()
      throw new Error(`injected: the answer of ${name} is lost`)
    }
    this.#late.push(work)
    isStalled = true
    return new Promise(() => {})
  }

  #each<T extends object>(target: T, part: string): T {
    return new Proxy(target, {
      get: (_, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function' || typeof name !== 'string') return value
        const call = (...args: unknown[]) => Reflect.apply(value, target, args) as Promise<unknown>
        return async (...args: unknown[]) => {
          const result = await this.#through(`${part}.${name}`, async () => call(...args))
          return name === 'createMultipartUpload' ? this.#each(result as object, `${part}.multipart`) : result
        }
      },
    })
  }

  #objects<T extends object>(namespace: T, part: string): T {
    return new Proxy(namespace, {
      get: (_, name) => {
        const value: unknown = Reflect.get(namespace, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => this.#each(Reflect.apply(value, namespace, args) as object, part)
      },
    })
  }
}

/** The test's bindings, whose `at`-th call fails before or after its work, and the number of calls so far. */
export function failingEnv(at: number, mode: FaultMode = 'before'): { env: Env; calls: () => number } {
  const { env: failing, calls } = new FaultyBindings({ at, mode })
  return { env: failing, calls: () => calls.length }
}

/** The binding, whose every use fails with this message. */
export function brokenBinding<T extends object>(binding: T, message: string): T {
  return new Proxy(binding, {
    get() {
      throw new Error(message)
    },
  })
}

/** The test's bindings; `action` runs once, after a request has read everything and just before it writes. */
export function meanwhileEnv(action: () => Promise<unknown>): Env {
  let done: Promise<unknown> | null = null
  const DB = interceptedDb(env.DB, async ({ name, statements }, work) => {
    const isWrite = name === 'batch' || /^\s*(?:insert|update|delete)/iu.test(statements[0]?.query ?? '')
    if (isWrite) await (done ??= action())
    return work()
  })
  return { ...env, DB }
}

/**
 * Returns `all` in `npm run test:exhaustive` and `sample` in `npm test`. Name a test file that calls this `*.sweep.test.ts`, so
 * that both commands run it.
 */
export function sweep<T>(all: readonly T[], sample: readonly T[]): readonly T[] {
  return inject('isExhaustive') ? all : sample
}
