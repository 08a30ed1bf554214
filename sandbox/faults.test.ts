import { MailChannels } from 'mailchannels-sdk'
import { Stripe } from 'stripe'
import { afterEach, expect, test } from 'vitest'
import { startSandbox } from './server.ts'

const params = { amount: 6000, currency: 'usd' }
const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

test('the same key and parameters give the same response, marked as a replay', async () => {
  const { stripe } = await start()

  const first = await stripe.paymentIntents.create(params, { idempotencyKey: 'k1' })
  const second = await stripe.paymentIntents.create(params, { idempotencyKey: 'k1' })

  expect(second).toEqual(first)
  expect(first.lastResponse.headers['idempotent-replayed']).toBeUndefined()
  expect(second.lastResponse.headers['idempotent-replayed']).toBe('true')
  expect((await stripe.paymentIntents.list()).data).toHaveLength(1)
})

test('a replay returns the original response, not the current state', async () => {
  const { stripe } = await start()
  const first = await stripe.paymentIntents.create(params, { idempotencyKey: 'k1' })
  await stripe.paymentIntents.confirm(first.id, { payment_method: 'pm_card_visa' })

  const replay = await stripe.paymentIntents.create(params, { idempotencyKey: 'k1' })

  expect(replay.status).toBe('requires_payment_method')
})

test('a retry with the same key repeats a decline without a second charge', async () => {
  const { stripe } = await start()
  const intent = await stripe.paymentIntents.create(params)
  const confirm = () =>
    stripe.paymentIntents.confirm(
      intent.id,
      { payment_method: 'pm_card_chargeDeclined' },
      { idempotencyKey: 'c' },
    )

  await expect(confirm()).rejects.toThrow('Your card was declined.')
  await expect(confirm()).rejects.toThrow('Your card was declined.')

  expect((await stripe.charges.list({ payment_intent: intent.id })).data).toHaveLength(1)
})

test('a key with other parameters or another endpoint is an idempotency error', async () => {
  const { stripe } = await start()
  const intent = await stripe.paymentIntents.create(params, { idempotencyKey: 'k1' })

  const other = stripe.paymentIntents.create({ ...params, amount: 7000 }, { idempotencyKey: 'k1' })
  await expect(other).rejects.toBeInstanceOf(Stripe.errors.StripeIdempotencyError)
  const elsewhere = stripe.paymentIntents.cancel(intent.id, {}, { idempotencyKey: 'k1' })
  await expect(elsewhere).rejects.toThrow('can only be used for the same endpoint')
})

test('a refused request does not use up its key', async () => {
  const { stripe } = await start()
  await expect(
    stripe.paymentIntents.create({ ...params, amount: 1 }, { idempotencyKey: 'k1' }),
  ).rejects.toThrow('at least')

  const intent = await stripe.paymentIntents.create(params, { idempotencyKey: 'k1' })

  expect(intent.amount).toBe(6000)
})

test('a second request with the key of a running one is a conflict', async () => {
  const { stripe, setFault, control } = await start()
  await setFault({ service: 'stripe', mode: 'hold', times: 1 })
  const first = stripe.paymentIntents.create(params, { idempotencyKey: 'k1' })
  await expect.poll(async () => control('GET', '/faults')).toMatchObject({ waiting: 1 })

  await expect(stripe.paymentIntents.create(params, { idempotencyKey: 'k1' })).rejects.toMatchObject({
    statusCode: 409,
    code: 'idempotency_key_in_use',
  })
  await control('DELETE', '/faults')

  expect((await first).status).toBe('requires_payment_method')
})

test('"fail" answers 500 for the given number of calls', async () => {
  const { stripe, setFault } = await start()
  await setFault({ service: 'stripe', mode: 'fail', times: 2 })

  await expect(stripe.paymentIntents.create(params)).rejects.toMatchObject({
    statusCode: 500,
    rawType: 'api_error',
  })
  await expect(stripe.paymentIntents.list()).rejects.toBeInstanceOf(Stripe.errors.StripeAPIError)

  expect((await stripe.paymentIntents.list()).data).toEqual([])
})

