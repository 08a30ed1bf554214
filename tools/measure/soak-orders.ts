import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { PhoneMethod } from '../../src/shared/local-payments.ts'
import type { Payment, PaymentIntent } from '../../src/shared/payments.ts'
import { TENDAI } from '../operate/demo/texts.ts'
import type { ProductClient } from '../operate/local/product-client.ts'
import { account } from '../operate/seed.ts'

export type Place = { url: string; sandboxUrl: string }

const RETRY_MS = 250
/** Faults of the way to the providers; each for the next call that fits. */
const PAYNOW_FAULTS = ['drop', 'fail', 'html', 'empty', 'forbid', 'amount', 'unsigned']
const POST_FAULTS = ['hold', 'repeat', 'drop', 'reorder', 'delay']
const STRIPE_FAULTS = ['fail', 'break', 'drop']
const WEBHOOK_FAULTS = ['repeat', 'drop', 'reorder', 'delay']
const PHONE_ANSWERS = ['approve', 'approve', 'approve-in-escrow', 'wrong-pin', 'cancel', 'fail', 'nothing']
const METHODS: readonly PhoneMethod[] = ['ecocash', 'innbucks', 'omari']

/** A generator of the same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** One account that pays for some memorials, by card, phone or Paynow's page, with faults on the way. */
export class Payer {
  readonly #client: ProductClient
  readonly #place: Place
  readonly #random: (below: number) => number
  /** What it did, for the last line. */
  readonly tried = { card: 0, phone: 0, web: 0, both: 0 }

  constructor(client: ProductClient, place: Place, random: (below: number) => number) {
    this.#client = client
    this.#place = place
    this.#random = random
  }

  static async create(place: Place, index: number, random: (below: number) => number): Promise<Payer> {
    const who = { email: `payer${index}@family.test`, firstName: 'Rudo', lastName: 'Moyo' }
    const client = await account(place.url, place.sandboxUrl, who, `192.0.2.${(index % 250) + 1}`)
    return new Payer(client, place, random)
  }

  /** Makes a draft and tries to pay for it. Any answer of the server is fine, as long as the money agrees at the end. */
  async order(): Promise<void> {
    const memorial = (await this.#until('POST', '/api/memorials', TENDAI, 201)) as { id?: string } | null
    const memorialId = memorial?.id ?? null
    const kind = (['card', 'phone', 'web', 'both'] as const)[this.#random(4)] ?? 'card'
    this.tried[kind] += 1
    await this.#inject(memorialId)
    if (kind === 'card') await this.#payByCard(memorialId)
    else if (kind === 'phone') await this.#payByPhone(memorialId)
    else if (kind === 'web') await this.#payOnPage(memorialId)
    else await Promise.all([this.#payByCard(memorialId), this.#payByPhone(memorialId)])
  }

  /** Asks about each open payment until none is left, or only those that nobody answered. */
  async settle(): Promise<Payment[]> {
    const { payments } = (await this.#until('GET', '/api/user/payments', undefined, 200)) as {
      payments: Payment[]
    }
    for (const { id, status } of payments) {
      if (status === 'PENDING') await this.#until('POST', `/api/payments/${id}/sync`, {}, 200)
    }
    return payments
  }

  async #payByCard(memorialId: string | null): Promise<void> {
    const answer = await this.#send('POST', '/api/stripe/create-payment-intent', { memorialId })
    if (answer?.status !== 200) return
    const { clientSecret, paymentId } = answer.body as PaymentIntent
    const [intent] = clientSecret.split('_secret_')
    const card = this.#random(5) === 0 ? 'pm_card_chargeDeclined' : 'pm_card_visa'
    await fetch(`${this.#place.sandboxUrl}/v1/payment_intents/${intent}/confirm`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Connection: 'close' },
      body: new URLSearchParams({
        payment_method: card,
        client_secret: clientSecret,
        key: 'pk_test_sandbox',
      }),
    }).catch(() => null)
    await this.#send('POST', `/api/payments/${paymentId}/sync`, {})
  }

  async #payByPhone(memorialId: string | null): Promise<void> {
    const method = METHODS[this.#random(METHODS.length)] ?? 'ecocash'
    const phone = `077${String(2_500_000 + this.#random(7_000_000))}`
    const answer = await this.#send('POST', '/api/payments/mobile', { memorialId, method, phone })
    // A double tap.
    if (this.#random(3) === 0) await this.#send('POST', '/api/payments/mobile', { memorialId, method, phone })
    if (answer?.status !== 200) return
    const { id } = answer.body as Payment
    if (method === 'omari' && this.#random(2) === 0)
      await this.#send('POST', `/api/payments/${id}/code`, {
        code: this.#random(3) === 0 ? '999999' : '123456',
      })
    else await this.#act(id)
    await this.#send('POST', `/api/payments/${id}/sync`, {})
  }

  async #payOnPage(memorialId: string | null): Promise<void> {
    const answer = await this.#send('POST', '/api/payments/init', { memorialId })
    if (answer?.status !== 200) return
    const { paymentId } = answer.body as { paymentId: string }
    await this.#act(paymentId)
    await this.#send('POST', `/api/payments/${paymentId}/sync`, {})
  }

  async #act(reference: string): Promise<void> {
    const action = PHONE_ANSWERS[this.#random(PHONE_ANSWERS.length)]
    if (action !== 'nothing') await this.#control('/test/paynow', { reference, action })
  }

  /** In three of five orders, something breaks for the next call or message of any kind. */
  async #inject(memorialId: string | null): Promise<void> {
    const kinds: [service: string, modes: string[]][] = [
      ['paynow', PAYNOW_FAULTS],
      ['paynow-posts', POST_FAULTS],
      ['stripe', STRIPE_FAULTS],
      ['webhooks', WEBHOOK_FAULTS],
    ]
    if (this.#random(5) < 2 || memorialId === null) return
    const [service, modes] = kinds[this.#random(kinds.length)] ?? ['paynow', PAYNOW_FAULTS]
    await this.#control('/faults', { service, mode: modes[this.#random(modes.length)], times: 1, ms: 300 })
  }

  async #control(path: string, body: object): Promise<void> {
    await fetch(`${this.#place.sandboxUrl}${path}`, {
      method: 'POST',
      headers: { Connection: 'close' },
      body: JSON.stringify(body),
    }).catch(() => null)
  }

  /** One call; null if the server was killed meanwhile. */
  async #send(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: unknown } | null> {
    try {
      const headers = {
        'Content-Type': 'application/json',
        'Idempotency-Key': randomBytes(16).toString('hex'),
      }
      const answer = await this.#client.send(
        method,
        path,
        body === undefined ? undefined : JSON.stringify(body),
        body === undefined ? {} : headers,
      )
      return { status: answer.status, body: await answer.json() }
    } catch {
      return null
    }
  }

  /** Repeats a call until it has this status: the server may be down. Null if it is refused for good. */
  async #until(method: string, path: string, body: unknown, status: number): Promise<unknown> {
    for (let tries = 0; tries < 240; tries++) {
      const answer = await this.#send(method, path, body)
      if (answer?.status === status) return answer.body
      if (answer && answer.status < 500 && answer.status !== 429) return null
      await wait(RETRY_MS)
    }
    throw new Error(`${method} ${path} never answered ${status}`)
  }
}
