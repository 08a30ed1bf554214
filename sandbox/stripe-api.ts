import type Stripe from 'stripe'
import { canonicalForm, parseForm, textAt } from './form.ts'
import type { FormObject } from './form.ts'
import type { Incoming, Reply } from './http.ts'
import { createIdempotency } from './idempotency.ts'
import { cancelIntent, confirmIntent, createIntent, requireIntent } from './payment-intents.ts'
import { createRefund } from './refunds.ts'
import { invalid, StripeFailure } from './stripe-error.ts'
import { API_VERSION, toPublicIntent } from './stripe-objects.ts'
import type { StripeEvent } from './webhooks.ts'
import { newId } from './world.ts'
import type { Call, Keys, EventRequest, World } from './world.ts'

type Route = [method: string, path: RegExp, run: (call: Call) => object]

/** The part of https://docs.stripe.com/api that the product uses. */
const ROUTES: Route[] = [
  ['POST', /^\/v1\/payment_intents$/, createIntent],
  ['GET', /^\/v1\/payment_intents$/, (call) => listPage(call, Object.values(call.world.state.intents))],
  ['GET', /^\/v1\/payment_intents\/(\w+)$/, ({ world, id }) => requireIntent(world, id)],
  ['POST', /^\/v1\/payment_intents\/(\w+)\/confirm$/, confirmIntent],
  ['POST', /^\/v1\/payment_intents\/(\w+)\/cancel$/, cancelIntent],
  ['POST', /^\/v1\/refunds$/, createRefund],
  ['GET', /^\/v1\/refunds$/, (call) => listPage(call, Object.values(call.world.state.refunds))],
  ['GET', /^\/v1\/disputes$/, (call) => listPage(call, Object.values(call.world.state.disputes))],
  ['GET', /^\/v1\/events$/, (call) => listPage(call, eventsOf(call.world))],
]

/** Lists are filtered by the properties with these names. */
const FILTERS = ['charge', 'payment_intent', 'type']

/** Paths that a browser may call with the publishable key and a PaymentIntent's client secret. */
const PUBLIC_PATH = /^\/v1\/payment_intents\/(\w+)(\/confirm)?$/

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers': 'authorization, content-type, idempotency-key, stripe-version',
  'access-control-expose-headers': 'request-id, stripe-should-retry',
  'access-control-max-age': '300',
}

/** Answers `/v1/…`. `gate`, if given, is awaited before the work, while the idempotency key is in use. */
export function createStripeApi(world: World) {
  const runOnce = createIdempotency(world)

  return async function answer(incoming: Incoming, gate?: () => Promise<void>): Promise<Reply> {
    if (incoming.method === 'OPTIONS') return { status: 204, headers: CORS, body: '' }
    const key = incoming.headers['idempotency-key'] ?? null
    const headers: Record<string, string> = {
      ...CORS,
      'request-id': newId('req'),
      'stripe-version': incoming.headers['stripe-version'] ?? API_VERSION,
      ...(key === null ? {} : { 'idempotency-key': key }),
    }
    try {
      const form = parseForm(incoming.method === 'GET' ? incoming.query : incoming.body)
      const isPublic = authorize(world.keys, incoming, form) === 'publishable'
      const work = async (): Promise<Reply & { body: object }> => {
        try {
          await gate?.()
          const request = { id: headers['request-id'] ?? null, idempotency_key: key }
          return { status: 200, headers, body: perform(world, incoming, form, request, isPublic) }
        } catch (error) {
          return toReply(error, headers)
        }
      }
      if (incoming.method !== 'POST' || key === null) return await work()
      const fingerprint = { endpoint: incoming.path, params: canonicalForm(form) }
      return await runOnce(key, fingerprint, work)
    } catch (error) {
      return toReply(error, headers)
    }
  }
}

/** Stripe's response when it fails before the work starts: nothing is stored for the idempotency key. */
export function stripeOutageReply(): Reply {
  return toReply(stripeOutage(), { ...CORS, 'request-id': newId('req') })
}

