import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { PhoneMethod } from '../../src/shared/payments/local-payments.ts'
import type { PayLinkView } from '../../src/shared/payments/pay-links.ts'
import type { Payment, PaymentIntent } from '../../src/shared/payments/payments.ts'
import { TENDAI } from '../operate/demo/texts.ts'
import { ProductClient } from '../operate/local/product-client.ts'
import { account } from '../operate/seed.ts'

export type Place = { url: string; sandboxUrl: string }

const RETRY_MS = 250
/** Faults of the way to the providers; each for the next call that fits. */
const PAYNOW_FAULTS =
  'drop fail forbid html empty stall hold early notfound tracefailed amount unsigned'.split(' ')
const POST_FAULTS = ['hold', 'repeat', 'drop', 'reorder', 'delay']
const STRIPE_FAULTS = ['fail', 'break', 'drop']
const WEBHOOK_FAULTS = ['repeat', 'drop', 'reorder', 'delay']
const PHONE_ANSWERS = ['approve', 'approve', 'approve-in-escrow', 'wrong-pin', 'cancel', 'fail', 'nothing']
const METHODS: readonly PhoneMethod[] = ['ecocash', 'onemoney', 'innbucks', 'omari']
const KINDS = ['card', 'phone', 'web', 'both', 'link', 'gift'] as const

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

/** One account that pays for some memorials, or has others pay for them, with faults on the way. */
export class Payer {
  readonly #client: ProductClient
  readonly #place: Place
  readonly #random: (below: number) => number
  /** What it did, for the last line. */
  readonly tried = { card: 0, phone: 0, web: 0, both: 0, link: 0, gift: 0 }
  /** What others began to pay: addresses that tell the state. */
  readonly #linkPayments: string[] = []

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

  /** Makes a draft and tries to pay for it. Any answer about money is fine, as long as it agrees at the end. */
  async order(): Promise<void> {
    const memorial = (await this.#until('POST', '/api/memorials', TENDAI, 201)) as { id: string }
    const kind = KINDS[this.#random(KINDS.length)] ?? 'card'
    this.tried[kind] += 1
    await this.#inject()
    if (kind === 'card') await this.#payByCard(memorial.id)
    else if (kind === 'phone') await this.#payByPhone(memorial.id)
    else if (kind === 'web') await this.#payOnPage(memorial.id)
    else if (kind === 'link') await this.#askSomebody(memorial.id)
    else if (kind === 'gift') await this.#getGift()
    else await Promise.all([this.#payByCard(memorial.id), this.#payByPhone(memorial.id)])
  }

  /** Asks about each open payment until none is left, or only those that nobody answered. */
  async settle(): Promise<Payment[]> {
    const { payments } = (await this.#until('GET', '/api/user/payments', undefined, 200)) as {
      payments: Payment[]
    }
    for (const { id, status } of payments) {
      if (status === 'PENDING') await this.#until('POST', `/api/payments/${id}/sync`, {}, 200)
    }
    for (const path of this.#linkPayments) await this.#until('POST', path, {}, 200)
    return payments
  }

  async #payByCard(memorialId: string): Promise<void> {
    const answer = await this.#send('POST', '/api/stripe/create-payment-intent', { memorialId })
    if (answer?.status !== 200) return
    const intent = answer.body as PaymentIntent
    await this.#confirm(intent)
    await this.#send('POST', `/api/payments/${intent.paymentId}/sync`, {})
  }

  /** The account asks somebody else, who pays by card or phone. */
  async #askSomebody(memorialId: string): Promise<void> {
    const asked = await this.#send('POST', '/api/payments/ask', { memorialId, showsMemorial: false })
    if (asked?.status === 200) await this.#payWithLink((asked.body as { token: string }).token)
  }

  /** Somebody else pays for a gift, and the account redeems it. */
  async #getGift(): Promise<void> {
    const gift = { fromName: 'Tapiwa', recipientName: 'Mai Chipo', words: '' }
    const begun = await this.#send('POST', '/api/gifts', gift, this.#somebody())
    if (begun?.status !== 201) return
    const { token } = begun.body as { token: string }
    await this.#payWithLink(token)
    const letter = await this.#send('GET', `/api/pay/${token}`, undefined, this.#somebody())
    const code = letter?.status === 200 ? (letter.body as PayLinkView).gift?.code : null
    // Twice, as after a lost answer.
    for (const _ of code ? [1, 2] : []) await this.#send('POST', '/api/gifts/redeem', { code })
  }

  async #payWithLink(token: string): Promise<void> {
    const payer = { name: 'Tapiwa', email: `tapiwa${this.#random(1_000_000)}@leeds.test` }
    const somebody = this.#somebody()
    const isByCard = this.#random(2) === 0
    const answer = isByCard
      ? await this.#send('POST', `/api/pay/${token}/card`, payer, somebody)
      : await this.#send('POST', `/api/pay/${token}/mobile`, { ...payer, ...this.#wallet() }, somebody)
    if (answer?.status !== 200) return
    const id = isByCard ? (answer.body as PaymentIntent).paymentId : (answer.body as Payment).id
    const path = `/api/pay/${token}/payments/${id}/sync`
    this.#linkPayments.push(path)
    if (isByCard) await this.#confirm(answer.body as PaymentIntent)
    else await this.#answer(answer.body as Payment, path.replace(/sync$/u, 'code'), somebody)
    await this.#send('POST', path, {}, somebody)
  }

  /** Somebody without an account, in a network of their own. */
  #somebody(): ProductClient {
    return new ProductClient(this.#place.url, `198.51.100.${1 + this.#random(250)}`)
  }

  /** What the browser does with the card. */
  async #confirm({ clientSecret }: PaymentIntent): Promise<void> {
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
  }

