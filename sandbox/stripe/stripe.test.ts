import { Stripe } from 'stripe'
import { afterAll, expect, test } from 'vitest'
import { startSandbox } from '../server.ts'

const sandbox = await startSandbox()
afterAll(() => sandbox.close())
const stripe = clientWith('sk_test_sandbox')

test('a new PaymentIntent requires a payment method and has its metadata', async () => {
  const intent = await stripe.paymentIntents.create({
    amount: 6000,
    currency: 'USD',
    metadata: { paymentId: 'pay_1', userId: 'usr_1' },
    allowed_payment_method_types: ['card'],
  })

  expect(intent).toMatchObject({
    object: 'payment_intent',
    amount: 6000,
    amount_received: 0,
    currency: 'usd',
    livemode: false,
    latest_charge: null,
    metadata: { paymentId: 'pay_1', userId: 'usr_1' },
    payment_method_types: ['card'],
    status: 'requires_payment_method',
  })
  expect(intent.client_secret).toMatch(new RegExp(`^${intent.id}_secret_\\w{25}$`))
  expect(await stripe.paymentIntents.retrieve(intent.id)).toEqual(intent)
})

test('metadata is merged by key and an empty value removes the key', async () => {
  const intent = await stripe.paymentIntents.create({
    amount: 6000,
    currency: 'usd',
    metadata: { a: '1', b: '2' },
  })

  const updated = await stripe.paymentIntents.update(intent.id, { metadata: { b: '', c: '3' } })

  expect(updated.metadata).toEqual({ a: '1', c: '3' })
})

test('a valid card pays, and its charge can be expanded', async () => {
  const intent = await confirmed('pm_card_visa')
  const expanded = await stripe.paymentIntents.retrieve(intent.id, { expand: ['latest_charge'] })

  expect(intent).toMatchObject({ status: 'succeeded', amount_received: 6000, last_payment_error: null })
  expect(expanded.latest_charge).toMatchObject({
    object: 'charge',
    paid: true,
    amount: 6000,
    payment_intent: intent.id,
  })
  expect(await stripe.charges.retrieve(chargeOf(intent))).toEqual(expanded.latest_charge)
})

test.each([
  ['pm_card_chargeDeclined', 'generic_decline', 'Your card was declined.'],
  ['pm_card_visa_chargeDeclinedInsufficientFunds', 'insufficient_funds', 'Your card has insufficient funds.'],
])('after %s is declined, the PaymentIntent accepts another card', async (card, declineCode, message) => {
  const intent = await stripe.paymentIntents.create({ amount: 6000, currency: 'usd' })

  const error = await failureOf(stripe.paymentIntents.confirm(intent.id, { payment_method: card }))
  const after = await stripe.paymentIntents.retrieve(intent.id)

  expect(error).toBeInstanceOf(Stripe.errors.StripeCardError)
  expect(error).toMatchObject({
    statusCode: 402,
    code: 'card_declined',
    decline_code: declineCode,
    message,
    payment_intent: { id: intent.id, status: 'requires_payment_method' },
  })
  expect(after).toMatchObject({
    status: 'requires_payment_method',
    last_payment_error: { type: 'card_error', code: 'card_declined', decline_code: declineCode },
  })
  expect(await stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' })).toMatchObject({
    status: 'succeeded',
    last_payment_error: null,
  })
})

test.each([
  ['4242424242424241', '12', '2040', 'incorrect_number'],
  ['4242424242424242', '01', '2020', 'expired_card'],
  ['4242424242424242', '13', '2040', 'invalid_expiry_month'],
  ['4000000000000127', '12', '2040', 'incorrect_cvc'],
  ['4111111111111111', '12', '2040', 'card_declined'],
])('the card %s of %s/%s is refused with %s', async (number, month, year, code) => {
  const { id, secret } = await newIntent()

  const answer = await confirmInBrowser(id, {
    client_secret: secret,
    'payment_method_data[type]': 'card',
    'payment_method_data[card][number]': number,
    'payment_method_data[card][exp_month]': month,
    'payment_method_data[card][exp_year]': year,
    'payment_method_data[card][cvc]': '123',
  })

  expect(answer).toMatchObject({ status: 402, body: { error: { type: 'card_error', code } } })
})

