import type { State } from './store.ts'

/** Which request made something happen: Stripe writes it into the event. */
export type RequestMark = { id: string | null; idempotency_key: string | null }

/** What the rules of the stand-ins may touch. Time comes from here, so that a test can set it. */
export type World = {
  state: State
  nowMs: () => number
  changed: () => void
  emit: (type: string, object: object, request: RequestMark) => void
  keys: Keys
}

export type Keys = {
  stripeSecretKey: string
  stripePublishableKey: string
  stripeWebhookSecret: string
  /** Null: any key is taken, as long as there is one. */
  mailchannelsApiKey: string | null
}

/** Stripe's timestamps are whole seconds. */
export function nowSeconds(world: World): number {
  return Math.floor(world.nowMs() / 1000)
}
