import { createHmac } from 'node:crypto'
import { createDeliveries } from '../deliveries.ts'
import type { Deliveries, DeliveryOptions, DeliveryRecord } from '../deliveries.ts'
import { newId } from '../ids.ts'
import { API_VERSION } from './objects.ts'
import type { State } from '../store.ts'
import type { EventRequest } from '../world.ts'

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

/** An event and its delivery state. `body` is the exact text that is signed and sent. */
export type WebhookRecord = DeliveryRecord & { event: StripeEvent }

export type Webhooks = Omit<Deliveries<WebhookRecord>, 'add'> & {
  createEvent: (type: string, object: object, request: EventRequest) => WebhookRecord
  sign: (record: WebhookRecord) => Record<string, string>
}

export type WebhookOptions = Pick<
  DeliveryOptions<WebhookRecord>,
  'faults' | 'nowMs' | 'changed' | 'retryDelaysMs'
> & {
  state: State
  secret: string
  url: () => string | null
}

/** Creates, signs and delivers events: https://docs.stripe.com/webhooks */
export function createWebhooks(options: WebhookOptions): Webhooks {
  const { state, secret, nowMs, changed } = options
  const { add, ...deliveries } = createDeliveries<WebhookRecord>({
    ...options,
    service: 'webhooks',
    headers: sign,
  })

  /** Creates an event; the next `send` delivers it, after the response to the call that caused it. */
  function createEvent(type: string, object: object, request: EventRequest): WebhookRecord {
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
    const record: WebhookRecord = {
      event,
      body: JSON.stringify(event, null, 2),
      state: 'pending',
      deliveries: [],
    }
    state.webhooks.push(record)
    add(record)
    changed()
    return record
  }

  /** Headers with a fresh signature: https://docs.stripe.com/webhooks#verify-manually */
  function sign(record: WebhookRecord): Record<string, string> {
    const timestamp = Math.floor(nowMs() / 1000)
    const signature = createHmac('sha256', secret).update(`${timestamp}.${record.body}`).digest('hex')
    return {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': `t=${timestamp},v1=${signature}`,
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    }
  }

  return { ...deliveries, createEvent, sign }
}