test('a 3-D Secure card pays only after the customer authenticates', async () => {
  const intent = await confirmed('pm_card_authenticationRequired')
  expect(intent).toMatchObject({ status: 'requires_action', next_action: { type: 'use_stripe_sdk' } })

  await post('/test/authenticate', { paymentIntent: intent.id, outcome: 'complete' })

  expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
    status: 'succeeded',
    next_action: null,
  })
})

test('failed 3-D Secure sets an authentication failure', async () => {
  const intent = await confirmed('pm_card_authenticationRequired')

  await post('/test/authenticate', { paymentIntent: intent.id, outcome: 'fail' })

  expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
    status: 'requires_payment_method',
    last_payment_error: {
      code: 'payment_intent_authentication_failure',
      message:
        'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
    },
  })
})

test('a paid PaymentIntent cannot be confirmed, cancelled or changed in amount', async () => {
  const { id } = await confirmed('pm_card_visa')

  const errors = await Promise.all([
    failureOf(stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' })),
    failureOf(stripe.paymentIntents.cancel(id)),
    failureOf(stripe.paymentIntents.update(id, { amount: 9000 })),
  ])

  for (const error of errors) expect(error).toMatchObject({ code: 'payment_intent_unexpected_state' })
})

test('a cancelled PaymentIntent accepts no card', async () => {
  const intent = await stripe.paymentIntents.create({ amount: 6000, currency: 'usd' })

  const canceled = await stripe.paymentIntents.cancel(intent.id, { cancellation_reason: 'abandoned' })
  const error = await failureOf(stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' }))

  expect(canceled).toMatchObject({ status: 'canceled', cancellation_reason: 'abandoned' })
  expect(error).toMatchObject({ code: 'payment_intent_unexpected_state' })
})

test('until a PaymentIntent is cancelled, any decline leaves a failed charge and event', async () => {
  const { id } = await newIntent()
  const decline = () =>
    failureOf(stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_chargeDeclined' }))
  await decline()
  await decline()
  const charges = await stripe.charges.list({ payment_intent: id })
  const events = await stripe.events.list({ type: 'payment_intent.payment_failed', limit: 100 })
  await stripe.paymentIntents.cancel(id)

  expect(charges.data.map(({ status, failure_code }) => [status, failure_code])).toEqual([
    ['failed', 'card_declined'],
    ['failed', 'card_declined'],
  ])
  expect(events.data.filter(({ data }) => (data.object as { id: string }).id === id)).toHaveLength(2)
  expect(await decline()).toMatchObject({ code: 'payment_intent_unexpected_state' })
})

test('a charge can be refunded in parts, up to the amount paid', async () => {
  const intent = await confirmed('pm_card_visa')

  const first = await stripe.refunds.create({ payment_intent: intent.id, amount: 1000 })
  const tooMuch = await failureOf(stripe.refunds.create({ payment_intent: intent.id, amount: 6000 }))
  await stripe.refunds.create({ payment_intent: intent.id, reason: 'requested_by_customer' })
  const again = await failureOf(stripe.refunds.create({ payment_intent: intent.id }))

  expect(await stripe.refunds.retrieve(first.id)).toMatchObject({ amount: 1000, status: 'succeeded' })
  expect(tooMuch.message).toBe('Refund amount ($60.00) is greater than unrefunded amount on charge ($50.00)')
  expect(again).toMatchObject({ code: 'charge_already_refunded' })
  expect(await stripe.charges.retrieve(chargeOf(intent))).toMatchObject({
    refunded: true,
    amount_refunded: 6000,
  })
})

test('lists are paginated, newest first', async () => {
  const made: string[] = []
  for (let count = 0; count < 3; count += 1) made.unshift((await newIntent()).id)

  const page = await stripe.paymentIntents.list({ limit: 2 })
  const next = await stripe.paymentIntents.list({ limit: 2, starting_after: made[1] ?? '' })

  expect(page.data.map((intent) => intent.id)).toEqual(made.slice(0, 2))
  expect(page.has_more).toBe(true)
  expect(next.data[0]?.id).toBe(made[2])
})

test('events can be listed and retrieved', async () => {
  const intent = await confirmed('pm_card_visa')

  const events = await stripe.events.list({ type: 'payment_intent.succeeded', limit: 1 })

  expect(events.data[0]?.data.object).toMatchObject({ id: intent.id })
  expect(await stripe.events.retrieve(events.data[0]?.id ?? '')).toEqual(events.data[0])
})

test.each([
  [{ amount: 49, currency: 'usd' }, 'amount_too_small', 'amount'],
  [{ amount: 1.5, currency: 'usd' }, 'parameter_invalid_integer', 'amount'],
  [{ currency: 'usd' }, 'parameter_missing', 'amount'],
  [{ amount: 6000 }, 'parameter_missing', 'currency'],
  [{ amount: 6000, currency: 'usd', ammount: 1 }, 'parameter_unknown', 'ammount'],
])('%j is refused with %s', async (params, code, param) => {
  const error = await failureOf(
    stripe.paymentIntents.create(params as unknown as Stripe.PaymentIntentCreateParams),
  )

  expect(error).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError)
  expect(error).toMatchObject({ statusCode: 400, code, param })
})

test('an unknown PaymentIntent and an unknown URL get 404', async () => {
  expect(await failureOf(stripe.paymentIntents.retrieve('pi_none'))).toMatchObject({
    statusCode: 404,
    code: 'resource_missing',
    message: "No such payment_intent: 'pi_none'",
  })
  expect(await failureOf(stripe.rawRequest('GET', '/v1/nothing'))).toMatchObject({ statusCode: 404 })
})

test('a wrong secret key is refused and masked in the error', async () => {
  const error = await failureOf(clientWith('sk_test_something_else').paymentIntents.list())

  expect(error).toBeInstanceOf(Stripe.errors.StripeAuthenticationError)
  expect(error.message).toBe('Invalid API Key provided: sk_test_****else')
})

test('a browser with the client secret gets the PaymentIntent without metadata', async () => {
  const { id, secret } = await newIntent()
  const query = new URLSearchParams({ key: 'pk_test_sandbox', client_secret: secret })

  const seen = await fetch(`${sandbox.url}/v1/payment_intents/${id}?${query}`)
  const body = (await seen.json()) as object

  expect(seen.headers.get('access-control-allow-origin')).toBe('*')
  expect(body).toMatchObject({ id, client_secret: secret, status: 'requires_payment_method' })
  expect(body).not.toHaveProperty('metadata')
})

test('the publishable key needs the right client secret', async () => {
  const { id } = await newIntent()
  const other = await newIntent()

  const list = await fetch(`${sandbox.url}/v1/payment_intents?key=pk_test_sandbox`)
  const confirm = await confirmInBrowser(id, {
    client_secret: other.secret,
    payment_method: 'pm_card_visa',
  })

  expect(list.status).toBe(401)
  expect(confirm).toMatchObject({ status: 400, body: { error: { param: 'client_secret' } } })
})

function clientWith(key: string): Stripe {
  const { hostname, port } = new URL(sandbox.url)
  return new Stripe(key, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false })
}

function chargeOf(intent: Stripe.PaymentIntent): string {
  if (typeof intent.latest_charge === 'string') return intent.latest_charge
  throw new Error('Expected the PaymentIntent to have a charge')
}

async function confirmed(card: string): Promise<Stripe.PaymentIntent> {
  return stripe.paymentIntents.create({ amount: 6000, currency: 'usd', payment_method: card, confirm: true })
}

async function newIntent(): Promise<{ id: string; secret: string }> {
  const intent = await stripe.paymentIntents.create({
    amount: 6000,
    currency: 'usd',
    metadata: { userId: 'usr_1' },
  })
  return { id: intent.id, secret: intent.client_secret ?? '' }
}

async function confirmInBrowser(id: string, fields: Record<string, string>) {
  const response = await fetch(`${sandbox.url}/v1/payment_intents/${id}/confirm`, {
    method: 'POST',
    body: new URLSearchParams({ key: 'pk_test_sandbox', ...fields }),
  })
  return { status: response.status, body: await response.json() }
}

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(sandbox.url + path, { method: 'POST', body: JSON.stringify(body) })
  expect(response.status).toBe(200)
}

async function failureOf(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const result = await call.then(
    () => null,
    (error: unknown) => error,
  )
  if (result instanceof Stripe.errors.StripeError) return result
  throw new Error('Expected the call to fail with a Stripe error')
}
