import type { State } from './store.ts'

/** The request that caused an event; Stripe puts it into the event. */
export type EventRequest = { id: string | null; idempotency_key: string | null }

/** State and dependencies of the simulated services. `nowMs` is injected so that a test can set the time. */
export type World = {
  state: State
  nowMs: () => number
  changed: () => void
  emit: (type: string, object: object, request: EventRequest) => void
  keys: Keys
}

export type Keys = {
  stripeSecretKey: string
  stripePublishableKey: string
  stripeWebhookSecret: string
  /** Null accepts any key that is not empty. */
  mailchannelsApiKey: string | null
}

/** Stripe's timestamps are whole seconds. */
export function nowSeconds(world: World): number {
  return Math.floor(world.nowMs() / 1000)
}
