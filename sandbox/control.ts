import { readFileSync } from 'node:fs'
import type { Faults, Gates } from './faults.ts'
import { html, json, readJsonObject, seeOther, wantsHtml } from './http.ts'
import type { Incoming, Reply } from './http.ts'
import { listMails } from './mail.ts'
import { mailboxPage, mailPage, webhooksPage } from './pages.ts'
import { authenticateIntent } from './payment-intents.ts'
import { closeDispute, createDispute, failRefund } from './refunds.ts'
import { invalid, StripeFailure } from './stripe-error.ts'
import type { Webhooks } from './webhooks.ts'
import type { World } from './world.ts'

/** Dependencies of the control endpoints. */
type Tools = {
  world: World
  faults: Faults
  gates: Gates
  webhooks: Webhooks
  webhookUrl: () => string | null
  setWebhookUrl: (url: string | null) => void
}

/** Files for the browser, by path: [file in `stripe-js/`, content type]. */
const ASSETS: Record<string, [file: string, type: string]> = {
  '/v3/': ['stripe.js', 'text/javascript'],
  '/v3': ['stripe.js', 'text/javascript'],
  '/stripe.js': ['stripe.js', 'text/javascript'],
  '/v3/card-frame': ['card-frame.html', 'text/html'],
  '/v3/card-frame.js': ['card-frame.js', 'text/javascript'],
  '/v3/card-fields.js': ['card-fields.js', 'text/javascript'],
  '/v3/card-frame.css': ['card-frame.css', 'text/css'],
  '/v3/three-d-secure': ['three-d-secure.html', 'text/html'],
  '/v3/three-d-secure.js': ['three-d-secure.js', 'text/javascript'],
  '/v3/three-d-secure.css': ['three-d-secure.css', 'text/css'],
}

type Handler = (tools: Tools, incoming: Incoming, id: string) => Reply | Promise<Reply>

const ROUTES: [method: string, path: RegExp, handler: Handler][] = [
  ['GET', /^\/health$/, () => json({ ok: true })],
  ['GET', /^\/config$/, showConfig],
  ['POST', /^\/config$/, changeConfig],
  ['GET', /^\/faults$/, ({ faults, gates }) => json({ faults: faults.list(), waiting: gates.waiting() })],
  ['POST', /^\/faults$/, setFault],
  ['DELETE', /^\/faults$/, resetFaults],
  ['GET', /^\/webhooks$/, showWebhooks],
  ['POST', /^\/webhooks\/(\w+)\/replay$/, replayWebhook],
  ['POST', /^\/test\/dispute$/, disputePayment],
  ['POST', /^\/test\/dispute\/close$/, resolveDispute],
  ['POST', /^\/test\/refund\/fail$/, failLatestRefund],
  ['POST', /^\/test\/authenticate$/, authenticate],
  ['GET', /^\/mail$/, ({ world }, { query }) => json({ messages: listMails(world, query.get('to')) })],
  ['DELETE', /^\/mail$/, deleteMails],
  ['GET', /^\/(?:mailbox)?$/, ({ world }, { query }) => html(mailboxPage(world, query.get('to')))],
  ['GET', /^\/mailbox\/(\w+)$/, showMail],
  ['GET', /^\/map\.png$/, showMap],
]

/** Answers all paths outside the Stripe and MailChannels APIs: faults, test endpoints, pages, assets, the map. */
export async function answerControl(tools: Tools, incoming: Incoming): Promise<Reply> {
  for (const [method, path, handler] of ROUTES) {
    const match = incoming.method === method ? path.exec(incoming.path) : null
    if (!match) continue
    try {
      return await handler(tools, incoming, match[1] ?? '')
    } catch (error) {
      if (error instanceof StripeFailure) return json({ error: error.body }, error.status)
      throw error
    }
  }
  const asset = incoming.method === 'GET' ? readAsset(incoming.path) : null
  return asset ?? json({ error: `No route for ${incoming.method} ${incoming.path}` }, 404)
}

function showConfig({ world, webhookUrl }: Tools): Reply {
  return json({ webhookUrl: webhookUrl(), stripePublishableKey: world.keys.stripePublishableKey })
}

function changeConfig(tools: Tools, incoming: Incoming): Reply {
  const url = readJsonObject(incoming)?.['webhookUrl']
  const isUrl = typeof url === 'string' && URL.canParse(url)
  if (!isUrl && url !== null) return json({ error: 'webhookUrl must be a URL or null' }, 400)
  tools.setWebhookUrl(url)
  return showConfig(tools)
}

