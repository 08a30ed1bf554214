import { createHmac } from 'node:crypto'
import type { Fault, Faults } from './faults.ts'
import { API_VERSION } from './stripe-objects.ts'
import { newId, nowSeconds } from './world.ts'
import type { EventRequest, State } from './world.ts'

/** https://docs.stripe.com/api/events/object */
export type StripeEvent = {
  id: string
  object: 'event'
  api_version: string
  created: number
  data: { object: object }
  livemode: false
  pending_webhooks: number
  request: EventRequest
  type: string
}

/** One delivery attempt. `status` and `answer` are null if there was no response. */
export type Delivery = {
  at: number
  url: string
  status: number | null
  answer: string | null
  error: string | null
}

/** An event and its delivery state. `body` is the exact text that is signed and sent. */
export type WebhookRecord = {
  event: StripeEvent
  body: string
  state: 'pending' | 'held' | 'delivered' | 'failed' | 'dropped' | 'unsent'
  deliveries: Delivery[]
}

export type Webhooks = ReturnType<typeof createWebhooks>

type WebhookOptions = {
  state: State
  faults: Faults
  secret: string
  url: () => string | null
  changed: () => void
  /** Delays before each retry, in milliseconds. */
  retryDelaysMs: number[]
}

/** Stripe waits a few seconds for a response; a slower endpoint counts as failed. */
const TIMEOUT_MS = 10_000
/** Stored characters of a response, enough to see an error. */
const ANSWER_MAX = 2_000

/** Creates, signs and delivers events: https://docs.stripe.com/webhooks */
export function createWebhooks(options: WebhookOptions) {
  const { state, faults, secret, changed, retryDelaysMs } = options
  let newRecords: WebhookRecord[] = []
  let held: { record: WebhookRecord; fault: Fault }[] = []
  let queue: Promise<unknown> = Promise.resolve()
  let busy = 0
  const idle: (() => void)[] = []
  const timers = new Set<NodeJS.Timeout>()

  faults.onChange(() => {
    const released = held.filter(({ fault }) => !faults.isOn(fault))
    held = held.filter(({ fault }) => faults.isOn(fault))
    for (const item of released) dispatch(item.record)
  })

  /** Creates an event; the next `send` delivers it, after the response to the call that caused it. */
  function createEvent(type: string, object: object, request: EventRequest): void {
    const event: StripeEvent = {
      id: newId('evt'),
      object: 'event',
      api_version: API_VERSION,
      created: nowSeconds(),
      data: { object: structuredClone(object) },
      livemode: false,
      pending_webhooks: 1,
      request,
      type,
    }
    const record: WebhookRecord = {
      event,
      body: JSON.stringify(event, null, 2),
      state: 'pending',
      deliveries: [],
    }
    state.webhooks.push(record)
    newRecords.push(record)
    changed()
  }

  function send(): void {
    const records = newRecords
    newRecords = []
    for (const record of records) dispatch(record)
  }

  function dispatch(record: WebhookRecord): void {
    const fault = faults.take('webhooks', record.body)
    const mode = fault?.mode
    if (fault && mode === 'hold') hold(record, fault)
    else if (fault && mode === 'reorder') reorder(record, fault)
    else if (mode === 'drop') setState(record, 'dropped')
    else if (fault && mode === 'delay') schedule(fault.ms ?? 1_000, () => enqueue([record]))
    else if (mode === 'repeat') enqueue([record, record])
    else enqueue([record])
  }

  function hold(record: WebhookRecord, fault: Fault): void {
    held.push({ record, fault })
    setState(record, 'held')
  }

  // The earlier of two events waits for the later one and is sent after it.
  function reorder(record: WebhookRecord, fault: Fault): void {
    const earlier = held.find((item) => item.fault === fault)
    if (!earlier) return hold(record, fault)
    held = held.filter((item) => item !== earlier)
    enqueue([record])
    enqueue([earlier.record])
  }

  /** Delivers events one after another, to preserve their order; the copies of a repeat go at once. */
  function enqueue(copies: WebhookRecord[]): void {
    for (const copy of copies) setState(copy, 'pending')
    const delivered = queue.then(() => Promise.all(copies.map((copy) => deliver(copy, 0))))
    queue = track(delivered)
  }

  async function deliver(record: WebhookRecord, tries: number): Promise<void> {
    if (options.url() === null) return setState(record, 'unsent')
    const delivery = await attempt(record)
    if (isSuccess(delivery)) return setState(record, 'delivered')
    const delay = retryDelaysMs[tries]
    if (record.state === 'delivered') return
    if (delay === undefined) return setState(record, 'failed')
    wait(delay, () => void track(deliver(record, tries + 1)))
  }

  async function attempt(record: WebhookRecord): Promise<Delivery> {
    const url = options.url() ?? ''
    const delivery: Delivery = { at: Date.now(), url, status: null, answer: null, error: null }
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: sign(record),
        body: record.body,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      delivery.status = response.status
      delivery.answer = (await response.text()).slice(0, ANSWER_MAX)
    } catch (error) {
      delivery.error = describeError(error)
    }
    record.deliveries.push(delivery)
    changed()
    return delivery
  }

  /** Headers with a fresh signature: https://docs.stripe.com/webhooks#verify-manually */
  function sign(record: WebhookRecord): Record<string, string> {
    const timestamp = nowSeconds()
    const signature = createHmac('sha256', secret).update(`${timestamp}.${record.body}`).digest('hex')
    return {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': `t=${timestamp},v1=${signature}`,
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    }
  }

  async function replay(record: WebhookRecord): Promise<Delivery> {
    const delivery = await track(attempt(record))
    if (isSuccess(delivery)) setState(record, 'delivered')
    return delivery
  }

  function setState(record: WebhookRecord, next: WebhookRecord['state']): void {
    record.state = next
    changed()
  }

  function schedule(ms: number, action: () => void): void {
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

  /** Resolves when no delivery is running; held events and scheduled retries do not count. */
  function settled(): Promise<void> {
    return busy === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))
  }

  function close(): void {
    for (const timer of timers) clearTimeout(timer)
  }

  return { createEvent, send, replay, settled, close }
}

function isSuccess(delivery: Delivery): boolean {
  return delivery.status !== null && delivery.status >= 200 && delivery.status < 300
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? `: ${error.cause.message || error.cause.name}` : ''
  return `${error.message}${cause}`
}
