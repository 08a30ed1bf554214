import type { Reply } from '../http.ts'
import { StripeFailure } from './error.ts'
import type { World } from '../world.ts'

/** The response to the first request with a key. */
export type StoredAnswer = {
  endpoint: string
  params: string
  status: number
  headers: Record<string, string>
  body: object
  storedMs: number
}

/** Stripe may forget a key after a day: https://docs.stripe.com/api/idempotent_requests */
const KEEP_MS = 24 * 3600 * 1000
const KEY_MAX = 255

export type Idempotency = {
  run: (
    key: string,
    request: { endpoint: string; params: string },
    work: () => Promise<Reply & { body: object }>,
  ) => Promise<Reply>
}

/**
 * Stripe's rules for `Idempotency-Key` (https://docs.stripe.com/api/idempotent_requests): the first response
 * is stored and replayed with `Idempotent-Replayed: true`; other parameters or another
 * endpoint with the same key get 400 `idempotency_error`; a second request while the first runs
 * gets 409. Requests refused before their work starts (400, 401, 404) store nothing.
 */
export function createIdempotency(world: World): Idempotency {
  const running = new Set<string>()

  async function run(
    key: string,
    request: { endpoint: string; params: string },
    work: () => Promise<Reply & { body: object }>,
  ): Promise<Reply> {
    if (key.length > KEY_MAX) {
      throw new StripeFailure(400, {
        type: 'idempotency_error',
        message: `Idempotency keys are at most ${KEY_MAX} characters long.`,
      })
    }
    if (running.has(key)) throw keyInUse(key)
    const stored = world.state.answers[key]
    if (stored && world.nowMs() - stored.storedMs < KEEP_MS) return replay(key, stored, request)
    running.add(key)
    try {
      const reply = await work()
      if (reply.status < 400 || reply.status === 402 || reply.status >= 500) {
        world.state.answers[key] = {
          ...request,
          status: reply.status,
          headers: reply.headers ?? {},
          // A copy, because the object changes later.
          body: structuredClone(reply.body),
          storedMs: world.nowMs(),
        }
        world.changed()
      }
      return reply
    } finally {
      running.delete(key)
    }
  }

  return { run }
}

function replay(key: string, stored: StoredAnswer, request: { endpoint: string; params: string }): Reply {
  if (stored.endpoint !== request.endpoint) {
    throw new StripeFailure(400, {
      type: 'idempotency_error',
      message: `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${request.endpoint}' vs '${stored.endpoint}'). Try using a key other than '${key}' if you meant to execute a different request.`,
    })
  }
  if (stored.params !== request.params) {
    throw new StripeFailure(400, {
      type: 'idempotency_error',
      message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    })
  }
  return {
    status: stored.status,
    headers: {
      ...stored.headers,
      'idempotent-replayed': 'true',
      'original-request': stored.headers['request-id'] ?? '',
    },
    body: stored.body,
  }
}

function keyInUse(key: string): StripeFailure {
  return new StripeFailure(409, {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
  })
}