test('"break" stores its 500 under the key, "fail" does not', async () => {
  const { stripe, setFault } = await start()

  await setFault({ service: 'stripe', mode: 'fail', times: 1 })
  await expect(stripe.paymentIntents.create(params, { idempotencyKey: 'f' })).rejects.toThrow()
  await stripe.paymentIntents.create(params, { idempotencyKey: 'f' })
  await setFault({ service: 'stripe', mode: 'break', times: 1 })
  await expect(stripe.paymentIntents.create(params, { idempotencyKey: 'b' })).rejects.toThrow()

  await expect(stripe.paymentIntents.create(params, { idempotencyKey: 'b' })).rejects.toMatchObject({
    statusCode: 500,
  })
})

test('"drop" does the work and disconnects, and a retry with the key gets the result', async () => {
  const { stripe, setFault } = await start()
  await setFault({ service: 'stripe', mode: 'drop', times: 1 })

  // Stripe's client tries a closed connection once more by itself.
  const intent = await stripe.paymentIntents.create(params)

  expect(intent.lastResponse.headers['idempotent-replayed']).toBe('true')
  expect((await stripe.paymentIntents.list()).data.map(({ id }) => id)).toEqual([intent.id])
})

test('"stall" accepts the call, never answers and creates nothing', async () => {
  const { stripe, setFault } = await start()
  await setFault({ service: 'stripe', mode: 'stall', times: 1 })

  await expect(stripe.paymentIntents.create(params, { timeout: 50 })).rejects.toBeInstanceOf(
    Stripe.errors.StripeConnectionError,
  )

  expect((await stripe.paymentIntents.list()).data).toEqual([])
})

test('a stalled call is disconnected after the time limit', async () => {
  const { stripe, setFault } = await start({ stallMs: 0 })
  await setFault({ service: 'stripe', mode: 'stall' })

  await expect(stripe.paymentIntents.create(params)).rejects.toBeInstanceOf(
    Stripe.errors.StripeConnectionError,
  )
})

test('a fault with `match` affects only calls that contain the text', async () => {
  const { stripe, setFault, control } = await start()
  await setFault({ service: 'stripe', mode: 'fail', match: 'mem_broken' })

  const good = await stripe.paymentIntents.create({ ...params, metadata: { memorialId: 'mem_well' } })
  await expect(
    stripe.paymentIntents.create({ ...params, metadata: { memorialId: 'mem_broken' } }),
  ).rejects.toThrow('fault injection')

  expect(good.metadata).toEqual({ memorialId: 'mem_well' })
  expect(await control('DELETE', '/faults?match=mem_broken')).toMatchObject({ faults: [] })
})

test('mail supports "fail", and "drop" after it accepted the message', async () => {
  const { mail, setFault, control } = await start()
  const message = { from: 'a@nhaka.test', to: 'b@example.test', subject: 'Hello', text: 'Hello' }

  await setFault({ service: 'mail', mode: 'fail', times: 1 })
  expect(await mail.emails.send(message)).toMatchObject({ success: false, error: { statusCode: 500 } })
  expect(await control('GET', '/mail')).toEqual({ messages: [] })
  await setFault({ service: 'mail', mode: 'drop', times: 1 })
  expect(await mail.emails.send(message)).toMatchObject({ success: false, error: { statusCode: null } })

  expect(await control('GET', '/mail')).toMatchObject({ messages: [{ to: 'b@example.test' }] })
})

test.each([
  { service: 'fax', mode: 'ok' },
  { service: 'stripe', mode: 'reorder' },
  { service: 'mail', mode: 'fail', times: 0 },
  { service: 'mail', mode: 'fail', match: '' },
])('the invalid fault %j is refused', async (fault) => {
  const { url } = await start()

  const response = await fetch(`${url}/faults`, { method: 'POST', body: JSON.stringify(fault) })

  expect(response.status).toBe(400)
})

async function start(options: { stallMs?: number } = {}) {
  const sandbox = await startSandbox(options)
  cleanups.push(sandbox.close)
  const { hostname, port } = new URL(sandbox.url)
  const stripe = new Stripe('sk_test_sandbox', {
    host: hostname,
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  })
  async function control(method: string, path: string): Promise<unknown> {
    const response = await fetch(sandbox.url + path, { method })
    return response.json()
  }
  async function setFault(fault: object): Promise<void> {
    const response = await fetch(`${sandbox.url}/faults`, { method: 'POST', body: JSON.stringify(fault) })
    expect(response.status).toBe(200)
  }
  const mail = new MailChannels('key', { baseUrl: sandbox.url })
  return { url: sandbox.url, stripe, mail, control, setFault }
}
