import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type Stripe from 'stripe'
import type { Card } from './stripe/cards.ts'
import type { StoredAnswer } from './stripe/idempotency.ts'
import type { Mail } from './mail.ts'
import type { ResultPost, Transaction } from './paynow/transactions.ts'
import type { WebhookRecord } from './stripe/webhooks.ts'

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
  paynow: Transaction[]
  paynowPosts: ResultPost[]
}

export type Store = {
  state: State
  /** Schedules a write of `state` to the file. */
  changed: () => void
  /** Writes pending changes and stops writing. */
  close: () => void
}

const FILE_NAME = 'sandbox.json'
/** Changes within this time are written together; a killed process loses at most this much. */
const WRITE_DELAY_MS = 100
/** The oldest entries are deleted, so that writing the file stays fast. */
const KEEP_MAX = 2_000

/** Loads the state from `folder`; without a folder the state stays in memory. */
export function openStore(folder: string | undefined): Store {
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

  function changed(): void {
    deleteOldest(state)
    if (!folder || isClosed) return
    timer ??= setTimeout(flush, WRITE_DELAY_MS)
  }

  function close(): void {
    flush()
    isClosed = true
    process.off('exit', flush)
  }
  // A provider forgets nothing when the Worker dies, and this process with it.
  process.once('exit', flush)

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
    paynow: [],
    paynowPosts: [],
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
  for (const list of [state.webhooks, state.mails, state.paynowPosts]) {
    if (list.length > KEEP_MAX) list.splice(0, list.length - KEEP_MAX)
  }
  for (const table of [state.answers, state.cards]) {
    const keys = Object.keys(table)
    for (const key of keys.slice(0, Math.max(0, keys.length - KEEP_MAX))) delete table[key]
  }
}
