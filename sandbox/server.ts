import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerControl } from './control.ts'
import { createDeliveries } from './deliveries.ts'
import { createFaults } from './faults.ts'
import type { Fault, Service } from './faults.ts'
import { createGates } from './gates.ts'
import { html, readIncoming, sendReply } from './http.ts'
import type { Incoming, Reply } from './http.ts'
import { answerMail, mailOutageReply } from './mail.ts'
import { answerPaynow, isPaynowPath, type PaynowFault } from './paynow/api.ts'
import type { Integrations, Paynow, ResultPost } from './paynow/transactions.ts'
import { openStore } from './store.ts'
import { stripeOutageReply, stripeOutage, createStripeApi } from './stripe/api.ts'
import { createWebhooks } from './stripe/webhooks.ts'
import type { World } from './world.ts'

export type SandboxOptions = {
  /** 0 for any free port. */
  port?: number
  host?: string
  /** The URL that gets Stripe's events; null sends none. */
  webhookUrl?: string | null
  stripeSecretKey?: string
  stripePublishableKey?: string
  stripeWebhookSecret?: string
  /** Without it, the sandbox accepts any key that is not empty. */
  mailchannelsApiKey?: string | null
  /** Paynow's integrations, which differ in key and currency. */
  paynow?: Integrations
  /** Refuse a Paynow reference that was used before. */
  refusesRepeats?: boolean
  /** A folder that stores payments and mails between runs. */
  stateFolder?: string | undefined
  /** Delays before the retries of a failed webhook, in milliseconds. */
  retryDelaysMs?: number[]
  /** How long a stalled connection stays open, in milliseconds. */
  stallMs?: number
  nowMs?: () => number
}

export type Sandbox = {
  url: string
  setWebhookUrl: (url: string | null) => void
  /** Resolves when no webhook delivery is pending. */
  settled: () => Promise<void>
  close: () => Promise<void>
}

/** Stripe retries for days with growing delays; the sandbox within a minute. */
const RETRY_DELAYS_MS = [1_000, 3_000, 10_000, 30_000]
/** Paynow posts a result again up to ten times: https://developers.paynow.co.zw/docs/status_update.html */
const POST_RETRIES = 10
const PAYNOW: Integrations = {
  '1201': { key: '3e9fed89-60e1-4ce5-ab6e-6b1eb2d4f977', currency: 'USD' },
  '1202': { key: '52f1c0de-7a55-4e0e-9f0b-0d9a4d1b2c3e', currency: 'ZiG' },
}
/** Longer than the timeout of any caller. */
const STALL_MS = 60_000

