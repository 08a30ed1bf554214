import type { Faults } from './faults.ts'
import type { Gates } from './gates.ts'
import { html, json, readJsonObject, seeOther, wantsHtml } from './http.ts'
import type { Incoming, Reply } from './http.ts'
import { listMails } from './mail.ts'
import { mailboxPage, mailPage } from './mailbox-page.ts'
import { answerMap } from './map.ts'
import { answerPaynowControl } from './paynow/control.ts'
import type { Paynow } from './paynow/transactions.ts'
import { authenticateIntent, requireIntent } from './stripe/payment-intents.ts'
import { closeDispute, createDispute, failRefund } from './stripe/refunds.ts'
import { invalid, StripeFailure } from './stripe/error.ts'
import { readAsset } from './assets.ts'
import { webhooksPage } from './stripe/webhooks-page.ts'
import type { WebhookRecord, Webhooks } from './stripe/webhooks.ts'
import type { World } from './world.ts'

/** Dependencies of the control endpoints. */
export type Tools = {
  world: World
  faults: Faults
  gates: Gates
  webhooks: Webhooks
  paynow: Paynow
  webhookUrl: () => string | null
  setWebhookUrl: (url: string | null) => void
}

type Handler = (tools: Tools, incoming: Incoming, id: string) => Reply | Promise<Reply>

const ROUTES: [method: string, path: RegExp, handler: Handler][] = [
  ['GET', /^\/health$/, () => json({ ok: true })],
  ['GET', /^\/config$/, showConfig],
  ['POST', /^\/config$/, changeConfig],
  ['GET', /^\/faults$/, showFaults],
  ['POST', /^\/faults$/, setFault],
  ['DELETE', /^\/faults$/, resetFaults],
  ['GET', /^\/webhooks$/, showWebhooks],
  ['POST', /^\/webhooks\/settle$/, settle],
  ['GET', /^\/webhooks\/(\w+)$/, showWebhook],
  ['POST', /^\/webhooks\/(\w+)\/replay$/, replayWebhook],
  ['POST', /^\/test\/dispute$/, disputePayment],
  ['POST', /^\/test\/dispute\/close$/, resolveDispute],
  ['POST', /^\/test\/refund\/fail$/, failLatestRefund],
  ['POST', /^\/test\/authenticate$/, authenticate],
  ['POST', /^\/test\/event$/, createEvent],
  ['GET', /^\/mail$/, ({ world }, { query }) => json({ messages: listMails(world, query.get('to')) })],
  ['DELETE', /^\/mail$/, deleteMails],
  ['GET', /^\/(?:mailbox)?$/, ({ world }, { query }) => html(mailboxPage(world, query.get('to')))],
  ['GET', /^\/mailbox\/(\w+)$/, showMail],
  ['GET', /^\/map\.png$/, (_tools, incoming) => answerMap(incoming)],
]

/** Answers all paths outside the Stripe, MailChannels and Paynow APIs: faults, test endpoints, pages, assets, the map. */
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
  const paynow = await answerPaynowControl(tools.paynow, incoming)
  if (paynow) return paynow
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

function showFaults({ faults, gates }: Tools): Reply {
  return json({ faults: faults.list(), waiting: gates.waiting(), taken: faults.taken() })
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
  return json({ events: records.map(toListed) })
}

async function settle({ webhooks }: Tools): Promise<Reply> {
  await webhooks.settled()
  return json({ ok: true })
}

/** Returns the exact body and fresh headers, so that a test without a server can deliver the event itself. */
function showWebhook({ world, webhooks }: Tools, _incoming: Incoming, id: string): Reply {
  const record = findWebhook(world, id)
  if (!record) return json({ error: `No event ${id}` }, 404)
  return json({ ...toListed(record), body: record.body, headers: webhooks.sign(record) })
}

async function replayWebhook({ world, webhooks }: Tools, incoming: Incoming, id: string): Promise<Reply> {
  const record = findWebhook(world, id)
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

/** Sends any event about a payment in its current state; `set` overrides properties, for mismatching events. */
function createEvent({ world, webhooks }: Tools, incoming: Incoming): Reply {
  const { type, set, ...input } = readJsonObject(incoming) ?? {}
  if (typeof type !== 'string' || type === '') throw invalid('type must be the name of an event')
  const intent = requireIntent(world, readIntentId(input))
  const charge =
    typeof intent.latest_charge === 'string' ? world.state.charges[intent.latest_charge] : undefined
  const object = type.startsWith('charge.') && charge ? charge : intent
  const changes = typeof set === 'object' ? set : {}
  const record = webhooks.createEvent(type, { ...object, ...changes }, { id: null, idempotency_key: null })
  return json(toListed(record))
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

function findWebhook(world: World, id: string): WebhookRecord | undefined {
  return world.state.webhooks.find((record) => record.event.id === id)
}

function readIntentId(input: Record<string, unknown>): string {
  const id = input['paymentIntent']
  if (typeof id !== 'string') throw invalid('paymentIntent must be the id of a PaymentIntent')
  return id
}

function toListed({ event, state, deliveries }: WebhookRecord): object {
  return { id: event.id, type: event.type, created: event.created, state, deliveries, event }
}