function setFault({ faults, gates }: Tools, incoming: Incoming): Reply {
  const input = readJsonObject(incoming)
  const problem = input ? faults.set(input) : 'the body must be a JSON object'
  if (problem) return json({ error: problem }, 400)
  return json({ faults: faults.list(), waiting: gates.waiting() })
}

function resetFaults({ faults, gates }: Tools, { query }: Incoming): Reply {
  faults.reset(query.get('match'))
  return json({ faults: faults.list(), waiting: gates.waiting() })
}

function showWebhooks({ world, webhookUrl }: Tools, incoming: Incoming): Reply {
  const type = incoming.query.get('type')
  const paymentIntent = incoming.query.get('paymentIntent')
  const records = world.state.webhooks
    .toReversed()
    .filter(({ event }) => type === null || event.type === type)
    .filter(({ body }) => paymentIntent === null || body.includes(`"${paymentIntent}"`))
  if (wantsHtml(incoming)) return html(webhooksPage(records, webhookUrl()))
  return json({
    events: records.map(({ event, state, deliveries }) => ({
      id: event.id,
      type: event.type,
      created: event.created,
      state,
      deliveries,
      event,
    })),
  })
}

async function replayWebhook({ world, webhooks }: Tools, incoming: Incoming, id: string): Promise<Reply> {
  const record = world.state.webhooks.find(({ event }) => event.id === id)
  if (!record) return json({ error: `No event ${id}` }, 404)
  const delivery = await webhooks.replay(record)
  return wantsHtml(incoming) ? seeOther('/webhooks') : json({ delivery })
}

function disputePayment({ world }: Tools, incoming: Incoming): Reply {
  const input = readJsonObject(incoming) ?? {}
  const reason = typeof input['reason'] === 'string' ? input['reason'] : 'fraudulent'
  return json(createDispute(world, readIntentId(input), reason))
}

function resolveDispute({ world }: Tools, incoming: Incoming): Reply {
  const input = readJsonObject(incoming) ?? {}
  const status = input['status']
  if (status !== 'won' && status !== 'lost') throw invalid('status must be won or lost')
  return json(closeDispute(world, readIntentId(input), status))
}

function failLatestRefund({ world }: Tools, incoming: Incoming): Reply {
  return json(failRefund(world, readIntentId(readJsonObject(incoming) ?? {})))
}

function authenticate({ world }: Tools, incoming: Incoming): Reply {
  const input = readJsonObject(incoming) ?? {}
  const outcome = input['outcome']
  if (outcome !== 'complete' && outcome !== 'fail') throw invalid('outcome must be complete or fail')
  const intent = authenticateIntent(world, readIntentId(input), outcome === 'complete')
  return json({ id: intent.id, status: intent.status })
}

function deleteMails({ world }: Tools): Reply {
  const deleted = world.state.mails.splice(0).length
  world.changed()
  return json({ deleted })
}

function showMail({ world }: Tools, _incoming: Incoming, id: string): Reply {
  const mail = world.state.mails.find((candidate) => candidate.id === id)
  return mail ? html(mailPage(mail)) : html(mailboxPage(world, null), 404)
}

function readIntentId(input: Record<string, unknown>): string {
  const id = input['paymentIntent']
  if (typeof id !== 'string') throw invalid('paymentIntent must be the id of a PaymentIntent')
  return id
}

/** A static map provider's response: always the same picture, 600 x 300. `as` selects a bad response. */
function showMap(_tools: Tools, { query }: Incoming): Reply {
  const image = { 'content-type': 'image/png' }
  const bad: Record<string, Reply> = {
    error: { status: 403, body: 'The key is not right' },
    svg: { status: 200, headers: { 'content-type': 'image/svg+xml' }, body: '<svg/>' },
    huge: { status: 200, headers: image, body: new Uint8Array(2 * 1024 * 1024) },
  }
  const map = readFileSync(new URL('map.png', import.meta.url))
  return bad[query.get('as') ?? ''] ?? { status: 200, headers: image, body: map }
}

/** The file for this path, or null. It is read each time, so that a reload shows an edit. */
function readAsset(path: string): Reply | null {
  const asset = Object.hasOwn(ASSETS, path) ? ASSETS[path] : undefined
  if (!asset) return null
  const [file, type] = asset
  return {
    status: 200,
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'no-cache',
      // The page that loads the script is on another origin.
      'cross-origin-resource-policy': 'cross-origin',
    },
    body: readFileSync(new URL(`stripe-js/${file}`, import.meta.url), 'utf8'),
  }
}