/** Stripe failing during the work: this response is stored for the idempotency key. */
export function stripeOutage(): StripeFailure {
  return new StripeFailure(500, {
    type: 'api_error',
    message: 'An unknown error occurred. (Sandbox fault injection.)',
  })
}

function perform(
  world: World,
  incoming: Incoming,
  form: FormObject,
  request: EventRequest,
  isPublic: boolean,
): object {
  for (const [method, path, run] of ROUTES) {
    const match = incoming.method === method ? path.exec(incoming.path) : null
    if (!match) continue
    const id = match[1] ?? ''
    if (isPublic) requireClientSecret(world, id, form)
    const result = run({ world, id, form, request, url: incoming.path })
    return isPublic ? toPublicIntent(result as Stripe.PaymentIntent) : result
  }
  throw new StripeFailure(404, {
    type: 'invalid_request_error',
    message: `Unrecognized request URL (${incoming.method}: ${incoming.path}). Please see https://stripe.com/docs.`,
  })
}

function toReply(error: unknown, headers: Record<string, string>): Reply & { body: object } {
  if (!(error instanceof StripeFailure)) throw error
  return { status: error.status, headers, body: { error: error.body } }
}

/** Which key was sent; throws 401 if it is missing or wrong. https://docs.stripe.com/api/authentication */
function authorize(keys: Keys, incoming: Incoming, form: FormObject): 'secret' | 'publishable' {
  const key = readKey(incoming) ?? textAt(form, 'key')
  if (!key) {
    throw unauthorized(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
    )
  }
  if (key === keys.stripeSecretKey) return 'secret'
  if (key !== keys.stripePublishableKey) {
    throw unauthorized(`Invalid API Key provided: ${key.slice(0, 8)}****${key.slice(-4)}`)
  }
  if (PUBLIC_PATH.test(incoming.path) && 'client_secret' in form) return 'publishable'
  throw unauthorized(
    'This API call cannot be made with a publishable API key. Please use a secret API key. You can find a list of your API keys at https://dashboard.stripe.com/account/apikeys.',
    'secret_key_required',
  )
}

function readKey(incoming: Incoming): string | undefined {
  const [scheme, value] = (incoming.headers.authorization ?? '').split(' ', 2)
  if (scheme?.toLowerCase() === 'bearer') return value
  if (scheme?.toLowerCase() !== 'basic' || !value) return undefined
  return Buffer.from(value, 'base64').toString('utf8').split(':')[0]
}

function unauthorized(message: string, code?: string): StripeFailure {
  return new StripeFailure(401, { type: 'invalid_request_error', message, ...(code ? { code } : {}) })
}

function requireClientSecret(world: World, id: string, form: FormObject): void {
  if (requireIntent(world, id).client_secret === textAt(form, 'client_secret')) return
  throw invalid(
    'The client_secret provided does not match the client_secret associated with the PaymentIntent.',
    { code: 'payment_intent_invalid_parameter', param: 'client_secret' },
  )
}

function eventsOf({ state }: World): StripeEvent[] {
  return state.webhooks.map(({ event }) => event)
}

/**
 * One page of a list, newest first: https://docs.stripe.com/api/pagination. Accepts `limit`, `starting_after`, and the
 * properties in FILTERS.
 */
function listPage({ form, url }: Call, rows: { id: string }[]): object {
  const limit = Number(textAt(form, 'limit') ?? 10)
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw invalid('This value must be between 1 and 100.', { param: 'limit' })
  }
  const isWanted = (row: object) =>
    FILTERS.every((name) => !(name in form) || (row as Record<string, unknown>)[name] === form[name])
  const found = rows.toReversed().filter(isWanted)
  const after = textAt(form, 'starting_after')
  const start = after ? found.findIndex((row) => row.id === after) + 1 : 0
  if (after && start === 0) throw invalid(`No such object: '${after}'`)
  const data = found.slice(start, start + limit)
  return { object: 'list', url, has_more: start + limit < found.length, data }
}
