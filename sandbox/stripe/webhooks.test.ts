import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Stripe } from 'stripe'
import { afterEach, expect, test } from 'vitest'
import { startSandbox } from '../server.ts'

const SECRET = 'whsec_for_tests'
const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

test("Stripe's client accepts the signature, and refuses a changed body", async () => {
  const { stripe, received, settled } = await start()
  const intent = await stripe.paymentIntents.create({ amount: 6000, currency: 'usd' })
  await settled()

  const { body, signature } = received[0] ?? { body: '', signature: '' }
  const event = stripe.webhooks.constructEvent(body, signature, SECRET)

  expect(event).toMatchObject({
    object: 'event',
    type: 'payment_intent.created',
    livemode: false,
    pending_webhooks: 1,
    request: { id: intent.lastResponse.requestId },
    data: { object: { id: intent.id, status: 'requires_payment_method' } },
  })
  expect(() => stripe.webhooks.constructEvent(body.replace('6000', '1'), signature, SECRET)).toThrow(
    'No signatures found',
  )
})

test('each change of a payment sends one event, in order', async () => {
  const { stripe, types, settled, url } = await start()
  const intent = await stripe.paymentIntents.create({ amount: 6000, currency: 'usd' })

  await stripe.paymentIntents
    .confirm(intent.id, { payment_method: 'pm_card_chargeDeclined' })
    .catch(() => null)
  await stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_authenticationRequired' })
  await post(`${url}/test/authenticate`, { paymentIntent: intent.id, outcome: 'complete' })
  await stripe.refunds.create({ payment_intent: intent.id })
  await post(`${url}/test/dispute`, { paymentIntent: intent.id })
  await settled()

  expect(types()).toEqual([
    'payment_intent.created',
    'payment_intent.payment_failed',
    'payment_intent.requires_action',
    'payment_intent.succeeded',
    'charge.refunded',
    'charge.dispute.created',
  ])
})

test('a cancelled payment sends an event', async () => {
  const { stripe, types, settled } = await start()
  const intent = await stripe.paymentIntents.create({ amount: 6000, currency: 'usd' })

  await stripe.paymentIntents.cancel(intent.id)
  await settled()

  expect(types()).toEqual(['payment_intent.created', 'payment_intent.canceled'])
})

test('a failed delivery is retried with the same event until it succeeds', async () => {
  const { stripe, received, answers, events } = await start({ retryDelaysMs: [0, 0, 0] })
  answers.push(500, 'hang up')
  await stripe.paymentIntents.create({ amount: 6000, currency: 'usd' })

  await expect.poll(async () => (await events())[0]).toMatchObject({ state: 'delivered' })

  expect(new Set(received.map(({ body }) => body)).size).toBe(1)
  expect((await events())[0]?.deliveries.map(({ status }) => status)).toEqual([500, null, 200])
})

test('after the last retry a delivery is failed, and can be replayed', async () => {
  const { stripe, answers, events, url, settled } = await start({ retryDelaysMs: [] })
  answers.push(400)
  await stripe.paymentIntents.create({ amount: 6000, currency: 'usd' })
  await settled()
  const [failed] = await events()
  expect(failed).toMatchObject({ state: 'failed', deliveries: [{ status: 400 }] })

  const replay = await post(`${url}/webhooks/${failed?.id}/replay`, {})

  expect(replay).toMatchObject({ delivery: { status: 200, answer: 'ok' } })
  expect((await events())[0]).toMatchObject({ state: 'delivered' })
})

test('"hold" delays events, and "send" releases them in order', async () => {
  const { stripe, types, events, setFault, settled } = await start()
  await setFault({ service: 'webhooks', mode: 'hold' })
  await stripe.paymentIntents.create({
    amount: 6000,
    currency: 'usd',
    payment_method: 'pm_card_visa',
    confirm: true,
  })
  await settled()
  expect((await events()).map(({ state }) => state)).toEqual(['held', 'held'])

  await setFault({ service: 'webhooks', mode: 'send' })
  await settled()

  expect(types()).toEqual(['payment_intent.created', 'payment_intent.succeeded'])
})

test('"repeat" delivers each event twice', async () => {
  const { stripe, received, setFault, settled } = await start()
  await setFault({ service: 'webhooks', mode: 'repeat' })
  await stripe.paymentIntents.create({ amount: 6000, currency: 'usd' })
  await settled()

  expect(received).toHaveLength(2)
  expect(received[0]?.body).toBe(received[1]?.body)
})

