import { randomInt } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type Stripe from 'stripe'
import type { Card } from './cards.ts'
import type { FormObject } from './form.ts'
import type { StoredAnswer } from './idempotency.ts'
import type { Mail } from './mail.ts'
import type { WebhookRecord } from './webhooks.ts'

/** The request that caused an event; Stripe puts it into the event. */
export type EventRequest = { id: string | null; idempotency_key: string | null }

/** One call of Stripe's API; `id` is the one in its path. */
export type Call = { world: World; id: string; form: FormObject; request: EventRequest; url: string }

/** State and dependencies of the simulated services. */
export type World = {
  state: State
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
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** The sandbox's state: plain JSON, so that the next run can load it. */
export type State = {
  intents: Record<string, Stripe.PaymentIntent>
  charges: Record<string, Stripe.Charge>
  refunds: Record<string, Stripe.Refund>
  disputes: Record<string, Stripe.Dispute>
  cards: Record<string, Card>
  answers: Record<string, StoredAnswer>
  webhooks: WebhookRecord[]
  mails: Mail[]
}

const FILE_NAME = 'sandbox.json'
/** Changes within this time are written together; a crash loses at most this much. */
const WRITE_DELAY_MS = 100
/** The oldest entries are deleted, so that writing the file stays fast. */
const KEEP_MAX = 2_000

/** Loads the state from `folder`; without a folder the state stays in memory. */
export function openStore(folder: string | undefined) {
  const state = folder ? readState(join(folder, FILE_NAME)) : emptyState()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function flush(): void {
    if (!timer || !folder) return
    clearTimeout(timer)
    timer = undefined
    mkdirSync(folder, { recursive: true })
    const path = join(folder, FILE_NAME)
    // A rename is atomic: a crash leaves the old state or the new one, never half of it.
    writeFileSync(`${path}.new`, JSON.stringify(state))
    renameSync(`${path}.new`, path)
  }

  /** Schedules a write of `state` to the file. */
  function changed(): void {
    deleteOldest(state)
    if (!folder || isClosed) return
    timer ??= setTimeout(flush, WRITE_DELAY_MS)
  }

  /** Writes pending changes and stops writing. */
  function close(): void {
    flush()
    isClosed = true
  }

  return { state, changed, close }
}

function emptyState(): State {
  return {
    intents: {},
    charges: {},
    refunds: {},
    disputes: {},
    cards: {},
    answers: {},
    webhooks: [],
    mails: [],
  }
}

function readState(path: string): State {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return emptyState()
    throw error
  }
  return { ...emptyState(), ...(JSON.parse(text) as Partial<State>) }
}

function deleteOldest(state: State): void {
  for (const list of [state.webhooks, state.mails]) {
    if (list.length > KEEP_MAX) list.splice(0, list.length - KEEP_MAX)
  }
  for (const table of [state.answers, state.cards]) {
    const keys = Object.keys(table)
    for (const key of keys.slice(0, Math.max(0, keys.length - KEEP_MAX))) delete table[key]
  }
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Random characters of the alphabet of Stripe's ids (digits and letters). */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) text += ALPHABET[randomInt(ALPHABET.length)]
  return text
}

/** An id in Stripe's format, for example `pi_3Q…`. */
export function newId(prefix: string): string {
  return `${prefix}_3${randomText(23)}`
}
