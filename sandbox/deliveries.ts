import type { Fault, Faults, Service } from './faults.ts'

/** One delivery attempt. `status` and `answer` are null if there was no response. */
export type Delivery = {
  at: number
  url: string
  status: number | null
  answer: string | null
  error: string | null
}

/** A message to the product and its delivery state. `body` is the exact text that is sent. */
export type DeliveryRecord = {
  body: string
  state: 'pending' | 'held' | 'delivered' | 'failed' | 'dropped' | 'unsent'
  deliveries: Delivery[]
}

export type Deliveries<Message extends DeliveryRecord> = {
  /** Adds a message, which the next `send` delivers: after the response to the call that caused it. */
  add: (message: Message) => void
  send: () => void
  replay: (message: Message) => Promise<Delivery>
  /** Resolves when no delivery is running; held messages and scheduled retries do not count. */
  settled: () => Promise<void>
  close: () => void
}

export type DeliveryOptions<Message> = {
  faults: Faults
  /** The service whose faults apply to these messages. */
  service: Service
  /** Where a message goes; null: nowhere. */
  url: (message: Message) => string | null
  headers: (message: Message) => Record<string, string>
  nowMs: () => number
  changed: () => void
  /** Delays before each retry, in milliseconds. */
  retryDelaysMs: readonly number[]
}

/** A real provider waits a few seconds for a response; a slower endpoint counts as failed. */
const TIMEOUT_MS = 10_000
/** Stored characters of a response, enough to see an error. */
const ANSWER_MAX = 2_000

/** Delivers messages one after another with retries, and as its service's faults say: held, late, twice, never, swapped. */
export function createDeliveries<Message extends DeliveryRecord>(
  options: DeliveryOptions<Message>,
): Deliveries<Message> {
  const { faults, nowMs, changed, retryDelaysMs } = options
  let added: Message[] = []
  let held: { message: Message; fault: Fault }[] = []
  let queue: Promise<unknown> = Promise.resolve()
  let busy = 0
  const idle: (() => void)[] = []
  const timers = new Set<NodeJS.Timeout>()

  faults.onChange(() => {
    const released = held.filter(({ fault }) => !faults.isOn(fault))
    held = held.filter(({ fault }) => faults.isOn(fault))
    for (const item of released) dispatch(item.message)
  })

  function send(): void {
    const messages = added
    added = []
    for (const message of messages) dispatch(message)
  }

  function dispatch(message: Message): void {
    const fault = faults.take(options.service, message.body)
    const mode = fault?.mode
    if (fault && mode === 'hold') hold(message, fault)
    else if (fault && mode === 'reorder') reorder(message, fault)
    else if (mode === 'drop') setState(message, 'dropped')
    else if (fault && mode === 'delay') schedule(fault.ms ?? 1_000, () => enqueue([message]))
    else if (mode === 'repeat') enqueue([message, message])
    else enqueue([message])
  }

  function hold(message: Message, fault: Fault): void {
    held.push({ message, fault })
    setState(message, 'held')
  }

  // The earlier of two messages waits for the later one and is sent after it.
  function reorder(message: Message, fault: Fault): void {
    const earlier = held.find((item) => item.fault === fault)
    if (!earlier) return hold(message, fault)
    held = held.filter((item) => item !== earlier)
    enqueue([message])
    enqueue([earlier.message])
  }

  /** Delivers messages one after another, to preserve their order; the copies of a repeat go at once. */
  function enqueue(copies: Message[]): void {
    for (const copy of copies) setState(copy, 'pending')
    const delivered = queue.then(() => Promise.all(copies.map((copy) => deliver(copy, 0))))
    queue = track(delivered)
  }

  async function deliver(message: Message, tries: number): Promise<void> {
    if (options.url(message) === null) return setState(message, 'unsent')
    const delivery = await attempt(message)
    if (isSuccess(delivery)) return setState(message, 'delivered')
    const delay = retryDelaysMs[tries]
    if (message.state === 'delivered') return
    if (delay === undefined) return setState(message, 'failed')
    wait(delay, () => void track(deliver(message, tries + 1)))
  }

  async function attempt(message: Message): Promise<Delivery> {
    const url = options.url(message) ?? ''
    const delivery: Delivery = { at: nowMs(), url, status: null, answer: null, error: null }
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: options.headers(message),
        body: message.body,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      delivery.status = response.status
      delivery.answer = (await response.text()).slice(0, ANSWER_MAX)
    } catch (error) {
      delivery.error = describeError(error)
    }
    message.deliveries.push(delivery)
    changed()
    return delivery
  }

  async function replay(message: Message): Promise<Delivery> {
    const delivery = await track(attempt(message))
    if (isSuccess(delivery)) setState(message, 'delivered')
    return delivery
  }

  function setState(message: Message, next: DeliveryRecord['state']): void {
    message.state = next
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

  function settled(): Promise<void> {
    return busy === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))
  }

  function close(): void {
    for (const timer of timers) clearTimeout(timer)
  }

  return { add: (message) => void added.push(message), send, replay, settled, close }
}

function isSuccess(delivery: Delivery): boolean {
  return delivery.status !== null && delivery.status >= 200 && delivery.status < 300
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? `: ${error.cause.message || error.cause.name}` : ''
  return `${error.message}${cause}`
}
