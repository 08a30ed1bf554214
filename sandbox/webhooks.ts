import { createHmac } from 'node:crypto'
import type { Fault, Faults } from './faults.ts'
import { newId } from './ids.ts'
import { API_VERSION } from './stripe-objects.ts'
import type { State } from './store.ts'
import type { RequestMark } from './world.ts'

/** https://docs.stripe.com/api/events/object */
export type StripeEvent = {
  id: string
  object: 'event'
  api_version: string
  created: number
  data: { object: object }
  livemode: false
  pending_webhooks: number
  request: RequestMark
  type: string
}

/** One try to hand an event over. `status` and `answer` are null when nobody answered. */
export type Delivery = {
  at: number
  url: string
  status: number | null
  answer: string | null
  error: string | null
}

/** An event and what became of it. `body` is the exact text that is signed and sent. */
export type WebhookRecord = {
  event: StripeEvent
  body: string
  state: 'pending' | 'held' | 'delivered' | 'failed' | 'dropped' | 'unsent'
  deliveries: Delivery[]
}

export type Webhooks = {
  record: (type: string, object: object, request: RequestMark) => WebhookRecord
  send: () => void
  replay: (record: WebhookRecord) => Promise<Delivery>
  sign: (record: WebhookRecord) => Record<string, string>
  settled: () => Promise<void>
  close: () => void
}

export type WebhookOptions = {
  state: State
  faults: Faults
  secret: string
  url: () => string | null
  nowMs: () => number
  changed: () => void
  /** The pauses before each further try, in milliseconds. */
  retryDelaysMs: number[]
}

/** Stripe waits some seconds for an answer; an endpoint that takes longer counts as failed. */
const TIMEOUT_MS = 10_000
/** Enough of an answer to see what went wrong. */
const ANSWER_MAX = 2_000

/** Makes, signs and delivers events: https://docs.stripe.com/webhooks */
export function createWebhooks(options: WebhookOptions): Webhooks {
  const { state, faults, secret, nowMs, changed, retryDelaysMs } = options
  let fresh: WebhookRecord[] = []
  let held: { record: WebhookRecord; fault: Fault }[] = []
  let line: Promise<unknown> = Promise.resolve()
  let busy = 0
  const idle: (() => void)[] = []
  const timers = new Set<NodeJS.Timeout>()

  faults.onChange(() => {
    const released = held.filter(({ fault }) => !faults.isOn(fault))
    held = held.filter(({ fault }) => faults.isOn(fault))
    for (const item of released) dispatch(item.record)
  })

  /** Makes the event; it leaves with the next `send`, that is, after the answer to the call that caused it. */
  function record(type: string, object: object, request: RequestMark): WebhookRecord {
    const event: StripeEvent = {
      id: newId('evt'),
      object: 'event',
      api_version: API_VERSION,
      created: Math.floor(nowMs() / 1000),
      data: { object: structuredClone(object) },
      livemode: false,
      pending_webhooks: 1,
      request,
      type,
    }
    const made: WebhookRecord = {
      event,
      body: JSON.stringify(event, null, 2),
      state: 'pending',
      deliveries: [],
    }
    state.webhooks.push(made)
    fresh.push(made)
    changed()
    return made
  }

  function send(): void {
    const records = fresh
    fresh = []
    for (const one of records) dispatch(one)
  }

  function dispatch(one: WebhookRecord): void {
    const fault = faults.take('webhooks', one.body)
    const mode = fault?.mode
    if (fault && mode === 'hold') hold(one, fault)
    else if (fault && mode === 'reorder') reorder(one, fault)
    else if (mode === 'drop') mark(one, 'dropped')
    else if (fault && mode === 'delay') later(fault.ms ?? 1_000, () => enqueue([one]))
    else if (mode === 'repeat') enqueue([one, one])
    else enqueue([one])
  }

  function hold(one: WebhookRecord, fault: Fault): void {
    held.push({ record: one, fault })
    mark(one, 'held')
  }

  // The earlier of two waits for the later one and leaves after it.
  function reorder(one: WebhookRecord, fault: Fault): void {
    const earlier = held.find((item) => item.fault === fault)
    if (!earlier) return hold(one, fault)
    held = held.filter((item) => item !== earlier)
    enqueue([one])
    enqueue([earlier.record])
  }

  /** Deliveries go one after another, so an order that matters is kept; the copies of a repeat go together. */
  function enqueue(copies: WebhookRecord[]): void {
    for (const copy of copies) mark(copy, 'pending')
    const turn = line.then(() => Promise.all(copies.map((copy) => deliver(copy, 0))))
    line = track(turn)
  }

  async function deliver(one: WebhookRecord, tries: number): Promise<void> {
    if (options.url() === null) return mark(one, 'unsent')
    const delivery = await attempt(one)
    if (isSuccess(delivery)) return mark(one, 'delivered')
    const delay = retryDelaysMs[tries]
    if (one.state === 'delivered') return
    if (delay === undefined) return mark(one, 'failed')
    wait(delay, () => void track(deliver(one, tries + 1)))
  }

  async function attempt(one: WebhookRecord): Promise<Delivery> {
    const url = options.url() ?? ''
    const delivery: Delivery = { at: nowMs(), url, status: null, answer: null, error: null }
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: sign(one),
        body: one.body,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      delivery.status = response.status
      delivery.answer = (await response.text()).slice(0, ANSWER_MAX)
    } catch (error) {
      delivery.error = toSentence(error)
    }
    one.deliveries.push(delivery)
    changed()
    return delivery
  }

  /** The headers of a delivery made now: https://docs.stripe.com/webhooks#verify-manually */
  function sign(one: WebhookRecord): Record<string, string> {
    const timestamp = Math.floor(nowMs() / 1000)
    const signature = createHmac('sha256', secret).update(`${timestamp}.${one.body}`).digest('hex')
    return {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': `t=${timestamp},v1=${signature}`,
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    }
  }

  async function replay(one: WebhookRecord): Promise<Delivery> {
    const delivery = await track(attempt(one))
    if (isSuccess(delivery)) mark(one, 'delivered')
    return delivery
  }

  function mark(one: WebhookRecord, next: WebhookRecord['state']): void {
    one.state = next
    changed()
  }

  function later(ms: number, action: () => void): void {
    void track(new Promise<void>((resolve) => wait(ms, () => resolve(action()))))
  }

  function wait(ms: number, action: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      action()
    }, ms)
    timers.add(timer)
  }

  function track<T>(work: Promise<T>): Promise<T> {
    busy += 1
    return work.finally(() => {
      busy -= 1
      if (busy === 0) for (const resolve of idle.splice(0)) resolve()
    })
  }

  /** Resolves when nothing is on its way; what is held, or waits for a further try, does not count. */
  function settled(): Promise<void> {
    return busy === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))
  }

  function close(): void {
    for (const timer of timers) clearTimeout(timer)
  }

  return { record, send, replay, sign, settled, close }
}

function isSuccess(delivery: Delivery): boolean {
  return delivery.status !== null && delivery.status >= 200 && delivery.status < 300
}

function toSentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? `: ${error.cause.message || error.cause.name}` : ''
  return `${error.message}${cause}`
}