test('"reorder" swaps each pair of events', async () => {
  const { stripe, types, setFault, settled } = await start()
  await setFault({ service: 'webhooks', mode: 'reorder' })
  await stripe.paymentIntents.create({
    amount: 6000,
    currency: 'usd',
    payment_method: 'pm_card_visa',
    confirm: true,
  })
  await settled()

  expect(types()).toEqual(['payment_intent.succeeded', 'payment_intent.created'])
})

test('"drop" does not send the event but keeps it in the list', async () => {
  const { stripe, types, events, setFault, settled } = await start()
  await setFault({ service: 'webhooks', mode: 'drop', times: 1 })
  const intent = await stripe.paymentIntents.create({ amount: 6000, currency: 'usd' })
  await stripe.paymentIntents.cancel(intent.id)
  await settled()

  expect(types()).toEqual(['payment_intent.canceled'])
  expect((await events()).map(({ state }) => state)).toEqual(['delivered', 'dropped'])
})

test('"delay" lets the next event overtake', async () => {
  const { stripe, types, setFault } = await start()
  await setFault({ service: 'webhooks', mode: 'delay', ms: 300, match: 'payment_intent.created' })
  await stripe.paymentIntents.create({
    amount: 6000,
    currency: 'usd',
    payment_method: 'pm_card_visa',
    confirm: true,
  })

  await expect.poll(types).toHaveLength(2)

  expect(types()).toEqual(['payment_intent.succeeded', 'payment_intent.created'])
})

test('an event can be fetched with a fresh signature for manual delivery', async () => {
  const { stripe, events, url, setUrl } = await start()
  setUrl(null)
  await stripe.paymentIntents.create({ amount: 6000, currency: 'usd' })
  const [listed] = await events()

  const response = await fetch(`${url}/webhooks/${listed?.id}`)
  const { body, headers } = (await response.json()) as { body: string; headers: Record<string, string> }

  expect(listed).toMatchObject({ state: 'unsent', deliveries: [] })
  expect(stripe.webhooks.constructEvent(body, headers['stripe-signature'] ?? '', SECRET).id).toBe(listed?.id)
})

test('a test can send any event about a payment, with overridden properties', async () => {
  const { stripe, received, url, settled } = await start()
  const intent = await stripe.paymentIntents.create({ amount: 6000, currency: 'usd' })

  await post(`${url}/test/event`, {
    type: 'payment_intent.processing',
    paymentIntent: intent.id,
    set: { amount: 1 },
  })
  await settled()

  expect(JSON.parse(received[1]?.body ?? '')).toMatchObject({
    type: 'payment_intent.processing',
    data: { object: { id: intent.id, amount: 1 } },
  })
})

async function start(options: { retryDelaysMs?: number[] } = {}) {
  const received: { body: string; signature: string }[] = []
  const answers: (number | 'hang up')[] = []
  const endpoint = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const signature = String(request.headers['stripe-signature'])
      received.push({ body: Buffer.concat(chunks).toString('utf8'), signature })
      const answer = answers.shift() ?? 200
      if (answer === 'hang up') response.destroy()
      else response.writeHead(answer).end('ok')
    })
  })
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  const webhookUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/api/stripe/webhook`
  const sandbox = await startSandbox({ webhookUrl, stripeWebhookSecret: SECRET, ...options })
  cleanups.push(sandbox.close, async () => {
    endpoint.closeAllConnections()
    await new Promise((resolve) => endpoint.close(resolve))
  })
  const { hostname, port } = new URL(sandbox.url)
  const stripe = new Stripe('sk_test_sandbox', { host: hostname, port, protocol: 'http', telemetry: false })

  async function events() {
    const response = await fetch(`${sandbox.url}/webhooks`)
    const list = (await response.json()) as {
      events: { id: string; state: string; deliveries: { status: number | null }[] }[]
    }
    return list.events
  }

  return {
    url: sandbox.url,
    setUrl: sandbox.setWebhookUrl,
    settled: sandbox.settled,
    stripe,
    received,
    answers,
    events,
    types: () => received.map(({ body }) => (JSON.parse(body) as Stripe.Event).type),
    setFault: (fault: object) => post(`${sandbox.url}/faults`, fault),
  }
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  expect(response.status).toBe(200)
  return response.json()
}
