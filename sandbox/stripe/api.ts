import type Stripe from 'stripe'
import { canonicalForm, listAt, parseForm, textAt } from '../form.ts'
import type { FormObject } from '../form.ts'
import type { Incoming, Reply } from '../http.ts'
import { createIdempotency } from './idempotency.ts'
import { newId } from '../ids.ts'
import { cancelIntent, confirmIntent, createIntent, requireIntent, updateIntent } from './payment-intents.ts'
import { createRefund, requireCharge, requireRefund } from './refunds.ts'
import { invalid, missing, StripeFailure } from './error.ts'
import { expand, listPage } from './list.ts'
import { API_VERSION, toPublicIntent } from './objects.ts'
import type { Keys, EventRequest, World } from '../world.ts'

type Call = { world: World; id: string; form: FormObject; request: EventRequest; url: string }
type Route = [method: string, path: RegExp, run: (call: Call) => object]

/** The part of https://docs.stripe.com/api that the product uses. */
const ROUTES: Route[] = [
  ['POST', /^\/v1\/payment_intents$/, ({ world, form, request }) => createIntent(world, form, request)],
  [
    'GET',
    /^\/v1\/payment_intents$/,
    (call) => listPage(call, Object.values(call.world.state.intents), ['customer']),
  ],
  ['GET', /^\/v1\/payment_intents\/(\w+)$/, ({ world, id }) => requireIntent(world, id)],
  ['POST', /^\/v1\/payment_intents\/(\w+)$/, ({ world, id, form }) => updateIntent(world, id, form)],
  [
    'POST',
    /^\/v1\/payment_intents\/(\w+)\/confirm$/,
    ({ world, id, form, request }) => confirmIntent(world, id, form, request),
  ],
  [
    'POST',
    /^\/v1\/payment_intents\/(\w+)\/cancel$/,
    ({ world, id, form, request }) => cancelIntent(world, id, form, request),
  ],
  ['POST', /^\/v1\/refunds$/, ({ world, form, request }) => createRefund(world, form, request)],
  [
    'GET',
    /^\/v1\/refunds$/,
    (call) => listPage(call, Object.values(call.world.state.refunds), ['charge', 'payment_intent']),
  ],
  [
    'GET',
    /^\/v1\/disputes$/,
    (call) => listPage(call, Object.values(call.world.state.disputes), ['charge', 'payment_intent']),
  ],
  ['GET', /^\/v1\/refunds\/(\w+)$/, ({ world, id }) => requireRefund(world, id)],
  [
    'GET',
    /^\/v1\/charges$/,
    (call) => listPage(call, Object.values(call.world.state.charges), ['payment_intent']),
  ],
  ['GET', /^\/v1\/charges\/(\w+)$/, ({ world, id }) => requireCharge(world, id)],
  [
    'GET',
    /^\/v1\/events$/,
    (call) =>
      listPage(
        call,
        call.world.state.webhooks.map((record) => record.event),
        ['type'],
      ),
  ],
  ['GET', /^\/v1\/events\/(\w+)$/, ({ world, id }) => requireEvent(world, id)],
]

/** Paths that a browser may call with the publishable key and a PaymentIntent's client secret. */
const PUBLIC_PATH = /^\/v1\/payment_intents\/(\w+)(\/confirm)?$/

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers': 'authorization, content-type, idempotency-key, stripe-version',
  'access-control-expose-headers': 'request-id, stripe-should-retry',
  'access-control-max-age': '300',
}

export type StripeApi = (incoming: Incoming, gate?: () => Promise<void>) => Promise<Reply>

/** Answers `/v1/…`. `gate`, if given, is awaited before the work, while the idempotency key is in use. */
export function createStripeApi(world: World): StripeApi {
  const idempotency = createIdempotency(world)

  async function answer(incoming: Incoming, gate?: () => Promise<void>): Promise<Reply> {
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
      return await idempotency.run(key, fingerprint, work)
    } catch (error) {
      return toReply(error, headers)
    }
  }

  return answer
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
    if (isPublic) return toPublicIntent(result as Stripe.PaymentIntent)
    return expand(world, result, listAt(form, 'expand'))
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

function requireEvent(world: World, id: string): object {
  const record = world.state.webhooks.find((candidate) => candidate.event.id === id)
  if (!record) throw missing('event', id, 'id')
  return record.event
}