/** Simulates Stripe, Stripe.js, MailChannels, Paynow and a map provider on one port, with fault injection. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const nowMs = options.nowMs ?? Date.now
  const keys = {
    stripeSecretKey: options.stripeSecretKey ?? 'sk_test_sandbox',
    stripePublishableKey: options.stripePublishableKey ?? 'pk_test_sandbox',
    stripeWebhookSecret: options.stripeWebhookSecret ?? 'whsec_sandbox',
    mailchannelsApiKey: options.mailchannelsApiKey ?? null,
  }
  let webhookUrl = options.webhookUrl ?? null
  const store = openStore(options.stateFolder)
  const faults = createFaults()
  const gates = createGates(faults)
  const webhooks = createWebhooks({
    state: store.state,
    faults,
    secret: keys.stripeWebhookSecret,
    url: () => webhookUrl,
    nowMs,
    changed: store.changed,
    retryDelaysMs: options.retryDelaysMs ?? RETRY_DELAYS_MS,
  })
  const world: World = {
    state: store.state,
    nowMs,
    changed: store.changed,
    emit: (type, object, request) => void webhooks.createEvent(type, object, request),
    keys,
  }
  const retryDelaysMs = options.retryDelaysMs ?? RETRY_DELAYS_MS
  const posts = createDeliveries<ResultPost>({
    faults,
    service: 'paynow-posts',
    url: (post) => (URL.canParse(post.url) ? post.url : null),
    headers: () => ({ 'content-type': 'application/x-www-form-urlencoded' }),
    nowMs,
    changed: store.changed,
    retryDelaysMs: Array.from(
      { length: POST_RETRIES },
      (_, at) => retryDelaysMs[Math.min(at, retryDelaysMs.length - 1)] ?? 0,
    ),
  })
  let baseUrl = ''
  const paynow: Paynow = {
    world,
    integrations: options.paynow ?? PAYNOW,
    posts,
    baseUrl: () => baseUrl,
    refusesRepeats: options.refusesRepeats ?? false,
  }
  const stripe = createStripeApi(world)
  const setWebhookUrl = (url: string | null) => void (webhookUrl = url)
  const tools = { world, faults, gates, webhooks, paynow, webhookUrl: () => webhookUrl, setWebhookUrl }

  async function answer(incoming: Incoming, fault: Fault | null): Promise<Reply> {
    const gate = createGate(fault)
    const service = findService(incoming)
    if (service === null) return answerControl(tools, incoming)
    if (service === 'paynow') return answerPaynowCall(incoming, fault)
    if (fault?.mode === 'fail') return service === 'stripe' ? stripeOutageReply() : mailOutageReply()
    if (service === 'stripe') return stripe(incoming, gate)
    await gate?.()
    return answerMail(world, incoming)
  }

  async function answerPaynowCall(incoming: Incoming, fault: Fault | null): Promise<Reply> {
    const mode = fault?.mode ?? null
    if (fault && mode === 'hold') await gates.hold(fault)
    if (mode === 'fail') return html('<h1>Server Error</h1>', 500)
    if (mode === 'forbid') return html('<h1>Forbidden</h1>', 403)
    if (mode === 'html') return html('<!doctype html><title>Paynow</title><p>Please try again later.')
    if (mode === 'empty') return html('')
    const reply = answerPaynow(paynow, incoming, mode as PaynowFault)
    if (mode !== 'early') return reply
    posts.send()
    await posts.settled()
    return reply
  }

  function createGate(fault: Fault | null): (() => Promise<void>) | undefined {
    if (fault?.mode === 'hold') return () => gates.hold(fault)
    if (fault?.mode === 'break') return () => Promise.reject(stripeOutage())
    return undefined
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const incoming = await readIncoming(request)
    const service = findService(incoming)
    const fault = service && incoming.method !== 'OPTIONS' ? faults.take(service, searchable(incoming)) : null
    if (fault?.mode === 'stall') return closeLater(response, options.stallMs ?? STALL_MS)
    const reply = await answer(incoming, fault)
    if (fault?.mode === 'drop') response.destroy()
    else await sendReply(response, reply)
    // Events are sent after the response, so that none overtakes the response to the call that caused it.
    webhooks.send()
    posts.send()
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      console.error(`${request.method} ${request.url}`, error)
      if (response.headersSent) response.destroy()
      else void sendReply(response, { status: 500, body: { error: String(error) } })
    })
  })
  // An idle connection is never closed: a client that sends its next request at that moment would lose it.
  server.keepAliveTimeout = 0
  const host = options.host ?? '127.0.0.1'
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, host, resolve)
  })
  const port = (server.address() as AddressInfo).port
  baseUrl = `http://${host}:${port}`

  async function close(): Promise<void> {
    webhooks.close()
    posts.close()
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
    server.closeAllConnections()
    await closed
    store.close()
  }

  const settled = async () => {
    await webhooks.settled()
    await posts.settled()
  }
  return { url: baseUrl, setWebhookUrl, settled, close }
}

function findService(incoming: Incoming): Service | null {
  if (incoming.path.startsWith('/v1/')) return 'stripe'
  if (isPaynowPath(incoming.path)) return 'paynow'
  return incoming.path.startsWith('/tx/') ? 'mail' : null
}

/** The text in which a fault's `match` is searched. */
function searchable({ path, query, body, headers }: Incoming): string {
  const isForm = (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
  const values = isForm ? [...new URLSearchParams(body).values()].join('\n') : body
  return [path, ...query.values(), values].join('\n')
}

function closeLater(response: ServerResponse, ms: number): void {
  const timer = setTimeout(() => response.destroy(), ms)
  response.once('close', () => clearTimeout(timer))
}