  async #payByPhone(memorialId: string): Promise<void> {
    const request = { memorialId, ...this.#wallet() }
    const answer = await this.#send('POST', '/api/payments/mobile', request)
    // A double tap.
    if (this.#random(3) === 0) await this.#send('POST', '/api/payments/mobile', request)
    if (answer?.status !== 200) return
    const payment = answer.body as Payment
    await this.#answer(payment, `/api/payments/${payment.id}/code`, this.#client)
    await this.#send('POST', `/api/payments/${payment.id}/sync`, {})
  }

  #wallet(): { method: PhoneMethod; phone: string } {
    const method = METHODS[this.#random(METHODS.length)] ?? 'ecocash'
    const network = method === 'onemoney' ? '071' : '077'
    return { method, phone: `${network}${String(2_500_000 + this.#random(7_000_000))}` }
  }

  /** What the payer does with the request. Nobody can approve one whose code nobody knows. */
  async #answer(payment: Payment, codePath: string, client: ProductClient): Promise<void> {
    const { id, status, local } = payment
    if (status !== 'PENDING' || (local?.method === 'innbucks' && local.code === null)) return
    if (local?.method !== 'omari') return this.#act(id)
    const code = this.#random(3) === 0 ? '999999' : '123456'
    if (local.needsCode) await this.#send('POST', codePath, { code }, client)
  }

  async #payOnPage(memorialId: string): Promise<void> {
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
  async #inject(): Promise<void> {
    const kinds: [service: string, modes: string[]][] = [
      ['paynow', PAYNOW_FAULTS],
      ['paynow-posts', POST_FAULTS],
      ['stripe', STRIPE_FAULTS],
      ['webhooks', WEBHOOK_FAULTS],
    ]
    if (this.#random(5) < 2) return
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
    client = this.#client,
    idempotencyKey: string = randomUUID(),
  ): Promise<{ status: number; body: unknown } | null> {
    try {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey }
      const answer = await client.send(
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

  /** Repeats a call until it has this status: the server may be down. Throws if it is refused for good. */
  async #until(method: string, path: string, body: unknown, status: number): Promise<unknown> {
    const key = randomUUID()
    let last = 'no answer'
    for (let tries = 0; tries < 240; tries++) {
      const answer = await this.#send(method, path, body, this.#client, key)
      if (answer?.status === status) return answer.body
      if (answer) last = `${answer.status} ${JSON.stringify(answer.body)}`
      if (answer && answer.status < 500 && answer.status !== 429) break
      await wait(RETRY_MS)
    }
    throw new Error(`${method} ${path} never answered ${status}, but ${last}`)
  }
}
